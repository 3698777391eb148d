import { canceled } from '../../client/RequestExecutor.ts';

/** Makes a function that passes on the results of its calls in their order: each after those of the calls before it. */
export function inOrder(): <Result>(result: Promise<Result>) => Promise<Result> {
  let latest: Promise<unknown> = Promise.resolve();
  return (result) => {
    const next = Promise.allSettled([latest, result]).then(() => result);
    latest = next;
    return next;
  };
}

/**
 * Makes a function that runs work with the same key one after the other, in the order of the calls. Work with other keys
 * runs at once. Work whose signal aborts while it waits fails at once, and the calls after it still wait for those before it.
 */
export function turns(): <T>(key: string, work: () => Promise<T>, signal?: AbortSignal) => Promise<T> {
  const latest = new Map<string, Promise<unknown>>();
  return (key, work, signal) => {
    if (signal?.aborted === true) return Promise.reject(canceled(signal, true));
    const earlier = latest.get(key);
    const aborted = new Promise((resolve) => signal?.addEventListener('abort', resolve));
    const result = Promise.race([earlier, aborted]).then(() => {
      if (signal?.aborted === true) throw canceled(signal, true);
      return work();
    });
    const forget = () => latest.get(key) === done && latest.delete(key);
    const done: Promise<unknown> = Promise.allSettled([earlier, result]).then(forget);
    latest.set(key, done);
    return result;
  };
}
