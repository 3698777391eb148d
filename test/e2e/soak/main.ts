import { parseArgs } from 'node:util';
import { step } from '../support/suite/step.ts';
import { UsageError } from '../../support/suite/UsageError.ts';
import { soak } from './soak.ts';

/** Loads a real n8n server for some minutes. */
export function run(args: string[]): Promise<void> {
  const { values } = parseArgs({ args, options: { minutes: { type: 'string', default: '20' } } });
  const minutes = Number(values.minutes);
  if (!(minutes >= 2)) throw new UsageError('--minutes must be at least 2.');
  step(`${minutes} minutes of mixed load`, () => soak(minutes), Infinity);
  return Promise.resolve();
}
