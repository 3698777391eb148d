import type { WireShape } from '@qr-service/core/shape';

/** The end of a rate-limit window in a unit of X-RateLimit-Reset. Times are milliseconds since the epoch. */
export function resetHeader(unit: Required<WireShape>['reset'], endsAt: number, now: number): string {
  const values: Record<typeof unit, string> = {
    seconds: String(secondsUntil(endsAt, now)),
    'epoch seconds': String(Math.ceil(endsAt / 1000)),
    'epoch milliseconds': String(endsAt),
    'HTTP date': new Date(Math.ceil(endsAt / 1000) * 1000).toUTCString(),
  };
  return values[unit];
}

/** Whole seconds from now, at least one. */
export function secondsUntil(endsAt: number, now: number): number {
  return Math.max(1, Math.ceil((endsAt - now) / 1000));
}
