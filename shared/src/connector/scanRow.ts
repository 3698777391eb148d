import type { FieldDefinition } from '../contract/fields.ts';
import type { ScanRow } from '../contract/types.ts';
import type { IdentifiedScan } from '../wire/scan.ts';

/** Fields that every scan has. The API text shows none, so all others are passed through. */
export const SCAN_FIELDS: readonly FieldDefinition[] = [
  { key: 'id', label: 'Scan ID', type: 'string', description: 'Identifier of the scan.' },
  { key: 'qrId', label: 'QR Code ID', type: 'string', description: 'The code that was scanned.' },
  {
    key: 'scannedAt',
    label: 'Scanned At',
    type: 'datetime',
    description: 'When it was scanned, in UTC.',
    nullable: true,
  },
];

/** A scan as a connector outputs it. */
export type ScanOutputRow = ScanRow & {
  /** Its own ID, or one derived from the row: see `scanRows`. */
  id: string;
  /** ISO 8601 UTC; null if the service doesn't say. */
  scannedAt: string | null;
};

/**
 * A scan as a connector outputs it: the service's fields, with an `id` and a `scannedAt` in every row.
 * @example
 * ```ts
 * import { scanRow, scanRows } from '@qr-service/core/connector';
 *
 * const rows = scanRows([{ scanId: 's1', at: 1767225600 }]).map(scanRow);
 * console.log(rows[0]?.id, rows[0]?.scannedAt); // s1 2026-01-01T00:00:00.000Z
 * ```
 */
export function scanRow({ id, scannedAt, scan }: IdentifiedScan): ScanOutputRow {
  return { ...scan, id, scannedAt: scannedAt ?? null };
}
