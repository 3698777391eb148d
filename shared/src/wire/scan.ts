import { createHash } from 'node:crypto';
import type { ScanRow } from '../contract/types.ts';
import { stableJson, text } from '../json/json.ts';
import { readTime } from './time.ts';

/** Fields that may contain a scan's ID (API text, "Gaps": fields of a scan row). */
const ID_KEYS = ['id', 'scanId'];

/** Fields that may contain a scan's time: the first readable one counts. */
const TIME_KEYS = ['scannedAt', 'occurredAt', 'timestamp', 'createdAt', 'time', 'at', 'date'];

/** A scan as connectors output it: the service's fields, with an ID and a time. */
export type ScanOutputRow = ScanRow & {
  /** Its own ID, or else a hash of the whole row, numbered if rows are identical. */
  id: string;
  /** ISO 8601 UTC; null if no field contains it. */
  scannedAt: string | null;
};

/**
 * Gives scans an ID and a time, in order. Rows with the same ID are one scan. Identical rows without an ID are numbered:
 * `scan-…`, `scan-…-2`, and so on. To continue across pages, pass the same `counts` (how many rows had an ID so far), which
 * is updated.
 * @example
 * ```ts
 * import { scanRows } from '@qr-service/core/connector';
 *
 * const [row] = scanRows([{ scanId: 's1', at: 1767225600 }]);
 * console.log(row?.id, row?.scannedAt); // s1 2026-01-01T00:00:00.000Z
 * ```
 */
export function scanRows(rows: readonly ScanRow[], counts: Map<string, number> = new Map()): ScanOutputRow[] {
  return rows.flatMap((scan) => {
    const own = ownId(scan);
    const id = own ?? `scan-${createHash('sha256').update(stableJson(scan)).digest('hex').slice(0, 32)}`;
    const count = (counts.get(id) ?? 0) + 1;
    counts.set(id, count);
    if (count > 1 && own !== undefined) return [];
    return { ...scan, id: count === 1 ? id : `${id}-${count}`, scannedAt: scanTime(scan) };
  });
}

function ownId(row: ScanRow): string | undefined {
  // JSON rounds large numbers, so several scans could have the same one.
  const ids = ID_KEYS.map((key) => (Number.isSafeInteger(row[key]) ? String(row[key]) : text(row[key])));
  return ids.find((id) => id !== undefined);
}

function scanTime(row: ScanRow): string | null {
  const time = TIME_KEYS.map((key) => readTime(row[key])).find((value) => value !== undefined);
  return time === undefined ? null : new Date(time).toISOString();
}
