import {
  omitUndefined,
  QR_CODE_FIELDS,
  SCAN_FIELDS,
  showText,
  type ScanOutputRow,
} from '@qr-service/core/connector';
import * as z from 'zod';

/** Maximum size of a record's undocumented fields, as JSON. */
const MAX_OTHER_LENGTH = 2000;
/** Maximum length of one value in a text. */
const MAX_VALUE_LENGTH = 120;

/**
 * A QR code in results, which may have more fields. Only what names and values don't say is described, as most tools
 * repeat this.
 */
export const CODE_SCHEMA = z.looseObject({
  id: z.string(),
  name: z.string().optional(),
  publicUrl: z.string().optional().describe('The short link, as printed.'),
  status: z.string().optional(),
  updatedAt: z.string().optional(),
  targetUrl: z.string().optional().describe('Where it points, if known.'),
});

/** A scan in results. The workspace's privacy settings decide which other fields it has. */
export const SCAN_SCHEMA = z.looseObject({
  id: z.string(),
  qrId: z.string().optional(),
  scannedAt: z.string().optional(),
});

/** A QR code as results contain it: each known field is text or missing. */
export function codeRecord(code: { id: string }, targetUrl?: string) {
  return { ...record(code, QR_CODE_FIELDS), id: code.id, ...omitUndefined({ targetUrl }) };
}

/** A scan as results contain it. */
export function scanRecord(scan: ScanOutputRow): Record<string, unknown> & { id: string } {
  return { ...record(scan, SCAN_FIELDS), id: scan.id };
}

function record(row: Record<string, unknown>, fields: readonly { key: string }[]): Record<string, unknown> {
  const keys = fields.map(({ key }) => key);
  const known = omitUndefined(Object.fromEntries(keys.map((key) => [key, textOf(row[key])])));
  const others = Object.fromEntries(
    Object.entries(row).filter(([key]) => !keys.includes(key) && key !== 'targetUrl'),
  );
  return JSON.stringify(others).length > MAX_OTHER_LENGTH ? known : { ...others, ...known };
}

function textOf(value: unknown): string | undefined {
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' ? value : undefined;
}

/** A QR code on one line of text. */
export function codeLine({ id, name, publicUrl, status, targetUrl }: Record<string, unknown>): string {
  const target = typeof targetUrl === 'string' ? `points to ${targetUrl}` : '';
  return joined([name, publicUrl, status, target, `ID ${String(id)}`].map(shown));
}

/** The same, with the time of its last change. */
export function changedLine(code: Record<string, unknown>): string {
  const { updatedAt } = code;
  return joined([codeLine(code), updatedAt === undefined ? '' : `changed ${shown(updatedAt)}`]);
}

/** A previous destination in a text: whole, so that the change can be undone. */
export const shownUrl = (url: string) => showText(url, 2048);

/** A scan on one line of text. */
export function scanLine({ id: _, scannedAt, qrId, ...dimensions }: Record<string, unknown>): string {
  const values = Object.entries({ 'QR code': qrId, ...dimensions });
  const known = values.map(([key, value]) => (shown(value) === '' ? '' : `${shown(key)} ${shown(value)}`));
  return joined([shown(scannedAt), ...known]);
}

function joined(parts: readonly string[]): string {
  return parts.filter((part) => part !== '').join(' · ');
}

function shown(value: unknown): string {
  if (value === null || value === undefined) return '';
  return showText(typeof value === 'string' ? value : JSON.stringify(value), MAX_VALUE_LENGTH);
}
