import timers from 'node:timers/promises';
import { SEED } from '../seed.ts';

/** A clock that only advances when something waits: a wait ends immediately and advances the clock by its duration. */
export interface VirtualTime {
  /** Advances the clock, and fires all time limits that have passed by then. */
  advance(ms: number): void;
}

/** A clock that jumps from timer to timer, so that a run of hours only takes as long as its computation. */
export interface SimulatedTime {
  /** Simulated milliseconds since the start. */
  elapsed(): number;
  /** Resolves after this many simulated milliseconds, or rejects with the signal's reason. */
  wait: (ms: number, signal?: AbortSignal) => Promise<void>;
  /** Calls the function after this many simulated milliseconds. */
  after(ms: number, call: () => void): void;
  /** Advances the clock until the work is done. */
  run<Result>(work: Promise<Result>): Promise<Result>;
}

/** The longest window of the product that starts at fixed times, in milliseconds: that of its own Idempotency-Keys. */
const LONGEST_WINDOW_MS = 10 * 60_000;

/** From this many milliseconds on, `setTimeout` is a time limit of the code under test, not a pause of the test. */
const SHORTEST_LIMIT_MS = 1000;

/**
 * Runs the code under test on a virtual clock until `jest.restoreAllMocks()`, so that results don't depend on the
 * machine's speed. Waits of `node:timers/promises` end immediately. Time limits only pass when the clock advances:
 * those of `AbortSignal.timeout()`, and of the global `setTimeout` from a second on.
 */
export function startVirtualTime(): VirtualTime {
  const clock = replaceClock(SHORTEST_LIMIT_MS, async (ms, signal) => {
    const wakesAt = clock.now() + ms;
    signal?.throwIfAborted();
    await new Promise(setImmediate);
    signal?.throwIfAborted();
    // Waits that started together end together.
    clock.advanceTo(Math.max(wakesAt, clock.now()));
  });
  return { advance: (ms) => clock.advanceTo(clock.now() + ms) };
}

/** Runs all code on a simulated clock until `jest.restoreAllMocks()`. Nothing may wait for real I/O. */
export function startSimulatedTime(): SimulatedTime {
  const wait = (ms: number, signal?: AbortSignal) =>
    new Promise<void>((resolve, reject) => {
      const abort = () => reject(signal?.reason as Error);
      if (signal?.aborted === true) {
        abort();
        return;
      }
      signal?.addEventListener('abort', abort, { once: true });
      clock.set(ms, () => {
        signal?.removeEventListener('abort', abort);
        resolve();
      });
    });
  const clock = replaceClock(0, wait);
  const start = clock.now();
  return {
    elapsed: () => clock.now() - start,
    wait,
    after: clock.set,
    async run(work) {
      const state = { isOver: false };
      const markOver = () => {
        state.isOver = true;
      };
      work.then(markOver, markOver);
      for (;;) {
        // First run everything that takes no time.
        await new Promise(setImmediate);
        if (state.isOver) return work;
        const next = clock.nextAt();
        if (next === undefined) throw new Error('The simulation waits for something that never happens.');
        clock.advanceTo(next);
      }
    },
  };
}

interface Timer {
  at: number;
  end: () => void;
}

/**
 * Replaces `Date.now()`, `AbortSignal.timeout()`, the global `setTimeout` from `shortestMs` on, and the waits of
 * `node:timers/promises`.
 */
function replaceClock(shortestMs: number, wait: (ms: number, signal?: AbortSignal) => Promise<void>) {
  // Near the real time, which others know, but at a place in the product's windows that the seed decides.
  let now = Math.floor(Date.now() / LONGEST_WINDOW_MS) * LONGEST_WINDOW_MS + (SEED % LONGEST_WINDOW_MS);
  /** Ordered by time. Timers for the same time fire in the order in which they were set. */
  const queue: Timer[] = [];
  const { setTimeout: realSetTimeout, clearTimeout: realClearTimeout } = globalThis;
  const { setTimeout: realWait } = timers;

  function set(ms: number, end: () => void): Timer {
    const timer = {
      at: now + Math.max(0, ms),
      end,
      ref: () => timer,
      unref: () => timer,
      hasRef: () => false,
    };
    let low = 0;
    let high = queue.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (queue[middle]!.at <= timer.at) low = middle + 1;
      else high = middle;
    }
    queue.splice(low, 0, timer);
    return timer;
  }
  function advanceTo(at: number): void {
    now = at;
    while ((queue[0]?.at ?? Infinity) <= now) queue.shift()?.end();
  }

  jest.spyOn(Date, 'now').mockImplementation(() => now);
  jest.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => {
    const controller = new AbortController();
    set(ms, () => controller.abort(new DOMException('The time limit has passed.', 'TimeoutError')));
    return controller.signal;
  });
  const setTimer = (end: (...args: unknown[]) => void, ms = 0, ...args: unknown[]) =>
    ms < shortestMs ? realSetTimeout(end, ms, ...args) : set(ms, () => end(...args));
  jest.spyOn(globalThis, 'setTimeout').mockImplementation(setTimer as unknown as typeof setTimeout);
  jest.spyOn(globalThis, 'clearTimeout').mockImplementation((timer) => {
    const index = queue.indexOf(timer as unknown as Timer);
    if (index === -1) realClearTimeout(timer);
    else queue.splice(index, 1);
  });
  const waitFor = async (ms = 0, value?: unknown, options?: { signal?: AbortSignal }) => {
    // All test files of a worker share the module: what an earlier one has left running passes objects of its own realm.
    if (options !== undefined && !(options instanceof Object)) return realWait(ms, value, options);
    await wait(ms, options?.signal);
    return value;
  };
  jest.spyOn(timers, 'setTimeout').mockImplementation(waitFor as typeof timers.setTimeout);
  return { now: () => now, set, advanceTo, nextAt: () => queue[0]?.at };
}
