/** Seeds every random test of a run, which prints it when a test fails. `SEED=<number> npx jest <file>` repeats the test. */
export const SEED = Number(process.env['SEED'] ?? Date.now() % 1_000_000_000);

/** How often a random test runs: `few` times in `npm test`, `many` times in `npm run test:all`. */
export function runs(few: number, many: number): number {
  return process.env['TEST_RUNS'] === 'all' ? many : few;
}

/** A source of random integers from 0 to below a number, the same ones for the same seed. */
export function randomIntegers(seed: number = SEED): (below: number) => number {
  let state = seed >>> 0;
  // mulberry32
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}
