import type { Page } from '../../core.ts';
import type { Sighting } from './sightings.ts';

/** The first page of the rows since a time, or of all rows; without rows only when there are none. */
export type ReadPage = (since: string | undefined) => Promise<Page<Sighting>>;

/** How close the search comes, in milliseconds. */
const MINUTE = 60_000;

const LATEST = Date.UTC(9999, 0);

/**
 * A time at most a minute before the newest row's, found without walking everything: whether there are rows
 * since a time is asked for times further and further on, then halved between. Takes
 * two requests where the service lists the newest rows first, and some forty over ten years where it does not.
 * Where there are rows ahead of the service's clock, it is the time of the clock.
 * @returns undefined when there are no rows, when they carry no times, or when the service ignores the time
 */
export async function findNewest(readPage: ReadPage): Promise<number | undefined> {
  const { rows: firstRows, servedAt = Infinity } = await readPage(undefined);
  const first = newestIn(firstRows);
  if (first === undefined) return undefined;
  let low = first;
  let high = Infinity;
  let step = MINUTE;
  while (low < servedAt && high - low > MINUTE) {
    const probe = high === Infinity ? low + step : low + Math.floor((high - low) / 2);
    if (probe > LATEST) return undefined;
    const { rows } = await readPage(new Date(probe).toISOString());
    if (rows.length === 0) high = probe;
    else low = Math.max(probe, newestIn(rows) ?? probe);
    step *= 2;
  }
  return Math.min(low, servedAt);
}

function newestIn(rows: readonly Sighting[]): number | undefined {
  const times = rows.flatMap(({ time }) => time ?? []);
  return times.length === 0 ? undefined : times.reduce((a, b) => Math.max(a, b));
}
