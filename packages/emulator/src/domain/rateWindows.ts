import type { RateLimitOptions } from '../config/options.ts';

/** A window of the rate limit. */
interface RateWindow {
  /** Milliseconds since the epoch. */
  endsAt: number;
  /** Requests so far. */
  used: number;
}

/** The current window of each key, and of each address for requests without a known key. */
export type RateWindows = ReturnType<typeof createRateWindows>;

/** Starts with no windows. */
export function createRateWindows({ windowSeconds }: RateLimitOptions, now: () => number) {
  let windows = new Map<string, RateWindow>();
  const copy = (from: typeof windows) =>
    new Map([...from].map(([bucket, window]) => [bucket, { ...window }]));
  return {
    /** Counts a request, starting a new window if the last one has ended. */
    use(bucket: string): Readonly<RateWindow> {
      const at = now();
      const length = windowSeconds * 1000;
      let window = windows.get(bucket);
      // A window that ends too late started before the clock was moved back.
      if (window === undefined || window.endsAt <= at || window.endsAt > at + length) {
        window = { endsAt: at + length, used: 0 };
        windows.set(bucket, window);
      }
      window.used += 1;
      return window;
    },
    save() {
      const saved = copy(windows);
      return () => {
        windows = copy(saved);
      };
    },
  };
}
