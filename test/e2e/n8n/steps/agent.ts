import assert from 'node:assert/strict';
import type { INodeParameters } from 'n8n-workflow';
import { until } from '../../support/n8n/executions.ts';
import type { CredentialRef } from '../../support/n8n/n8nRest.ts';
import { ACTION, exampleFile, withCredential } from '../../support/n8n/workflows.ts';
import { allCodes, CREDENTIAL_TYPE, type World } from '../../support/n8n/world.ts';
import { step } from '../../support/suite/step.ts';
import { scriptedAgent, type ToolNode } from '../scriptedAgent.ts';
import { startScriptedModel, type ShownTool } from '../scriptedModel.ts';
import { startMailServer } from '../thirdParties/mailServer.ts';

/** A parameter that the model fills in, as set by the editor's button. */
const byModel = (key: string, type = 'string') =>
  `={{ /*n8n-auto-generated-fromAI-override*/ $fromAI('${key}', \`\`, '${type}') }}`;

const THE_CODE = { qrCodeId: { __rl: true, mode: 'id', value: byModel('QR_Code') } };

/** The tools, by the names of their nodes. */
const TOOLS: Record<string, INodeParameters> = {
  'Find QR Code': { operation: 'find', search: byModel('Name_or_Short_Link') },
  'Create QR Code': { operation: 'create', name: byModel('Name'), targetUrl: byModel('Target_URL') },
  'Download Image': { operation: 'render', ...THE_CODE },
  'Change Destination': { operation: 'retarget', ...THE_CODE, url: byModel('New_Target_URL') },
};

const find = (text: string) => ({ tool: 'Find_QR_Code', input: { Name_or_Short_Link: text } });
const create = (name: string, url: string) => ({
  tool: 'Create_QR_Code',
  input: { Name: name, Target_URL: url },
});
const render = (code: string) => ({ tool: 'Download_Image', input: { QR_Code: code } });
const retarget = (code: string, url: string) => ({
  tool: 'Change_Destination',
  input: { QR_Code: code, New_Target_URL: url },
});

/** What the model receives. */
interface Result {
  [field: string]: unknown;
  id: string;
  name: string;
  publicUrl: string;
}

/** The package's node for each tool. */
const toolNodes = (credential: CredentialRef): ToolNode[] =>
  Object.entries(TOOLS).map(([name, parameters]) => ({
    name,
    type: `${ACTION}Tool`,
    typeVersion: 1,
    parameters: { resource: 'qrCode', ...parameters },
    credentials: { [CREDENTIAL_TYPE]: credential },
  }));

/** A real AI Agent with the package's node as its tools. Its model follows a script. */
export function agentSteps(world: World): void {
  const { client, credential } = world;
  const run = scriptedAgent(world, 'Agent', () => toolNodes(credential));

  const read = (result: string | undefined) => JSON.parse(result!) as Result[];
  const target = async (publicUrl: string) =>
    (await fetch(publicUrl, { redirect: 'manual' })).headers.get('location');

  step('an agent finds, creates, renders and retargets a code', async () => {
    const NAME = 'Agent Table 7';
    const FIRST = 'https://example.com/7';
    const SECOND = 'https://example.com/7/summer';
    let shown: ShownTool[] = [];
    let code: Result | undefined;
    let image: Result | undefined;
    const execution = await run(function* (tools) {
      shown = tools;
      assert.deepEqual(read((yield [find(NAME)])[0]), [{ message: 'No matching QR codes were found.' }]);
      [code] = read((yield [create(NAME, FIRST)])[0]);
      assert.deepEqual([code!.name, code!['status']], [NAME, 'published']);
      const { targetUrl: _targetUrl, ...found } = code!;
      assert.deepEqual(read((yield [find(NAME.toLowerCase())])[0]), [found]);
      let more: Result[];
      [image, ...more] = read((yield [render(code!.id)])[0]);
      assert.deepEqual(more, []);
      const [retargeted] = read((yield [retarget(code!.publicUrl, SECOND)])[0]);
      assert.deepEqual(retargeted, { ...code, updatedAt: retargeted!['updatedAt'], targetUrl: SECOND });
      return `${code!.publicUrl} leads to ${SECOND}.`;
    });

    for (const { description } of shown) assert.match(description, /in QR Service$/);
    const { id, publicUrl } = code!;
    const answers = execution.items['AI Agent']?.map(({ json }) => json['output']);
    assert.deepEqual(answers, [`${publicUrl} leads to ${SECOND}.`]);
    const codes = await allCodes(client);
    assert.deepEqual(
      codes.flatMap((each) => (each.name === NAME ? [each.id] : [])),
      [id],
    );
    assert.equal(await target(publicUrl), SECOND);

    assert.match(String(image!['message']), /whose workflow downloads the image/);
  });

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
