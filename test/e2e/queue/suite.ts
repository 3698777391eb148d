import { eventSteps } from './steps/events.ts';
import { pollingSteps } from './steps/polling.ts';
import { rowSteps } from './steps/rows.ts';
import { startQueueWorld, type QueueWorld } from '../support/n8nQueue/world.ts';
import { quietTriggerSteps } from '../n8n/steps/quietTrigger.ts';

/** The parts, in order. */
export const PARTS = {
  polling: pollingSteps,
  rows: rowSteps,
  events: eventSteps,
  quietTrigger: ({ cluster, ...world }: QueueWorld) => quietTriggerSteps({ ...world, ...cluster }),
};

/** Tests the package on n8n in queue mode, step by step. */
export async function run(names: readonly (keyof typeof PARTS)[]): Promise<void> {
  const world = await startQueueWorld();
  for (const name of names) PARTS[name](world);
}
