import { after } from 'node:test';
import { REQUIREMENTS } from '../support/suite/requirements.ts';
import { selectParts } from '../../support/suite/selectParts.ts';
import { hasFailures, stepUnless, tally } from '../support/suite/step.ts';
import { joinWorld, startWorld, type RunningN8n, type World } from '../support/n8n/world.ts';
import { sharedEditor } from './editor/editor.ts';
import { activationSteps } from './steps/activation.ts';
import { agentSteps } from './steps/agent.ts';
import { connectionSteps } from './steps/connection.ts';
import { DURABLE_SCHEDULER, durablePollingSteps } from './steps/durablePolling.ts';
import { editorSteps } from './steps/editor.ts';
import { eventSteps } from './steps/events.ts';
import { exampleSteps } from './steps/examples.ts';
import { mcpSteps } from './steps/mcp.ts';
import { pickerSteps } from './steps/picker.ts';
import { installSteps } from './steps/install.ts';
import { pollingSteps } from './steps/polling.ts';
import { rowSteps } from './steps/rows.ts';
import { sampleSteps } from './steps/sample.ts';
import { schemaSteps } from './steps/schema.ts';
import { templateSteps } from './steps/templates.ts';
import { sharedWorkflowSteps } from './steps/sharedWorkflow.ts';

const PARTS = {
  connection: connectionSteps,
  install: installSteps,
  examples: (world: World) => exampleSteps(world),
  templates: () => templateSteps(),
  agent: agentSteps,
  mcp: mcpSteps,
  rows: rowSteps,
  events: eventSteps,
  sharedWorkflow: sharedWorkflowSteps,
  polling: (world: World) => pollingSteps(world),
  sample: sampleSteps,
  schema: schemaSteps,
  picker: pickerSteps,
  activation: activationSteps,
  editor: editorSteps,
};

/** Parts that need a browser throughout. */
const IN_BROWSER: readonly string[] = ['picker', 'activation', 'editor'];

/** Parts that start a server of their own, or restart it throughout. */
const ON_OWN_SERVER: readonly string[] = ['templates', 'sample'];

/**
 * Tests the package on a real server, step by step. With `durable`, only polling on the durable scheduler.
 * @param running a server to use instead of starting one
 */
export async function run(
  durable: boolean,
  requested: readonly string[] = [],
  running?: RunningN8n,
): Promise<void> {
  const log = (line: string) => console.log(line);
  const hasBrowser = findBrowser(log);
  const parts = selectParts(PARTS, requested).filter((part) => !IN_BROWSER.includes(part) || hasBrowser);
  if (running === undefined) log('Building and packing the package, installing it in n8n, starting n8n …');
  const world = durable
    ? await startWorld({ rateLimit: { limit: 1e6, windowSeconds: 10 } }, { env: DURABLE_SCHEDULER })
    : await (running === undefined ? startWorld() : joinWorld(running));
  const { server } = world;
  const editor = sharedEditor(server);
  if (durable) durablePollingSteps(world);
  else
    for (const part of parts)
      if (server.external === undefined || !ON_OWN_SERVER.includes(part)) PARTS[part](world, editor);
      else stepUnless(server.external)(`the part ${part}`, () => Promise.resolve());
  after(async () => {
    await editor.close();
    if (hasFailures()) log(`\nn8n's output:\n${server.log()}`);
    await world.stop();
  });
}

function findBrowser(log: (line: string) => void): boolean {
  if (REQUIREMENTS.chromium.isAvailable()) return true;
  log(`Skipping the steps in n8n's editor. ${REQUIREMENTS.chromium.installHint}`);
  tally.skipped++;
  return false;
}
