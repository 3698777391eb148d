import { setTimeout as sleep } from 'node:timers/promises';
import type { Control } from 'qr-service-emulator';
import type { Execution, N8nRest } from './n8nRest.ts';

const QUIET_MS = 200;
/** Only ends a hang: a busy machine may be slow. */
const TIMEOUT_MS = 100_000;

/**
 * Waits until a workflow has this many executions, all have ended and no new one starts. Returns all, oldest first.
 * @throws Error when that takes too long
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
      throw new Error(`Expected ${minCount} executions, got ${summaries.length}: ${state}`);
    previousState = state;
    await sleep(QUIET_MS);
  }
}

/** Waits until a condition is true. @throws Error with the description when that takes too long */
export async function until(
  description: string,
  condition: () => boolean | Promise<boolean>,
  timeoutMs = TIMEOUT_MS,
): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error(`Timed out waiting until ${description}.`);
    await sleep(50);
  }
}

/**
 * Waits until n8n has started this many more polls of a list. All but the last one have finished by then.
 * @param list end of the list's path
 */
export function waitForPolls(control: Control, list: '/qr' | '/scans', count: number): Promise<void> {
  const from = Date.now();
  const filter = list === '/qr' ? 'updatedSince' : 'since';
  const polls = () =>
    control.requests().filter(({ at, path }) => {
      const { pathname, searchParams } = new URL(path, 'http://emulator');
      return at >= from && pathname.endsWith(list) && searchParams.has(filter) && !searchParams.has('cursor');
    });
  return until(`n8n has polled ${list} ${count} times`, () => polls().length >= count);
}
