import {
  omitUndefined,
  QR_CODE_FIELDS,
  SCAN_FIELDS,
  showText,
  type ScanOutputRow,
} from '@qr-service/core/connector';
import type { QrCode } from '@qr-service/core';
import { z } from 'zod';

/** Maximum size of the fields of a record that the API text doesn't name, as JSON. */
const MAX_OTHER_LENGTH = 2000;
/** Maximum length of one value in a text. */
const MAX_VALUE_LENGTH = 120;

/**
 * A QR code in results. The service may send more fields. Only what names and values don't say is described, as most
 * tools repeat this.
 */
export const CODE_SCHEMA = z.looseObject({
  ...Object.fromEntries(QR_CODE_FIELDS.map(({ key }) => [key, z.string().nullable()])),
  id: z.string().describe('All tools accept it.'),
  publicUrl: z
    .string()
    .nullable()
    .describe('The short link, which printed codes contain. All tools accept it.'),
  targetUrl: z.string().optional().describe('Where the code points, as far as it is known.'),
});

/** A scan in results. The workspace's privacy settings decide which other fields it has. */
export const SCAN_SCHEMA = z.looseObject({
  id: z.string().describe('Identifier of the scan.'),
  qrId: z.string().nullable().describe('The code that was scanned.'),
  scannedAt: z.string().nullable().describe('When it was scanned, in UTC.'),
});

/** A QR code as results contain it: each known field is text or null. */
export function codeRecord(code: QrCode, targetUrl?: string): Record<string, unknown> & { id: string } {
  return { ...record(code, QR_CODE_FIELDS), id: code.id, ...omitUndefined({ targetUrl }) };
}

/** A scan as results contain it. */
export function scanRecord(scan: ScanOutputRow): Record<string, unknown> & { id: string } {
  return { ...record(scan, SCAN_FIELDS), id: scan.id };
}

function record(row: Record<string, unknown>, fields: readonly { key: string }[]): Record<string, unknown> {
  const keys = fields.map(({ key }) => key);
  const known = Object.fromEntries(keys.map((key) => [key, typeof row[key] === 'string' ? row[key] : null]));
  const others = Object.fromEntries(
    Object.entries(row).filter(([key]) => !keys.includes(key) && key !== 'targetUrl'),
  );
  return JSON.stringify(others).length > MAX_OTHER_LENGTH ? known : { ...others, ...known };
}

/** A QR code on one line of text. */
export function codeLine({ id, name, publicUrl, status, targetUrl }: Record<string, unknown>): string {
  const target = typeof targetUrl === 'string' ? `points to ${targetUrl}` : '';
  return [name, publicUrl, status, target, `ID ${String(id)}`]
    .map(shown)
    .filter((part) => part !== '')
    .join(' · ');
}

/** A scan on one line of text. */
export function scanLine({ id: _, scannedAt, qrId, ...dimensions }: Record<string, unknown>): string {
  const values = Object.entries(dimensions).map(([key, value]) => `${shown(key)} ${shown(value)}`);
  return [shown(scannedAt), `QR code ${shown(qrId)}`, ...values].filter((part) => part !== '').join(' · ');
}

function shown(value: unknown): string {
  const text =
    typeof value === 'string' ? value : value === null || value === undefined ? '' : JSON.stringify(value);
  return showText(text, MAX_VALUE_LENGTH);
}
