import { startOf, type ReadPages, type SightingsPage } from './sightings.ts';

/** The first page of the rows since a time, or of all; without rows only when there are none. */
export async function readFirstPage(read: ReadPages, since: string | undefined): Promise<SightingsPage> {
  let last: SightingsPage = { rows: [] };
  for await (last of read(startOf(since))) if (last.rows.length > 0) break;
  return last;
}
