import { createHash } from 'node:crypto';
import { isQrServiceError, scannedCodeId } from '../../deps.ts';
import type { PolledPage, PolledRow, Position, ReadPages } from './lists.ts';
import type { RowFilter } from './settings.ts';

/** How late a row may become visible: each walk reads this far back again. */
export const OVERLAP_MS = 5 * 60_000;
/** How far back a first poll reads, at least. Clocks that differ by less lose no change. */
const BASELINE_MS = 60 * 60_000;
/** A poll with this many new rows ends; the next one continues its walk. */
const MAX_NEW_ROWS = 1000;
/** Most rows that are remembered, in 250 kB. */
const MAX_SEEN = 10_000;

/**
 * How far a walk has come, as it is stored between polls. A walk is one pass over the rows since a time, in one or more
 * polls. Times are in milliseconds since the epoch, by the service's clock.
 */
export interface StoredWalk extends Position {
  /** Lowest time of the walk under way, or of the next one. */
  since: number;
  /** When the walk under way began. */
  begunAt?: number | undefined;
  /** The next walk must not read below this time, as rows were forgotten. */
  floor?: number | undefined;
  /** Highest time of any row so far that was not in the future. */
  newest: number;
  /** The latest time of each row that was listed since then, by the key of its ID. */
  seen: Record<string, number>;
  /** With `onlyNew`: keys of all records that existed at first or were emitted since. */
  known?: string | undefined;
  /** The codes of the filter: as the user named them, and their IDs. */
  codes?: { named: string; ids: string[] };
}

/** Result of one poll: rows to emit, oldest first, and why it ended early, if it did. */
export interface PollResult {
  stored: StoredWalk;
  rows: PolledRow['row'][];
  failure?: unknown;
}

/** Whether a poll has nothing to continue from. It emits nothing: what exists by then counts as old. */
export function isFirstPoll(stored: StoredWalk | undefined, { onlyNew }: RowFilter): boolean {
  return stored === undefined || (onlyNew === true && stored.known === undefined);
}

/** Whether the filter accepts a row by the row's own fields. A scan without a code's ID is never lost. */
export function isWanted({ row }: PolledRow, { onlyPublished, codeIds = [] }: RowFilter): boolean {
  if (codeIds.length > 0) return ['', ...codeIds].includes(scannedCodeId(row));
  return onlyPublished !== true || row['status'] === 'published';
}

/**
 * One poll, on a walk through all rows since a little before the newest one of the walk before. It emits each change once, in
 * any list order. A long walk takes several polls; if its pagination cursor expires, it starts over.
 */
export async function pollRows(
  read: ReadPages,
  stored: StoredWalk | undefined,
  filter: RowFilter,
  maxNewRows = MAX_NEW_ROWS,
): Promise<PollResult> {
  if (stored === undefined || isFirstPoll(stored, filter)) return readBaseline(read, filter);
  const walk: StoredWalk = { ...stored, seen: { ...stored.seen } };
  const newRows: PolledRow[] = [];
  let failure = await continueWalk(maxNewRows);
  const isExpired = isQrServiceError(failure) && failure.code === 'invalid_cursor';
  if (isExpired && walk.cursor !== undefined && walk.cursor === stored.cursor) {
    walk.cursor = undefined;
    walk.begunAt = undefined;
    // Without a limit: if every cursor expires before the next poll, that one would start over, too.
    failure = await continueWalk(Infinity);
  }
  const known = filter.onlyNew === true ? new Set(stored.known?.match(/.{8}/g)) : undefined;
  const addIfUnknown = ({ id }: PolledRow) => known === undefined || known.size < known.add(keyOf(id)).size;
  const rows = newRows
    .sort((a, b) => (a.time ?? 0) - (b.time ?? 0))
    .filter((row) => isWanted(row, filter) && addIfUnknown(row))
    .map(({ row }) => row);
  return { stored: toStored(walk, known), rows, failure };

  async function continueWalk(limit: number): Promise<unknown> {
    try {
      for await (const page of read(walk)) {
        newRows.push(...takePage(walk, page));
        if (newRows.length >= limit) break;
      }
      return undefined;
    } catch (error) {
      return error;
    }
  }
}

/** Where watching starts: what changed before counts as seen. With `onlyNew`, all records are known. */
async function readBaseline(read: ReadPages, { onlyNew }: RowFilter): Promise<PollResult> {
  const known = onlyNew === true ? new Set<string>() : undefined;
  let since = Infinity;
  for await (const { rows, servedAt } of read({})) {
    since = Math.min(since, servedAt - BASELINE_MS);
    if (known === undefined) break;
    for (const { id } of rows) known.add(keyOf(id));
  }
  const walk: StoredWalk = { since, newest: since, seen: {} };
  for await (const page of read(walk)) {
    takePage(walk, page);
    for (const { id } of page.rows) known?.add(keyOf(id));
  }
  return { stored: toStored(walk, known), rows: [] };
}

/** Takes the walk's next page and returns the rows that are new. */
function takePage(walk: StoredWalk, { rows, nextCursor, servedAt }: PolledPage): PolledRow[] {
  walk.begunAt ??= servedAt;
  const newRows = rows.filter(({ id, time }) => {
    // Known, or listed by a service that ignores the time filter.
    if (time !== undefined && time < walk.since) return false;
    const key = keyOf(id);
    const before = walk.seen[key];
    // A row without a time counts as old as its page.
    const seenAt = time ?? servedAt;
    if (seenAt < servedAt + 1000) walk.newest = Math.max(walk.newest, seenAt);
    // An earlier time is that of an older version, from a server that lags behind.
    walk.seen[key] = Math.max(seenAt, before ?? 0);
    return before === undefined || (time !== undefined && time > before);
  });
  walk.cursor = nextCursor;
  if (nextCursor === undefined) endWalk(walk, walk.begunAt);
  return newRows;
}

/**
 * The next walk begins a little before the newest row, or before this walk: a row that changed during the walk may have
 * been on a page read before. Once no newer row has come for that long, none can be late either.
 */
function endWalk(walk: StoredWalk, begunAt: number): void {
  forgetOldest(walk);
  const { newest, since, floor = 0 } = walk;
  const isQuiet = begunAt > newest + OVERLAP_MS;
  walk.since = Math.max(since, floor, isQuiet ? newest : Math.min(newest, begunAt) - OVERLAP_MS);
  walk.seen = Object.fromEntries(Object.entries(walk.seen).filter(([, time]) => time >= walk.since));
  walk.begunAt = undefined;
  walk.floor = undefined;
}

/** Forgets the oldest rows if there are too many. */
function forgetOldest(walk: StoredWalk): void {
  const newestFirst = Object.entries(walk.seen).sort(([, a], [, b]) => b - a);
  const [, forgotten] = newestFirst[MAX_SEEN] ?? [];
  if (forgotten === undefined) return;
  walk.seen = Object.fromEntries(newestFirst.slice(0, MAX_SEEN));
  walk.floor = Math.max(walk.floor ?? 0, forgotten + 1);
}

function toStored(walk: StoredWalk, known: Set<string> | undefined): StoredWalk {
  forgetOldest(walk);
  return { ...walk, known: known && [...known].join('') };
}

/** Eight characters for an ID: even among a million, a new one is mistaken for a known one once in 300 million cases. */
function keyOf(id: string): string {
  return createHash('sha256').update(id).digest('base64url').slice(0, 8);
}
