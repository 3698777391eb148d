import { after } from 'node:test';
import { hasFailures } from '../../../harness/suite/step.ts';
import { startWorld } from '../../../harness/n8n/world.ts';
import { connectionSteps } from './steps/connection.ts';
import { DURABLE_SCHEDULER, durablePollingSteps } from './steps/durablePolling.ts';
import { eventSteps } from './steps/events.ts';
import { exampleSteps } from './steps/examples.ts';
import { pollingSteps } from './steps/polling.ts';
import { rowSteps } from './steps/rows.ts';
import { sampleSteps } from './steps/sample.ts';
import { sharedWorkflowSteps } from './steps/sharedWorkflow.ts';

const ALL_STEPS = [
  connectionSteps,
  exampleSteps,
  rowSteps,
  eventSteps,
  sharedWorkflowSteps,
  pollingSteps,
  sampleSteps,
];

/** Tests the package on a real server, step by step. With `durable`, only polling on the durable scheduler. */
export async function run(durable: boolean): Promise<void> {
  const log = (line: string) => console.log(line);
  log('Building and packing the package, installing it in n8n, starting n8n …');
  const world = durable
    ? await startWorld(log, { rateLimit: { limit: 1e6, windowSeconds: 10 } }, { env: DURABLE_SCHEDULER })
    : await startWorld(log);
  after(async () => {
    if (hasFailures()) log(`\nn8n's output:\n${world.server.log()}`);
    await world.stop();
  });
  for (const steps of durable ? [durablePollingSteps] : ALL_STEPS) steps(world);
}
