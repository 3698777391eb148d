/** Seed of all random tests in a run, printed when a test fails. `SEED=<number> npx jest <file>` repeats the test. */
export const SEED = Number(process.env['SEED'] ?? Date.now() % 1_000_000_000);

/** Number of runs of a random test: `many` in `npm run test:all`; in `npm test` `few`, of which half are enough above ten. */
export function runs(few: number, many: number): number {
  if (process.env['TEST_RUNS'] === 'all') return many;
  return few > 10 ? Math.max(10, Math.ceil(few / 2)) : few;
}

/** All rows of a table. A run of all files without the large ones, as `npm test`, has a few from all over it. */
export function some<Row extends unknown[] | [unknown]>(rows: readonly Row[], few?: number): Row[];
export function some<Row>(rows: readonly Row[], few?: number): Row[];
export function some<Row>(rows: readonly Row[], few = 2): Row[] {
  const every = process.env['TEST_ROWS'] === 'some' ? Math.ceil(rows.length / few) : 1;
  return rows.filter((_row, at) => at % every === 0);
}

/** Returns a generator of random integers from 0 to `below` (exclusive), reproducible by seed. */
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
