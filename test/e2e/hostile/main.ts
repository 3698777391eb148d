import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';
import { step } from '../support/suite/step.ts';
import { UsageError } from '../../support/suite/UsageError.ts';
import { floodEmulator } from './emulator.ts';
import { floodTrigger } from './trigger.ts';

/** Sends hostile requests to the emulator and to n8n's instant trigger. */
export function run(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      seed: { type: 'string', default: String(randomInt(1_000_000)) },
      count: { type: 'string', default: '10000' },
      only: { type: 'string' },
    },
  });
  const [seed, count] = [Number(values.seed), Number(values.count)];
  const log = (line: string) => console.log(line);
  const attacks = Object.entries({ emulator: floodEmulator, trigger: floodTrigger }).filter(
    ([name]) => values.only === undefined || values.only === name,
  );
  if (!Number.isSafeInteger(seed) || !Number.isSafeInteger(count) || count < 1 || attacks.length === 0)
    throw new UsageError('--seed and --count must be whole numbers, and --only must be emulator or trigger.');

  log(`Seed ${seed}: --seed ${seed} sends the same requests again.`);
  for (const [name, flood] of attacks)
    step(
      `hostile requests to the ${name}, seed ${seed}`,
      async () => log(`✔ ${await flood({ count, seed, log })}`),
      Infinity,
    );
  return Promise.resolve();
}
