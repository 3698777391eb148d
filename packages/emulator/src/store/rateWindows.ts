import type { RateLimitOptions } from '../config/options.ts';
import type { Database } from './state.ts';

/** A window of the rate limit. */
export interface RateWindow {
  /** Milliseconds since the epoch. */
  endsAt: number;
  /** Requests so far. */
  used: number;
}

/**
 * Counts a request, in a new window if the last one has ended.
 * @param bucket a key, or an address for requests without a known key
 * @param at milliseconds since the epoch
 */
export function countRequest(
  { session: { rateWindows } }: Database,
  bucket: string,
  { windowSeconds }: RateLimitOptions,
  at: number,
): Readonly<RateWindow> {
  const length = windowSeconds * 1000;
  let window = rateWindows.get(bucket);
  // A window that ends too late started before the clock was moved back.
  if (window === undefined || window.endsAt <= at || window.endsAt > at + length) {
    window = { endsAt: at + length, used: 0 };
    rateWindows.set(bucket, window);
  }
  window.used += 1;
  return window;
}
