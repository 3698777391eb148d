import { setTimeout as sleep } from 'node:timers/promises';
import type { Execution, N8nRest } from './n8nRest.ts';

const QUIET_MS = 500;
/** Only ends a hang: a busy machine takes its time. */
const LONGEST_MS = 100_000;

/**
 * Every execution of a workflow, oldest first, once there are so many, all have ended and none follows.
 * @throws Error when there are not so many in time
 */
export async function executionsOf(n8n: N8nRest, workflowId: string, atLeast = 0): Promise<Execution[]> {
  const deadline = Date.now() + LONGEST_MS;
  let seen = '';
  for (;;) {
    const summaries = await n8n.executions(workflowId);
    const state = JSON.stringify(summaries.map(({ id, status }) => [id, status]));
    const running = summaries.some(({ status }) => status === 'running' || status === 'new');
    if (summaries.length >= atLeast && !running && state === seen)
      return Promise.all(summaries.toReversed().map(({ id }) => n8n.execution(id)));
    if (Date.now() > deadline)
      throw new Error(`There are ${summaries.length} executions in place of ${atLeast}: ${state}`);
    seen = state;
    await sleep(QUIET_MS);
  }
}

/** Waits until something holds. @throws Error naming it when it doesn't in time */
export async function until(
  what: string,
  holds: () => boolean | Promise<boolean>,
  longestMs = LONGEST_MS,
): Promise<void> {
  const deadline = Date.now() + longestMs;
  while (!(await holds())) {
    if (Date.now() > deadline) throw new Error(`In vain waited until ${what}.`);
    await sleep(50);
  }
}
