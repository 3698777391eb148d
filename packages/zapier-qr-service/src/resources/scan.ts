import type { QrCode, ScanRow } from '@qr-service/core';
import {
  identifyScans,
  newestFirst,
  normalize,
  SAMPLE_QR_CODE,
  SAMPLE_SCAN,
  SCAN_FIELDS,
  scannedCodeId,
  type ScanOutputRow,
} from '@qr-service/core/connector';
import { output, withAllFields } from './outputFields.ts';

/** What a row says about the code that was scanned: its name and short link. */
export type ScannedCode = Record<'name' | 'publicUrl', string | null>;

/** For a scan without a code's ID, and for a code that can't be read. */
export const UNKNOWN_CODE: ScannedCode = { name: null, publicUrl: null };

/** The part of a code that its scans show. */
export function scannedCodeOf({ name, publicUrl }: Partial<QrCode>): ScannedCode {
  return { name: name ?? null, publicUrl: publicUrl ?? null };
}

/** A scan as steps output it. */
export type ScanOutput = ScanOutputRow & {
  /** In a poll, a reference that Zapier replaces once the scan starts a Zap. */
  scannedCode: ScannedCode | string;
};

/**
 * Scans as steps output them, newest first, without their codes. The history is read forward, so of two with the same
 * time, the later one comes first.
 */
export function scanOutputRows(scans: readonly ScanRow[]): ScanOutput[] {
  const rows = identifyScans(scans).map((scan) =>
    withAllFields(ROW_KEYS, { ...scan, scannedCode: UNKNOWN_CODE }),
  );
  return newestFirst<ScanOutput>(rows.reverse(), (scan) => scan.scannedAt);
}

/** Scans of a code, or all of them for an empty ID. One without a code's ID passes, so that a filter never loses scans. */
export function scansOf(scans: ScanOutput[], id: string): ScanOutput[] {
  return scans.filter((scan) => id === '' || ['', normalize(id)].includes(scannedCodeId(scan)));
}

/** The IDs of the codes that were scanned, each once. */
export function codeIdsOf(scans: readonly ScanRow[]): string[] {
  return [...new Set(scans.map(scannedCodeId))].filter((id) => id !== '');
}

/** Adds each scan's code, or an unknown one. `codeOf` is called once for each code. */
export function withCodes(
  rows: ScanOutput[],
  codeOf: (id: string) => ScanOutput['scannedCode'] | undefined,
): ScanOutput[] {
  const codes = new Map(codeIdsOf(rows).map((id) => [id, codeOf(id)]));
  return rows.map((row) => ({ ...row, scannedCode: codes.get(scannedCodeId(row)) ?? UNKNOWN_CODE }));
}

/** Keys of a row's own fields. In those of output fields, Zapier writes `scannedCode__name` for a field of an object. */
const ROW_KEYS = [...SCAN_FIELDS, { key: 'scannedCode' }];

/** Sample and output fields of steps that output scans. Zapier labels the workspace's own dimensions itself. */
export const SCAN_OUTPUT = {
  ...output(
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
  ),
  sample: { ...(scanOutputRows([SAMPLE_SCAN])[0] as ScanOutput), scannedCode: scannedCodeOf(SAMPLE_QR_CODE) },
};
