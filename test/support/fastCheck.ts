import * as fc from 'fast-check';
import { runs, SEED } from './seed.ts';

fc.configureGlobal({ seed: SEED, numRuns: runs(100, 100) });

/** fast-check with the seed of the test run, and fewer runs by default in `npm test`. */
export { fc };

/** Any character. The unit `binary` of fast-check means the same, but takes a second to start. */
export const anyCharacter = fc
  .nat(0x10ffff - 0x800)
  .map((at) => String.fromCodePoint(at < 0xd800 ? at : at + 0x800));
