import { findNewest } from './findNewest.ts';
import type { KnownIds } from './KnownIds.ts';
import { Progress, startAt } from './Progress.ts';
import { readFirstPage } from './readFirstPage.ts';
import type { ReadPages } from './sightings.ts';

/**
 * Where watching begins: what there is now counts as seen. Reads what changed last, or everything where the
 * ids of all records are wanted.
 *
 * What changed in the meantime is read again, until that fits on one page or shows nothing new: where a
 * list does not stand still while it is walked, a record that was changed at that moment would be missed.
 * @param known takes the ids of all records
 */
export async function readBaseline(read: ReadPages, known?: KnownIds): Promise<Progress> {
  const newest = known === undefined ? await findNewest((since) => readFirstPage(read, since)) : undefined;
  const progress = new Progress(newest && startAt(newest));
  let pages: number;
  let fresh: number;
  do {
    pages = 0;
    fresh = 0;
    for await (const page of read(progress.place)) {
      pages += 1;
      fresh += progress.take(page).length;
      for (const { id } of page.rows) known?.add(id);
    }
  } while (pages > 1 && fresh > 0);
  return progress;
}
