import { ApiError } from '../errors/ApiError.ts';
import type { QrServiceError } from '../errors/QrServiceError.ts';

/** Retry limits of one call. */
export interface RetryOptions {
  /** Attempts in total, without those that the rate limit refuses or that find a write still running. Default: 5. */
  maxAttempts?: number;
  /** Time limit for all attempts and the waits between them, in milliseconds. Default: 60_000, or `timeoutMs` if longer. */
  budgetMs?: number;
  /** Time limit for the waits that the service asks for, in milliseconds: a longer one fails at once. Default: `budgetMs`. */
  rateLimitMs?: number;
}

/** The retry limits of a client whose attempts take at most `timeoutMs`. */
export function readRetry(retry: RetryOptions | false = {}, timeoutMs: number): Required<RetryOptions> {
  const limits: RetryOptions = retry === false ? { maxAttempts: 1 } : retry;
  const { maxAttempts = 5, budgetMs = Math.max(60_000, timeoutMs), rateLimitMs = budgetMs } = limits;
  return { maxAttempts, budgetMs, rateLimitMs };
}

interface RetryInput {
  error: QrServiceError;
  attempt: number;
  /** How many of them don't count: see `isUncounted`. */
  uncounted: number;
  maxAttempts: number;
  budgetLeftMs: number;
  rateLimitLeftMs: number;
  /** From 0 to 1: the jitter. */
  random: number;
}

const BASE_MS = 500;
const CAP_MS = 20_000;

/** Whether the same request may succeed later: a write has an Idempotency-Key (docs/api.md#errors). */
export function isRetryable(status: number | undefined, code: string): boolean {
  if (status === undefined) return code === 'network' || code === 'timeout';
  if (status === 409) return code === 'idempotency_in_progress';
  return status === 429 || status === 408 || (status >= 500 && status !== 501);
}

/** Whether only time limits such attempts: the rate limit refused one, or the first attempt of a write is still running. */
export function isUncounted(error: QrServiceError): boolean {
  return error.code === 'idempotency_in_progress' || (error instanceof ApiError && error.status === 429);
}

/** Full-jitter backoff, but no shorter wait than the response asks for. `isAnnounced`: all calls wait in the rate limiter. */
export function decideRetry({ error, ...input }: RetryInput) {
  const response = error instanceof ApiError ? error : undefined;
  const { status, retryAfterMs = 0 } = response ?? {};
  const mayRetry = isRetryable(status, error.code);
  const backoffMs = Math.round(input.random * Math.min(CAP_MS, BASE_MS * 2 ** (input.attempt - 1)));
  const jitterMs = status === 429 ? 0 : Math.min(backoffMs, BASE_MS);
  const waitMs = retryAfterMs === 0 ? backoffMs : retryAfterMs + jitterMs;
  const isPause = (status ?? 0) >= 500 && retryAfterMs > 0;
  // A proxy's page says nothing about the service's rate limit.
  const isAnnounced = mayRetry && response?.intermediary === undefined && (status === 429 || isPause);
  const counted = input.attempt - input.uncounted;
  const hasAttempts = input.maxAttempts > 1 && (isUncounted(error) || counted < input.maxAttempts);
  // After the wait, an attempt must still fit.
  const isInTime = isAnnounced
    ? waitMs <= input.rateLimitLeftMs && input.budgetLeftMs > 0
    : waitMs < input.budgetLeftMs;
  return { shouldRetry: mayRetry && hasAttempts && isInTime, waitMs, isAnnounced };
}
