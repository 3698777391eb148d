import { setTimeout as sleep } from 'node:timers/promises';
import { eventRun } from './eventRun.ts';
import type { QueueWorld } from '../../../harness/n8nQueue/world.ts';

const DOWN_MS = 10_000;

/**
 * The queue is gone for 10 s while deliveries come in and executions run. n8n's processes wait for it as long; one
 * that loses patience ends, and leaves what it was running.
 */
export async function killRedis(world: QueueWorld): Promise<string> {
  const { redis } = world.cluster;
  const { text } = await eventRun(world, async () => {
    await redis.kill();
    await sleep(DOWN_MS);
    await redis.start();
  });
  return text;
}
