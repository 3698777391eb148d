import { SAMPLE_SCAN, scanId, scanTime, type FieldFacts, type ScanRow } from '@qr-service/core';
import { output, withAllFields } from './outputFields.ts';

/** What every scan is given; the API text shows no fields of a scan, so all others pass through. */
const SCAN_FIELDS: readonly FieldFacts[] = [
  { key: 'id', label: 'Scan ID', type: 'string', description: 'Identifier of the scan.' },
  { key: 'qrId', label: 'QR Code ID', type: 'string', description: 'The code that was scanned.' },
  { key: 'scannedAt', label: 'Scanned At', type: 'datetime', description: 'When it was scanned, in UTC.' },
];

/** A scan as the trigger gives it. */
export type ScanOutputRow = ScanRow & { id: string; scannedAt: string | null };

/**
 * Scans as the trigger gives them, in the order given. A repeated id is one scan; rows without an id of
 * their own that are alike in everything are told apart by counting, so that two such scans stay two.
 */
export function scanRows(scans: readonly ScanRow[]): ScanOutputRow[] {
  const counts = new Map<string, number>();
  const rows: ScanOutputRow[] = [];
  for (const scan of scans) {
    const id = scanId(scan);
    const count = (counts.get(id) ?? 0) + 1;
    counts.set(id, count);
    if (count > 1 && hasOwnId(scan, id)) continue;
    rows.push(
      withAllFields(SCAN_FIELDS, {
        ...scan,
        id: count === 1 ? id : `${id}-${count}`,
        scannedAt: scanTime(scan) ?? null,
      }),
    );
  }
  return rows;
}

function hasOwnId(scan: ScanRow, id: string): boolean {
  return Object.values(scan).some((value) => String(value) === id);
}

/** Sample and output fields of the scan trigger. */
export const SCAN_OUTPUT = output(SCAN_FIELDS, SAMPLE_SCAN, ['id']);
