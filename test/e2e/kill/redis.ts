import { setTimeout as sleep } from 'node:timers/promises';
import { eventRun } from './eventRun.ts';
import type { QueueWorld } from '../../../harness/n8nQueue/world.ts';

const GONE_MS = 10_000;

/** The queue is gone for 10 s while deliveries come in and executions run. */
export async function killRedis(world: QueueWorld): Promise<string> {
  const { redis } = world.cluster;
  return eventRun(world, async () => {
    await sleep(2000);
    await redis.kill();
    await sleep(GONE_MS);
    await redis.start();
  });
}
