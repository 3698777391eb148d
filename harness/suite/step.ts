import { test } from 'node:test';

const LONGEST_MS = 120_000;

let failed = false;

/** A step of the suite, with a verdict of its own. Steps run in the order in which they are named. */
export function step(name: string, work: () => Promise<void>, longestMs = LONGEST_MS): void {
  void test(name, { timeout: longestMs }, async () => {
    try {
      await work();
    } catch (error) {
      failed = true;
      throw error;
    }
  });
}

/** Whether any step has failed so far. */
export const anyFailed = (): boolean => failed;
