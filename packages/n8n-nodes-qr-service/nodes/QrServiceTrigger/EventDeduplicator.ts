const KEPT_MS = 24 * 60 * 60 * 1000;
const MAX_KEPT = 20_000;

/** The part of Node's response that tells what n8n made of a delivery. */
export interface DeliveryResponse {
  readonly statusCode: number;
  /** Whether n8n has answered, be the sender still there or not. */
  readonly writableEnded: boolean;
  /** Whether the sender has its answer or has gone. */
  readonly destroyed: boolean;
  once(event: 'close', listener: () => void): unknown;
}

/** What an event is: the first of its id; one that was taken before; one of which another is not decided yet. */
export type Novelty = 'new' | 'repeated' | 'undecided';

interface Claim {
  /** When it is forgotten, in milliseconds since the epoch. */
  expiry: number;
  /** Until n8n has taken the event. It holds the whole request, so it is let go as soon as possible. */
  pending?: {
    response: DeliveryResponse;
    /** Settles when n8n has answered or the sender has gone. */
    closed: Promise<void>;
  };
}

/**
 * Remembers which events n8n took, in this process: bounded in number and in time. One that n8n then could not
 * store (no queue, no database) and did not answer with 2xx is forgotten, as the service sends it again. It is
 * not kept in static data, which n8n writes back as a whole, so that deliveries at the same time undo each other.
 */
export class RecentEvents {
  /** Oldest first. */
  readonly #claims = new Map<string, Claim>();

  /**
   * Says whether an event came in before; if not, it counts as come in unless the response fails. Waits for
   * n8n's answer to one that came in a moment ago.
   * @param key what only deliveries of this event have in common
   * @param now milliseconds since the epoch
   */
  async take(key: string, response: DeliveryResponse, now: number = Date.now()): Promise<Novelty> {
    this.#forgetOld(now);
    for (;;) {
      const earlier = this.#settled(key);
      if (earlier === undefined) {
        this.#claim(key, response, now);
        return 'new';
      }
      if (earlier.pending === undefined) return 'repeated';
      await earlier.pending.closed;
      // Its sender has gone before n8n answered; whether n8n takes it is known later.
      if (this.#isUndecided(key, earlier)) return 'undecided';
    }
  }

  /** The claim on a key, as far as it is decided; one that failed is forgotten. */
  #settled(key: string): Claim | undefined {
    const claim = this.#claims.get(key);
    const response = claim?.pending?.response;
    if (claim === undefined || response === undefined || !response.writableEnded) return claim;
    if (response.statusCode >= 200 && response.statusCode < 300) {
      delete claim.pending;
      return claim;
    }
    this.#claims.delete(key);
    return undefined;
  }

  #isUndecided(key: string, claim: Claim): boolean {
    return this.#settled(key) === claim && claim.pending !== undefined;
  }

  #claim(key: string, response: DeliveryResponse, now: number): void {
    const closed = response.destroyed
      ? Promise.resolve()
      : new Promise<void>((resolve) => response.once('close', resolve));
    this.#claims.set(key, { expiry: now + KEPT_MS, pending: { response, closed } });
    void closed.then(() => this.#settled(key));
  }

  #forgetOld(now: number): void {
    for (const [key, { expiry }] of this.#claims) {
      if (expiry > now && this.#claims.size < MAX_KEPT) return;
      this.#claims.delete(key);
    }
  }
}
