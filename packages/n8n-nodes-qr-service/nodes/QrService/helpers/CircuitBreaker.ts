import { describeError, isServiceUnavailable, sentence, TransportError } from '../../../core.ts';

/** How long the service may be silent before items are sent one at a time, in milliseconds. */
const HALF_OPEN_AFTER_MS = 60_000;
/** How long it may be silent before the remaining items are not sent, in milliseconds. */
const OPEN_AFTER_MS = 5 * HALF_OPEN_AFTER_MS;

/** Knows when the service last responded: the client. */
export interface ServiceHealth {
  /** Start of the time without any response, in milliseconds since the epoch. */
  readonly silentSince: number | undefined;
}

/**
 * A circuit breaker for one run of the node. Each item's call is retried for a while, which suits a short outage;
 * but if failed items don't stop the run, thousands of them would wait for hours for a service that is down. So
 * once no request of any item has had a response for a minute, items are sent one at a time while the others
 * wait: after a response, all continue. After five minutes without one, the remaining items fail at once.
 *
 * An outage therefore costs a run at most five minutes plus the time of the last call.
 */
export class CircuitBreaker {
  readonly #service: ServiceHealth;
  readonly #now: () => number;
  /** The item that is sent alone. */
  #probe: Promise<unknown> | undefined;
  /** When a call last failed without a response, in milliseconds since the epoch, and its message. */
  #failedAt = -Infinity;
  #reason = "The service isn't responding.";
  #notSent = 0;

  constructor(service: ServiceHealth, now: () => number = Date.now) {
    this.#service = service;
    this.#now = now;
  }

  /** How many items failed without being sent. */
  get notSent(): number {
    return this.#notSent;
  }

  /** @throws TransportError, without starting the work, if no request has had a response for five minutes */
  async run<Result>(work: () => Promise<Result>): Promise<Result> {
    while (this.#isSilentFor(HALF_OPEN_AFTER_MS)) {
      this.throwIfOpen();
      if (this.#probe === undefined) return this.#runAlone(work);
      await this.#probe;
    }
    return this.#observe(work());
  }

  /**
   * For an item that waited for another one after its work began.
   * @throws TransportError if no request has had a response for five minutes
   */
  throwIfOpen(): void {
    if (!this.#isSilentFor(OPEN_AFTER_MS)) return;
    this.#notSent += 1;
    throw new TransportError(this.#reason, {
      kind: 'network',
      detail: 'There was no response for five minutes, so this item was not sent.',
    });
  }

  #isSilentFor(ms: number): boolean {
    const since = this.#service.silentSince;
    return since !== undefined && this.#failedAt >= since && this.#now() - since >= ms;
  }

  #runAlone<Result>(work: () => Promise<Result>): Promise<Result> {
    const result = this.#observe(work());
    const end = () => {
      this.#probe = undefined;
    };
    this.#probe = result.then(end, end);
    return result;
  }

  #observe<Result>(result: Promise<Result>): Promise<Result> {
    result.catch((error: unknown) => {
      // If a code was created but not published, the client's own error is the cause.
      const failure = [error, (error as Error).cause].find(isServiceUnavailable);
      if (failure === undefined) return;
      this.#failedAt = this.#now();
      this.#reason = sentence(describeError(failure).message);
    });
    return result;
  }
}
