import {
  newestFirst,
  normalize,
  SAMPLE_QR_CODE,
  SAMPLE_SCAN,
  SCAN_FIELDS,
  scanRows,
  type ScanOutputRow,
} from '@qr-service/core/connector';
import type { QrCode, ScanRow } from '@qr-service/core';
import type { Bundle, PlainOutputField, ZObject } from 'zapier-platform-core';
import { createClient } from '../client/createClient.ts';
import { output, withAllFields } from './outputFields.ts';

/** What a row says about the code that was scanned. */
export interface ScannedCode {
  name: string | null;
  /** Short link. */
  publicUrl: string | null;
}

/** For a scan without a code's ID, and for a code that can't be read. */
export const UNKNOWN_CODE: ScannedCode = { name: null, publicUrl: null };

/** The part of a code that its scans show. */
export function scannedCodeOf({ name, publicUrl }: Partial<QrCode>): ScannedCode {
  return { name: name ?? null, publicUrl: publicUrl ?? null };
}

/** A scan as steps output it. */
export type ScanOutput = ScanOutputRow & {
  /**
   * In a poll, a reference that Zapier replaces once the scan starts a Zap. The service's own fields are likely to have
   * other names.
   */
  scannedCode: ScannedCode | string;
};

/** Scans as steps output them, in the same order, without their codes. Two identical ones remain two. */
export function scanOutputRows(scans: readonly ScanRow[]): ScanOutput[] {
  return scanRows(scans).map((scan) => withAllFields(ROW_KEYS, { ...scan, scannedCode: UNKNOWN_CODE }));
}

/** Sorts scans newest first. The history is read forward, so of two with the same time, the later one comes first. */
export function newestScans(rows: readonly ScanOutput[]): ScanOutput[] {
  return newestFirst([...rows].reverse(), (scan) => scan.scannedAt);
}

/** The ID of the code that was scanned; empty if the scan has none. */
export function codeIdOf(scan: ScanRow): string {
  return normalize(scan.qrId);
}

/** The IDs of the codes that were scanned, each once. */
export function codeIdsOf(scans: readonly ScanRow[]): string[] {
  return [...new Set(scans.map(codeIdOf))].filter((id) => id !== '');
}

/** Adds codes, by their IDs, to their scans. */
export function withCodes(
  rows: ScanOutput[],
  codes: ReadonlyMap<string, ScanOutput['scannedCode']>,
): ScanOutput[] {
  return rows.map((row) => ({ ...row, scannedCode: codes.get(codeIdOf(row)) ?? UNKNOWN_CODE }));
}

/** Keys of a row's own fields. In those of output fields, Zapier writes `scannedCode__name` for a field of an object. */
const ROW_KEYS = [...SCAN_FIELDS, { key: 'scannedCode' }];

/** Time limit for reading the workspace's dimensions, in milliseconds, as the editor waits for them. */
const DIMENSIONS_MS = 8_000;
/** Maximum number of dimensions that get a label. */
const MAX_DIMENSIONS = 100;
/** In the key of a field, Zapier reads `__` and `.` as a path. */
const PLAIN_KEY = /^(?!.*__)[\p{L}\d][\p{L}\d _-]{0,63}$/u;

/**
 * Reads the dimensions that the workspace's privacy settings permit, as output fields. Never fails, as that would
 * block the editor.
 */
async function dimensionFields(z: ZObject, bundle: Bundle): Promise<PlainOutputField[]> {
  try {
    const since = new Date().toISOString();
    const { scans } = createClient(z, bundle);
    const { allowedDimensions } = await scans.listPage({ since }, { timeoutMs: DIMENSIONS_MS });
    const taken: string[] = ROW_KEYS.map(({ key }) => key);
    return [...new Set(allowedDimensions)]
      .filter((key) => PLAIN_KEY.test(key) && labelOf(key) !== '' && !taken.includes(key))
      .slice(0, MAX_DIMENSIONS)
      .map((key) => ({ key, label: labelOf(key), type: 'string' }));
  } catch {
    z.console.log("The workspace's scan dimensions couldn't be read, so their fields have no labels.");
    return [];
  }
}

/** A dimension's key in words: `countryCode` becomes `Country Code`. Empty for a key without letters. */
function labelOf(key: string): string {
  if (!/\p{L}/u.test(key)) return '';
  const words = key.replaceAll(/(\p{Ll})(\p{Lu})/gu, '$1 $2').match(/[\p{L}\d]+/gu) ?? [];
  return words
    .map((word) => (/^(?:id|url|ip|os|qr|utm)$/i.test(word) ? word.toUpperCase() : capitalized(word)))
    .join(' ');
}

function capitalized([first = '', ...rest]: string): string {
  return first.toUpperCase() + rest.join('');
}

const { outputFields } = output(
  [
    ...SCAN_FIELDS,
    { key: 'scannedCode__name', label: 'QR Code Name', type: 'string' },
    { key: 'scannedCode__publicUrl', label: 'Short Link', type: 'string' },
  ],
  {
    ...SAMPLE_SCAN,
    scannedCode__name: SAMPLE_QR_CODE.name,
    scannedCode__publicUrl: SAMPLE_QR_CODE.publicUrl,
  },
  ['id'],
);
const isId = ({ key }: PlainOutputField) => /^id$|Id$/.test(key);

/** Sample and output fields of steps that output scans: the time, the code, the dimensions, the IDs. */
export const SCAN_OUTPUT = {
  sample: { ...(scanOutputRows([SAMPLE_SCAN])[0] as ScanOutput), scannedCode: scannedCodeOf(SAMPLE_QR_CODE) },
  outputFields: [
    ...outputFields.filter((field) => !isId(field)),
    dimensionFields,
    ...outputFields.filter(isId),
  ],
};
