import { fingerprint, IdenticalRowCounts, SeenVersions } from './memory.ts';
import type { ListPosition, PolledPage, PolledRow } from './rows.ts';
import { OVERLAP_MS, type HeldVersion, type StoredCursor } from './StoredCursor.ts';

/** A `Date` header has whole seconds, and the service's time filter may be inclusive or exclusive. */
const SECOND = 1000;

/** Most rows without times that are remembered in a list where others have times. Further ones count as known. */
const MAX_TIMELESS = 5000;

/** Most records at a time whose older version is on hold until it is clear which version stays. */
const MAX_HELD = 1000;

/**
 * Takes the pages of a list, one pass after another, and finds the rows that are new. Each version of a record
 * that lasts is new exactly once, in any list order, whether or not a pass shows what
 * changes while it is read, and even if rows become visible late and pages come from lagging replicas. A pass may
 * take several polls.
 *
 * **The mark.** A pass may miss a row that changes during it, if the row moves to a page that was already read.
 * Its time is then at least the highest one seen before, in earlier passes or on this pass's first page, as all
 * times come from one clock. That is the pass's bound, unless a page was served earlier by the service's clock:
 * so a row dated in the future moves nothing. By the end of the pass, every version below the bound has been seen
 * except those that become visible late, so the next pass starts at the bound less the overlap. Once no higher
 * time has come for as long as the overlap, nothing late can come below the bound either, and the next pass
 * starts just before it. Both clocks must show that this time has passed, the service's and n8n's: one that was
 * set forward proves nothing. Without a `Date` header, n8n's clock stands in for the service's. It can only hold
 * the mark back: if it is slow, more is read again; if it is fast, the rows' own times decide.
 *
 * **What is new.** A row later than the newest known version of its record. An earlier row is an older version
 * from a lagging replica. The latest versions seen are remembered. Below `floor` some may have been forgotten, so
 * rows below it count as known. If there are too many, the floor rises and shortens the overlap, so that nothing
 * is emitted twice.
 *
 * **A clock set back.** Everything above the floor is read again. If the clock is below the floor, what is listed
 * by then counts as old, as it can't be told apart from what was forgotten. An earlier version of a record may
 * now be its newest one: it is new once nothing else has been listed for as long as the overlap.
 *
 * **The activation.** Rows that become visible later and are a little older than the newest row at that time are
 * old. The `Date` header can't decide this, as the clock that dates the rows may be behind it.
 *
 * An expired pagination cursor restarts the pass at the same time, with everything seen still known.
 *
 * Rows without any times (scans may have none) have no bound. Such a history only grows at its end, so the cursor
 * of the last page and that page's rows are stored; for a feed, the cursor behind it.
 */
export class PollCursor {
  readonly #state: StoredCursor;
  readonly #seen: SeenVersions;
  readonly #timeless: SeenVersions;
  readonly #held: Map<string, HeldVersion>;
  #counts: IdenticalRowCounts;
  readonly #suppressed: PolledRow[] = [];
  #lastRows: readonly PolledRow[] = [];
  #hasMoved = false;
  #needsAnotherPass = false;

  constructor(stored: StoredCursor = {}) {
    this.#state = { ...stored };
    this.#seen = new SeenVersions(stored.seen);
    this.#timeless = new SeenVersions(stored.timeless);
    this.#held = new Map(Object.entries(stored.held ?? {}));
    this.#counts = new IdenticalRowCounts(stored.counts);
  }

  /** Where to continue reading. */
  get position(): ListPosition {
    const { since, cursor } = this.#state;
    return {
      since: since === undefined ? undefined : new Date(since).toISOString(),
      cursor,
      counts: this.#counts,
    };
  }

  /** Whether the pass that has ended calls for another one at once. */
  get needsAnotherPass(): boolean {
    return this.#needsAnotherPass;
  }

  /** Rows that were seen for the first time and count as old. */
  get suppressed(): readonly PolledRow[] {
    return this.#suppressed;
  }

