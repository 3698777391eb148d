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

/** What a delivery is: the first of its kind; one that was taken before; one of which another is not decided yet. */
export type Novelty = 'new' | 'repeated' | 'undecided';

interface Claim {
  /** When it is forgotten, in milliseconds since the epoch. */
  expiry: number;
  /** Until n8n has taken the delivery. */
  response?: DeliveryResponse;
  /** Settles when n8n has answered or the sender has gone. */
  closed: Promise<void>;
}

/**
 * Remembers which deliveries n8n took, in this process: bounded in number and in time. One that n8n then
 * could not store (no queue, no database) and did not answer with 2xx is forgotten, as the service sends it
 * again. It is not kept in static data, which n8n writes back as a whole, so that deliveries at the same
 * time undo each other.
 */
export class RecentDeliveries {
  /** Oldest first. */
  readonly #claims = new Map<string, Claim>();

  /**
   * Says whether any of the keys came in before; if none did, all of them count as come in unless the
   * response fails. Waits for n8n's answer to one that came in a moment ago.
   * @param now milliseconds since the epoch
   */
  async take(
    keys: readonly string[],
    response: DeliveryResponse,
    now: number = Date.now(),
  ): Promise<Novelty> {
    this.#forgetOld(now);
    for (;;) {
      const earlier = this.#taken(keys);
      if (earlier === undefined) {
        this.#claim(keys, response, now);
        return 'new';
      }
      if (earlier.response === undefined) {
        this.#remember(keys, earlier);
        return 'repeated';
      }
      await earlier.closed;
      // Its sender has gone before n8n answered; whether n8n takes it is known later.
      if (this.#taken(keys) === earlier && !isAnswered(earlier)) return 'undecided';
    }
  }

  /** The claim of any of the keys; those that failed are forgotten. */
  #taken(keys: readonly string[]): Claim | undefined {
    for (const key of keys) {
      const claim = this.#claims.get(key);
      if (claim === undefined) continue;
      if (!hasFailed(claim)) {
        if (isAnswered(claim)) delete claim.response;
        return claim;
      }
      this.#claims.delete(key);
    }
    return undefined;
  }

  #claim(keys: readonly string[], response: DeliveryResponse, now: number): void {
    const closed = response.destroyed
      ? Promise.resolve()
      : new Promise<void>((resolve) => response.once('close', resolve));
    const claim: Claim = { expiry: now + KEPT_MS, response, closed };
    this.#remember(keys, claim);
    // The response holds the whole request, so it is let go as soon as possible.
    void closed.then(() => this.#taken(keys));
  }

  #remember(keys: readonly string[], claim: Claim): void {
    for (const key of keys) if (!this.#claims.has(key)) this.#claims.set(key, claim);
  }

  #forgetOld(now: number): void {
    for (const [key, { expiry }] of this.#claims) {
      if (expiry > now && this.#claims.size < MAX_KEPT) return;
      this.#claims.delete(key);
    }
  }
}

const isAnswered = ({ response }: Claim) => response === undefined || response.writableEnded;

function hasFailed({ response }: Claim): boolean {
  return response !== undefined && response.writableEnded && Math.floor(response.statusCode / 100) !== 2;
}
