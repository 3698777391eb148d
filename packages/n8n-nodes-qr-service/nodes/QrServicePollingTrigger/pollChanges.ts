/** How far a poll has come: everything up to `time` was emitted, and around it exactly what `seen` holds. */
export interface Mark {
  /** Highest time that the service gave any row, ISO 8601 UTC: never the local clock's. */
  time: string;
  /** Key and time of the rows that the next poll reads again. */
  seen: [key: string, time: string][];
}

/** A row as far as polling cares. */
export interface Sighting<Row> {
  row: Row;
  /** The same for the same state of the same record. */
  key: string;
  /** ISO 8601 UTC; undefined where the service gives none. */
  time: string | undefined;
}

/** Milliseconds before the mark that are read again: whether the service's filter takes in its bound is not known. */
const OVERLAP_MS = 1000;

/** The time to ask the service for rows since. */
export function readFrom(mark: Mark): string {
  return new Date(Date.parse(mark.time) - OVERLAP_MS).toISOString();
}

/** A mark at a time of the service's, with nothing emitted yet. */
export function markAt(time: Date): Mark {
  return { time: time.toISOString(), seen: [] };
}

/**
 * What is new in the rows of a whole walk since `readFrom(mark)`, oldest first, and the next mark. Rows
 * without a time stay in `seen`, since no mark can pass them.
 */
export function takeNew<Row>(sightings: readonly Sighting<Row>[], mark: Mark): { fresh: Row[]; next: Mark } {
  const seen = new Set(mark.seen.map(([key]) => key));
  const fresh: Sighting<Row>[] = [];
  for (const sighting of sightings) {
    if (seen.has(sighting.key)) continue;
    seen.add(sighting.key);
    fresh.push(sighting);
  }
  fresh.sort((a, b) => (a.time ?? '').localeCompare(b.time ?? ''));

  const time = [mark.time, ...fresh.map((sighting) => sighting.time ?? '')].reduce((a, b) => (a > b ? a : b));
  const boundary = readFrom({ time, seen: [] });
  const known = [...mark.seen, ...fresh.map(({ key, time: at }): [string, string] => [key, at ?? ''])];
  return {
    fresh: fresh.map(({ row }) => row),
    next: { time, seen: known.filter(([, at]) => at === '' || at >= boundary) },
  };
}
