/**
 * Makes a function that runs work with the same key one after the other, so that the last one wins and not the
 * slowest request. Work with other keys runs at once. Forgets work that has ended.
 */
export function serializeByKey(): <Result>(key: string, work: () => Promise<Result>) => Promise<Result> {
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
