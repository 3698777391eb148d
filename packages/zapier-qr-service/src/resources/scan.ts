import { SAMPLE_SCAN, scanRows as identifyScans, type FieldDefinition } from '@qr-service/core/connector';
import type { ScanRow } from '@qr-service/core';
import { output, withAllFields } from './outputFields.ts';

/** What every scan is given; the API text shows no fields of a scan, so all others pass through. */
const SCAN_FIELDS: readonly FieldDefinition[] = [
  { key: 'id', label: 'Scan ID', type: 'string', description: 'Identifier of the scan.' },
  { key: 'qrId', label: 'QR Code ID', type: 'string', description: 'The code that was scanned.' },
  { key: 'scannedAt', label: 'Scanned At', type: 'datetime', description: 'When it was scanned, in UTC.' },
];

/** A scan as the trigger gives it. */
export type ScanOutputRow = ScanRow & { id: string; scannedAt: string | null };

/** Scans as the trigger gives them, in the order given; two that are alike stay two. */
export function scanRows(scans: readonly ScanRow[]): ScanOutputRow[] {
  return identifyScans(scans).map(({ id, scannedAt, scan }) =>
    withAllFields(SCAN_FIELDS, { ...scan, id, scannedAt: scannedAt ?? null }),
  );
}

/** Sample and output fields of the scan trigger. */
export const SCAN_OUTPUT = output(SCAN_FIELDS, SAMPLE_SCAN, ['id']);
