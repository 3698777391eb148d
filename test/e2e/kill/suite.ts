import { startQueueWorld, type QueueWorld } from '../support/n8nQueue/world.ts';
import { step } from '../support/suite/step.ts';
import { killEmulator } from './emulator.ts';
import { killMain } from './mainProcess.ts';
import { killProcessor } from './processor.ts';
import { killRedis } from './redis.ts';
import { killWorker } from './worker.ts';

interface Kill {
  what: string;
  /** Returns its result in one line. */
  kill: (world: QueueWorld) => Promise<string>;
}

/** The kills, in order. */
export const KILLS = {
  worker: { what: 'a worker during a bulk run', kill: killWorker },
  processor: { what: 'the webhook processor during deliveries', kill: killProcessor },
  main: { what: 'the main between subscribe and save', kill: killMain },
  redis: { what: 'Redis for 10 s', kill: killRedis },
  emulator: { what: 'the service during all kinds of work', kill: killEmulator },
} satisfies Record<string, Kill>;

/** Only ends a hang: a busy machine may be slow. */
const TIMEOUT_MS = 900_000;

/** Runs the kills in sequence, on one n8n in queue mode. */
export async function run(names: readonly (keyof typeof KILLS)[]): Promise<void> {
  const world = await startQueueWorld();
  for (const name of names) {
    const { what, kill } = KILLS[name];
    step(`SIGKILL of ${what}`, async () => console.log(`  ${name}: ${await kill(world)}`), TIMEOUT_MS);
  }
}
