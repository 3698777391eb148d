import { isServiceUnavailable } from '../errors/isServiceUnavailable.ts';
import { TransportError } from '../errors/TransportError.ts';

/** Records whether the service responds. */
export class Availability {
  readonly #now: () => number;
  #lastResponseAt = -Infinity;
  #silentSince: number | undefined;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** When the service stopped responding, in milliseconds since the epoch; undefined while it responds. */
  get silentSince(): number | undefined {
    return this.#silentSince;
  }

  /** Records the outcome of a request: its error, if it failed. */
  record(sentAt: number, error: unknown): void {
    const isSilence = isServiceUnavailable(error);
    // A redirect or a canceled request says nothing about the service.
    if (!isSilence && error instanceof TransportError) return;
    if (isSilence) this.#silentSince ??= Math.max(sentAt, this.#lastResponseAt);
    else {
      this.#silentSince = undefined;
      this.#lastResponseAt = this.#now();
    }
  }
}
