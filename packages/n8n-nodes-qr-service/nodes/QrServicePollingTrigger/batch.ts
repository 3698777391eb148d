import { isQrServiceError } from '../../core.ts';
import type { Progress } from './PollCursor.ts';
import type { ReadPages, Sighting } from './sightings.ts';

/** How much one poll takes; it ends with the page that reaches either. */
export interface BatchSize {
  /** New rows. */
  fresh: number;
  /** Rows, known ones included. */
  read: number;
}

/** What one poll found. */
export interface Batch {
  /** New rows, in the service's order. */
  fresh: Sighting[];
  /** Pages that were read. */
  pages: number;
  /** Why it ended before its time, if it did: what was read before that counts. */
  failure?: unknown;
  /** Whether a walk that had to begin again found nothing new before it failed: the next poll may get no further. */
  isStuck?: boolean;
}

/**
 * Goes on with the walk for one batch. A cursor that can't be used any more begins the walk again; a clock that was
 * put back calls for another walk.
 *
 * A walk that began again reads on however much of it is known: cursors that expire before the next poll would otherwise
 * end each one at the same place. Then only new rows or the time end it.
 */
export async function readBatch(read: ReadPages, progress: Progress, size: BatchSize): Promise<Batch> {
  const { cursor } = progress.place;
  const batch: Batch = { fresh: [], pages: 0 };
  const left = { ...size };
  await readOn(read, progress, left, batch);
  if (cursor !== undefined && progress.place.cursor === cursor && isCursorRefused(batch.failure)) {
    progress.beginAgain();
    left.read = Infinity;
    await readOn(read, progress, left, batch);
    batch.isStuck = batch.fresh.length === 0 && !isAtEnd(progress);
  }
  const isFull = left.fresh <= 0 || left.read <= 0;
  if (progress.mustGoOn && !isFull && batch.failure === undefined) await readOn(read, progress, left, batch);
  return batch;
}

async function readOn(read: ReadPages, progress: Progress, left: BatchSize, batch: Batch): Promise<void> {
  delete batch.failure;
  try {
    for await (const page of read(progress.place)) {
      const fresh = progress.take(page);
      for (const sighting of fresh) batch.fresh.push(sighting);
      batch.pages += 1;
      left.fresh -= fresh.length;
      left.read -= page.rows.length;
      if (left.fresh <= 0 || left.read <= 0) break;
    }
  } catch (failure) {
    batch.failure = failure;
  }
}

function isAtEnd({ place }: Progress): boolean {
  return place.cursor === undefined;
}

function isCursorRefused(failure: unknown): boolean {
  return isQrServiceError(failure) && failure.code === 'invalid_cursor';
}
