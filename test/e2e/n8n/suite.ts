import { after } from 'node:test';
import { anyFailed } from '../../../harness/suite/step.ts';
import { startWorld } from '../../../harness/n8n/world.ts';
import { connectionSteps } from './steps/connection.ts';
import { eventSteps } from './steps/events.ts';
import { exampleSteps } from './steps/examples.ts';
import { pollingSteps } from './steps/polling.ts';
import { rowSteps } from './steps/rows.ts';
import { sampleSteps } from './steps/sample.ts';

/** Tries the package on a real server, step by step. */
export async function run(): Promise<void> {
  const say = (line: string) => console.log(line);
  say('Building and packing the package, installing it in n8n, starting n8n …');
  const world = await startWorld(say);
  after(async () => {
    if (anyFailed()) say(`\nWhat n8n printed:\n${world.server.log()}`);
    await world.stop();
  });
  for (const steps of [connectionSteps, exampleSteps, rowSteps, eventSteps, pollingSteps, sampleSteps])
    steps(world);
}
