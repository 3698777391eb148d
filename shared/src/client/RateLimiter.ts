import { duration } from '../errors/explain.ts';
import type { RateLimit } from '../wire/rateLimit.ts';
import type { Sleep } from './transport.ts';

/** A call waiting for its turn. */
interface QueuedCall {
  admit: (ticket: number) => void;
  reject: (reason: unknown) => void;
}

/** A time during which the service refuses calls. */
interface Block {
  /** When the first refusal arrived. No call has been accepted since. */
  since: number;
  until: number;
  /** Ticket of the last call sent before it began. Responses to earlier calls say nothing new. */
  lastTicket: number;
  /** Whether the service is unavailable for an announced time, rather than at its rate limit. */
  isPause: boolean;
  /** When a second call, sent after it began, was also refused for longer than calls may wait. */
  confirmedAt?: number;
}

/** How long calls fail at once after a block that is too long to wait for is confirmed, in milliseconds. */
const FAIL_FAST_MS = 10_000;

/** The service won't accept any call within the time that calls may wait. */
export class WaitTooLongError extends Error {
  readonly retryAfterMs: number;
  /** Whether the service is unavailable for an announced time, rather than at its rate limit. */
  readonly isPause: boolean;

  constructor(retryAfterMs: number, isPause = false) {
    const why = isPause
      ? `The service asks all clients to wait another ${duration(retryAfterMs)}.`
      : 'The rate limit is used up.';
    super(`${why} This request and those after it were not sent.`);
    this.retryAfterMs = retryAfterMs;
    this.isPause = isPause;
  }
}

/**
 * Admits calls as the service's rate limit allows: concurrent calls slow down before they are refused (API text,
 * "Limits", 2), and wait together once they are. Before the first response, after a used-up window and after a refusal,
 * one call is sent alone as a probe. The others follow once it is accepted.
 *
 * A window that ends too late to wait for is probed at once: only a second refusal fails the calls in the queue.
 */
export class RateLimiter {
  readonly #now: () => number;
  readonly #sleep: Sleep;
  readonly #maxWaitMs: number;
  /** First the calls that were refused before, then the others, each in order of arrival. */
  readonly #queues = [new Set<QueuedCall>(), new Set<QueuedCall>()] as const;
  #wakeUp: { at: number; controller: AbortController } | undefined;
  /** Tickets number the requests in the order in which they were sent. */
  #lastTicket = 0;
  #newestResponse = 0;
  #inFlight = 0;
  #accepted = 0;
  /** Ticket of the call that was sent alone. */
  #probe: number | undefined;
  #hasResponse = false;
  /** The current window as the headers last described it, if they did. */
  #limit: RateLimit | undefined;
  #block: Block | undefined;

  /** @param options.maxWaitMs longest wait, in milliseconds, while no call is accepted */
  constructor(options: { now: () => number; sleep: Sleep; maxWaitMs: number }) {
    this.#now = options.now;
    this.#sleep = options.sleep;
    this.#maxWaitMs = options.maxWaitMs;
  }

  /** Number of responses that weren't refusals. */
  get accepted(): number {
    return this.#accepted;
  }

