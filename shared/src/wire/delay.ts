// Date.parse alone makes a date of almost any word before a number, one of long ago: no wait at all.
const HTTP_DATE = /^[A-Z][a-z]{2,8}, \d\d[ -][A-Z][a-z]{2}[ -]\d{2,4} \d\d:\d\d:\d\d GMT$/;
const LONGEST_MS = 24 * 60 * 60 * 1000;

/**
 * Milliseconds from now that a Retry-After or X-RateLimit-Reset value means, between 0 and a day; undefined
 * when it can't be read. The unit of Reset is not shown in the API text ("Limits", gaps), and public peers
 * send every one of these: a date is an HTTP date, 1e11 and up epoch milliseconds, 1e9 and up epoch
 * seconds, anything less seconds from now.
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