  /** What to store until the next poll. */
  get stored(): StoredCursor {
    this.#forget();
    return {
      ...this.#state,
      seen: this.#seen.toString(),
      timeless: this.#timeless.toString(),
      counts: this.#counts.toString(),
      held: Object.fromEntries(this.#held),
    };
  }

  /** Takes the page at the position and returns the rows that are new. */
  take(page: PolledPage): PolledRow[] {
    const { nextCursor, resumeCursor, readAt, servedAt = readAt } = page;
    const rows = page.rows.map(withStorableTime);
    this.#state.readAt = readAt;
    this.#readClock(servedAt);
    this.#readTimes(rows, servedAt);
    const newRows = rows.filter((row) => this.#isNew(row));
    if (rows.length > 0) this.#lastRows = rows;
    if (nextCursor !== undefined) {
      this.#state.cursor = nextCursor;
      this.#hasMoved = true;
    } else if (this.#state.isTimed === true) this.#endPass();
    else this.#pausePass(rows, resumeCursor);
    return newRows;
  }

  /** Ends the activation: rows that become visible from now on and are a little older than the newest row are old. */
  markActivation(servedAt: number): void {
    const { highest } = this.#state;
    if (highest !== undefined) this.#state.bornAt = Math.min(servedAt, highest);
  }

  /** Starts the pass over, as its pagination cursor has expired. */
  restartPass(): void {
    this.#clearPass();
    this.#state.isLost = this.#state.isTimed !== true && this.#seen.size > 0;
  }

  #readClock(servedAt: number): void {
    const state = this.#state;
    const { servedAt: before = NaN, bornAt = NaN } = state;
    if (servedAt < before - OVERLAP_MS) state.isBack = true;
    if (servedAt < bornAt - SECOND) state.bornAt = undefined;
    state.servedAt = servedAt;
    state.begunAt ??= servedAt;
  }

  #readTimes(rows: readonly PolledRow[], servedAt: number): void {
    const state = this.#state;
    for (const { time } of rows) {
      if (time === undefined) continue;
      state.isTimed = true;
      const { highest = NaN } = state;
      if (time >= servedAt + SECOND || time <= highest) continue;
      state.highest = time;
      state.highestAt = state.servedAt;
      state.highestReadAt = state.readAt;
    }
    state.bound ??= state.highest;
    if (state.bound !== undefined) state.bound = Math.min(state.bound, servedAt);
  }

  #isNew(row: PolledRow): boolean {
    const { id, time } = row;
    const newest = this.#seen.newest(id);
    if (time === undefined) return this.#isNewWithoutTime(id, newest !== undefined);
    const { floor = NaN, quietBelow = NaN, bornAt = NaN } = this.#state;
    if (time < floor) return false;
    if (newest !== undefined && time <= newest && !this.#hasReplaced(row, newest, time)) return false;
    if (newest !== undefined && time !== newest && this.#wasEmitted(row, newest, time)) return false;
    this.#seen.set(id, time);
    const isOld = time < quietBelow || (time < bornAt && time >= bornAt - OVERLAP_MS);
    if (isOld) this.#suppressed.push(row);
    return !isOld;
  }

  /** A row without a time may be listed in every pass. Where other rows have times, it is remembered separately. */
  #isNewWithoutTime(id: string, isKnown: boolean): boolean {
    if (this.#state.isLost === true) {
      this.#state.isLost = !isKnown;
      return false;
    }
    if (this.#state.isTimed !== true) {
      if (!isKnown) this.#seen.set(id, 0);
      return !isKnown;
    }
    if (this.#timeless.newest(id) !== undefined || this.#timeless.size >= MAX_TIMELESS) return false;
    this.#timeless.set(id, 0);
    return !isKnown;
  }

  /**
   * Whether an earlier version has replaced the newest one, as the clock was set back or a date in the future was
   * corrected: nothing else was listed for the whole overlap, and no replica lags that far.
   */
  #hasReplaced(row: PolledRow, newest: number, time: number): boolean {
    const { servedAt = NaN } = this.#state;
    const key = fingerprint(row.id);
    const held = this.#held.get(key);
    if (time === newest) {
      this.#held.delete(key);
      return false;
    }
    const isHeld = held?.[0] === time;
    if (isHeld && servedAt >= held[1] + OVERLAP_MS) return this.#held.delete(key);
    // The clock may be set back once more.
    if (isHeld || this.#held.has(key) || this.#held.size < MAX_HELD)
      this.#held.set(key, [time, isHeld ? Math.min(held[1], servedAt) : servedAt]);
    return false;
  }

  /**
   * Whether a version that replaces another one was emitted before. This only matters for times that don't follow the
   * order of the changes, which takes one that is ahead of the clock.
   */
  #wasEmitted(row: PolledRow, newest: number, time: number): boolean {
    const { id } = row;
    const { servedAt = NaN } = this.#state;
    const isForward = time > newest;
    if (isForward) this.#held.delete(fingerprint(id));
    if (isForward && time < servedAt + SECOND) return false;
    const wasEmitted = this.#seen.newest(versionId(row, time)) !== undefined;
    this.#seen.set(versionId({ id }, newest), newest);
    if (wasEmitted && !isForward) this.#seen.set(id, time);
    return wasEmitted;
  }

  #endPass(): void {
    const state = this.#state;
    this.#forget();
    state.floor = higher(state.floor, state.nextFloor);
    state.nextFloor = undefined;
    state.quietBelow = undefined;
    const { bornAt = NaN, begunAt = NaN } = state;
    if (begunAt >= bornAt + OVERLAP_MS) state.bornAt = undefined;
    const mark = this.#mark();
    if (mark !== undefined) {
      this.#needsAnotherPass = state.isBack === true;
      if (this.#needsAnotherPass && state.floor !== undefined && mark < state.floor) {
        state.quietBelow = state.floor;
        state.floor = mark;
      }
      state.since = this.#needsAnotherPass ? state.floor : higher(mark, state.floor);
    }
    state.isBack = undefined;
    this.#clearPass();
  }

