import { createHash } from 'node:crypto';
import type { ScanRow } from '../contract/types.ts';
import { stableJson, text } from '../json/json.ts';
import { readTime } from './time.ts';

/** Fields that may contain a scan's ID (API text, "Gaps": fields of a scan row). */
const ID_KEYS = ['id', 'scanId'];

/** Fields that may contain a scan's time: the first readable one counts. */
const TIME_KEYS = ['scannedAt', 'occurredAt', 'timestamp', 'createdAt', 'time', 'at', 'date'];

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
 * Identifies scans, in order. Rows with the same ID are one scan. Identical rows without an ID are numbered: `scan-…`,
 * `scan-…-2`, and so on. To continue across pages, pass the same `counts` (how many rows had an ID so far), which is
 * updated.
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
  // JSON rounds large numbers, so several scans could have the same one.
  const ids = ID_KEYS.flatMap((key) => {
    const id = row[key];
    return Number.isSafeInteger(id) ? String(id) : (text(id) ?? []);
  });
  return ids[0];
}

function derivedId(row: ScanRow): string {
  return `scan-${createHash('sha256').update(stableJson(row)).digest('hex').slice(0, 32)}`;
}

/** When the scan happened, as ISO 8601 UTC, or undefined if no field of the row contains it. */
export function scanTime(row: ScanRow): string | undefined {
  const time = TIME_KEYS.map((key) => readTime(row[key])).find((value) => value !== undefined);
  return time === undefined ? undefined : new Date(time).toISOString();
}
