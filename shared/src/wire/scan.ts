import { createHash } from 'node:crypto';
import type { ScanRow } from '../contract/types.ts';
import { stableJson, nonEmptyText } from '../json/json.ts';
import { readTime } from './time.ts';

/** Fields that may contain a scan's ID (docs/api.md#scans). */
const ID_KEYS = ['id', 'scanId'];

/** Fields that may contain a scan's time: the first readable one counts. */
const TIME_KEYS = ['scannedAt', 'occurredAt', 'timestamp', 'createdAt', 'time', 'at', 'date'];

/** A scan as connectors output it: the service's fields, with an ID and a time. */
export type ScanOutputRow = ScanRow & {
  /** Its own ID, or else a hash of the whole row. */
  id: string;
  /** ISO 8601 UTC; null if no field contains it. */
  scannedAt: string | null;
};

/**
 * Gives scans an ID and a time, in order. Rows with the same ID are one scan, and so are rows without one that are alike
 * in every field. To continue across pages, pass the same `seen` (the IDs so far), which is updated.
 */
export function identifyScans(rows: readonly ScanRow[], seen: Set<string> = new Set()): ScanOutputRow[] {
  return rows.flatMap((scan) => {
    const id = scanId(scan);
    if (seen.has(id)) return [];
    seen.add(id);
    return { ...scan, id, scannedAt: scanTime(scan) };
  });
}

function scanId(row: ScanRow): string {
  // JSON rounds large numbers, so several scans could have the same one.
  for (const key of ID_KEYS) {
    const id = Number.isSafeInteger(row[key]) ? String(row[key]) : nonEmptyText(row[key]);
    if (id !== undefined) return id;
  }
  return `scan-${createHash('sha256').update(stableJson(row)).digest('hex').slice(0, 32)}`;
}

function scanTime(row: ScanRow): string | null {
  for (const key of TIME_KEYS) {
    const time = readTime(row[key]);
    if (time !== undefined) return new Date(time).toISOString();
  }
  return null;
}
