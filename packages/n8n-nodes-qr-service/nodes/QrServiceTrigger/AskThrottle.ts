const FIRST_INTERVAL_MS = 5 * 60_000;
const LONGEST_INTERVAL_MS = 4 * 60 * 60_000;
const MAX_KEPT = 5000;

interface Interval {
  /** What was known when the service was asked. */
  situation: string;
  /** When it may be asked again, in milliseconds since the epoch. */
  end: number;
  lengthMs: number;
}

/**
 * Limits how often deliveries make a trigger ask the service, since anyone can send deliveries: at most once in five
 * minutes. The interval doubles up to four hours, as long as nothing changes in n8n.
 */
export class AskThrottle {
  readonly #intervals = new Map<string, Interval>();

  /**
   * Whether the service may be asked now, which counts as asked.
   * @param situation what n8n holds now; with another one, the service may know more than the last time
   * @param now milliseconds since the epoch
   */
  mayAsk(trigger: string, situation: string, now: number = Date.now()): boolean {
    const last = this.#intervals.get(trigger);
    const isSame = last?.situation === situation;
    if (isSame && now < last.end) return false;
    const lengthMs = isSame ? Math.min(last.lengthMs * 2, LONGEST_INTERVAL_MS) : FIRST_INTERVAL_MS;
    this.#intervals.delete(trigger);
    this.#intervals.set(trigger, { situation, end: now + lengthMs, lengthMs });
    const [oldest] = this.#intervals.keys();
    if (this.#intervals.size > MAX_KEPT && oldest !== undefined) this.#intervals.delete(oldest);
    return true;
  }
}
