import { setTimeout as sleep } from 'node:timers/promises';

/** Work that is done again and again while it is not paused. */
export interface RepeatingTask {
  resume(): void;
  /** Resolves when what is under way is done. @throws Error of the work, which ends it */
  pause(): Promise<void>;
}

/**
 * Work that begins every so often; never before the last one has ended. It is paused at first.
 * @param onFailure told at once when the work throws
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
