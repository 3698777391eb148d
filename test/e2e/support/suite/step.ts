import { test } from 'node:test';

const TIMEOUT_MS = 600_000;

/** Results of the steps so far. */
export const tally = { passed: 0, failed: 0, skipped: 0 };

/**
 * Adds a step to the suite. Steps run in order, and each one passes or fails by itself.
 * @param timeoutMs only ends a hang
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
