const KEPT_MS = 24 * 60 * 60 * 1000;
const MAX_KEPT = 20_000;

/**
 * Remembers which deliveries came in, in this process: bounded in number and in time. It is not kept in
 * static data, which n8n writes back as a whole, so that deliveries at the same time undo each other.
 */
export class RecentDeliveries {
  /** When each key is forgotten, in milliseconds since the epoch; oldest first. */
  readonly #expiry = new Map<string, number>();

  /**
   * Whether any of the keys came in before; either way all of them count as come in from now on.
   * @param now milliseconds since the epoch
   */
  seenBefore(keys: readonly string[], now: number = Date.now()): boolean {
    this.#forgetOld(now);
    const seen = keys.some((key) => this.#expiry.has(key));
    for (const key of keys) {
      if (!this.#expiry.has(key)) this.#expiry.set(key, now + KEPT_MS);
    }
    return seen;
  }

  #forgetOld(now: number): void {
    for (const [key, expiry] of this.#expiry) {
      if (expiry > now && this.#expiry.size < MAX_KEPT) return;
      this.#expiry.delete(key);
    }
  }
}
