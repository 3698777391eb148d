import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { BRAND, headerNames } from '@qr-service/core/connector';
import { sampleEvent } from '@qr-service/core/webhook';
import { signWebhook } from '@qr-service/core';
import { request } from 'undici';
import { startEmulatorProcess } from '../../engines/emulator/process.ts';
import { PUBLIC_HOST } from '../e2e/support/n8n/n8nServer.ts';
import { chain, NO_OP, TRIGGER, type Step } from '../e2e/support/n8n/workflows.ts';
import { CREDENTIAL_TYPE, credentialFor, startConnectedServer } from '../e2e/support/n8n/world.ts';
import { runConcurrently, compare, record } from './compare.ts';

const EVENTS = 100;
const CONCURRENCY = 8;

const NAMES = headerNames(BRAND.headerPrefix);

/** How many events per second become finished and saved executions on a real n8n server? */
export async function run(): Promise<void> {
  const { server, n8n } = await startConnectedServer({
    publicUrl: `https://${PUBLIC_HOST}/`,
  });
  const emulator = await startEmulatorProcess({
    port: 4100,
    connectTo: { [PUBLIC_HOST]: new URL(server.url).host },
  });
  const credential = await n8n.saveCredential(CREDENTIAL_TYPE, credentialFor(emulator));

  const behind = { name: 'Rows', type: NO_OP };
  const activate = async (name: string, trigger: Step) => {
    const workflowId = await n8n.saveWorkflow(chain(name, credential, [trigger, behind]));
    await n8n.activate(workflowId);
    return workflowId;
  };
  const ours = await activate('Signed', { name: 'T', type: TRIGGER, parameters: { events: ['*'] } });
  // Deliveries to other triggers wait for an isolate for expressions, but n8n exempts its own Webhook node from version
  // 2 on, if its parameters are fixed (webhookPhaseNeedsIsolate). Version 1 waits for the isolate, as our node does.
  const webhook = (path: string, typeVersion: number) =>
    activate(path, {
      name: 'T',
      type: 'n8n-nodes-base.webhook',
      typeVersion,
      parameters: { httpMethod: 'POST', path, responseMode: 'onReceived', options: {} },
    });
  const bare = await webhook('bare', 1);
  const exempt = await webhook('exempt', 2);
  const [{ url, secret } = { url: '', secret: '' }] = await emulator.control.subscriptions();

  const post = async (path: string) => {
    const body = JSON.stringify({ ...sampleEvent('qr.created'), id: `evt_${randomUUID()}` });
    const timestamp = Math.floor(Date.now() / 1000);
    const response = await request(server.url + path, {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        [NAMES.timestamp]: String(timestamp),
        [NAMES.signature]: signWebhook({ body, secret, timestamp }),
        [NAMES.delivery]: `dlv_${randomUUID()}`,
        [NAMES.event]: 'qr.created',
      },
      body,
    });
    await response.body.dump();
    if (response.statusCode !== 200) throw new Error(`${path} returned ${response.statusCode}.`);
  };
  const contender = (name: string, workflowId: string, path: string) => ({
    name,
    operations: EVENTS,
    run: async () => {
      const before = await n8n.succeeded(workflowId);
      await runConcurrently(EVENTS, CONCURRENCY, () => post(path));
      while ((await n8n.succeeded(workflowId)) < before + EVENTS) await sleep(50);
    },
  });
  const found = await compare(
    'Events into executions on a real server',
    [
      contender('QR Service Trigger', ours, new URL(url).pathname),
      contender('bare Webhook node', bare, '/webhook/bare'),
      contender('bare Webhook node, without the isolate', exempt, '/webhook/exempt'),
    ],
    [{ of: 'bare Webhook node', minRatio: 0.9 }],
  );
  record('n8n-server', found);
  await emulator.stop();
  await server.stop();
}
