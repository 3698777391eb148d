import { createHash } from 'node:crypto';
import type { ScanRow } from '../contract/types.ts';
import { SCAN_ID_KEYS, SCAN_TIME_KEYS } from '../contract/wireNames.ts';
import { stableJson } from '../json/stableJson.ts';
import { text } from '../json/values.ts';
import { readTime } from './time.ts';

/** A scan with an ID and a time, whatever fields the service sends. */
export interface IdentifiedScan<Row extends ScanRow = ScanRow> {
  /** Its own ID, or else a hash of the whole row, numbered if rows are identical. */
  id: string;
  /** When it happened, as ISO 8601 UTC; undefined if no field contains it. */
  scannedAt: string | undefined;
  /** The row as received. */
  scan: Row;
}

/**
 * Identifies scans, in order (API text, gaps: scan row fields). Rows with the same ID are one scan. Identical rows
 * without an ID are numbered: `scan-…`, `scan-…-2`, and so on. To continue across pages, pass the same `counts` (how
 * many rows had an ID so far), which is updated.
 */
export function scanRows<Row extends ScanRow>(
  rows: readonly Row[],
  counts: Map<string, number> = new Map(),
): IdentifiedScan<Row>[] {
  const scans: IdentifiedScan<Row>[] = [];
  for (const scan of rows) {
    const own = ownId(scan);
    const id = own ?? derivedId(scan);
    const count = (counts.get(id) ?? 0) + 1;
    counts.set(id, count);
    if (count > 1 && own !== undefined) continue;
    scans.push({ id: count === 1 ? id : `${id}-${count}`, scannedAt: scanTime(scan), scan });
  }
  return scans;
}

/** The scan's own ID, or else a hash of the whole row, which is the same for identical rows. */
export function scanId(row: ScanRow): string {
  return ownId(row) ?? derivedId(row);
}

function ownId(row: ScanRow): string | undefined {
  for (const key of SCAN_ID_KEYS) {
    const id = row[key];
    // JSON rounds a larger number, so several scans could have the same one.
    if (Number.isSafeInteger(id)) return String(id);
    if (text(id) !== undefined) return id as string;
  }
  return undefined;
}

function derivedId(row: ScanRow): string {
  return `scan-${createHash('sha256').update(stableJson(row)).digest('hex').slice(0, 32)}`;
}

/** When the scan happened, as ISO 8601 UTC, or undefined if no field of the row contains it. */
export function scanTime(row: ScanRow): string | undefined {
  for (const key of SCAN_TIME_KEYS) {
    const time = readTime(row[key]);
    if (time !== undefined) return new Date(time).toISOString();
  }
  return undefined;
}
