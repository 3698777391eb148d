import { AlikeCounts } from './AlikeCounts.ts';
import { print } from './prints.ts';
import { Seen } from './memory.ts';
import type { Place, Sighting, SightingsPage } from './sightings.ts';

/**
 * How late a row may become visible, by the service's clock: a transaction's start time, a bulk job, scans that
 * are collected first, a replica that lags. So far back each walk reads again.
 */
export const OVERLAP_MS = 5 * 60_000;

/** A `Date` header has whole seconds, and whether the service's filter takes in its bound is not known. */
const SECOND = 1000;

/** Rows without times among such with times that are remembered at most; further ones count as known. */
const MOST_TIMELESS = 5000;

/** Earlier states of records that are watched at a time, as long as it isn't clear which one stays. */
const MOST_HELD = 1000;

type Held = [time: number, firstSeenAt: number];

/** How far polling has come, as it is kept between polls. Times are in milliseconds since the epoch, by the service's clock. */
export interface PollState {
  /** Lowest time of the walk under way, or of the next one; all rows where there is none. */
  since?: number | undefined;
  /** The page with which that walk goes on; its first where there is none. */
  cursor?: string | undefined;
  /** What changes while that walk is under way has at least this time. */
  bound?: number | undefined;
  /** When the walk under way began. */
  begunAt?: number | undefined;
  /** When the last page was served. */
  servedAt?: number | undefined;
  /** Highest time of any row that was not ahead of the service's clock. */
  highest?: number | undefined;
  /** When that was seen first. */
  highestAt?: number | undefined;
  /** When that was, by n8n's own clock. */
  highestReadAt?: number | undefined;
  /** When the last page was read, by n8n's own clock. */
  readAt?: number | undefined;
  /** Highest time seen when polling began: what is a little older and becomes visible late is old. */
  bornAt?: number | undefined;
  /** Below this time, rows that were seen may have been forgotten; everything is remembered where there is none. */
  floor?: number | undefined;
  /** The next walk's floor. */
  nextFloor?: number | undefined;
  /** Below this time, the walk under way takes what it finds for old. */
  quietBelow?: number | undefined;
  /** Whether the service's clock was put back during or before the walk under way. */
  isBack?: boolean | undefined;
  /** Whether any row ever had a time. */
  isTimed?: boolean | undefined;
  /** Whether a walk over rows without times looks for the place that it had come to. */
  isLost?: boolean | undefined;
  /** The newest time seen of each record that is remembered (`Seen`); an earlier release kept versions by id. */
  seen?: string | Record<string, string> | undefined;
  /** The rows without times that came among such with times (`Seen`). */
  timeless?: string | undefined;
  /** How many rows of the walk were alike so far (`AlikeCounts`). */
  counts?: string | undefined;
  /** Earlier states of records that may have replaced their newest one, by print: their time, and when they were seen first. */
  held?: Record<string, Held> | undefined;
}

/** Where polling stands that takes rows from a time on, less the overlap, and has seen none. */
export function startAt(time: number): PollState {
  const since = Math.max(0, time) - OVERLAP_MS;
  return { since, floor: since };
}

