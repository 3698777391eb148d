const FIRST_INTERVAL_MS = 5 * 60_000;
const LONGEST_INTERVAL_MS = 4 * 60 * 60_000;
const MAX_KEPT = 5000;

interface Interval {
  /** What was known at the time of the last request. */
  situation: string;
  /** Earliest time of the next request, in milliseconds since the epoch. */
  end: number;
  lengthMs: number;
}

/**
 * Limits how often deliveries make a trigger send requests to the service, as anyone can send deliveries: once in five
 * minutes. The interval doubles up to four hours, as long as nothing changes in n8n.
 */
export class RequestThrottle {
  readonly #intervals = new Map<string, Interval>();

  /**
   * Whether a request may be sent now. If so, it counts as sent.
   * @param situation what n8n holds now; if it differs from the last one, a new request may help
   * @param now milliseconds since the epoch
   */
  allows(trigger: string, situation: string, now: number = Date.now()): boolean {
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
