/** Runs work after all earlier work with the same key; work with other keys runs at once. */
export type SerializeByKey = <Result>(key: string, work: () => Promise<Result>) => Promise<Result>;

/**
 * Makes a function that runs work with the same key one after the other, so that the last one wins and not the
 * slowest request. Forgets work that has ended.
 */
export function serializeByKey(): SerializeByKey {
  const latest = new Map<string, Promise<unknown>>();
  return (key, work) => {
    const result = (latest.get(key) ?? Promise.resolve()).then(work, work);
    latest.set(key, result);
    const forget = () => {
      if (latest.get(key) === result) latest.delete(key);
    };
    result.then(forget, forget);
    return result;
  };
}
