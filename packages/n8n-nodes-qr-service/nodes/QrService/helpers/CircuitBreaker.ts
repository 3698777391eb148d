import { describeError, isNoAnswer, TransportError } from '../../../core.ts';

/** How long the service may answer nobody before a run takes it for gone, in milliseconds. */
const PATIENCE_MS = 60_000;
/** How long it may answer nobody before the items that are left are not sent, in milliseconds. */
const HOPE_MS = 5 * PATIENCE_MS;

/** What tells when the service was heard of: the client. */
export interface Listener {
  /** Since when no request of the run has been answered, in milliseconds since the epoch. */
  readonly silentSince: number | undefined;
}

/**
 * Watches the calls of a run for a service that is down. Each item's call is retried for a while, which is right for
 * a short outage; but where failed items don't stop the run, thousands of them would wait for hours for a service that
 * is gone. So once no request of any item has been answered for a minute, one item at a time is sent while the others
 * wait for it: if it is answered, all continue. After five minutes without an answer, all that are left fail at once.
 *
 * An outage therefore costs a run at most five minutes and what the last call sent may take.
 */
export class Outage {
  readonly #service: Listener;
  readonly #now: () => number;
  /** The item that is sent alone. */
  #trial: Promise<unknown> | undefined;
  /** When the last call failed for want of an answer, in milliseconds since the epoch, and what it said. */
  #failedAt = -Infinity;
  #reason = '';

  constructor(service: Listener, now: () => number = Date.now) {
    this.#service = service;
    this.#now = now;
  }

  /** @throws TransportError, without beginning the work, when no request has been answered for five minutes */
  async watch<Result>(work: () => Promise<Result>): Promise<Result> {
    while (this.#lastsFor(PATIENCE_MS)) {
      this.check();
      if (this.#trial === undefined) return this.#try(work);
      await this.#trial;
    }
    return this.#note(work());
  }

  /**
   * For an item that waited for another one after its work began.
   * @throws TransportError when no request has been answered for five minutes
   */
  check(): void {
    if (!this.#lastsFor(HOPE_MS)) return;
    throw new TransportError(
      `${this.#reason} No answer has come for a minute, so this item was not sent.`.trim(),
      { kind: 'network' },
    );
  }

  #lastsFor(ms: number): boolean {
    const since = this.#service.silentSince;
    return since !== undefined && this.#failedAt >= since && this.#now() - since >= ms;
  }

  #try<Result>(work: () => Promise<Result>): Promise<Result> {
    const result = this.#note(work());
    const over = () => {
      this.#trial = undefined;
    };
    this.#trial = result.then(over, over);
    return result;
  }

  #note<Result>(result: Promise<Result>): Promise<Result> {
    result.catch((error: unknown) => {
      // A code that was created but not published is told of by an error around the client's own.
      const failure = [error, (error as Error).cause].find(isNoAnswer);
      if (failure === undefined) return;
      this.#failedAt = this.#now();
      this.#reason = describeError(failure).message;
    });
    return result;
  }
}
