import { after } from 'node:test';
import { anyFailed } from '../support/step.ts';
import { eventSteps } from './steps/events.ts';
import { pollingSteps } from './steps/polling.ts';
import { rowSteps } from './steps/rows.ts';
import { startQueueWorld } from './support/world.ts';

/** What is tried, in this order. */
export const PARTS = { polling: pollingSteps, rows: rowSteps, events: eventSteps };

/** Tries the package on n8n in queue mode, step by step. */
export async function run(names: readonly (keyof typeof PARTS)[]): Promise<void> {
  const say = (line: string) => console.log(line);
  say('Starting Redis, PostgreSQL, and n8n as one main, one webhook processor and two workers …');
  const world = await startQueueWorld(say);
  after(async () => {
    if (anyFailed()) say(`\nWhat the processes printed:\n${world.cluster.log()}`);
    await world.stop();
  });
  for (const name of names) PARTS[name](world);
}
