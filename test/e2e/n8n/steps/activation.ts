import assert from 'node:assert/strict';
import type { INodeParameters } from 'n8n-workflow';
import type { Page } from '../../../../scripts/tools/chromium.ts';
import { until } from '../../support/n8n/executions.ts';
import { chain, NO_OP, TRIGGER } from '../../support/n8n/workflows.ts';
import { credentialFor, CREDENTIAL_TYPE, type World } from '../../support/n8n/world.ts';
import { step } from '../../support/suite/step.ts';
import { EXECUTE, NOTIFICATION, type SharedEditor } from '../editor.ts';

/** n8n attempts an activation five times, with pauses of 15 seconds in total. */
const ACTIVATION = { timeout: 100_000 };

/** What the editor shows for an activation and a test. */
export function activationSteps({ n8n, server, emulator }: World, editor: SharedEditor): void {
  let page: Page;
  const textsOf = (selector: string) => page.locator(selector).allInnerTexts();

  /** Opens a workflow with the trigger, or the trigger itself. */
  async function open(parameters: INodeParameters, apiKey?: string, ndv = false): Promise<void> {
    ({ page } = await editor.open());
    const key = { url: emulator.url, apiKey: apiKey ?? emulator.apiKey };
    const own = await n8n.saveCredential(CREDENTIAL_TYPE, credentialFor(key));
    const trigger = { name: 'Trigger', type: TRIGGER, parameters };
    const workflow = chain('Activation', own, [trigger, { name: 'Rows', type: NO_OP }]);
    const id = await n8n.saveWorkflow(workflow);
    await page.goto(`${server.url}/workflow/${id}${ndv ? `/${workflow.nodes[0]!.id}` : ''}`);
    await page.waitForSelector(ndv ? EXECUTE : '[data-test-id="workflow-open-publish-modal-button"]');
  }

  step('publishing with a key without webhooks:write claims no success, then tells what to do', async () => {
    await open({ events: ['qr.created'] }, emulator.control.createKey({ scopes: ['qr:read'] }).apiKey);
    await page.click('[data-test-id="workflow-open-publish-modal-button"]');
    await page.click('[data-test-id="workflow-publish-button"]');
    await page.waitForSelector(NOTIFICATION, ACTIVATION);
    // Until n8n 2.41, the editor says that the workflow is published before it knows.
    const claims = (await textsOf('[role="dialog"]')).filter((text) => text.includes('Workflow published'));
    for (const claim of claims)
      assert.match(claim, /n8n is now subscribing to the events\. .* If subscribing fails/);
    const remedy = /webhooks:write.*\bAPI key in the app with the scope webhooks:write/s;
    assert.match((await textsOf(NOTIFICATION)).join('\n'), remedy);
  });

  step('the notice names the scope, and the log what to do if n8n cannot reach itself', async () => {
    const parameters = { events: ['qr.updated', 'qr.created'], options: { sampleWhenTesting: true } };
    await open(parameters, undefined, true);
    await page.waitForSelector('text=the scope webhooks:write');
    await page.click(EXECUTE);
    const line = /n8n can't reach itself at https:\/\/n8n\.example\.com.*N8N_WEBHOOK_URL/;
    await until('the log says so', () => line.test(server.log()));
  });
}
