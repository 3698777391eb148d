import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { eventRun } from './eventRun.ts';
import { strandedExecutions } from './storedExecutions.ts';
import type { QueueWorld } from '../support/n8nQueue/world.ts';

/** How long the processor runs between two checks. */
const RUN_MS = 20;

/**
 * Kills the webhook processor during deliveries, at the worst moment: it has stored an execution, but not queued it
 * yet. It is paused repeatedly until it is in that state.
 */
export async function killProcessor(world: QueueWorld): Promise<string> {
  const { cluster } = world;
  const { processor } = cluster;
  const { text, missing } = await eventRun(world, async ({ workflowId, isEarly }) => {
    do {
      process.kill(processor.pid(), 'SIGCONT');
      await sleep(RUN_MS);
      process.kill(processor.pid(), 'SIGSTOP');
    } while (isEarly() && (await strandedExecutions(cluster, workflowId)).length === 0);
    await processor.kill();
  });
  assert.deepEqual(missing, [], 'every event is in the sheet');
  return text;
}
