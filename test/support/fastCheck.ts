import * as fc from 'fast-check';
import { runs, SEED } from './seed.ts';

fc.configureGlobal({ seed: SEED, numRuns: runs(100, 100) });

/** fast-check with the seed of the test run, and fewer runs by default in `npm test`. */
export { fc };
