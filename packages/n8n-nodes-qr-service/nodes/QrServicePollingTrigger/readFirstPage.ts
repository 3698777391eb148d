import type { ReadPages, Sighting } from './sightings.ts';

/** The first rows since a time, or of all; empty only when there are none. */
export async function readFirstPage(read: ReadPages, since: string | undefined): Promise<Sighting[]> {
  for await (const { rows } of read({ since, cursor: undefined })) return rows;
  return [];
}
