import { startQueueWorld, type QueueWorld } from '../../../harness/n8nQueue/world.ts';
import { step } from '../../../harness/suite/step.ts';
import { killEmulator } from './emulator.ts';
import { killMain } from './mainProcess.ts';
import { killProcessor } from './processor.ts';
import { killRedis } from './redis.ts';
import { killWorker } from './worker.ts';

interface Kill {
  what: string;
  /** Gives its verdict in a line. */
  kill: (world: QueueWorld) => Promise<string>;
}

/** What is broken, in this order. */
export const KILLS = {
  worker: { what: 'a worker in the middle of a bulk run', kill: killWorker },
  processor: { what: 'the webhook processor in the middle of deliveries', kill: killProcessor },
  main: { what: 'the main between subscribe and save', kill: killMain },
  redis: { what: 'Redis for 10 s', kill: killRedis },
  emulator: { what: 'the service in the middle of everything', kill: killEmulator },
} satisfies Record<string, Kill>;

/** Only ends a hang: what is waited for comes, however busy the machine is. */
const TIMEOUT_MS = 900_000;

/** Kills what is named, one after the other, on one n8n in queue mode. */
export async function run(names: readonly (keyof typeof KILLS)[]): Promise<void> {
  const world = await startQueueWorld();
  for (const name of names) {
    const { what, kill } = KILLS[name];
    step(`SIGKILL of ${what}`, async () => console.log(`  ${name}: ${await kill(world)}`), TIMEOUT_MS);
  }
}
