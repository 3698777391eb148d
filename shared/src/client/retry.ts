/**
 * Retry limits of one call. A call takes at most `budgetMs` for its attempts and the waits between them, plus
 * `rateLimitMs` for waits that the service asks for, with a 429 or with a 5xx and `Retry-After`: 120 s in total by
 * default. It keeps waiting for its turn as long as another call gets through at least every `rateLimitMs`. The call's
 * own `timeoutMs` covers all of this.
 */
export interface RetryOptions {
  /**
   * Attempts in total, including the first. The count restarts when the rate limit (429) refuses the call again after
   * others got through. The limit doesn't apply if the rate limit doesn't say how long to wait, or while the first
   * attempt of a write is still running: then only time limits the attempts.
   * @default 5
   */
  maxAttempts?: number;
  /**
   * Time limit for a call's attempts and the waits between them, including the last attempt, in milliseconds; 0 for a
   * single attempt.
   * @default 60_000, or the client's `timeoutMs` if that is longer
   */
  budgetMs?: number;
  /**
   * How long calls wait for the rate limit, or for a service that says when it will be back, while none gets through,
   * in milliseconds. In addition to `budgetMs`. If the service asks for a longer wait, calls fail at once with
   * `retryAfterMs`.
   * @default the same as `budgetMs`
   */
  rateLimitMs?: number;
}

/** Default limits of the retries of one call. */
export const DEFAULT_RETRY = { maxAttempts: 5, budgetMs: 60_000 } as const;

/** Input of the retry decision. */
export interface RetryInput {
  method: string;
  /** HTTP status; undefined without a response. */
  status?: number | undefined;
  /** The service's error code, or the transport's failure. */
  code: string;
  /** Whether the request carries an Idempotency-Key. */
  hasKey: boolean;
  /** Attempts made so far, at least 1. */
  attempt: number;
  maxAttempts: number;
  /** Milliseconds that the service asks to wait. */
  retryAfterMs?: number | undefined;
  /** Milliseconds of the budget that are used up; at the rate limit or in an announced pause, of `rateLimitMs`. */
  elapsedMs: number;
  /** At the rate limit or in an announced pause, `rateLimitMs`. */
  budgetMs: number;
  /** From 0 (inclusive) to 1: the jitter. */
  random: number;
}

const BASE_MS = 500;
const CAP_MS = 20_000;

/** Whether the same request may succeed later (API text, "Errors" and "Limits", 3). */
export function isRetryable(input: Pick<RetryInput, 'status' | 'code'>): boolean {
  if (input.status === undefined) return input.code === 'network' || input.code === 'timeout';
  if (input.status === 409) return input.code === 'idempotency_in_progress';
  return input.status === 429 || input.status === 408 || (input.status >= 500 && input.status !== 501);
}

/** Whether the request can be sent again without being executed twice. */
function isSafe(input: RetryInput): boolean {
  return input.method !== 'POST' || input.hasKey;
}

/**
 * Whether time alone limits the attempts: the first attempt is still running, or the rate limit doesn't say how long to
 * wait.
 */
function isOpenEnded({ status, code, retryAfterMs = 0 }: RetryInput): boolean {
  return code === 'idempotency_in_progress' || (status === 429 && retryAfterMs === 0);
}

/**
 * Milliseconds until the next attempt: full-jitter backoff, never less than the service asks for. Jitter spreads out
 * calls that failed together; at the rate limit, the rate limiter does that.
 */
export function waitBeforeRetry({
  status,
  attempt,
  random,
  retryAfterMs = 0,
}: Pick<RetryInput, 'status' | 'attempt' | 'random' | 'retryAfterMs'>): number {
  const backoffMs = Math.round(random * Math.min(CAP_MS, BASE_MS * 2 ** (attempt - 1)));
  if (retryAfterMs === 0) return backoffMs;
  return status === 429 ? retryAfterMs : retryAfterMs + Math.min(backoffMs, BASE_MS);
}

/** The whole retry policy, as a pure function: milliseconds until the next attempt, or undefined to stop. */
export function decideRetry(input: RetryInput): number | undefined {
  if (!isRetryable(input) || !isSafe(input)) return undefined;
  if (input.attempt >= input.maxAttempts && !isOpenEnded(input)) return undefined;
  const waitMs = waitBeforeRetry(input);
  const neededMs = input.elapsedMs + waitMs;
  // A wait for the rate limit doesn't use the budget for attempts. After any other wait, an attempt must still fit.
  const isWithin = input.status === 429 ? neededMs <= input.budgetMs : neededMs < input.budgetMs;
  return isWithin ? waitMs : undefined;
}
