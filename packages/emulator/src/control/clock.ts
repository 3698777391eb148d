import type { Database } from '../store/state.ts';
import { readTime } from '../validation/checks.ts';

/** Outside this range, ISO 8601 years no longer have four digits. */
const EARLIEST = Date.parse('1970-01-01T00:00:00Z');
const LATEST = Date.parse('9999-01-01T00:00:00Z');

/** The emulator's clock, which tests can move. @param base the clock to offset */
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
    set: (time: string | number | Date) => move(readTime(time) - base()),
  };
}
