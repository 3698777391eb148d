import type { RateLimit } from '../wire/rateLimit.ts';
import { duration } from '../errors/explain.ts';
import type { Sleep } from './transport.ts';

/** One call that waits for its turn. */
interface Waiting {
  admit: (ticket: number) => void;
  refuse: (reason: unknown) => void;
}

/** Since when and until when the service refuses calls. */
interface Closed {
  /** When the first call was refused since which none got through. */
  since: number;
  until: number;
  /** The last one that was sent before: what comes back of those says nothing new. */
  lastTicket: number;
  /** Whether it is no limit but a service that is away for a while. */
  isPause: boolean;
  /** When a call that was sent since was refused, too, for a time that is too far away. */
  confirmedAt?: number;
}

/** Milliseconds for which nobody is sent once a window that is too far away is confirmed. */
const HUSH_MS = 10_000;

/** The service lets nobody through before a time that is too far away to wait for. */
export class WaitTooLongError extends Error {
  readonly retryAfterMs: number;
  /** Whether it is no limit but a service that is away for a while. */
  readonly isPause: boolean;

  constructor(retryAfterMs: number, isPause = false) {
    const why = isPause
      ? `The service asks everybody to wait another ${duration(retryAfterMs)}`
      : `The rate limit leaves no room for another ${duration(retryAfterMs)}`;
    super(`${why}, so this request and those after it were not sent.`);
    this.retryAfterMs = retryAfterMs;
    this.isPause = isPause;
  }
}

/**
 * Lets calls through as the service's rate limit allows, so that many at once slow down before they are refused (API
 * text, "Limits", 2), and wait together once they are. One call at a time goes ahead alone, and the others follow when
 * it gets through: until the first answer, after a window that was used up, and after a refusal.
 *
 * Where a window ends too far away to wait for, it still does so at once: only a second refusal ends the calls in line.
 */
export class RateLimiter {
  readonly #now: () => number;
  readonly #sleep: Sleep;
  /** Longest wait while no call gets through, in milliseconds. */
  readonly #patienceMs: number;
  /** Calls that were refused before, then the others; each in order of arrival. */
  readonly #lines = [new Set<Waiting>(), new Set<Waiting>()] as const;
  #alarm: { until: number; controller: AbortController } | undefined;
  /** Tickets count the requests in the order in which they were sent. */
  #lastTicket = 0;
  #newestAnswered = 0;
  #inFlight = 0;
  #passed = 0;
  /** The call that goes ahead alone. */
  #scout: number | undefined;
  /** Whether no answer has come yet. */
  #isNew = true;
  /** What the headers last told; undefined where they tell nothing. */
  #limit: RateLimit | undefined;
  #closed: Closed | undefined;

  constructor(options: { now: () => number; sleep: Sleep; patienceMs: number }) {
    this.#now = options.now;
    this.#sleep = options.sleep;
    this.#patienceMs = options.patienceMs;
  }

  /** How many answers came that were no refusals. */
  get passed(): number {
    return this.#passed;
  }

