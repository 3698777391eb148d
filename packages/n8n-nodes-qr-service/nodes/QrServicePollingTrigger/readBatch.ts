import { isQrServiceError } from '../../core.ts';
import type { Progress } from './Progress.ts';
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
  /** Why it ended before its time, if it did: what was read before that counts. */
  failure?: unknown;
}

/** Goes on with the walk for one batch. A cursor that can't be used any more begins the walk again. */
export async function readBatch(read: ReadPages, progress: Progress, size: BatchSize): Promise<Batch> {
  const { cursor } = progress.place;
  const batch = await readOn(read, progress, size);
  if (cursor === undefined || progress.place.cursor !== cursor || !isCursorRefused(batch.failure))
    return batch;
  progress.beginAgain();
  return readOn(read, progress, size);
}

async function readOn(read: ReadPages, progress: Progress, size: BatchSize): Promise<Batch> {
  const fresh: Sighting[] = [];
  let count = 0;
  try {
    for await (const page of read(progress.place)) {
      for (const sighting of progress.take(page)) fresh.push(sighting);
      count += page.rows.length;
      if (fresh.length >= size.fresh || count >= size.read) break;
    }
    return { fresh };
  } catch (failure) {
    return { fresh, failure };
  }
}

function isCursorRefused(failure: unknown): boolean {
  return isQrServiceError(failure) && failure.code === 'invalid_cursor';
}
