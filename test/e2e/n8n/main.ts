import { after } from 'node:test';
import { parseArgs } from 'node:util';
import { selectParts } from '../../support/suite/selectParts.ts';
import { WITHOUT_EDITOR } from '../support/n8n/n8nServer.ts';
import { startWorld, type World } from '../support/n8n/world.ts';
import { REQUIREMENTS } from '../support/suite/requirements.ts';
import { tally } from '../support/suite/step.ts';
import { sharedEditor } from './editor.ts';
import { activationSteps } from './steps/activation.ts';
import { agentSteps } from './steps/agent.ts';
import { editorSteps } from './steps/editor.ts';
import { eventSteps } from './steps/events.ts';
import { exampleSteps } from './steps/examples.ts';
import { installSteps } from './steps/install.ts';
import { mcpSteps } from './steps/mcp.ts';
import { pickerSteps } from './steps/picker.ts';
import { DURABLE_SCHEDULER, durablePollingSteps, pollingSteps } from './steps/polling.ts';
import { rowSteps } from './steps/rows.ts';
import { templateSteps } from './steps/templates.ts';

/** Those that restart the server come last: it then has neither an editor nor the nodes' output schemas (`install`). */
const PARTS = {
  picker: pickerSteps,
  activation: activationSteps,
  editor: editorSteps,
  install: (world: World) => installSteps(world),
  examples: (world: World) => exampleSteps(world),
  templates: () => templateSteps(),
  agent: agentSteps,
  mcp: mcpSteps,
  rows: rowSteps,
  events: eventSteps,
  polling: (world: World) => pollingSteps(world),
};

/** Parts that need a browser throughout. */
const IN_BROWSER: readonly string[] = ['picker', 'activation', 'editor'];

/** Tests the package on a real n8n server, with `--durable` polling on its durable scheduler only. */
export async function run(args: string[]): Promise<void> {
  const { values, positionals } = parseArgs({
    args,
    options: { durable: { type: 'boolean', default: false } },
    allowPositionals: true,
  });
  const hasBrowser = REQUIREMENTS.chromium.isAvailable();
  if (!hasBrowser) {
    console.log(`Skipping the steps in n8n's editor. ${REQUIREMENTS.chromium.installHint}`);
    tally.skipped++;
  }
  const parts = selectParts(PARTS, positionals).filter((part) => hasBrowser || !IN_BROWSER.includes(part));
  console.log('Building and packing the package, installing it in n8n, starting n8n …');
  const world = values.durable
    ? await startWorld(
        { rateLimit: { limit: 1e6, windowSeconds: 10 } },
        { env: { ...DURABLE_SCHEDULER, ...WITHOUT_EDITOR } },
      )
    : await startWorld();
  const editor = sharedEditor(world.server);
  if (values.durable) durablePollingSteps(world);
  else for (const part of parts) PARTS[part](world, editor);
  after(async () => {
    await editor.close();
    if (tally.failed > 0) console.log(`\nn8n's output:\n${world.server.log()}`);
    await world.stop();
  });
}
