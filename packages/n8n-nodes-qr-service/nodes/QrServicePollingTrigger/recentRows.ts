import { findNewest } from './newest.ts';
import { readFirstPage } from './readFirstPage.ts';
import type { ReadPages, Sighting } from './sightings.ts';

/** Rows that a manual run shows, and how far before the newest row it looks for them. */
const MOST_ROWS = 10;
const WINDOW_MS = 7 * 24 * 60 * 60 * 1000;

/** Some of the latest rows that are wanted, newest first: something to build a workflow with. */
export async function recentRows(
  read: ReadPages,
  isWanted: (sighting: Sighting) => boolean,
): Promise<Sighting['row'][]> {
  const newest = await findNewest((since) => readFirstPage(read, since));
  const since = newest === undefined ? undefined : new Date(newest - WINDOW_MS).toISOString();
  const { rows } = await readFirstPage(read, since);
  return rows
    .filter(isWanted)
    .sort((a, b) => (b.time ?? 0) - (a.time ?? 0))
    .slice(0, MOST_ROWS)
    .map(({ row }) => row);
}
