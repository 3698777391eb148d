import { setTimeout as sleep } from 'node:timers/promises';
import type { World } from '../../support/n8n/world.ts';
import { changeKeys, changesWorkload } from './changes.ts';
import { eventKeys, eventsWorkload } from './events.ts';
import { rowsWorkload } from './rows.ts';
import { Tally } from './Tally.ts';

const MINUTE_MS = 60_000;
/** Slightly more than two polls, after which the polling trigger has dropped the last changes from its memory. */
const POLLS_MS = 11_000;
/** Time limit for pending work after the load is paused. */
const DRAIN_MS = 120_000;
/** Longer than n8n keeps idle connections open. */
const QUIET_MS = 15_000;

/** Events, polls and rows on one server. */
export interface Load {
  /**
   * Loads the server for a time, then waits until it only polls. Returns all lost, duplicate and failed work so far.
   * @param everyMinute called once a minute
   */
  run(lengthMs: number, everyMinute: () => Promise<void>): Promise<string[]>;
  /** Work done so far, by kind. */
  counts(): Record<string, number>;
  close(): void;
}

/** Creates and activates the workflows, without sending anything yet. */
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
        if (status !== 'success') found.push(`execution ${id} has the status ${status}`);
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
