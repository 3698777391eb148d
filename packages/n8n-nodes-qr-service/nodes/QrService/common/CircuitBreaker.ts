import { describeError, isApiError, isServiceUnavailable, sentence, TransportError } from '../../../core.ts';

/** How many items in a row may fail before the others aren't sent. */
const MAX_FAILURES = 20;
/** How long they may fail, in milliseconds: a service that restarts refuses many items in a few seconds. */
const MAX_OUTAGE_MS = 60_000;

/**
 * A circuit breaker for one run of the node. Each item's call is retried for a while, which suits a short outage; but if
 * failed items don't stop the run, thousands of them would wait for hours for a service that is down. So after 20 items
 * in a row that failed without a response, for a minute or longer, the remaining ones fail at once.
 */
export class CircuitBreaker {
  readonly #now: () => number;
  /** Items in a row that failed without a response, or with a 5xx, and when the first of them did. */
  #failures = 0;
  #failingSince = 0;
  #reason = '';
  #notSent = 0;

  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  /** How many items failed without being sent. */
  get notSent(): number {
    return this.#notSent;
  }

  /** @throws TransportError, without starting the work, if the service is down */
  async run<Result>(work: () => Promise<Result>): Promise<Result> {
    this.throwIfOpen();
    const result = work();
    result.then(
      () => {
        this.#failures = 0;
      },
      (error: unknown) => this.#note(error),
    );
    return result;
  }

  /**
   * For an item that waited for another one after its work began.
   * @throws TransportError if the service is down
   */
  throwIfOpen(): void {
    if (this.#failures < MAX_FAILURES || this.#now() - this.#failingSince < MAX_OUTAGE_MS) return;
    this.#notSent += 1;
    throw new TransportError(this.#reason, {
      kind: 'network',
      detail: `${MAX_FAILURES} items in a row failed this way, so this one was not sent.`,
    });
  }

  #note(error: unknown): void {
    // If a code was created but not published, the client's own error is the cause.
    const failure = [error, (error as Error).cause].find(isServiceUnavailable);
    if (failure !== undefined) {
      if (this.#failures === 0) this.#failingSince = this.#now();
      this.#failures += 1;
      this.#reason = sentence(describeError(failure).message);
    } else if ([error, (error as Error).cause].some(isApiError)) this.#failures = 0;
  }
}
