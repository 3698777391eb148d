import { test } from 'node:test';

const TIMEOUT_MS = 600_000;

/** How the steps of this process have ended so far. */
export const tally = { passed: 0, failed: 0, skipped: 0 };

/**
 * A step of the suite, with a verdict of its own. Steps run in the order in which they are named.
 * @param timeoutMs milliseconds after which a step that hangs is given up; it decides nothing else
 */
export function step(name: string, work: () => Promise<void>, timeoutMs = TIMEOUT_MS): void {
  void test(name, { timeout: timeoutMs }, async ({ signal }) => {
    const onTimeout = () => {
      tally.failed++;
    };
    signal.addEventListener('abort', onTimeout, { once: true });
    try {
      await work();
      if (!signal.aborted) tally.passed++;
    } catch (error) {
      if (!signal.aborted) tally.failed++;
      throw error;
    } finally {
      signal.removeEventListener('abort', onTimeout);
    }
  });
}

/** Whether any step has failed so far. */
export const hasFailures = (): boolean => tally.failed > 0;
