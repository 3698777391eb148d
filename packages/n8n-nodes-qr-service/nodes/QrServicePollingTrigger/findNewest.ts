import type { Sighting } from './sightings.ts';

/** One page of the rows since a time, or of all rows; empty only when there are none. */
export type ReadPage = (since: string | undefined) => Promise<readonly Sighting[]>;

/** How close the search comes, in milliseconds. */
const MINUTE = 60_000;

const LATEST = Date.UTC(9999, 0);

/**
 * A time at most a minute before the newest row's, found without walking everything and without any clock:
 * whether there are rows since a time is asked for times further and further on, then halved between. Takes
 * two requests where the service lists the newest rows first, and some forty over ten years where it does not.
 * @returns undefined when there are no rows, when they carry no times, or when the service ignores the time
 */
export async function findNewest(readPage: ReadPage): Promise<Date | undefined> {
  const first = newestIn(await readPage(undefined));
  if (first === undefined) return undefined;
  let low = first;
  let high = Infinity;
  let step = MINUTE;
  while (high - low > MINUTE) {
    const probe = high === Infinity ? low + step : low + Math.floor((high - low) / 2);
    if (probe > LATEST) return undefined;
    const rows = await readPage(new Date(probe).toISOString());
    if (rows.length === 0) high = probe;
    else low = Math.max(probe, newestIn(rows) ?? probe);
    step *= 2;
  }
  return new Date(low);
}

function newestIn(rows: readonly Sighting[]): number | undefined {
  const times = rows.flatMap(({ time }) => time ?? []);
  return times.length === 0 ? undefined : times.reduce((a, b) => Math.max(a, b));
}
