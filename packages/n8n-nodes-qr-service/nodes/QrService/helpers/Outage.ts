import { describeError, isApiError, isTransportError, TransportError } from '../../../core.ts';

/** How long the service may give no answer before the rest of a run's items is not sent, in milliseconds. */
const PATIENCE_MS = 60_000;

/**
 * Watches the calls of a run for a service that is down. Each item's call is tried again for a while, which
 * is right for a short outage; but where bad items do not stop the run, thousands of them would wait for
 * hours for a service that is gone. So after a minute without any answer the others fail at once.
 */
export class Outage {
  readonly #now: () => number;
  #since: number | undefined;
  #reason = '';

  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  /** @throws TransportError, without beginning the work, when no answer has come for a minute */
  async watch<Result>(work: () => Promise<Result>): Promise<Result> {
    const began = this.#now();
    if (this.#since !== undefined && began - this.#since >= PATIENCE_MS)
      throw new TransportError(
        `${this.#reason} No answer has come for a minute, so this item was not sent.`.trim(),
        { kind: 'network' },
      );
    const result = work();
    result.then(
      () => {
        this.#since = undefined;
      },
      (error: unknown) => this.#failed(error, began),
    );
    return result;
  }

  #failed(error: unknown, began: number): void {
    if (isNoAnswer(error)) {
      this.#since ??= began;
      this.#reason = describeError(error).message;
    } else if (isApiError(error)) this.#since = undefined;
  }
}

function isNoAnswer(error: unknown): boolean {
  if (isApiError(error)) return error.status >= 500;
  return isTransportError(error) && (error.kind === 'network' || error.kind === 'timeout');
}
