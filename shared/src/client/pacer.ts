import type { RateLimit } from '../wire/rateLimit.ts';
import type { Sleep } from './transport.ts';

/** One call that waits for its turn. */
interface Waiting {
  admit: (ticket: number) => void;
  refuse: (reason: unknown) => void;
}

/** The service's rate limit leaves no room before a time that is too far away to wait for. */
export class TooFarError extends Error {
  readonly retryAfterMs: number;

  constructor(retryAfterMs: number) {
    super('The rate limit leaves no room for another request.');
    this.retryAfterMs = retryAfterMs;
  }
}

/**
 * Lets calls through as the service's rate-limit headers allow, so that many at once slow down before they
 * are refused (API text, "Limits", 2). Until the first answer, and after a window that was used up, one call
 * goes ahead alone to learn what is left.
 */
export class Pacer {
  readonly #now: () => number;
  readonly #sleep: Sleep;
  /** Longest wait for the next window, in milliseconds. */
  readonly #patienceMs: number;
  /** In order of arrival. */
  readonly #waiting = new Set<Waiting>();
  #alarm: AbortController | undefined;
  /** Tickets count the requests in the order in which they were sent. */
  #lastTicket = 0;
  #newestAnswered = 0;
  #inFlight = 0;
  /** Undefined until the first answer, null where the service tells no limit. */
  #known: RateLimit | null | undefined;

  constructor(options: { now: () => number; sleep: Sleep; patienceMs: number }) {
    this.#now = options.now;
    this.#sleep = options.sleep;
    this.#patienceMs = options.patienceMs;
  }

  /**
   * Waits for the call's turn and gives its ticket, which must be given back with `leave`.
   * @throws TooFarError when the next window is further away than the patience lasts
   * @throws the signal's reason when it aborts
   */
  enter(signal: AbortSignal | undefined): number | Promise<number> {
    if (this.#waiting.size === 0 && this.#maySend()) return this.#admit();
    const { promise, resolve, reject } = deferred<number>();
    const waiting: Waiting = { admit: resolve, refuse: reject };
    const abort = () => {
      this.#waiting.delete(waiting);
      if (this.#waiting.size === 0) this.#stopAlarm();
      reject(signal?.reason as Error);
    };
    if (signal?.aborted === true) return Promise.reject(signal.reason as Error);
    this.#waiting.add(waiting);
    signal?.addEventListener('abort', abort, { once: true });
    this.#admitWaiting();
    return promise.finally(() => signal?.removeEventListener('abort', abort));
  }

  /**
   * Takes back a ticket.
   * @param told what the answer told of the limit; undefined where there was no answer
   * @param refusedMs how long the service asked to wait, where it refused the call for its limit
   */
  leave(ticket: number, told: { rateLimit: RateLimit | undefined } | undefined, refusedMs?: number): void {
    this.#inFlight--;
    if (told !== undefined) this.#learn(ticket, told.rateLimit);
    if (refusedMs !== undefined)
      this.#known = { limit: this.#known?.limit ?? 1, remaining: 0, resetAt: this.#now() + refusedMs };
    this.#admitWaiting();
  }

  #learn(ticket: number, told: RateLimit | undefined): void {
    const known = this.#known ?? undefined;
    if (told === undefined) {
      if (known === undefined) this.#known = null;
      return;
    }
    const isSameWindow = known !== undefined && this.#now() < known.resetAt;
    // Whole seconds are rounded: of all that is told in a window, the nearest end is the most exact.
    const resetAt = isSameWindow ? Math.min(known.resetAt, told.resetAt) : told.resetAt;
    // An answer to a request that was sent earlier can only tell that less is left.
    const isNewest = ticket > this.#newestAnswered;
    const remaining = isNewest || !isSameWindow ? told.remaining : Math.min(known.remaining, told.remaining);
    if (isNewest) this.#newestAnswered = ticket;
    this.#known = { limit: told.limit, remaining, resetAt };
  }

  #maySend(): boolean {
    if (this.#known === null) return true;
    if (this.#known === undefined) return this.#inFlight === 0;
    // Those under way may not be counted yet.
    if (this.#known.remaining - this.#inFlight > 0) return true;
    return this.#inFlight === 0 && (this.#now() >= this.#known.resetAt || this.#isTooFar());
  }

  #isTooFar(): boolean {
    const known = this.#known ?? undefined;
    return known !== undefined && known.remaining === 0 && known.resetAt - this.#now() > this.#patienceMs;
  }

  #admit(): number {
    this.#inFlight++;
    return ++this.#lastTicket;
  }

  #admitWaiting(): void {
    for (const waiting of this.#waiting) {
      if (this.#maySend()) waiting.admit(this.#admit());
      else if (this.#isTooFar()) waiting.refuse(new TooFarError((this.#known?.resetAt ?? 0) - this.#now()));
      else break;
      this.#waiting.delete(waiting);
    }
    if (this.#waiting.size === 0) this.#stopAlarm();
    else this.#setAlarm();
  }

  /** One alarm for all: at the end of the window the first of them goes ahead. */
  #setAlarm(): void {
    const until = this.#known?.resetAt ?? 0;
    const ms = until - this.#now();
    if (this.#alarm !== undefined || ms <= 0) return;
    const alarm = new AbortController();
    this.#alarm = alarm;
    this.#sleep(ms, alarm.signal).then(
      () => {
        if (!this.#forget(alarm)) return;
        // The wait is over when the sleep is: a clock that has not moved must not make it begin again.
        if (this.#known && this.#known.resetAt <= until)
          this.#known = { ...this.#known, resetAt: this.#now() };
        this.#admitWaiting();
      },
      () => {
        // A platform may refuse to wait: then nobody does.
        if (!this.#forget(alarm)) return;
        for (const waiting of this.#waiting) waiting.refuse(new TooFarError(ms));
        this.#waiting.clear();
      },
    );
  }

  #stopAlarm(): void {
    const alarm = this.#alarm;
    this.#alarm = undefined;
    alarm?.abort();
  }

  /** Whether the alarm was still set. */
  #forget(alarm: AbortController): boolean {
    if (this.#alarm !== alarm) return false;
    this.#alarm = undefined;
    return true;
  }
}

function deferred<T>() {
  let resolve: (value: T) => void = () => undefined;
  let reject: (reason: unknown) => void = () => undefined;
  const promise = new Promise<T>((onResolve, onReject) => {
    resolve = onResolve;
    reject = onReject;
  });
  return { promise, resolve, reject };
}
