import timers from 'node:timers/promises';

/** A clock that jumps from timer to timer, so that a run of hours only takes as long as its computation. */
export interface SimulatedTime {
  /** Simulated milliseconds since the start. */
  elapsed(): number;
  /** Resolves after this many simulated milliseconds. */
  wait(ms: number): Promise<void>;
  /** Calls the function after this many simulated milliseconds. */
  after(ms: number, call: () => void): void;
  /** Advances the clock until the work is done. */
  run<Result>(work: Promise<Result>): Promise<Result>;
}

interface Timer {
  at: number;
  end: () => void;
}

/**
 * Runs all code on a simulated clock until `jest.restoreAllMocks()`: `Date.now()`, the global `setTimeout`,
 * `AbortSignal.timeout()` and the waits of `node:timers/promises`. Nothing may wait for real I/O.
 */
export function startSimulatedTime(): SimulatedTime {
  const start = Date.now();
  let now = start;
  /** Ordered by time. Timers for the same time fire in the order in which they were set. */
  const queue: Timer[] = [];

  const set = (ms: number, end: () => void): Timer => {
    const timer = { at: now + Math.max(0, ms), end };
    let [low, high] = [0, queue.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (queue[middle]!.at <= timer.at) low = middle + 1;
      else high = middle;
    }
    queue.splice(low, 0, timer);
    return timer;
  };
  jest.spyOn(Date, 'now').mockImplementation(() => now);
  jest.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => {
    const controller = new AbortController();
    set(ms, () => controller.abort(new DOMException('The time limit has passed.', 'TimeoutError')));
    return controller.signal;
  });
  const setTimer = (call: (...args: unknown[]) => void, ms = 0, ...args: unknown[]) =>
    set(ms, () => call(...args));
  jest.spyOn(globalThis, 'setTimeout').mockImplementation(setTimer as unknown as typeof setTimeout);
  jest.spyOn(globalThis, 'clearTimeout').mockImplementation((timer) => {
    if (timer !== undefined) (timer as unknown as Timer).end = () => undefined;
  });
  const wait = (ms = 0, value?: unknown, options?: { signal?: AbortSignal }) =>
    new Promise((resolve, reject) => {
      const { signal } = options ?? {};
      const abort = () => reject(signal?.reason as Error);
      if (signal?.aborted === true) {
        abort();
        return;
      }
      signal?.addEventListener('abort', abort, { once: true });
      set(ms, () => {
        signal?.removeEventListener('abort', abort);
        resolve(value);
      });
    });
  jest.spyOn(timers, 'setTimeout').mockImplementation(wait as typeof timers.setTimeout);

  return {
    elapsed: () => now - start,
    wait: async (ms) => {
      await wait(ms);
    },
    after: (ms, call) => {
      set(ms, call);
    },
    async run(work) {
      const state = { isOver: false };
      const markOver = () => {
        state.isOver = true;
      };
      work.then(markOver, markOver);
      for (;;) {
        // First run everything that takes no time.
        await new Promise((resolve) => setImmediate(resolve));
        if (state.isOver) return work;
        const next = queue.shift();
        if (next === undefined) throw new Error('The simulation waits for something that never happens.');
        now = Math.max(now, next.at);
        next.end();
        while ((queue[0]?.at ?? Infinity) <= now) queue.shift()?.end();
      }
    },
  };
}
