import { readDelay } from './delay.ts';
import { readHeader, type WireHeaders } from './headers.ts';

/** The rate limit as the service last reported it (API text, "Limits", 2). */
export interface RateLimit {
  /** Requests allowed per window. */
  limit: number;
  /** Requests left in the current window. */
  remaining: number;
  /** When the window ends, in milliseconds since the epoch. */
  resetAt: number;
}

/** Reads the rate-limit headers of a response; undefined if any is missing or can't be read. */
export function readRateLimit(headers: WireHeaders, now: number): RateLimit | undefined {
  const limit = readCount(readHeader(headers, 'X-RateLimit-Limit'));
  const remaining = readCount(readHeader(headers, 'X-RateLimit-Remaining'));
  const delay = readDelay(readHeader(headers, 'X-RateLimit-Reset'), now);
  if (limit === undefined || remaining === undefined || delay === undefined) return undefined;
  return { limit, remaining, resetAt: now + delay };
}

function readCount(value = ''): number | undefined {
  return /^\d{1,15}$/.test(value) ? Number(value) : undefined;
}
