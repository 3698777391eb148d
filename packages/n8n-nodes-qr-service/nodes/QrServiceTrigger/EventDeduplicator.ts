const KEPT_MS = 24 * 60 * 60 * 1000;
const MAX_KEPT = 20_000;

/** The part of Node's response that shows what n8n did with a delivery. */
export interface DeliveryResponse {
  readonly statusCode: number;
  /** Whether n8n has responded, even if the sender has disconnected. */
  readonly writableEnded: boolean;
  /** Whether the sender has its response or has disconnected. */
  readonly destroyed: boolean;
  once(event: 'close', listener: () => void): unknown;
}

/** Whether an event is new, a duplicate of one that n8n has accepted, or of one that n8n is still storing. */
export type EventStatus = 'new' | 'duplicate' | 'undecided';

interface Claim {
  /** When it is forgotten, in milliseconds since the epoch. */
  expiry: number;
  /** Until n8n has accepted the event. Holds the whole request, so it is released as soon as possible. */
  pending?: {
    response: DeliveryResponse;
    /** Resolves when n8n has responded or the sender has disconnected. */
    closed: Promise<void>;
  };
}

/**
 * Remembers which events n8n has accepted, in this process, limited in number and time. An event that n8n could not
 * store (no queue, no database) gets no 2xx and is forgotten, as the service retries it. Nothing is stored in
 * static data: n8n writes that back as a whole, so concurrent deliveries would overwrite each other.
 */
export class EventDeduplicator {
  /** Oldest first. */
  readonly #claims = new Map<string, Claim>();

  /**
   * Claims an event for a delivery, unless another delivery of it was accepted. The claim is dropped if the response
   * fails. Waits for n8n's response to a delivery of the same event that is under way.
   * @param key identifies the event: only its deliveries share it
   * @param now milliseconds since the epoch
   */
  async claim(key: string, response: DeliveryResponse, now: number = Date.now()): Promise<EventStatus> {
    this.#forgetOld(now);
    for (;;) {
      const earlier = this.#settledClaim(key);
      if (earlier === undefined) {
        this.#add(key, response, now);
        return 'new';
      }
      if (earlier.pending === undefined) return 'duplicate';
      await earlier.pending.closed;
      // The sender disconnected before n8n responded, so it isn't known yet whether n8n accepts the event.
      if (this.#isUndecided(key, earlier)) return 'undecided';
    }
  }

  /** The claim on a key, updated by its response; one that failed is dropped. */
  #settledClaim(key: string): Claim | undefined {
    const claim = this.#claims.get(key);
    if (claim?.pending?.response.writableEnded !== true) return claim;
    if (claim.pending.response.statusCode < 300) {
      delete claim.pending;
      return claim;
    }
    this.#claims.delete(key);
    return undefined;
  }

  #isUndecided(key: string, claim: Claim): boolean {
    return this.#settledClaim(key) === claim && claim.pending !== undefined;
  }

  #add(key: string, response: DeliveryResponse, now: number): void {
    const closed = response.destroyed
      ? Promise.resolve()
      : new Promise<void>((resolve) => response.once('close', resolve));
    this.#claims.set(key, { expiry: now + KEPT_MS, pending: { response, closed } });
    void closed.then(() => this.#settledClaim(key));
  }

  #forgetOld(now: number): void {
    for (const [key, { expiry }] of this.#claims) {
      if (expiry > now && this.#claims.size < MAX_KEPT) return;
      this.#claims.delete(key);
    }
  }
}
