// npm run e2e:hostile                      10,000 hostile requests to the emulator, and 10,000 to n8n's instant trigger
// npm run e2e:hostile -- --seed 7          the same ones again
// npm run e2e:hostile -- --count 500       fewer of them
// npm run e2e:hostile -- --only emulator   to one of the two
import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';
import { floodEmulator } from './emulator.ts';
import { floodTrigger } from './trigger.ts';

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: String(randomInt(1_000_000)) },
    count: { type: 'string', default: '10000' },
    only: { type: 'string' },
  },
});
const [seed, count] = [Number(values.seed), Number(values.count)];
const say = (line: string) => console.log(line);
const attacks = Object.entries({ emulator: floodEmulator, trigger: floodTrigger }).filter(
  ([name]) => values.only === undefined || values.only === name,
);
if (!Number.isSafeInteger(seed) || !Number.isSafeInteger(count) || count < 1 || attacks.length === 0) {
  console.error('--seed and --count are whole numbers, and --only is emulator or trigger.');
  process.exit(1);
}

say(`Seed ${seed}: --seed ${seed} sends the same again.`);
for (const [name, attack] of attacks) {
  try {
    say(`✔ ${await attack({ count, seed, say })}`);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    say(`✘ hostile requests to the ${name}, seed ${seed}: ${reason}`);
    process.exitCode = 1;
  }
}
