/** The emulator's clock, which tests can move. It goes on at its own pace from where it was moved to. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now: () => number;
  /** @throws TypeError for what are no whole milliseconds, or lead out of the clock's range */
  advance(ms: number): void;
  /**
   * @param time ISO 8601, milliseconds since the epoch or a Date
   * @throws TypeError for what is no time, or out of the clock's range
   */
  set(time: string | number | Date): void;
}

/** A clock with what the emulator itself needs of it. */
export interface MovableClock extends Clock {
  /** Remembers by how much the clock was moved, and returns what moves it so again. */
  save(): () => void;
}

/** Outside of these, times are no longer written with four digits for the year, and end altogether. */
const EARLIEST = Date.parse('1970-01-01T00:00:00Z');
const LATEST = Date.parse('9999-01-01T00:00:00Z');

/** @param base the clock that this one is ahead of, or behind, by a fixed time */
export function createClock(base: () => number): MovableClock {
  let offset = 0;

  function move(to: number): void {
    const time = base() + to;
    if (!Number.isSafeInteger(to) || !(time >= EARLIEST && time <= LATEST))
      throw new TypeError('The clock can only be moved by whole milliseconds, to a time from 1970 to 9998.');
    offset = to;
  }

  return {
    now: () => base() + offset,
    advance: (ms) => move(offset + ms),
    set: (time) => move(new Date(time).getTime() - base()),
    save() {
      const saved = offset;
      return () => move(saved);
    },
  };
}
