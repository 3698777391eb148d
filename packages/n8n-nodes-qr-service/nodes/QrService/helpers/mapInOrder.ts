/**
 * Runs `work` for 0 to `count` − 1, at most `concurrency` at once, and returns the results in order.
 * @throws the error of the lowest failing index; nothing new is started after a failure
 */
export async function mapInOrder<Result>(
  count: number,
  concurrency: number,
  work: (index: number) => Promise<Result>,
): Promise<Result[]> {
  const results = new Array<Result>(count);
  const failures = new Map<number, unknown>();
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < count && failures.size === 0) {
      const index = next++;
      try {
        results[index] = await work(index);
      } catch (error) {
        failures.set(index, error);
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(concurrency, count) }, worker));
  if (failures.size > 0) throw failures.get(Math.min(...failures.keys()));
  return results;
}
