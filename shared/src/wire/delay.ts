import { readHttpDate } from './time.ts';

const LONGEST_MS = 24 * 60 * 60 * 1000;

/**
 * A Retry-After or X-RateLimit-Reset value as milliseconds from now, between 0 and a day; undefined if it can't be
 * read. The API text doesn't show the unit of Reset ("Limits", gaps), and comparable APIs send all of these: an HTTP
 * date, epoch milliseconds (1e11 and up), epoch seconds (1e9 and up), or seconds from now (anything less).
 */
export function readDelay(value: string | undefined, now: number): number | undefined {
  if (value === undefined) return undefined;
  const ms = /^\d+(?:\.\d+)?$/.test(value) ? fromNumber(Number(value), now) : fromDate(value, now);
  return ms === undefined ? undefined : Math.min(Math.max(Math.ceil(ms), 0), LONGEST_MS);
}

function fromNumber(value: number, now: number): number {
  if (value >= 1e11) return value - now;
  if (value >= 1e9) return value * 1000 - now;
  return value * 1000;
}

function fromDate(value: string, now: number): number | undefined {
  const date = readHttpDate(value);
  return date === undefined ? undefined : date - now;
}
