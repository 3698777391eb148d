import { isQrServiceError } from '../../core.ts';
import type { StoredAccount } from './account.ts';
import { KnownIds } from './memory.ts';
import { findNewest, readFirstPage } from './newest.ts';
import { PollCursor } from './PollCursor.ts';
import type { PolledRow, ReadPages } from './rows.ts';
import { startAt, type StoredCursor } from './StoredCursor.ts';

/** On activation, a list with at most this many pages is read completely, so that none of its rows counts as new. */
const MAX_WHOLE_LIST_PAGES = 5;

/** How often an activation rereads what changed while it was reading. */
const MAX_REREADS = 2;

/** Which rows to emit; all of them by default. */
export interface RowFilter {
  /** Each record only once, the first time it is seen. */
  onlyNew?: boolean;
  /** Published codes only. */
  onlyPublished?: boolean;
}

/** When a batch is full: it ends with the page that reaches either limit. */
export interface BatchLimits {
  /** New rows. */
  newRows: number;
  /** Rows read, known ones included. */
  rowsRead: number;
}

/** What is stored between polls. */
export interface StoredPoll extends StoredCursor {
  /** The trigger's ID, which stays the same if it is renamed. */
  nodeId?: string | undefined;
  /** Owner of the rows, if known. */
  account?: StoredAccount | undefined;
  /** With `onlyNew`: the IDs of all records that existed at first or have been emitted since (`KnownIds`). */
  known?: string | undefined;
}

/** Result of one poll. */
export interface PollResult {
  stored: StoredPoll;
  /** Rows to emit, oldest first. */
  rows: PolledRow['row'][];
  /** Pages read. */
  pages: number;
  /** Why it ended early, if it did. */
  failure?: unknown;
  /** Whether the next poll may get no further (`Batch`). */
  isStuck?: boolean | undefined;
}

/**
 * One poll. The first one, and the first one with `onlyNew`, emits nothing: what exists by then counts as old.
 * Rows that the filter leaves out count as seen all the same, so a later change of the filter emits nothing old.
 * @throws the list's error if a first poll fails; later polls return it as `failure`
 */
export async function pollList(
  read: ReadPages,
  stored: StoredPoll | undefined,
  filter: RowFilter,
  limits: BatchLimits,
): Promise<PollResult> {
  const knownIds = filter.onlyNew === true ? new KnownIds(stored?.known) : undefined;
  const toStored = (cursor: PollCursor): StoredPoll => ({ ...cursor.stored, known: knownIds?.toString() });
  if (isFirstPoll(stored, filter))
    return { stored: toStored(await readBaseline(read, knownIds)), rows: [], pages: 1 };

  const cursor = new PollCursor(stored);
  const { newRows, pages, failure, isStuck } = await readBatch(read, cursor, limits);
  for (const { id } of cursor.suppressed) knownIds?.add(id);
  const rows = newRows
    .sort((a, b) => (a.time ?? 0) - (b.time ?? 0))
    .filter((row) => isWanted(row, filter) && (knownIds?.add(row.id) ?? true))
    .map(({ row }) => row);
  return { stored: toStored(cursor), rows, pages, failure, isStuck };
}

/** Whether a poll has nothing to continue from, so that what exists counts as old. */
export function isFirstPoll(stored: StoredPoll | undefined, { onlyNew }: RowFilter): boolean {
  return stored === undefined || (onlyNew === true && stored.known === undefined);
}

/** Whether the filter accepts a row by the row's own fields. */
export function isWanted({ row }: PolledRow, { onlyPublished }: RowFilter): boolean {
  return onlyPublished !== true || row['status'] === 'published';
}

/**
 * Where watching starts: what exists now counts as seen, and so does what is a little older and becomes visible
 * late. Reads the latest changes, or everything if that is little or if the IDs of all records are needed.
 *
 * What changed in the meantime is read again, twice at most, until it fits on one page or shows nothing new: a
 * list that changes while it is read may hide a record that changed at that moment. What a busy list still hides
 * is new for the next poll.
 * @param knownIds receives the IDs of all records
 */
async function readBaseline(read: ReadPages, knownIds: KnownIds | undefined): Promise<PollCursor> {
  let cursor = new PollCursor();
  const first = await readPass(knownIds === undefined ? MAX_WHOLE_LIST_PAGES : Infinity);
  let pass = first;
  if (!first.isComplete) {
    const newest = await findNewest((since) => readFirstPage(read, since));
    if (newest !== undefined) cursor = new PollCursor(startAt(newest));
    pass = await readPass();
  }
  for (let rereads = 0; rereads < MAX_REREADS && pass.pages > 1 && pass.newRows > 0; rereads++)
    pass = await readPass();
  if (first.servedAt !== undefined) cursor.markActivation(first.servedAt);
  return cursor;

  async function readPass(maxPages = Infinity) {
    let [isComplete, pages, newRows] = [true, 0, 0];
    let servedAt: number | undefined;
    for await (const page of read(cursor.position)) {
      if (pages === 0) servedAt = page.servedAt;
      pages += 1;
      newRows += cursor.take(page).length;
      for (const { id } of page.rows) knownIds?.add(id);
      isComplete = page.nextCursor === undefined;
      if (pages === maxPages) break;
    }
    return { isComplete, pages, newRows, servedAt };
  }
}

/** What one poll read. */
interface Batch {
  /** New rows, in the service's order. */
  newRows: PolledRow[];
  /** Pages read. */
  pages: number;
  /** Why it ended early, if it did. What was read before that counts. */
  failure?: unknown;
  /** Whether a pass that had to start over failed before it found anything new: the next poll may get no further. */
  isStuck?: boolean;
}

/**
 * Continues the pass under way for one batch. An expired pagination cursor restarts the pass; a clock that was
 * set back calls for another one.
 *
 * A restarted pass has no limit on the known rows it reads: if cursors expire before the next poll, every poll
 * would otherwise end at the same place. Only new rows or the time end it.
 */
export async function readBatch(read: ReadPages, cursor: PollCursor, limits: BatchLimits): Promise<Batch> {
  const batch: Batch = { newRows: [], pages: 0 };
  const left = { ...limits };
  const isFull = () => left.newRows <= 0 || left.rowsRead <= 0;
  const pageCursor = () => cursor.position.cursor;
  const start = pageCursor();
  await continuePass();
  if (start !== undefined && pageCursor() === start && isExpiredCursor(batch.failure)) {
    cursor.restartPass();
    left.rowsRead = Infinity;
    await continuePass();
    batch.isStuck = batch.newRows.length === 0 && pageCursor() !== undefined;
  }
  if (cursor.needsAnotherPass && !isFull() && batch.failure === undefined) await continuePass();
  return batch;

  async function continuePass(): Promise<void> {
    delete batch.failure;
    try {
      for await (const page of read(cursor.position)) {
        const newRows = cursor.take(page);
        for (const row of newRows) batch.newRows.push(row);
        batch.pages += 1;
        left.newRows -= newRows.length;
        left.rowsRead -= page.rows.length;
        if (isFull()) break;
      }
    } catch (failure) {
      batch.failure = failure;
    }
  }
}

function isExpiredCursor(failure: unknown): boolean {
  return isQrServiceError(failure) && failure.code === 'invalid_cursor';
}
