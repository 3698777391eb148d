import { sleep } from 'n8n-workflow';

/** After how many items n8n gets a turn: thousands of items that need no request would stop its editor and its webhooks. */
export const ITEMS_PER_TURN = 25;

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
  let turn = Promise.resolve();
  const worker = async (): Promise<void> => {
    while (results.length < count && failures === 0) {
      const result = work(results.length);
      results.push(result);
      if (results.length % ITEMS_PER_TURN === 0) turn = nextTurn();
      await result.catch(() => (failures += 1));
      await turn;
    }
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
  // All of them have ended, so this throws the error of the lowest index.
  return Promise.all(results);
}

/** Lets n8n do other work. Node.js runs a timer that is due by the end of the current work before it: the second one isn't. */
export async function nextTurn(): Promise<void> {
  await sleep(0);
  await sleep(0);
}
