import assert from 'node:assert/strict';
import { installToolOrExit } from '../../../scripts/tools/install.ts';
import { sharedEditor } from '../n8n/editor/editor.ts';
import { startTlsProxy } from '../n8n/thirdParties/tlsProxy.ts';
import { connectRest } from '../support/n8n/n8nRest.ts';
import { startN8nServer } from '../support/n8n/n8nServer.ts';
import { CREATE, rows, workflowWithRows } from '../support/n8n/workflows.ts';
import { CREDENTIAL_TYPE, credentialFor } from '../support/n8n/world.ts';

/** Where n8n looks for packages. It needs a license for another registry. */
const HOST = 'registry.npmjs.org';
const NAME = 'n8n-nodes-qr-service';
const CARD = '[data-test-id="community-package-card"]';

/** Opens n8n's page that installs packages in a browser. Its server gets them from this registry. */
export async function openCommunityNodes(registry: { url: string }) {
  const program = await installToolOrExit('n8n');
  const proxy = await startTlsProxy([HOST], async ({ url }) => {
    const response = await fetch(new URL(url.pathname, registry.url));
    return { status: response.status, body: Buffer.from(await response.arrayBuffer()) };
  });
  const server = await startN8nServer(program, { env: proxy.env });
  const n8n = connectRest(server.url);
  await n8n.signIn();
  const editor = sharedEditor(server);
  const { page } = await editor.open();
  const open = () => page.goto(`${server.url}/settings/community-nodes`);

  return {
    async install() {
      await open();
      await page.click('text=Install a community node');
      await page.fill('[data-test-id="package-name-input"]', NAME);
      await page.click('[data-test-id="user-agreement-checkbox"]');
      await page.click('[data-test-id="install-community-package-button"]');
    },

    async update() {
      await open();
      await page.click(`${CARD} >> text=Update`);
      await page.click('text=Confirm update');
    },

    /** The page shows this version, and a workflow creates a code with it. */
    async assertWorks(version: string, service: { url: string; apiKey: string }) {
      await page.locator(`${CARD} >> text=v${version}`).waitFor();
      const credential = await n8n.saveCredential(CREDENTIAL_TYPE, credentialFor(service));
      const workflow = await n8n.saveWorkflow(workflowWithRows('Rehearsal', credential, rows(1), CREATE));
      const { error, items } = await n8n.waitUntilEnded(await n8n.run(workflow, 'Rows'));
      assert.deepEqual([error, items['Create']?.[0]?.json['name']], [undefined, 'Row 0']);
    },

    async stop() {
      await editor.close();
      await server.stop();
      await proxy.close();
    },
  };
}
