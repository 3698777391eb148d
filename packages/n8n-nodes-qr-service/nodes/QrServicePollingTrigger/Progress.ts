import type { Page } from '../../core.ts';
import type { Place, Sighting } from './sightings.ts';

/**
 * Milliseconds that are read twice: whether the service's filter takes in its bound is not known, nor how well
 * its clocks agree.
 */
const OVERLAP_MS = 1000;

/** How far polling has come, as it is kept between polls. Times are in milliseconds since the epoch. */
export interface PollState {
  /** Lowest time of the walk under way, or of the next one; all rows where there is none. */
  since?: number | undefined;
  /** The page with which that walk goes on; its first where there is none. */
  cursor?: string | undefined;
  /** What changes while that walk is under way has at least this time. */
  bound?: number | undefined;
  /** Highest time that any row ever had. */
  highest?: number | undefined;
  /** Whether a walk over rows without times looks for the place that it had come to. */
  isLost?: boolean | undefined;
  /** The version seen last of each record, by its id, as far back as `since`. */
  seen: Record<string, string>;
}

/** Where polling stands that takes rows from a time on and has seen none. */
export function startAt(time: Date): PollState {
  return { since: time.getTime() - OVERLAP_MS, seen: {} };
}

/**
 * Takes the pages of walk after walk and tells which rows are new: none is lost and none comes twice, in
 * whatever order the service lists them, and whether or not it shows what changes while a list is walked.
 *
 * The rule. A row that changes during a walk may be missed by it, where its new place is already past. Its time
 * is then at least that of every row that was seen before, as all times are the service's own: at least
 * the highest time of all earlier walks, and at least the highest time on the walk's first page. The higher
 * of the two is the walk's bound. Once the walk has ended, every state below its bound has been seen, so the
 * next walk begins there, less the overlap; `seen` tells what is known of the rest. So a walk of many pages,
 * oldest first, is read a second time; one of a single page is not.
 *
 * A walk that has to begin again is a new one from the same time, with all that was seen still known.
 *
 * Rows that carry no time at all (scans may) have no bound. Their history only grows at its end, so what is
 * kept is the cursor of the last page and what that page held.
 */
export class Progress {
  #since: number | undefined;
  #cursor: string | undefined;
  #bound: number | undefined;
  #highest: number | undefined;
  #isLost: boolean | undefined;
  #seen: Map<string, string>;

  constructor(state: PollState = { seen: {} }) {
    this.#since = state.since;
    this.#cursor = state.cursor;
    this.#bound = state.bound;
    this.#highest = state.highest;
    this.#isLost = state.isLost;
    this.#seen = new Map(Object.entries(state.seen));
  }

  /** Where to go on reading. */
  get place(): Place {
    const since = this.#since === undefined ? undefined : new Date(this.#since).toISOString();
    return { since, cursor: this.#cursor };
  }

  /** What to keep until the next poll. */
  get state(): PollState {
    return {
      since: this.#since,
      cursor: this.#cursor,
      bound: this.#bound,
      highest: this.#highest,
      isLost: this.#isLost,
      seen: Object.fromEntries(this.#seen),
    };
  }

  /** Takes the page at the place and gives what is new on it. */
  take({ rows, nextCursor }: Page<Sighting>): Sighting[] {
    this.#highest = highestTime(rows, this.#highest);
    this.#bound ??= this.#highest;
    const fresh = rows.filter((sighting) => this.#isFresh(sighting));
    if (nextCursor === undefined) this.#endWalk(rows);
    else this.#cursor = nextCursor;
    return fresh;
  }

  /** Begins the walk anew: its cursor can't be used any more. */
  beginAgain(): void {
    this.#cursor = undefined;
    this.#bound = undefined;
    this.#isLost = this.#highest === undefined;
  }

  #isFresh({ id, version, time }: Sighting): boolean {
    // A service that ignores the filter lists these too.
    if (time !== undefined && this.#since !== undefined && time < this.#since) return false;
    const known = this.#seen.get(id);
    const isKnown = time === undefined ? known !== undefined : known === version;
    if (this.#isLost === true) {
      this.#isLost = !isKnown;
      return false;
    }
    if (!isKnown) this.#seen.set(id, time === undefined ? this.#stamp() : version);
    return !isKnown;
  }

  /** Stands for the version of a row without a time: it is forgotten with those that it was seen among. */
  #stamp(): string {
    return this.#highest === undefined ? '' : new Date(this.#highest).toISOString();
  }

  #endWalk(lastRows: readonly Sighting[]): void {
    if (this.#bound === undefined) {
      if (lastRows.length > 0) this.#seen = new Map(lastRows.map(({ id, version }) => [id, version]));
    } else {
      const since = this.#bound - OVERLAP_MS;
      this.#seen = new Map([...this.#seen].filter(([, version]) => Date.parse(version) >= since));
      this.#since = since;
      this.#cursor = undefined;
    }
    this.#bound = undefined;
    this.#isLost = undefined;
  }
}

function highestTime(rows: readonly Sighting[], atLeast: number | undefined): number | undefined {
  let highest = atLeast;
  for (const { time } of rows)
    if (time !== undefined && (highest === undefined || time > highest)) highest = time;
  return highest;
}
