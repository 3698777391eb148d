/**
 * Runs `work` for 0 to `count` − 1, at most `concurrency` at once, and returns the results in order.
 * @throws the error of the lowest failing index; nothing new is started after a failure
 */
export async function mapInOrder<Result>(
  count: number,
  concurrency: number,
  work: (index: number) => Promise<Result>,
): Promise<Result[]> {
  const results: Promise<Result>[] = [];
  let failures = 0;
  const worker = async (): Promise<void> => {
    while (results.length < count && failures === 0) {
      const result = work(results.length);
      results.push(result);
      await result.catch(() => (failures += 1));
    }
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
  // All of them have ended, so this throws the error of the lowest index.
  return Promise.all(results);
}