  /**
   * Waits for the call's turn and returns its ticket, which must be passed to `release`. If there is no wait, it
   * doesn't return a promise: that would cost every call a microtask.
   * @param wasRefused puts the call ahead of calls that weren't refused
   * @throws WaitTooLongError if the next window is further away than `maxWaitMs`
   * @throws the signal's reason when it aborts
   */
  acquire(signal: AbortSignal | undefined, wasRefused = false): number | Promise<number> {
    if (this.#isQueueEmpty() && this.#maySend()) return this.#admit();
    if (signal?.aborted === true) return Promise.reject(signal.reason as Error);
    const failFastMs = this.#failFastMs();
    if (failFastMs !== undefined)
      return Promise.reject(new WaitTooLongError(failFastMs, this.#block?.isPause));
    const { promise, resolve, reject } = deferred<number>();
    const call: QueuedCall = { admit: resolve, reject };
    const queue = this.#queues[wasRefused ? 0 : 1];
    const abort = () => {
      queue.delete(call);
      if (this.#isQueueEmpty()) this.#cancelWakeUp();
      reject(signal?.reason as Error);
    };
    queue.add(call);
    signal?.addEventListener('abort', abort);
    this.#admitQueued();
    return promise.finally(() => signal?.removeEventListener('abort', abort));
  }

  /**
   * Returns a ticket.
   * @param response what its headers say about the limit; undefined without a response
   * @param refusedMs how long to wait, if the service refused the call because of its rate limit or asked all clients
   * to wait
   * @param isPause whether it asked all clients to wait
   */
  release(
    ticket: number,
    response: { rateLimit: RateLimit | undefined } | undefined,
    refusedMs?: number,
    isPause = false,
  ): void {
    this.#inFlight--;
    const wasProbe = this.#probe === ticket;
    if (wasProbe) this.#probe = undefined;
    if (response !== undefined) {
      this.#updateLimit(ticket, response.rateLimit, wasProbe);
      if (refusedMs === undefined) this.#recordAccepted(ticket);
      else this.#startBlock(ticket, refusedMs, { isPause, isConfirmation: wasProbe && this.#hasResponse });
      this.#hasResponse = true;
    }
    this.#admitQueued();
  }

  #updateLimit(ticket: number, reported: RateLimit | undefined, wasProbe: boolean): void {
    // A window that is over, or has no duration at all, says nothing about the next one.
    const current = reported !== undefined && reported.resetAt > this.#now() ? reported : undefined;
    const known = this.#limit;
    const isSameWindow = known !== undefined && this.#now() < known.resetAt;
    if (current === undefined) {
      // The probe was accepted, or the window is over, and no new one is reported.
      if (wasProbe || !isSameWindow) this.#limit = undefined;
      return;
    }
    // The service reports whole seconds, so the earliest of all ends reported for a window is the most exact.
    const resetAt = isSameWindow ? Math.min(known.resetAt, current.resetAt) : current.resetAt;
    // A response to a request that was sent earlier can only lower what is left.
    const isNewest = ticket > this.#newestResponse;
    const remaining =
      isNewest || !isSameWindow ? current.remaining : Math.min(known.remaining, current.remaining);
    if (isNewest) this.#newestResponse = ticket;
    this.#limit = { limit: current.limit, remaining, resetAt };
  }

  #recordAccepted(ticket: number): void {
    this.#accepted++;
    if (this.#block !== undefined && ticket > this.#block.lastTicket) this.#block = undefined;
  }

  #startBlock(
    ticket: number,
    ms: number,
    { isPause, isConfirmation }: { isPause: boolean; isConfirmation: boolean },
  ): void {
    const now = this.#now();
    const before = this.#block;
    const since = before?.since ?? now;
    const isBurst = before !== undefined && ticket <= before.lastTicket;
    const ends = isBurst ? [before.until, now + ms] : [now + ms];
    // Calls that are refused together wait for the longest time that any was told, unless that is too long.
    const acceptable = ends.filter((end) => end - since <= this.#maxWaitMs);
    const until = acceptable.length === 0 ? Math.min(...ends) : Math.max(...acceptable);
    this.#block = { since, until, lastTicket: isBurst ? before.lastTicket : this.#lastTicket, isPause };
    if (acceptable.length > 0) return;
    if (isConfirmation) {
      this.#block.confirmedAt = now;
      this.#rejectQueued(until - now);
    } else if (isBurst && before.confirmedAt !== undefined) this.#block.confirmedAt = before.confirmedAt;
  }

  /** Until when only a probe may be sent; undefined while there is room. */
  #blockedUntil(): number | undefined {
    if (this.#block !== undefined) return this.#block.until;
    // Calls in flight may not be counted yet.
    if (this.#limit !== undefined && this.#limit.remaining - this.#inFlight <= 0) return this.#limit.resetAt;
    return undefined;
  }

  #exceedsMaxWait(): boolean {
    if (this.#block !== undefined) return this.#block.until - this.#block.since > this.#maxWaitMs;
    return this.#limit?.remaining === 0 && this.#limit.resetAt - this.#now() > this.#maxWaitMs;
  }

  /** How long a confirmed block still lasts, while another probe would be pointless. */
  #failFastMs(): number | undefined {
    const now = this.#now();
    const { confirmedAt, until = 0 } = this.#block ?? {};
    const isFresh = confirmedAt !== undefined && now - confirmedAt < FAIL_FAST_MS;
    return isFresh && now < until ? until - now : undefined;
  }

  #maySend(): boolean {
    const until = this.#blockedUntil();
    if (until === undefined) return this.#hasResponse || this.#probe === undefined;
    if (this.#probe !== undefined || this.#failFastMs() !== undefined) return false;
    return this.#now() >= until || this.#exceedsMaxWait();
  }

  #admit(): number {
    const ticket = ++this.#lastTicket;
    if (!this.#hasResponse || this.#blockedUntil() !== undefined) this.#probe = ticket;
    this.#inFlight++;
    return ticket;
  }

  #isQueueEmpty(): boolean {
    return this.#queues.every((queue) => queue.size === 0);
  }

  #admitQueued(): void {
    for (const queue of this.#queues) {
      for (const call of queue) {
        if (!this.#maySend()) {
          this.#scheduleWakeUp();
          return;
        }
        queue.delete(call);
        call.admit(this.#admit());
      }
    }
    this.#cancelWakeUp();
  }

  #rejectQueued(ms: number): void {
    for (const queue of this.#queues) {
      for (const call of queue) call.reject(new WaitTooLongError(ms, this.#block?.isPause));
      queue.clear();
    }
  }

  /** Schedules one wake-up for all: at the end of the window, the first of them is sent as a probe. */
  #scheduleWakeUp(): void {
    const at = this.#blockedUntil();
    if (at === undefined || this.#probe !== undefined || this.#wakeUp?.at === at) return;
    this.#cancelWakeUp();
    const ms = at - this.#now();
    const controller = new AbortController();
    const wakeUp = { at, controller };
    this.#wakeUp = wakeUp;
    this.#sleep(ms, controller.signal).then(
      () => {
        if (!this.#finishWakeUp(wakeUp)) return;
        // The wait ends with the sleep, even if the clock hasn't moved: otherwise it would start again.
        const now = this.#now();
        if (this.#block !== undefined && this.#block.until <= at)
          this.#block.until = Math.min(this.#block.until, now);
        if (this.#limit !== undefined && this.#limit.resetAt <= at)
          this.#limit.resetAt = Math.min(this.#limit.resetAt, now);
        this.#admitQueued();
      },
      () => {
        // The platform may refuse to wait. Then no call waits.
        if (this.#finishWakeUp(wakeUp)) this.#rejectQueued(ms);
      },
    );
  }

  #cancelWakeUp(): void {
    const wakeUp = this.#wakeUp;
    this.#wakeUp = undefined;
    wakeUp?.controller.abort();
  }

  /** Whether the wake-up was still scheduled. */
  #finishWakeUp(wakeUp: object): boolean {
    if (this.#wakeUp !== wakeUp) return false;
    this.#wakeUp = undefined;
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
