import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { eventRun } from './eventRun.ts';
import type { QueueWorld } from '../../../harness/n8nQueue/world.ts';

/** The webhook processor ends where it stands while deliveries come in. */
export async function killProcessor(world: QueueWorld): Promise<string> {
  const { processor } = world.cluster;
  return eventRun(world, async (emitting) => {
    await sleep(2000);
    await processor.kill();
    assert.ok(!processor.isRunning());
    await emitting;
  });
}
