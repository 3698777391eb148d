import { createHash } from 'node:crypto';
import type { ScanRow } from '../contract/types.ts';
import { stableJson, nonEmptyText } from '../json/json.ts';
import { readTime } from './time.ts';

/** Fields that may contain a scan's ID (docs/api.md#scans). */
const ID_KEYS = ['id', 'scanId'];

/** Fields that may contain a scan's time: the first readable one counts. */
const TIME_KEYS = ['scannedAt', 'occurredAt', 'timestamp', 'createdAt', 'time', 'at', 'date'];

/** ISO 8601 in UTC, up to the last day that each month has: of most scans, so that they needn't be read and written again. */
const USUAL_TIME =
  /^\d{4}-(?:0[1-9]|1[0-2])-(?:[01]\d|2[0-8])(?<!00)T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z$/;

/** A scan as connectors output it: the service's fields, with an ID and a time. */
export type ScanOutputRow = ScanRow & {
  /** Its own ID, or else a hash of the whole row. */
  id: string;
  /** ISO 8601 UTC; null if no field contains it. */
  scannedAt: string | null;
};

/**
 * Gives a scan an ID and a time, or returns undefined if it was seen before: rows with the same ID are one scan, and so are
 * rows without one that are alike in every field. Its ID is added to `seen`.
 */
export function identifyScan(scan: ScanRow, seen: Set<string>): ScanOutputRow | undefined {
  const id = scanId(scan);
  const { size } = seen;
  if (seen.add(id).size === size) return undefined;
  return { ...scan, id, scannedAt: scanTime(scan) };
}

/** The same for several scans, in order. To continue across pages, pass the same `seen`. */
export function identifyScans(rows: readonly ScanRow[], seen: Set<string> = new Set()): ScanOutputRow[] {
  return rows.flatMap((scan) => identifyScan(scan, seen) ?? []);
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
    const value = row[key];
    if (typeof value === 'string' && USUAL_TIME.test(value)) return value;
    const time = readTime(value);
    if (time !== undefined) return new Date(time).toISOString();
  }
  return null;
}
