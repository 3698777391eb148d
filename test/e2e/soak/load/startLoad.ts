import { setTimeout as sleep } from 'node:timers/promises';
import type { World } from '../../../../harness/n8n/world.ts';
import { changeKeys, changesWorkload } from './changes.ts';
import { eventKeys, eventsWorkload } from './events.ts';
import { rowsWorkload } from './rows.ts';
import { Tally } from './Tally.ts';

const MINUTE_MS = 60_000;
/** Two polls and a little: what changed last has moved out of what the polling trigger keeps. */
const POLLS_MS = 11_000;
/** What is under way when the load is paused has so long to come in. */
const DRAIN_MS = 120_000;
/** Longer than n8n keeps a connection open that nobody uses. */
const QUIET_MS = 15_000;

/** Events, polls and rows on one server. */
export interface Load {
  /**
   * Loads the server for a time, and leaves it at rest but for its polls. Gives what was lost, came twice or failed so far.
   * @param everyMinute told when it is time for a line
   */
  run(lengthMs: number, everyMinute: () => Promise<void>): Promise<string[]>;
  /** How much there was so far, by what it is. */
  counts(): Record<string, number>;
  close(): void;
}

/** Makes and activates the workflows; nothing is sent yet. */
export async function startLoad(world: World): Promise<Load> {
  const failure = Promise.withResolvers<never>();
  failure.promise.catch(() => undefined);
  const tally = new Tally({ ...eventKeys, ...changeKeys });
  await tally.listen();
  const events = await eventsWorkload(world, tally, failure.reject);
  const changes = await changesWorkload(world, tally, failure.reject);
  const rows = await rowsWorkload(world, failure.reject);
  const workloads = [events, changes, rows];

  async function problems(): Promise<string[]> {
    const found = (await Promise.all(workloads.map((workload) => workload.problems()))).flat();
    for (const workflowId of workloads.flatMap(({ workflowIds }) => workflowIds))
      for (const { id, status } of await world.n8n.executions(workflowId))
        if (status !== 'success') found.push(`the execution ${id} has the status ${status}`);
    return found;
  }

  async function waitForNoProblems(): Promise<string[]> {
    const deadline = performance.now() + DRAIN_MS;
    for (;;) {
      const found = await problems();
      if (found.length === 0 || performance.now() > deadline) return found;
      await sleep(1000);
    }
  }

  return {
    async run(lengthMs, everyMinute) {
      for (const workload of workloads) workload.resume();
      const end = performance.now() + lengthMs;
      for (let left = lengthMs; left > 0; left = end - performance.now()) {
        await Promise.race([sleep(Math.min(left, MINUTE_MS)), failure.promise]);
        await everyMinute();
      }
      await rows.pause();
      await sleep(POLLS_MS);
      await Promise.all([events.pause(), changes.pause()]);
      const found = await waitForNoProblems();
      await sleep(QUIET_MS);
      return found;
    },
    counts: () =>
      Object.assign({}, ...workloads.map((workload) => workload.counts())) as Record<string, number>,
    close: () => tally.close(),
  };
}
