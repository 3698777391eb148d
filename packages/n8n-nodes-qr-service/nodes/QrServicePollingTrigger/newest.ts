import type { Sighting, SightingsPage } from './sightings.ts';

/** The first page of the rows since a time, or of all rows; without rows only when there are none. */
export type ReadPage = (since: string | undefined) => Promise<SightingsPage>;

/** How close the search comes, in milliseconds. */
const MINUTE = 60_000;

/** A `Date` header has whole seconds. */
const SECOND = 1000;

const LATEST = Date.UTC(9999, 0);

/**
 * A time at most a minute before the newest row's, found without walking everything: whether there are rows
 * since a time is asked for times further and further on, then halved between. Takes
 * two requests where the service lists the newest rows first, and some forty over ten years where it does not.
 * Rows ahead of the service's clock don't count.
 * @returns undefined when there are no rows, when they carry no times, or when the service ignores the time
 */
export async function findNewest(readPage: ReadPage): Promise<number | undefined> {
  const firstPage = await readPage(undefined);
  const clock = firstPage.servedAt ?? firstPage.readAt ?? Infinity;
  const first = newestIn(firstPage.rows, clock);
  if (first === undefined) return undefined;
  let newest = first;
  let low = first;
  let high = Infinity;
  let step = MINUTE;
  while (low < clock && high - low > MINUTE) {
    const probe = high === Infinity ? low + step : low + Math.floor((high - low) / 2);
    if (probe > LATEST) return undefined;
    const { rows } = await readPage(new Date(probe).toISOString());
    const found = newestIn(rows, clock);
    if (found === undefined) high = probe;
    else {
      low = Math.max(probe, found);
      newest = Math.max(newest, found);
    }
    step *= 2;
  }
  return newest;
}

function newestIn(rows: readonly Sighting[], clock: number): number | undefined {
  const times = rows.flatMap(({ time }) => (time !== undefined && time < clock + SECOND ? time : []));
  return times.length === 0 ? undefined : times.reduce((a, b) => Math.max(a, b));
}
