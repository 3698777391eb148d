/** Runs `work` on each entry, at most `concurrency` at once, and returns the results in order. */
export async function mapConcurrently<Entry, Result>(
  entries: readonly Entry[],
  concurrency: number,
  work: (entry: Entry) => Promise<Result>,
): Promise<Result[]> {
  const results = new Array<Result>(entries.length);
  const queue = entries.entries();
  const worker = async () => {
    // The workers share the iterator.
    for (const [index, entry] of queue) results[index] = await work(entry);
  };
  await Promise.all(Array.from({ length: Math.min(concurrency, entries.length) }, worker));
  return results;
}
