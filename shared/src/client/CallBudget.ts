import type { RetryOptions } from './retry.ts';

/**
 * The time that one call may take, and whose time is spent: its own, for attempts and the waits between them, or the
 * service's, for waits that the service asks for with a 429 or with a 5xx and `Retry-After`. In milliseconds.
 */
export class CallBudget {
  readonly #ownMs: number;
  readonly #serviceMs: number;
  #ownSpentMs = 0;
  #serviceSpentMs = 0;
  #lastAttemptMs = 0;
  /** What the attempts took that the rate limit refused since other calls were accepted. */
  #refusedMs = 0;

  /** @param callMs time limit of the whole call */
  constructor({ budgetMs, rateLimitMs }: Required<RetryOptions>, callMs = Infinity) {
    this.#ownMs = Math.min(budgetMs, callMs);
    this.#serviceMs = Math.min(rateLimitMs, callMs);
  }

  /** Whether no time for another attempt is left. */
  get isUsedUp(): boolean {
    return this.#ownSpentMs >= this.#ownMs;
  }

  /** The call's own time in total. */
  get ownMs(): number {
    return this.#ownMs;
  }

  /** What is left of the call's own time, for the next attempt. */
  get ownLeftMs(): number {
    return Math.ceil(this.#ownMs - this.#ownSpentMs);
  }

  /** What a wait can spend, for the retry decision. A proxy's wait isn't the service's: it may take no longer than any other. */
  forWait({ isService, isProxy }: { isService: boolean; isProxy: boolean }): {
    elapsedMs: number;
    budgetMs: number;
  } {
    if (!isService) return { elapsedMs: this.#ownSpentMs, budgetMs: this.#ownMs };
    const budgetMs = isProxy ? Math.min(this.#serviceMs, this.#ownMs) : this.#serviceMs;
    return { elapsedMs: this.#serviceSpentMs, budgetMs };
  }

  /** An attempt took so long. */
  spendOnAttempt(ms: number): void {
    this.#lastAttemptMs = Math.max(0, ms);
    this.#ownSpentMs += this.#lastAttemptMs;
  }

  /** The call waited of its own accord. */
  spendOnWait(ms: number): void {
    this.#ownSpentMs += ms;
  }

  /** The service asked for this wait. */
  spendOnServiceWait(ms: number): void {
    this.#serviceSpentMs += ms;
  }

  /** The rate limit refused the last attempt. */
  noteRefusal(): void {
    this.#refusedMs += this.#lastAttemptMs;
  }

  /** The call waits in a queue that moves: what it has waited there, and its earlier refused attempts, no longer count. */
  restart(): void {
    this.#serviceSpentMs = 0;
    this.#ownSpentMs -= this.#refusedMs;
    this.#refusedMs = 0;
  }
}
