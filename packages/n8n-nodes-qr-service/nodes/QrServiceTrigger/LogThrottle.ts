const INTERVAL_MS = 60_000;

interface Interval {
  /** When it ends, in milliseconds since the epoch. */
  end: number;
  /** Messages that were not logged in it. */
  suppressed: number;
}

/**
 * Keeps a flood of invalid deliveries from filling the log: of each kind, the first is logged at once, then at
 * most one a minute.
 */
export class LogThrottle {
  /** One for each kind: the instance's triggers, times a few reasons. */
  readonly #intervals = new Map<string, Interval>();

  /**
   * Counts a message. Returns how many of its kind were suppressed since the last one, or undefined if this one is
   * suppressed, too.
   * @param now milliseconds since the epoch
   */
  count(kind: string, now: number = Date.now()): number | undefined {
    const interval = this.#intervals.get(kind);
    if (interval !== undefined && now < interval.end) {
      interval.suppressed += 1;
      return undefined;
    }
    this.#intervals.set(kind, { end: now + INTERVAL_MS, suppressed: 0 });
    return interval?.suppressed ?? 0;
  }
}
