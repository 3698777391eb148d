import type { RateLimit } from '../wire/headers.ts';
import type { Sleep } from './transport.ts';

/** A call waiting for its turn. */
interface QueuedCall {
  admit: () => void;
  reject: (reason: unknown) => void;
}

/** How many calls may be in flight after one without a response, until a response reports the window. */
const MAX_UNANSWERED = 10;

/** The service won't accept any call within the time that calls may wait. */
export class WaitTooLongError extends Error {
  readonly retryAfterMs: number;

  constructor(retryAfterMs: number) {
    super('The rate limit is used up. This request and those after it were not sent.');
    this.retryAfterMs = retryAfterMs;
  }
}

/**
 * Keeps concurrent calls within the service's rate limit (docs/api.md#rate-limit): they wait in a queue once the window is
 * used up, and wait together once one is refused. Nobody knows a new window before its first response, so one call is
 * sent alone, and the others follow. If it gets none, ten are sent at once: they would add up their time limits.
 */
export class RateLimiter {
  readonly #now: () => number;
  readonly #sleep: Sleep;
  readonly #maxWaitMs: number;
  readonly #queue = new Set<QueuedCall>();
  #inFlight = 0;
  /** How many calls may be in flight: the rest of the window, as calls in flight may not be counted yet. */
  #remaining = 1;
  /** When the window ends; Infinity while that isn't known. */
  #resetAt = Infinity;
  #refusedUntil = 0;
  #wakeUp: { at: number; controller: AbortController } | undefined;

  /** @param options.maxWaitMs longest wait for the end of a window or a refusal, in milliseconds */
  constructor(options: { now: () => number; sleep: Sleep; maxWaitMs: number }) {
    this.#now = options.now;
    this.#sleep = options.sleep;
    this.#maxWaitMs = Math.min(options.maxWaitMs, Number.MAX_VALUE);
  }

  /**
   * Waits for a call's turn. After the call, `release` must be called. If there is no wait, it doesn't return a promise:
   * that would cost every call a microtask.
   * @throws WaitTooLongError if the service refuses calls for longer than `maxWaitMs`
   * @throws the signal's reason when it aborts
   */
  acquire(signal: AbortSignal | undefined): Promise<void> | undefined {
    if (this.#queue.size === 0 && this.#waitMs() === 0) {
      this.#inFlight += 1;
      return undefined;
    }
    if (signal?.aborted === true) return Promise.reject(signal.reason as Error);
    let cancel: () => void = () => undefined;
    const turn = new Promise<void>((admit, reject) => {
      const call = { admit, reject };
      cancel = () => {
        this.#queue.delete(call);
        this.#advance();
        reject(signal?.reason as Error);
      };
      this.#queue.add(call);
    });
    signal?.addEventListener('abort', cancel);
    this.#advance();
    return turn.finally(() => signal?.removeEventListener('abort', cancel));
  }

  /**
   * Ends a call.
   * @param response what it says about the limit; undefined without a response. `refusedMs` is how long all calls must wait
   */
  release(response: { rateLimit: RateLimit | undefined; refusedMs?: number | undefined } | undefined): void {
    this.#inFlight -= 1;
    if (response !== undefined) this.#read(response.rateLimit, response.refusedMs);
    else {
      if (this.#now() >= this.#resetAt) this.#forgetWindow();
      if (this.#resetAt === Infinity && this.#remaining < Infinity) this.#remaining = MAX_UNANSWERED;
    }
    this.#advance();
  }

  #read(rateLimit: RateLimit | undefined, refusedMs: number | undefined): void {
    const now = this.#now();
    if (refusedMs !== undefined) this.#refusedUntil = Math.max(this.#refusedUntil, now + refusedMs);
    const isKnown = now < this.#resetAt && this.#resetAt - now <= this.#maxWaitMs;
    if (rateLimit !== undefined && rateLimit.resetAt > now) {
      // Responses may overtake each other: within a window, the lowest number counts. The service reports whole seconds,
      // so the earliest end is the most exact.
      this.#remaining = isKnown ? Math.min(this.#remaining, rateLimit.remaining) : rateLimit.remaining;
      this.#resetAt = Math.min(isKnown ? this.#resetAt : Infinity, rateLimit.resetAt);
    } else if (refusedMs !== undefined) this.#forgetWindow();
    else if (!isKnown) this.#remaining = Infinity;
  }

  #forgetWindow(): void {
    this.#remaining = this.#inFlight + 1;
    this.#resetAt = Infinity;
  }

  /** How long until the next call may be sent; Infinity if that depends on a response. */
  #waitMs(): number {
    const now = this.#now();
    if (now < this.#refusedUntil) return this.#refusedUntil - now;
    if (now >= this.#resetAt) this.#forgetWindow();
    if (this.#inFlight < this.#remaining) return 0;
    if (this.#resetAt - now <= this.#maxWaitMs) return this.#resetAt - now;
    // The unit of Reset isn't documented. So no call fails because of it: one is sent, and its refusal says how long to wait.
    return this.#inFlight === 0 ? 0 : Infinity;
  }

  #advance(): void {
    const refusedMs = this.#refusedUntil - this.#now();
    if (refusedMs > this.#maxWaitMs) this.#rejectQueue(refusedMs);
    for (const call of this.#queue) {
      if (this.#waitMs() > 0) break;
      this.#queue.delete(call);
      this.#inFlight += 1;
      call.admit();
    }
    const waitMs = this.#queue.size === 0 ? Infinity : this.#waitMs();
    this.#wakeUpAt(waitMs === Infinity ? undefined : this.#now() + waitMs);
  }

  #rejectQueue(ms: number): void {
    for (const call of this.#queue) call.reject(new WaitTooLongError(ms));
    this.#queue.clear();
  }

  #wakeUpAt(at: number | undefined): void {
    if (this.#wakeUp?.at === at) return;
    this.#wakeUp?.controller.abort();
    this.#wakeUp = undefined;
    if (at === undefined) return;
    const wakeUp = { at, controller: new AbortController() };
    this.#wakeUp = wakeUp;
    const ms = at - this.#now();
    const wake = (act: () => void) => {
      if (this.#wakeUp !== wakeUp) return;
      this.#wakeUp = undefined;
      act();
      this.#advance();
    };
    this.#sleep(ms, wakeUp.controller.signal).then(
      // The wait ends with the sleep, even if the clock hasn't moved: otherwise it would start again.
      () =>
        wake(() => {
          this.#refusedUntil = 0;
          this.#forgetWindow();
        }),
      // The platform may refuse to wait. Then no call waits.
      () => wake(() => this.#rejectQueue(ms)),
    );
  }
}
