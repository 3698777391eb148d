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
  /** Timers for the same time fire in the order in which they were set. */
  order: number;
  end: () => void;
}

/**
 * Runs all code on a simulated clock until `jest.restoreAllMocks()`: `Date.now()`, the global `setTimeout`,
 * `AbortSignal.timeout()` and the waits of `node:timers/promises`. Nothing may wait for real I/O.
 */
export function startSimulatedTime(): SimulatedTime {
  const start = Date.now();
  let now = start;
  let order = 0;
  const queue = timerQueue();

  const set = (ms: number, end: () => void): Timer => {
    const timer = { at: now + Math.max(0, ms), order: order++, end };
    queue.add(timer);
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
        const next = queue.take();
        if (next === undefined) throw new Error('The simulation waits for something that never happens.');
        now = Math.max(now, next.at);
        next.end();
        for (let same = queue.peek(); same !== undefined && same.at <= now; same = queue.peek())
          queue.take()?.end();
      }
    },
  };
}

/** Timers ordered by time, in a binary heap. */
function timerQueue() {
  const heap: Timer[] = [];
  const isBefore = (a: Timer, b: Timer) => a.at < b.at || (a.at === b.at && a.order < b.order);
  const swap = (a: number, b: number) => ([heap[a], heap[b]] = [heap[b]!, heap[a]!]);
  return {
    peek: () => heap[0],
    add(timer: Timer): void {
      heap.push(timer);
      for (let at = heap.length - 1; at > 0;) {
        const parent = (at - 1) >> 1;
        if (!isBefore(heap[at]!, heap[parent]!)) break;
        swap(at, parent);
        at = parent;
      }
    },
    take(): Timer | undefined {
      const first = heap[0];
      const last = heap.pop();
      if (heap.length === 0 || last === undefined) return first;
      heap[0] = last;
      for (let at = 0; ;) {
        let least = at;
        for (const child of [2 * at + 1, 2 * at + 2])
          if (child < heap.length && isBefore(heap[child]!, heap[least]!)) least = child;
        if (least === at) return first;
        swap(at, least);
        at = least;
      }
    },
  };
}
