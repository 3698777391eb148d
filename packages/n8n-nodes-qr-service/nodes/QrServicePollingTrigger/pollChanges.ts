import type { KeptAccount } from './account.ts';
import { KnownIds } from './KnownIds.ts';
import { Progress, type PollState } from './PollCursor.ts';
import { readBaseline } from './readBaseline.ts';
import { readBatch, type BatchSize } from './batch.ts';
import type { ReadPages, Sighting } from './sightings.ts';

/** Which changes are wanted; all of them where nothing is set. */
export interface Wanted {
  /** Each record once, the first time that it is seen. */
  onlyNew?: boolean;
  /** Published codes alone. */
  onlyPublished?: boolean;
}

/** What is kept between polls. */
export interface Kept extends PollState {
  /** Whose rows these are, where that is known. */
  account?: KeptAccount | undefined;
  /** With `onlyNew`: the ids of all records that were there at the beginning or have come since. */
  known?: string | undefined;
}

/** What one poll came to. */
export interface Outcome {
  kept: Kept;
  /** New rows, oldest first. */
  rows: Sighting['row'][];
  /** Pages that were read. */
  pages: number;
  /** Why it ended before its time, if it did. */
  failure?: unknown;
  /** Whether the next poll may get no further (`Batch`). */
  isStuck?: boolean | undefined;
}

/**
 * One poll. The first one, and the first one with `onlyNew`, finds nothing: what there is counts as old. What
 * is not wanted counts as seen all the same, so that another choice later brings nothing old.
 * @throws the list's error when the first poll fails; a later one gives it as `failure`
 */
export async function pollChanges(
  read: ReadPages,
  kept: Kept | undefined,
  wanted: Wanted,
  size: BatchSize,
): Promise<Outcome> {
  const known = wanted.onlyNew === true ? new KnownIds(kept?.known) : undefined;
  const keep = (progress: Progress): Kept => ({ ...progress.state, known: known?.toString() });
  if (isFirst(kept, wanted)) return { kept: keep(await readBaseline(read, known)), rows: [], pages: 1 };

  const progress = new Progress(kept);
  const { fresh, pages, failure, isStuck } = await readBatch(read, progress, size);
  for (const { id } of progress.old) known?.add(id);
  const rows = fresh
    .sort((a, b) => (a.time ?? 0) - (b.time ?? 0))
    .filter((sighting) => isWanted(sighting, wanted) && (known?.add(sighting.id) ?? true))
    .map(({ row }) => row);
  return { kept: keep(progress), rows, pages, failure, isStuck };
}

/** Whether a poll has nothing to go on from and takes what there is for old. */
export function isFirst(kept: Kept | undefined, { onlyNew }: Wanted): boolean {
  return kept === undefined || (onlyNew === true && kept.known === undefined);
}

/** Whether a row's own fields make it a wanted one. */
export function isWanted({ row }: Sighting, { onlyPublished }: Wanted): boolean {
  return onlyPublished !== true || row['status'] === 'published';
}
