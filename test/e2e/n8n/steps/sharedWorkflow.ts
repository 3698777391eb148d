import assert from 'node:assert/strict';
import { BRAND, headerNames } from '@qr-service/core/connector';
import { signWebhook } from '@qr-service/core';
import { until, waitForExecutions } from '../../support/n8n/executions.ts';
import { chain, NO_OP, POLL_OFTEN, POLLING_TRIGGER, TRIGGER } from '../../support/n8n/workflows.ts';
import type { World } from '../../support/n8n/world.ts';
import { step } from '../../support/suite/step.ts';

const NAME = 'Both triggers';
const NAMES = headerNames(BRAND.headerPrefix);

/** The instant trigger next to a polling trigger, whose polls make n8n write old static data back. */
export function sharedWorkflowSteps({ n8n, server, emulator: { control }, client, credential }: World): void {
  const workflow = chain(NAME, credential, [
    { name: 'Events', type: TRIGGER, parameters: { events: ['export.ready'] } },
    { name: 'Rows', type: NO_OP },
    { name: 'Polls', type: POLLING_TRIGGER, parameters: { watch: 'changedCodes', ...POLL_OFTEN } },
  ]);
  workflow.connections = {
    Events: workflow.connections['Events']!,
    Polls: workflow.connections['Events']!,
  };
  let workflowId = '';
  let others: readonly string[] = [];

  const own = () => control.subscriptions().filter(({ id }) => !others.includes(id));
  const runsOf = async (trigger: string) =>
    (await waitForExecutions(n8n, workflowId)).filter(({ items }) => items[trigger] !== undefined);
  const subscribing = () => control.requests().filter(({ path }) => path.includes('/webhooks')).length;

  async function publish(events: string[]): Promise<void> {
    workflow.nodes[0]!.parameters = { events };
    await n8n.updateWorkflow(workflowId, workflow);
    await n8n.activate(workflowId);
    assert.deepEqual(
      own().map(({ eventTypes }) => eventTypes),
      [events],
    );
  }

  /** n8n writes static data back with each poll that starts an execution. */
  async function poll(): Promise<void> {
    const before = (await runsOf('Polls')).length;
    const content = { targetUrl: 'https://example.com/' };
    await client.qr.create({ name: 'Both', mode: 'dynamic', contentType: 'url', content });
    await until('a poll starts an execution', async () => (await runsOf('Polls')).length > before);
  }

  async function expectOneRun(): Promise<void> {
    const before = (await runsOf('Events')).length;
    const { id } = control.emit('export.ready');
    await control.settled();
    await until('the event starts an execution', async () => (await runsOf('Events')).length > before);
    const runs = (await runsOf('Events')).slice(before);
    assert.deepEqual(
      runs.map(({ items }) => items['Rows']?.[0]?.json['eventId']),
      [id],
    );
  }

  step('an event starts one execution after a poll wrote the former signing secret back', async () => {
    others = control.subscriptions().map(({ id }) => id);
    workflowId = await n8n.saveWorkflow(workflow);
    await n8n.activate(workflowId);
    await publish(['export.ready', 'qr.archived']);
    await poll();
    await expectOneRun();
    assert.match(server.log(), new RegExp(`restored old static data of the workflow "${NAME}"`));
  });

  step('forged deliveries to that trigger cause no request to the service', async () => {
    const before = subscribing();
    const body = JSON.stringify({ id: 'evt_1', type: 'export.ready', workspaceId: 'ws', data: {} });
    for (let index = 0; index < 20; index++) {
      const timestamp = Math.floor(Date.now() / 1000);
      const response = await fetch(server.url + new URL(own()[0]!.url).pathname, {
        method: 'POST',
        headers: {
          'Content-Type': 'application/json',
          [NAMES.timestamp]: String(timestamp),
          [NAMES.signature]: signWebhook({ body, secret: 'a made-up secret', timestamp }),
        },
        body,
      });
      assert.equal(response.status, 401);
    }
    assert.equal(subscribing(), before);
  });

  step('after a restart, events are refused until what the log advises is done', async () => {
    await publish(['export.ready', 'qr.deleted']);
    await poll();
    await server.restart();
    const [lost] = own();
    control.emit('export.ready');
    await until('the log says what to do', () =>
      /signature_mismatch.*move the polling trigger to another workflow, then unpublish the workflow and publish it again/.test(
        server.log(),
      ),
    );
    await n8n.deactivate(workflowId);
    workflow.nodes = workflow.nodes.filter(({ name }) => name !== 'Polls');
    delete workflow.connections['Polls'];
    await n8n.updateWorkflow(workflowId, workflow);
    await n8n.activate(workflowId);
    await client.webhooks.unsubscribe(lost!.id);
    await expectOneRun();
    await n8n.deactivate(workflowId);
    await until('the subscription is gone', () => own().length === 0);
  });
}
