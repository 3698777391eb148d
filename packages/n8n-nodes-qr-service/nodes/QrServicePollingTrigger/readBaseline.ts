import { findNewest } from './newest.ts';
import type { KnownIds } from './KnownIds.ts';
import { Progress, startAt } from './PollCursor.ts';
import { readFirstPage } from './readFirstPage.ts';
import type { ReadPages } from './sightings.ts';

/** A list of so few pages is read and remembered as a whole: then nothing in it is taken for new, whatever its time. */
const WHOLE_PAGES = 5;

/** How often a list is read again that does not come to rest. */
const MOST_REPEATS = 2;

/**
 * Where watching begins: what there is now counts as seen, and so does what becomes visible late and is a little older.
 * Reads what changed last, or everything where there is little of it or where the ids of all records are
 * wanted.
 *
 * What changed in the meantime is read again, twice at most, until that fits on one page or shows nothing new: where a
 * list does not stand still while it is walked, a record that was changed at that moment would be missed. What a busy
 * list still hides then is new for the next poll.
 * @param known takes the ids of all records
 */
export async function readBaseline(read: ReadPages, known?: KnownIds): Promise<Progress> {
  let progress = new Progress();
  const mostPages = known === undefined ? WHOLE_PAGES : Infinity;
  const first = await readWalk(read, progress, known, mostPages);
  let walked = first;
  if (!first.isOver) {
    const newest = await findNewest((since) => readFirstPage(read, since));
    if (newest !== undefined) progress = new Progress(startAt(newest));
    walked = await readWalk(read, progress, known);
  }
  for (let repeats = 0; repeats < MOST_REPEATS && walked.pages > 1 && walked.fresh > 0; repeats++)
    walked = await readWalk(read, progress, known);
  if (first.servedAt !== undefined) progress.begin(first.servedAt);
  return progress;
}

interface Walked {
  isOver: boolean;
  pages: number;
  fresh: number;
  /** When its first page was served, by its `Date` header. */
  servedAt?: number;
}

/** Reads a walk to its end, or so many of its pages. */
async function readWalk(
  read: ReadPages,
  progress: Progress,
  known: KnownIds | undefined,
  mostPages = Infinity,
): Promise<Walked> {
  const walked: Walked = { isOver: true, pages: 0, fresh: 0 };
  for await (const page of read(progress.place)) {
    if (walked.pages === 0 && page.servedAt !== undefined) walked.servedAt = page.servedAt;
    walked.pages += 1;
    walked.fresh += progress.take(page).length;
    for (const { id } of page.rows) known?.add(id);
    walked.isOver = page.nextCursor === undefined;
    if (walked.pages === mostPages) break;
  }
  return walked;
}
