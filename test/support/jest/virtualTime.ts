import timers from 'node:timers/promises';

/** A clock that only advances when something waits: a wait ends immediately and advances the clock by its duration. */
export interface VirtualTime {
  /** Advances the clock, and fires all time limits that have passed by then. */
  advance(ms: number): void;
}

/** From this many milliseconds on, `setTimeout` is a time limit of the code under test, not a pause of the test. */
const SHORTEST_LIMIT_MS = 1000;

/**
 * Runs the code under test on a virtual clock until `jest.restoreAllMocks()`, so that results don't depend on the
 * machine's speed. Replaces `Date.now()`, the `setTimeout` of `node:timers/promises`, and time limits:
 * `AbortSignal.timeout()`, and the global `setTimeout` from a second on. Time limits only pass when the clock advances.
 */
export function startVirtualTime(): VirtualTime {
  let now = Date.now();
  const limits = new Map<object, { at: number; end: () => void }>();
  const { setTimeout: realSetTimeout, clearTimeout: realClearTimeout } = globalThis;

  function advance(ms: number): void {
    now += ms;
    for (const [limit, { at, end }] of limits) {
      if (at > now) continue;
      limits.delete(limit);
      end();
    }
  }

  jest.spyOn(Date, 'now').mockImplementation(() => now);
  jest.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => {
    const controller = new AbortController();
    const end = () => controller.abort(new DOMException('The time limit has passed.', 'TimeoutError'));
    limits.set(controller, { at: now + ms, end });
    return controller.signal;
  });
  const limit = (end: (...args: unknown[]) => void, ms = 0, ...args: unknown[]) => {
    if (ms < SHORTEST_LIMIT_MS) return realSetTimeout(end, ms, ...args);
    const timer = { ref: () => timer, unref: () => timer, hasRef: () => false };
    limits.set(timer, { at: now + ms, end: () => end(...args) });
    return timer;
  };
  jest.spyOn(globalThis, 'setTimeout').mockImplementation(limit as unknown as typeof setTimeout);
  jest.spyOn(globalThis, 'clearTimeout').mockImplementation((timer) => {
    if (typeof timer !== 'object' || !limits.delete(timer)) realClearTimeout(timer);
  });
  const { setTimeout: realWait } = timers;
  const wait = async (ms = 0, value?: unknown, options?: { signal?: AbortSignal }) => {
    // All test files of a worker share the module: what an earlier one has left running passes objects of its own realm.
    if (options !== undefined && !(options instanceof Object)) return realWait(ms, value, options);
    options?.signal?.throwIfAborted();
    const wakesAt = now + ms;
    await new Promise(setImmediate);
    options?.signal?.throwIfAborted();
    // Waits that started together end together.
    if (wakesAt > now) advance(wakesAt - now);
    return value;
  };
  jest.spyOn(timers, 'setTimeout').mockImplementation(wait as typeof timers.setTimeout);
  return { advance };
}