  /**
   * Waits for the call's turn and gives its ticket, which must be given back with `leave`.
   * @param wasRefused puts the call before those that were not
   * @throws WaitTooLongError when the next window is further away than the patience lasts
   * @throws the signal's reason when it aborts
   */
  enter(signal: AbortSignal | undefined, wasRefused = false): number | Promise<number> {
    if (this.#isIdle() && this.#maySend()) return this.#admit();
    if (signal?.aborted === true) return Promise.reject(signal.reason as Error);
    const hush = this.#hushed();
    if (hush !== undefined) return Promise.reject(new WaitTooLongError(hush, this.#closed?.isPause));
    const { promise, resolve, reject } = deferred<number>();
    const waiting: Waiting = { admit: resolve, refuse: reject };
    const line = this.#lines[wasRefused ? 0 : 1];
    const abort = () => {
      line.delete(waiting);
      if (this.#isIdle()) this.#stopAlarm();
      reject(signal?.reason as Error);
    };
    line.add(waiting);
    signal?.addEventListener('abort', abort, { once: true });
    this.#admitWaiting();
    return promise.finally(() => signal?.removeEventListener('abort', abort));
  }

  /**
   * Takes back a ticket.
   * @param told what the answer told of the limit; undefined where there was no answer
   * @param refusedMs how long to wait, where the service refused the call for its limit or asked everybody to wait
   * @param isPause whether it is the latter
   */
  leave(
    ticket: number,
    told: { rateLimit: RateLimit | undefined } | undefined,
    refusedMs?: number,
    isPause = false,
  ): void {
    this.#inFlight--;
    const wasScout = this.#scout === ticket;
    if (wasScout) this.#scout = undefined;
    if (told !== undefined) {
      this.#learn(ticket, told.rateLimit, wasScout);
      if (refusedMs === undefined) this.#pass(ticket);
      else this.#close(ticket, refusedMs, { isPause, isConfirmation: wasScout && !this.#isNew });
      this.#isNew = false;
    }
    this.#admitWaiting();
  }

  #learn(ticket: number, said: RateLimit | undefined, wasScout: boolean): void {
    // A window that is over, or has no time at all, says nothing of the next one.
    const told = said !== undefined && said.resetAt > this.#now() ? said : undefined;
    const known = this.#limit;
    const isSameWindow = known !== undefined && this.#now() < known.resetAt;
    if (told === undefined) {
      // It got through, or the window is over, and no new one is told of.
      if (wasScout || !isSameWindow) this.#limit = undefined;
      return;
    }
    // Whole seconds are rounded: of all that is told in a window, the nearest end is the most exact.
    const resetAt = isSameWindow ? Math.min(known.resetAt, told.resetAt) : told.resetAt;
    // An answer to a request that was sent earlier can only tell that less is left.
    const isNewest = ticket > this.#newestAnswered;
    const remaining = isNewest || !isSameWindow ? told.remaining : Math.min(known.remaining, told.remaining);
    if (isNewest) this.#newestAnswered = ticket;
    this.#limit = { limit: told.limit, remaining, resetAt };
  }

  #pass(ticket: number): void {
    this.#passed++;
    if (this.#closed !== undefined && ticket > this.#closed.lastTicket) this.#closed = undefined;
  }

  #close(
    ticket: number,
    ms: number,
    { isPause, isConfirmation }: { isPause: boolean; isConfirmation: boolean },
  ): void {
    const now = this.#now();
    const before = this.#closed;
    const since = before?.since ?? now;
    const isBurst = before !== undefined && ticket <= before.lastTicket;
    const untils = isBurst ? [before.until, now + ms] : [now + ms];
    // All that are refused together wait for the longest time that any was asked to, but for one that is out of line.
    const near = untils.filter((until) => until - since <= this.#patienceMs);
    const until = near.length === 0 ? Math.min(...untils) : Math.max(...near);
    this.#closed = { since, until, lastTicket: isBurst ? before.lastTicket : this.#lastTicket, isPause };
    if (near.length > 0) return;
    if (isConfirmation) {
      this.#closed.confirmedAt = now;
      this.#refuseAll(until - now);
    } else if (isBurst && before.confirmedAt !== undefined) this.#closed.confirmedAt = before.confirmedAt;
  }

  /** Until when nobody is let through but one that goes ahead alone; undefined while there is room. */
  #heldUntil(): number | undefined {
    if (this.#closed !== undefined) return this.#closed.until;
    // Those under way may not be counted yet.
    if (this.#limit !== undefined && this.#limit.remaining - this.#inFlight <= 0) return this.#limit.resetAt;
    return undefined;
  }

  #isTooFar(): boolean {
    if (this.#closed !== undefined) return this.#closed.until - this.#closed.since > this.#patienceMs;
    return this.#limit?.remaining === 0 && this.#limit.resetAt - this.#now() > this.#patienceMs;
  }

  /** How long the window lasts that two calls were refused for, while it is no use to ask again. */
  #hushed(): number | undefined {
    const now = this.#now();
    const { confirmedAt, until = 0 } = this.#closed ?? {};
    return confirmedAt !== undefined && now - confirmedAt < HUSH_MS && now < until ? until - now : undefined;
  }

  #maySend(): boolean {
    const until = this.#heldUntil();
    if (until === undefined) return !this.#isNew || this.#scout === undefined;
    if (this.#scout !== undefined || this.#hushed() !== undefined) return false;
    return this.#now() >= until || this.#isTooFar();
  }

  #admit(): number {
    const ticket = ++this.#lastTicket;
    if (this.#isNew || this.#heldUntil() !== undefined) this.#scout = ticket;
    this.#inFlight++;
    return ticket;
  }

  #isIdle(): boolean {
    return this.#lines.every((line) => line.size === 0);
  }

  #admitWaiting(): void {
    for (const line of this.#lines) {
      for (const waiting of line) {
        if (!this.#maySend()) {
          this.#setAlarm();
          return;
        }
        line.delete(waiting);
        waiting.admit(this.#admit());
      }
    }
    this.#stopAlarm();
  }

  #refuseAll(ms: number): void {
    for (const line of this.#lines) {
      for (const waiting of line) waiting.refuse(new WaitTooLongError(ms, this.#closed?.isPause));
      line.clear();
    }
    this.#stopAlarm();
  }

  /** One alarm for all: at the end of the window the first of them goes ahead. */
  #setAlarm(): void {
    const until = this.#heldUntil();
    if (until === undefined || this.#scout !== undefined || this.#alarm?.until === until) return;
    this.#stopAlarm();
    const ms = until - this.#now();
    if (ms <= 0) return;
    const controller = new AbortController();
    const alarm = { until, controller };
    this.#alarm = alarm;
    this.#sleep(ms, controller.signal).then(
      () => {
        if (!this.#forget(alarm)) return;
        // The wait is over when the sleep is: a clock that has not moved must not make it begin again.
        const now = this.#now();
        if (this.#closed !== undefined && this.#closed.until <= until)
          this.#closed.until = Math.min(this.#closed.until, now);
        if (this.#limit !== undefined && this.#limit.resetAt <= until)
          this.#limit.resetAt = Math.min(this.#limit.resetAt, now);
        this.#admitWaiting();
      },
      () => {
        // A platform may refuse to wait: then nobody does.
        if (this.#forget(alarm)) this.#refuseAll(ms);
      },
    );
  }

  #stopAlarm(): void {
    const alarm = this.#alarm;
    this.#alarm = undefined;
    alarm?.controller.abort();
  }

  /** Whether the alarm was still set. */
  #forget(alarm: object): boolean {
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
