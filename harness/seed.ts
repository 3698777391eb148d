/** Seeds every random test of a run, which prints it when a test fails. `SEED=<number> npx jest <file>` repeats the test. */
export const SEED = Number(process.env['SEED'] ?? Date.now() % 1_000_000_000);

/** How often a random test runs: `few` times in `npm test`, `many` times in `npm run test:all`. */
export function runs(few: number, many: number): number {
  return process.env['TEST_RUNS'] === 'all' ? many : few;
}
