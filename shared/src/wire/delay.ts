const LONGEST_MS = 24 * 60 * 60 * 1000;

/**
 * Milliseconds from now that a Retry-After or X-RateLimit-Reset value means, between 0 and a day; undefined
 * when it can't be read. The unit of Reset is not shown in the API text ("Limits", gaps), and public peers
 * send every one of these: letters are an HTTP date, 1e11 and up epoch milliseconds, 1e9 and up epoch
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
  if (!/^[A-Za-z]/.test(value)) return undefined;
  const date = Date.parse(value);
  return Number.isNaN(date) ? undefined : date - now;
}
