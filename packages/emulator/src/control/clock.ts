import type { Database } from '../store/state.ts';
import { readTime } from '../validation/checks.ts';

/** The emulator's clock. Tests can move it; it then keeps running from the new time. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now: () => number;
  /** @throws TypeError unless `ms` is a whole number and the result is in the clock's range */
  advance(ms: number): void;
  /**
   * @param time ISO 8601, milliseconds since the epoch or a Date
   * @throws TypeError for an invalid time, or one outside the clock's range
   */
  set(time: string | number | Date): void;
}

/** Outside this range, ISO 8601 years no longer have four digits. */
const EARLIEST = Date.parse('1970-01-01T00:00:00Z');
const LATEST = Date.parse('9999-01-01T00:00:00Z');

/** @param base the clock to offset */
export function createClock(base: () => number, database: Database) {
  function move(to: number): void {
    const time = base() + to;
    if (!Number.isSafeInteger(to) || !(time >= EARLIEST && time <= LATEST))
      throw new TypeError(
        'The clock can only be moved by whole milliseconds, to a time between 1970 and 9998.',
      );
    database.session.clockOffset = to;
  }

  return {
    now: () => base() + database.session.clockOffset,
    advance: (ms: number) => move(database.session.clockOffset + ms),
    set: (time: Parameters<Clock['set']>[0]) => move(readTime(time) - base()),
  };
}
