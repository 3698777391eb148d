import { SAMPLE_SCAN, SCAN_FIELDS, scanRow, scanRows, type ScanOutputRow } from '@qr-service/core/connector';
import type { ScanRow } from '@qr-service/core';
import { output, withAllFields } from './outputFields.ts';

/** Scans as the trigger outputs them, in the same order; two identical ones stay two. */
export function scanOutputRows(scans: readonly ScanRow[]): ScanOutputRow[] {
  return scanRows(scans).map((scan) => withAllFields(SCAN_FIELDS, scanRow(scan)));
}

/** Sample and output fields of the scan trigger. */
export const SCAN_OUTPUT = output(SCAN_FIELDS, SAMPLE_SCAN, ['id']);
