/**
 * Limits of the retries of one call. A call takes at most `budgetMs` for its attempts and the waits between them, and
 * `rateLimitMs` for the waits that the service asks for, with 429 or with a 5xx that says when to come back: together
 * 120 s by default. It keeps waiting its turn as long as another call gets through at least every `rateLimitMs`. The
 * call's own `timeoutMs` limits all of that together.
 */
export interface RetryOptions {
  /**
   * Attempts in total, including the first. The count restarts when the rate limit (429) refuses the call again after
   * others got through. Only time limits the attempts at a rate limit that names no time, and those while the first
   * attempt of a write is still running.
   * @default 5
   */
  maxAttempts?: number;
  /**
   * Milliseconds that the attempts of a call and the waits between them may take together, including the last attempt;
   * 0 for a single attempt.
   * @default 60_000, or the client's `timeoutMs` if that is longer
   */
  budgetMs?: number;
  /**
   * Milliseconds that calls wait for the rate limit, or for a service that says when it is back, while none gets
   * through, in addition to `budgetMs`. If the service asks for longer, calls fail at once with `retryAfterMs`.
   * @default the same as `budgetMs`
   */
  rateLimitMs?: number;
}

/** Default limits of the retries of one call. */
export const DEFAULT_RETRY = { maxAttempts: 5, budgetMs: 60_000 } as const;

/** What the retry decision is made from. */
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
  /** Milliseconds of the budget that are used up; at the rate limit or in an announced pause, those of `rateLimitMs`. */
  elapsedMs: number;
  /** At the rate limit or in an announced pause, `rateLimitMs`. */
  budgetMs: number;
  /** From 0 (inclusive) to 1: the jitter. */
  random: number;
}

/** Wait and retry, or stop. */
export type RetryDecision = { retry: true; waitMs: number } | { retry: false };

const BASE_MS = 500;
const CAP_MS = 20_000;

/** Whether the same request may succeed later (API text, "Errors" and "Limits", 3). */
export function isRetryable(input: Pick<RetryInput, 'status' | 'code'>): boolean {
  if (input.status === undefined) return input.code === 'network' || input.code === 'timeout';
  if (input.status === 409) return input.code === 'idempotency_in_progress';
  return input.status === 429 || input.status === 408 || (input.status >= 500 && input.status !== 501);
}

/** Whether repeating the request can't execute it twice. */
function isSafe(input: RetryInput): boolean {
  return input.method !== 'POST' || input.hasKey;
}

/**
 * Whether time alone limits the attempts: the first attempt is still running, or the rate limit names no time, so that
 * there is no telling how often to retry.
 */
function isOpenEnded({ status, code, retryAfterMs = 0 }: RetryInput): boolean {
  return code === 'idempotency_in_progress' || (status === 429 && retryAfterMs === 0);
}

/**
 * Milliseconds until the next attempt: full-jitter backoff, never less than the service asks for. Jitter keeps calls
 * apart that failed together; at the rate limit, the rate limiter does.
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

/** The whole retry policy, as a function of its input alone: within the attempts and the time of the call. */
export function decideRetry(input: RetryInput): RetryDecision {
  if (!isRetryable(input) || !isSafe(input)) return { retry: false };
  if (input.attempt >= input.maxAttempts && !isOpenEnded(input)) return { retry: false };
  const waitMs = waitBeforeRetry(input);
  const neededMs = input.elapsedMs + waitMs;
  // A wait for the rate limit leaves the budget for attempts untouched; after any other wait an attempt must still fit in.
  const isWithin = input.status === 429 ? neededMs <= input.budgetMs : neededMs < input.budgetMs;
  return isWithin ? { retry: true, waitMs } : { retry: false };
}
