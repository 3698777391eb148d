import { readHttpDate, readTime } from './time.ts';

const LONGEST_MS = 24 * 60 * 60 * 1000;

/** Headers as a transport or a platform returns them: names in any case, a repeated one as an array. */
export type WireHeaders = Record<string, string | string[] | undefined>;

/** Reads a header by name in any case; the first value of a repeated header. */
export function readHeader(headers: WireHeaders, name: string): string | undefined {
  const wanted = name.toLowerCase();
  const key = Object.hasOwn(headers, wanted)
    ? wanted
    : Object.keys(headers).find((each) => each.toLowerCase() === wanted);
  const value = key === undefined ? undefined : headers[key];
  return Array.isArray(value) ? value[0] : value;
}

/** When the service sent a response by its own clock, in milliseconds since the epoch; undefined if it doesn't say. */
export function readServedAt(headers: WireHeaders): number | undefined {
  return readTime(readHeader(headers, 'Date'));
}

/** The rate limit as the service last reported it (docs/api.md#rate-limit). */
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

/** A Retry-After or X-RateLimit-Reset value as milliseconds from now, between 0 and a day (docs/api.md#rate-limit). */
export function readDelay(value: string | undefined, now: number): number | undefined {
  if (value === undefined) return undefined;
  const isNumber = /^\d+(?:\.\d+)?$/.test(value);
  const ms = isNumber ? fromNumber(Number(value), now) : (readHttpDate(value) ?? NaN) - now;
  return Number.isNaN(ms) ? undefined : Math.min(Math.max(Math.ceil(ms), 0), LONGEST_MS);
}

function fromNumber(value: number, now: number): number {
  if (value >= 1e11) return value - now;
  return value >= 1e9 ? value * 1000 - now : value * 1000;
}
