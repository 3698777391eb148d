import { setTimeout as sleep } from 'node:timers/promises';
import { eventRun } from './eventRun.ts';
import type { QueueWorld } from '../support/n8nQueue/world.ts';

const DOWN_MS = 10_000;

/**
 * Stops Redis for 10 s while events are delivered and executions run. n8n's processes wait about as long. A process
 * that gives up exits, and leaves its executions unfinished.
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
