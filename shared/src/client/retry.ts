/** Limits of the retries of one call. */
export interface RetryOptions {
  /** Attempts in all, the first included. Default 5. */
  maxAttempts?: number;
  /** Milliseconds that a call may take in all, waits included. Default 60,000. */
  budgetMs?: number;
}

/** Default limits of the retries of one call. */
export const DEFAULT_RETRY: Required<RetryOptions> = { maxAttempts: 5, budgetMs: 60_000 };

/** What the retry decision is made from. */
export interface RetryInput {
  method: string;
  /** HTTP status, or undefined when no answer came. */
  status?: number;
  /** The service's error code, or the transport's failure. */
  code: string;
  /** Whether the request carries an Idempotency-Key. */
  hasKey: boolean;
  /** Attempts made so far, at least 1. */
  attempt: number;
  maxAttempts: number;
  /** Milliseconds that the service asks to wait. */
  retryAfterMs?: number;
  /** Milliseconds since the call began. */
  elapsedMs: number;
  budgetMs: number;
  /** From 0 (inclusive) to 1: the jitter. */
  random: number;
}

/** Wait and try again, or stop. */
export type RetryDecision = { retry: true; waitMs: number } | { retry: false };

const BASE_MS = 500;
const CAP_MS = 20_000;

/** Whether the same request may succeed later (API text, "Errors" and "Limits", 3). */
export function isRetryable(input: Pick<RetryInput, 'status' | 'code'>): boolean {
  if (input.status === undefined) return input.code === 'network' || input.code === 'timeout';
  if (input.status === 409) return input.code === 'idempotency_in_progress';
  return input.status === 429 || input.status === 408 || (input.status >= 500 && input.status !== 501);
}

/** Whether repeating the request can't act twice. */
function isSafe(input: RetryInput): boolean {
  return input.method !== 'POST' || input.hasKey;
}

/**
 * The whole retry policy, as a function of its input alone: full-jitter backoff, never less than the
 * service asks for, within the attempts and the time of the call.
 */
export function decideRetry(input: RetryInput): RetryDecision {
  if (!isRetryable(input) || !isSafe(input) || input.attempt >= input.maxAttempts) return { retry: false };
  const backoffMs = Math.round(input.random * Math.min(CAP_MS, BASE_MS * 2 ** (input.attempt - 1)));
  const waitMs =
    input.retryAfterMs === undefined ? backoffMs : input.retryAfterMs + Math.min(backoffMs, BASE_MS);
  return input.elapsedMs + waitMs > input.budgetMs ? { retry: false } : { retry: true, waitMs };
}
