import type { Page } from '../../core.ts';
import { startOf, type ReadPages, type Sighting } from './sightings.ts';

/** The first page of the rows since a time, or of all; without rows only when there are none. */
export async function readFirstPage(read: ReadPages, since: string | undefined): Promise<Page<Sighting>> {
  let last: Page<Sighting> = { rows: [] };
  for await (last of read(startOf(since))) if (last.rows.length > 0) break;
  return last;
}
