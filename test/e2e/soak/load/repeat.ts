import { setTimeout as sleep } from 'node:timers/promises';

/** A task that repeats until it is paused. */
export interface RepeatingTask {
  resume(): void;
  /** Resolves when the current run is done. @throws Error of a run, which also ends the task */
  pause(): Promise<void>;
}

/**
 * Creates a task that runs at an interval, without overlapping runs. It starts paused.
 * @param onFailure called immediately when a run throws
 */
export function repeat(
  everyMs: number,
  work: () => void | Promise<void>,
  onFailure: (error: unknown) => void,
): RepeatingTask {
  let stop = new AbortController();
  let running = Promise.resolve();

  async function run({ signal }: AbortController): Promise<void> {
    let next = performance.now();
    while (!signal.aborted) {
      await work();
      next = Math.max(next + everyMs, performance.now());
      await sleep(Math.max(0, next - performance.now()), undefined, { signal }).catch(() => undefined);
    }
  }

  return {
    resume() {
      stop = new AbortController();
      running = run(stop);
      running.catch(onFailure);
    },
    async pause() {
      stop.abort();
      await running;
    },
  };
}
