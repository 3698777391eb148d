const QUIET_MS = 60_000;

interface Silence {
  /** When it ends, in milliseconds since the epoch. */
  end: number;
  /** Refusals that nothing was said of. */
  unsaid: number;
}

/**
 * Keeps those who send rubbish from filling the log: of each kind of refusal the first is told at once, and
 * from then on one a minute at most, with how many there were in between.
 */
export class RefusalLog {
  /** One for each kind: the workflows' own triggers, times the few reasons. */
  readonly #silences = new Map<string, Silence>();

  /**
   * Counts a refusal, and returns how many of its kind were not told of, or undefined where it is not to be
   * told of either.
   * @param now milliseconds since the epoch
   */
  count(kind: string, now: number = Date.now()): number | undefined {
    const silence = this.#silences.get(kind);
    if (silence !== undefined && now < silence.end) {
      silence.unsaid += 1;
      return undefined;
    }
    this.#silences.set(kind, { end: now + QUIET_MS, unsaid: 0 });
    return silence?.unsaid ?? 0;
  }
}
