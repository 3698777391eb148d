import { setTimeout as sleep } from 'node:timers/promises';
import type { Execution, N8nRest } from './n8nRest.ts';

const QUIET_MS = 500;
/** Only ends a hang: a busy machine takes its time. */
const TIMEOUT_MS = 100_000;

/**
 * Every execution of a workflow, oldest first, once there are so many, all have ended and none follows.
 * @throws Error when there are not so many in time
 */
export async function waitForExecutions(
  n8n: N8nRest,
  workflowId: string,
  minCount = 0,
): Promise<Execution[]> {
  const deadline = Date.now() + TIMEOUT_MS;
  let previousState = '';
  for (;;) {
    const summaries = await n8n.executions(workflowId);
    const state = JSON.stringify(summaries.map(({ id, status }) => [id, status]));
    const running = summaries.some(({ status }) => status === 'running' || status === 'new');
    if (summaries.length >= minCount && !running && state === previousState)
      return Promise.all(summaries.toReversed().map(({ id }) => n8n.execution(id)));
    if (Date.now() > deadline)
      throw new Error(`There are ${summaries.length} executions in place of ${minCount}: ${state}`);
    previousState = state;
    await sleep(QUIET_MS);
  }
}

/** Waits until something holds. @throws Error naming it when it doesn't in time */
export async function until(
  description: string,
  condition: () => boolean | Promise<boolean>,
  timeoutMs = TIMEOUT_MS,
): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error(`In vain waited until ${description}.`);
    await sleep(50);
  }
}
