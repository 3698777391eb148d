/**
 * How late a row may become visible, by the service's clock: because of a transaction's start time, a bulk job, scans
 * that are collected first, or a lagging replica. Each pass reads this far back again.
 */
export const OVERLAP_MS = 5 * 60_000;

/** An older version, and when it was first listed. */
export type HeldVersion = [time: number, firstSeenAt: number];

/**
 * How far polling has come, as stored between polls. Times are in milliseconds since the epoch, by the service's clock.
 */
export interface StoredCursor {
  /** Lowest time of the pass under way, or of the next one; all rows if undefined. */
  since?: number | undefined;
  /** Pagination cursor with which that pass continues; its first page if undefined. */
  cursor?: string | undefined;
  /** Anything that changes during that pass has at least this time. */
  bound?: number | undefined;
  /** When the pass under way started. */
  begunAt?: number | undefined;
  /** When the last page was served. */
  servedAt?: number | undefined;
  /** Highest time of any row that was not ahead of the service's clock. */
  highest?: number | undefined;
  /** When that was first seen. */
  highestAt?: number | undefined;
  /** When that was, by n8n's clock. */
  highestReadAt?: number | undefined;
  /** When the last page was read, by n8n's clock. */
  readAt?: number | undefined;
  /** Highest time on activation: rows that are a little older and become visible late are old. */
  bornAt?: number | undefined;
  /** Below this time, rows that were seen may have been forgotten; nothing was forgotten if undefined. */
  floor?: number | undefined;
  /** The next pass's floor. */
  nextFloor?: number | undefined;
  /** Below this time, the pass under way suppresses the rows it finds. */
  quietBelow?: number | undefined;
  /** Whether the service's clock was set back during or before the pass under way. */
  isBack?: boolean | undefined;
  /** Whether any row ever had a time. */
  isTimed?: boolean | undefined;
  /** Whether a pass over rows without times is looking for the position it had reached. */
  isLost?: boolean | undefined;
  /** The newest version seen of each remembered record (`SeenVersions`). */
  seen?: string | undefined;
  /** Rows without times in a list where others have times (`SeenVersions`). */
  timeless?: string | undefined;
  /** How many identical rows the pass has listed (`IdenticalRowCounts`). */
  counts?: string | undefined;
  /** Older versions that may have replaced the newest one, by the record's fingerprint. */
  held?: Record<string, HeldVersion> | undefined;
}

/** The state of polling that emits rows since a time, less the overlap, and has seen none. */
export function startAt(time: number): StoredCursor {
  const since = Math.max(0, time) - OVERLAP_MS;
  // The filter may be exclusive: rows with exactly its time aren't listed, but are old.
  return { since, floor: since + 1 };
}
