// Date.parse alone reads almost any word before a number as a date long ago, which would mean no wait at all.
const HTTP_DATE = /^[A-Z][a-z]{2,8}, \d\d[ -][A-Z][a-z]{2}[ -]\d{2,4} \d\d:\d\d:\d\d GMT$/;
const LONGEST_MS = 24 * 60 * 60 * 1000;

/**
 * A Retry-After or X-RateLimit-Reset value as milliseconds from now, between 0 and a day; undefined if it can't be
 * read. The API text doesn't show the unit of Reset ("Limits", gaps), and comparable APIs send all of these: an HTTP
 * date, epoch milliseconds (1e11 and up), epoch seconds (1e9 and up), or seconds from now (anything less).
 */
export function readDelay(value: string | undefined, now: number): number | undefined {
  const trimmed = value?.trim() ?? '';
  const ms = /^\d+(\.\d+)?$/.test(trimmed) ? fromNumber(Number(trimmed), now) : fromDate(trimmed, now);
  return ms === undefined ? undefined : Math.min(Math.max(Math.ceil(ms), 0), LONGEST_MS);
}

function fromNumber(value: number, now: number): number {
  if (value >= 1e11) return value - now;
  if (value >= 1e9) return value * 1000 - now;
  return value * 1000;
}

function fromDate(value: string, now: number): number | undefined {
  if (!HTTP_DATE.test(value)) return undefined;
  const date = Date.parse(value);
  return Number.isNaN(date) ? undefined : date - now;
}