/**
 * Takes the pages of walk after walk and tells which rows are new. Each state of a record that stays is told
 * once, in whatever order the service lists them, whether or not it shows what changes while a list is walked,
 * and although rows may become visible late and pages may come from replicas that lag.
 *
 * **The mark.** A row that changes during a walk may be missed by it, where its new place is already past. Its
 * time is then at least the highest one seen before, as rows' times come from one clock: at least that of all
 * earlier walks, and that of the walk's first page. The higher of the two is the walk's bound, unless a page was
 * served earlier by the service's own clock: so a row dated ahead moves nothing. Once the walk has ended, every
 * state below its bound has been seen but for those that become visible late, so the next walk begins there,
 * less the overlap. When no higher time has come for as long as the overlap, nothing late can come
 * below it, either, and the next walk begins just before it. That takes both clocks, the service's and n8n's: one
 * that is put forth says nothing. Without a `Date` header, n8n's clock stands for the service's. It only ever holds the
 * mark back: one that is behind costs reading, one that is ahead leaves the mark to the rows' own times.
 *
 * **What is new.** A row later than the newest known state of its record. An earlier one is an older state, from a
 * replica that lags. Of the states seen, the latest are remembered; `floor` is the time below which there may
 * be forgotten ones, and rows below it are taken for known. Where there are too many, the floor comes up and shortens
 * the overlap: nothing is told twice.
 *
 * **A clock put back.** Then all that is above the floor is read again. Where the clock is below the floor, what is
 * listed there by then is old: it can't be told from what was forgotten. An earlier state of a record may then be its
 * newest one: it counts once nothing else was listed for as long as the overlap.
 *
 * **The activation.** What becomes visible later and is a little older than the newest row at that time is old. By the
 * clock of `Date` nothing is, as the rows' own clock may be behind it.
 *
 * A walk that has to begin again is a new one from the same time, with all that was seen still known.
 *
 * Rows that carry no time at all (scans may) have no bound. Their history only grows at its end, so what is
 * kept is the cursor of the last page and what that page held; of a feed, the cursor behind it.
 */
export class Progress {
  readonly #state: PollState;
  readonly #seen: Seen;
  readonly #timeless: Seen;
  readonly #held: Map<string, Held>;
  #counts: AlikeCounts;
  readonly #old: Sighting[] = [];
  #lastRows: readonly Sighting[] = [];
  #hasMoved = false;
  #mustGoOn = false;

