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
 * runs at once.
 */
export function turns(): <Result>(key: string, work: () => Promise<Result>) => Promise<Result> {
  const latest = new Map<string, Promise<unknown>>();
  return (key, work) => {
    const result = (latest.get(key) ?? Promise.resolve()).then(work, work);
    latest.set(key, result);
    const forget = () => latest.get(key) === result && latest.delete(key);
    result.then(forget, forget);
    return result;
  };
}
