import { startOf, type PolledPage, type PolledRow, type ReadPages } from './rows.ts';

/** Reads the first page of the rows since a time, or of all rows. It is empty only if there are none. */
export type ReadPage = (since: string | undefined) => Promise<PolledPage>;

/** Milliseconds within which the search for the newest row ends. */
const MINUTE = 60_000;

/** A `Date` header has whole seconds. */
const SECOND = 1000;

const LATEST = Date.UTC(9999, 0);

/** How many rows a manual run shows, and how far before the newest one it looks for them. */
const MAX_RECENT_ROWS = 10;
const RECENT_MS = 7 * 24 * 60 * 60 * 1000;

/** Some of the latest rows that are wanted, newest first: something to build a workflow with. */
export async function recentRows(
  read: ReadPages,
  isWanted: (row: PolledRow) => boolean,
): Promise<PolledRow['row'][]> {
  const newest = await findNewest((since) => readFirstPage(read, since));
  const since = newest === undefined ? undefined : new Date(newest - RECENT_MS).toISOString();
  const { rows } = await readFirstPage(read, since);
  return rows
    .filter(isWanted)
    .sort((a, b) => (b.time ?? 0) - (a.time ?? 0))
    .slice(0, MAX_RECENT_ROWS)
    .map(({ row }) => row);
}

/**
 * Finds a time at most a minute before the newest row's without reading the whole list: checks whether there are rows
 * since later and later times, then bisects. Takes two requests if the service lists the newest rows first, and some
 * forty over ten years otherwise. Rows ahead of the service's clock don't count.
 * @returns undefined if there are no rows, if they have no times, or if the service ignores the time filter
 */
export async function findNewest(readPage: ReadPage): Promise<number | undefined> {
  const firstPage = await readPage(undefined);
  const clock = firstPage.servedAt ?? firstPage.readAt ?? Infinity;
  const first = highestTime(firstPage.rows, clock);
  if (first === undefined) return undefined;
  let newest = first;
  let low = first;
  let high = Infinity;
  let step = MINUTE;
  while (low < clock && high - low > MINUTE) {
    const probe = high === Infinity ? low + step : low + Math.floor((high - low) / 2);
    if (probe > LATEST) return undefined;
    const { rows } = await readPage(new Date(probe).toISOString());
    const found = highestTime(rows, clock);
    if (found === undefined) high = probe;
    else {
      low = Math.max(probe, found);
      newest = Math.max(newest, found);
    }
    step *= 2;
  }
  return newest;
}

/** The first page of the rows since a time, or of all rows. It is empty only if there are none. */
export async function readFirstPage(read: ReadPages, since: string | undefined): Promise<PolledPage> {
  let last: PolledPage = { rows: [] };
  for await (last of read(startOf(since))) if (last.rows.length > 0) break;
  return last;
}

function highestTime(rows: readonly PolledRow[], clock: number): number | undefined {
  const times = rows.flatMap(({ time }) => (time !== undefined && time < clock + SECOND ? time : []));
  return times.length === 0 ? undefined : times.reduce((a, b) => Math.max(a, b));
}