  constructor(state: PollState = {}) {
    this.#state = { ...state };
    if (typeof state.seen === 'object') Object.assign(this.#state, fromEarlierRelease(state));
    this.#seen = new Seen(state.seen);
    this.#timeless = new Seen(state.timeless);
    this.#held = new Map(Object.entries(state.held ?? {}));
    this.#counts = new AlikeCounts(state.counts);
  }

  /** Where to go on reading. */
  get place(): Place {
    const { since, cursor } = this.#state;
    return {
      since: since === undefined ? undefined : new Date(since).toISOString(),
      cursor,
      counts: this.#counts,
    };
  }

  /** Whether the walk that has ended calls for another one at once. */
  get mustGoOn(): boolean {
    return this.#mustGoOn;
  }

  /** What to keep until the next poll. */
  get state(): PollState {
    this.#forget();
    return {
      ...this.#state,
      seen: this.#seen.toString(),
      timeless: this.#timeless.size === 0 ? undefined : this.#timeless.toString(),
      counts: this.#counts.size === 0 ? undefined : this.#counts.toString(),
      held: this.#held.size === 0 ? undefined : Object.fromEntries(this.#held),
    };
  }

  /** Takes what becomes visible from here on, a little older than the newest row, for old. */
  begin(servedAt: number): void {
    const { highest } = this.#state;
    if (highest !== undefined) this.#state.bornAt = Math.min(servedAt, highest);
  }

  /** What was seen for the first time and taken for old. */
  get old(): readonly Sighting[] {
    return this.#old;
  }

  /** Takes the page at the place and gives what is new on it. */
  take(page: SightingsPage): Sighting[] {
    const { nextCursor, resumeCursor, readAt, servedAt = readAt } = page;
    const rows = page.rows.map(comparable);
    this.#mustGoOn = false;
    if (readAt !== undefined) this.#state.readAt = readAt;
    if (servedAt !== undefined) this.#readClock(servedAt);
    this.#readTimes(rows, servedAt);
    const fresh = rows.filter((sighting) => this.#isFresh(sighting));
    if (rows.length > 0) this.#lastRows = rows;
    if (nextCursor !== undefined) {
      this.#state.cursor = nextCursor;
      this.#hasMoved = true;
    } else if (this.#state.isTimed === true) this.#endWalk();
    else this.#pause(rows, resumeCursor);
    return fresh;
  }

  /** Begins the walk anew: its cursor can't be used any more. */
  beginAgain(): void {
    this.#clearWalk();
    this.#state.isLost = this.#state.isTimed !== true && this.#seen.size > 0;
  }

  #readClock(servedAt: number): void {
    const state = this.#state;
    if (servedAt < (state.servedAt ?? -Infinity) - OVERLAP_MS) state.isBack = true;
    if (servedAt < (state.bornAt ?? -Infinity) - SECOND) state.bornAt = undefined;
    state.servedAt = servedAt;
    state.begunAt ??= servedAt;
  }

  #readTimes(rows: readonly Sighting[], servedAt = Infinity): void {
    const state = this.#state;
    for (const { time } of rows) {
      if (time === undefined) continue;
      state.isTimed = true;
      if (time >= servedAt + SECOND || time <= (state.highest ?? -Infinity)) continue;
      state.highest = time;
      state.highestAt = state.servedAt;
      state.highestReadAt = state.readAt;
    }
    state.bound ??= state.highest;
    if (state.bound !== undefined) state.bound = Math.min(state.bound, servedAt);
  }

  #isFresh(sighting: Sighting): boolean {
    const { id, time } = sighting;
    const known = this.#seen.newest(id);
    if (time === undefined) return this.#isFreshWithoutTime(id, known);
    const { floor = -Infinity, quietBelow = -Infinity, bornAt = -Infinity } = this.#state;
    if (time < floor) return false;
    if (known !== undefined && time <= known && !this.#hasReplaced(sighting, known)) return false;
    if (known !== undefined && this.#wasTold(id, known, time)) return false;
    this.#seen.set(id, time);
    const isOld = time < quietBelow || (time < bornAt && time >= bornAt - OVERLAP_MS);
    if (isOld) this.#old.push(sighting);
    return !isOld;
  }

  /**
   * Whether a state was told already that takes the place of another. Only times that are not in the order in which
   * they were given, one of them ahead of the clock, need this: the others tell it by themselves.
   */
  #wasTold(id: string, known: number, time: number): boolean {
    const isForward = time > known;
    if (isForward) this.#held.delete(print(id));
    if (isForward && time < (this.#state.servedAt ?? Infinity) + SECOND) return false;
    const nameOf = (at: number) => `${id} at ${at}`;
    const wasTold = this.#seen.newest(nameOf(time)) !== undefined;
    this.#seen.set(nameOf(known), known);
    if (wasTold && !isForward) this.#seen.set(id, time);
    return wasTold;
  }

  /** A row without a time is listed again and again, or nobody knows when: where others have times, it is remembered apart. */
  #isFreshWithoutTime(id: string, known: number | undefined): boolean {
    const isKnown = known !== undefined;
    if (this.#state.isLost === true) {
      this.#state.isLost = !isKnown;
      return false;
    }
    if (this.#state.isTimed !== true) {
      if (!isKnown) this.#seen.set(id, 0);
      return !isKnown;
    }
    if (this.#timeless.newest(id) !== undefined || this.#timeless.size >= MOST_TIMELESS) return false;
    this.#timeless.set(id, 0);
    return !isKnown;
  }

  /**
   * Whether an earlier state has replaced the newest one, because the clock was set back or a date in the future was
   * corrected: nothing else was listed for the whole overlap, and no replica lags that far.
   */
  #hasReplaced({ id, time = 0 }: Sighting, known: number): boolean {
    const { servedAt } = this.#state;
    const key = print(id);
    const held = this.#held.get(key);
    if (time === known) this.#held.delete(key);
    if (servedAt === undefined || time === known) return false;
    const isHeld = held?.[0] === time;
    if (isHeld && servedAt >= held[1] + OVERLAP_MS) return this.#held.delete(key);
    // The clock may be put back once more.
    if (isHeld || this.#held.has(key) || this.#held.size < MOST_HELD)
      this.#held.set(key, [time, isHeld ? Math.min(held[1], servedAt) : servedAt]);
    return false;
  }

  #endWalk(): void {
    const state = this.#state;
    this.#forget();
    state.floor = higher(state.floor, state.nextFloor);
    state.nextFloor = undefined;
    state.quietBelow = undefined;
    const { bornAt, begunAt } = state;
    if (bornAt !== undefined && begunAt !== undefined && begunAt >= bornAt + OVERLAP_MS)
      state.bornAt = undefined;
    const mark = this.#mark();
    if (mark !== undefined) {
      this.#mustGoOn = state.isBack === true;
      if (this.#mustGoOn && state.floor !== undefined && mark < state.floor) {
        state.quietBelow = state.floor;
        state.floor = mark;
      }
      state.since = this.#mustGoOn ? state.floor : higher(mark, state.floor);
    }
    state.isBack = undefined;
    this.#clearWalk();
  }

  /** Lowest time from which there may be states that have not been seen. */
  #mark(): number | undefined {
    const { begunAt, highest, highestAt, highestReadAt, readAt = Infinity, servedAt, isBack } = this.#state;
    // Where every row is ahead of the clock, only a clock that was put back says where new ones are.
    const bound = this.#state.bound ?? (isBack === true ? servedAt : undefined);
    if (bound === undefined) return undefined;
    const isSettled =
      bound === highest &&
      begunAt !== undefined &&
      highestAt !== undefined &&
      begunAt >= highestAt + OVERLAP_MS &&
      readAt >= (highestReadAt ?? -Infinity) + OVERLAP_MS;
    let mark = bound - (isSettled ? SECOND : OVERLAP_MS);
    for (const [key, [time, at]] of this.#held) {
      // Stop waiting for a state that is no longer listed, for example because its record was deleted.
      if (begunAt !== undefined && begunAt >= at + 2 * OVERLAP_MS) this.#held.delete(key);
      else mark = Math.min(mark, time - SECOND);
    }
    return mark;
  }

  #clearWalk(): void {
    Object.assign(this.#state, {
      cursor: undefined,
      bound: undefined,
      begunAt: undefined,
      isLost: undefined,
    });
    this.#counts = new AlikeCounts();
  }

  /** Ends a walk over rows without times, which goes on where it ended. */
  #pause(rows: readonly Sighting[], resumeCursor: string | undefined): void {
    if (resumeCursor !== undefined) this.#state.cursor = resumeCursor;
    // The last page is read again: its rows are counted again.
    else for (const { alike } of rows) if (alike !== undefined) this.#uncount(alike);
    if (this.#hasMoved && this.#lastRows.length > 0) {
      this.#seen.clear();
      for (const { id } of this.#lastRows) this.#seen.set(id, 0);
    }
    this.#hasMoved = false;
    Object.assign(this.#state, { bound: undefined, begunAt: undefined, isLost: undefined });
  }

  #uncount(id: string): void {
    const count = this.#counts.get(id);
    if (count !== undefined) this.#counts.set(id, count - 1);
  }

  #forget(): void {
    const forgotten = this.#seen.forget(this.#state.since ?? -Infinity);
    if (forgotten !== undefined) this.#state.nextFloor = higher(this.#state.nextFloor, forgotten + 1);
  }
}

/** An earlier release remembered nothing below `since`, took the highest time of all for the mark, and knew no clock. */
function fromEarlierRelease({ since, highest }: PollState): PollState {
  return { floor: since, servedAt: highest, highestAt: highest, isTimed: highest !== undefined };
}

/** A row before 1970, whose time can't be kept, counts as one of its first moment. */
function comparable(sighting: Sighting): Sighting {
  const { time } = sighting;
  return time === undefined ? sighting : { ...sighting, time: Math.max(0, Math.floor(time)) };
}

function higher(a: number | undefined, b: number | undefined): number | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return Math.max(a, b);
}
