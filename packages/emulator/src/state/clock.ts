/** The emulator's clock, which tests can move. It goes on at its own pace from where it was moved to. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now: () => number;
  /** @throws TypeError for what are no whole milliseconds */
  advance(ms: number): void;
  /**
   * @param time ISO 8601, milliseconds since the epoch or a Date
   * @throws TypeError for what is no time
   */
  set(time: string | number | Date): void;
}

/** A clock with what the emulator itself needs of it. */
export interface MovableClock extends Clock {
  /** Remembers by how much the clock was moved, and returns what moves it so again. */
  save(): () => void;
}

/** @param base the clock that this one is ahead of, or behind, by a fixed time */
export function createClock(base: () => number): MovableClock {
  let offset = 0;

  function move(to: number): void {
    if (!Number.isSafeInteger(to) || Number.isNaN(new Date(base() + to).getTime()))
      throw new TypeError('The clock can only be moved by whole milliseconds, to a time that there is.');
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
