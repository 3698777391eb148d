import assert from 'node:assert/strict';
import { until } from '../../support/n8n/executions.ts';
import type { CredentialRef } from '../../support/n8n/n8nRest.ts';
import { exampleFile, withCredential } from '../../support/n8n/workflows.ts';
import type { World } from '../../support/n8n/world.ts';
import { step } from '../../support/suite/step.ts';
import { startScriptedModel } from '../scriptedModel.ts';
import { startMailServer } from '../thirdParties/mailServer.ts';

/** The example with a real AI Agent, whose tools are the package's node. Its model follows a script. */
export function agentSteps(world: World): void {
  const { client, credential } = world;
  const target = async (publicUrl: string) =>
    (await fetch(publicUrl, { redirect: 'manual' })).headers.get('location');

  step('an agent changes a code only once a person has approved it', async () => {
    const { n8n, server } = world;
    const content = { targetUrl: 'https://example.com/before' };
    const { id, publicUrl } = await client.qr.create({
      name: 'Agent Review',
      mode: 'dynamic',
      contentType: 'url',
      content,
    });
    await client.qr.publish(id);
    const model = await startScriptedModel();
    const mails = await startMailServer();
    const { pinData, ...workflow } = withCredential(exampleFile('agent-with-approval'), credential);
    const smtp = { host: '127.0.0.1', port: mails.port, secure: false, disableStartTls: true };
    const accounts: Record<string, CredentialRef> = {
      openAiApi: await n8n.saveCredential('openAiApi', { apiKey: 'none', url: model.url }),
      smtp: await n8n.saveCredential('smtp', smtp),
    };
    for (const node of workflow.nodes) {
      if (node.name === 'Model') node.credentials = { openAiApi: accounts['openAiApi']! };
      if (node.name === 'Ask for Approval') node.credentials = { smtp: accounts['smtp']! };
    }
    const workflowId = await n8n.saveWorkflow({ ...workflow, pinData: { Request: pinData!['Request']! } });
    const toolParameters = { QR_Code: id, New_Target_URL: 'https://example.com/after' };
    try {
      for (const [button, end] of [
        ['Decline', 'https://example.com/before'],
        ['Approve', 'https://example.com/after'],
      ] as const) {
        let told = '';
        model.follow(function* () {
          [told = ''] = yield [{ tool: 'Update_Destination', input: { toolParameters, hitlParameters: {} } }];
          return 'Done.';
        });
        const executionId = await n8n.run(workflowId, 'Request');
        await until('it waits', async () => (await n8n.execution(executionId)).status === 'waiting');
        assert.equal(await target(publicUrl), 'https://example.com/before');
        const [mail] = await mails.take();
        assert.ok(mail!.html.includes(id));
        const links = [...mail!.html.matchAll(/<a[^>]*href="([^"]+)"[^>]*>\s*([^<]*?)\s*<\/a>/g)];
        const link = new URL(links.find((found) => found[2] === button)![1]!.replaceAll('&amp;', '&'));
        // n8n ignores mail scanners, which open links as well, and takes any unknown program for one.
        const headers = { 'User-Agent': 'Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0' };
        await fetch(`${server.url}${link.pathname}${link.search}`, { headers });
        const { status, error } = await n8n.waitUntilEnded(executionId);
        assert.deepEqual([status, error], ['success', undefined]);
        assert.equal(told.includes('rejected'), button === 'Decline');
        assert.equal(await target(publicUrl), end);
      }
    } finally {
      await model.close();
      await mails.close();
    }
  });
}