  /** Lowest time of versions that may not have been seen yet. */
  #mark(): number | undefined {
    const { highest, servedAt, isBack } = this.#state;
    const { begunAt = NaN, highestAt = NaN, highestReadAt = NaN, readAt = NaN } = this.#state;
    // If every row is ahead of the clock, only a clock that was set back shows where new ones are.
    const bound = this.#state.bound ?? (isBack === true ? servedAt : undefined);
    if (bound === undefined) return undefined;
    const isSettled =
      bound === highest && begunAt >= highestAt + OVERLAP_MS && readAt >= highestReadAt + OVERLAP_MS;
    let mark = bound - (isSettled ? SECOND : OVERLAP_MS);
    for (const [key, [time, firstSeenAt]] of this.#held) {
      // Stop waiting for a version that is no longer listed, for example because its record was deleted.
      if (begunAt >= firstSeenAt + 2 * OVERLAP_MS) this.#held.delete(key);
      else mark = Math.min(mark, time - SECOND);
    }
    return mark;
  }

  #clearPass(): void {
    Object.assign(this.#state, {
      cursor: undefined,
      bound: undefined,
      begunAt: undefined,
      isLost: undefined,
    });
    this.#counts = new IdenticalRowCounts();
  }

  /** Ends a pass over rows without times. The next one continues where it ended. */
  #pausePass(rows: readonly PolledRow[], resumeCursor: string | undefined): void {
    if (resumeCursor !== undefined) this.#state.cursor = resumeCursor;
    // The last page is read again, which counts its rows again.
    else for (const { sharedId } of rows) if (sharedId !== undefined) this.#uncount(sharedId);
    if (this.#hasMoved && this.#lastRows.length > 0) {
      this.#seen.clear();
      for (const { id } of this.#lastRows) this.#seen.set(id, 0);
    }
    this.#hasMoved = false;
    Object.assign(this.#state, { bound: undefined, begunAt: undefined, isLost: undefined });
  }

  #uncount(sharedId: string): void {
    const count = this.#counts.get(sharedId);
    if (count !== undefined) this.#counts.set(sharedId, count - 1);
  }

  #forget(): void {
    const forgotten = this.#seen.forget(this.#state.since ?? -Infinity);
    if (forgotten !== undefined) this.#state.nextFloor = higher(this.#state.nextFloor, forgotten + 1);
  }
}

/** Identifies one version of a record among those that `SeenVersions` remembers. */
function versionId({ id }: Pick<PolledRow, 'id'>, time: number): string {
  return `${id} at ${time}`;
}

/** A time before 1970 can't be stored, so it counts as the first moment of 1970. */
function withStorableTime(row: PolledRow): PolledRow {
  const { time } = row;
  return time === undefined ? row : { ...row, time: Math.max(0, Math.floor(time)) };
}

function higher(a: number | undefined, b: number | undefined): number | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return Math.max(a, b);
}
