import { selectParts } from '../../support/suite/selectParts.ts';
import { PARTS, run as runSuite } from './suite.ts';

/** Runs the selected parts, by default all. */
export async function run(args: string[]): Promise<void> {
  await runSuite(selectParts(PARTS, args));
}
