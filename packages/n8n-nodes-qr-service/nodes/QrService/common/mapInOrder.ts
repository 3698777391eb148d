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
  let hasFailed = false as boolean;
  const worker = async (): Promise<void> => {
    while (results.length < count && !hasFailed) {
      const result = work(results.length);
      results.push(result);
      await result.catch(() => (hasFailed = true));
    }
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
  const ordered: Result[] = [];
  for (const result of results) ordered.push(await result);
  return ordered;
}
