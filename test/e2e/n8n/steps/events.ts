import assert from 'node:assert/strict';
import { SERVICE_HEADERS } from '@qr-service/core/connector';
import { signWebhook } from '@qr-service/core/webhook';
import { until, waitForExecutions } from '../../support/n8n/executions.ts';
import { chain, NO_OP, POLL_OFTEN, POLLING_TRIGGER, TRIGGER } from '../../support/n8n/workflows.ts';
import type { World } from '../../support/n8n/world.ts';
import { step } from '../../support/suite/step.ts';

/** The instant trigger, where a server decides: its webhooks, its restarts, and the publication of workflows. */
export function eventSteps({ n8n, server, emulator, credential }: World): void {
  const { control } = emulator;
  let subscriptionId = '';
  let workflowId = '';

  step('20 events at once start one execution each, and redeliveries none', async () => {
    const others = new Set(control.subscriptions().map(({ id }) => id));
    workflowId = await n8n.saveWorkflow(
      chain('Events', credential, [
        { name: 'Trigger', type: TRIGGER, parameters: { events: ['qr.created', 'qr.updated'] } },
        { name: 'Rows', type: NO_OP },
      ]),
    );
    await n8n.activate(workflowId);
    const [created] = control.subscriptions().filter(({ id }) => !others.has(id));
    subscriptionId = created!.id;
    for (let index = 0; index < 20; index++) control.emit('qr.created');
    control.emit('qr.archived');
    await control.settled();
    await waitForExecutions(n8n, workflowId, 20);
    const delivered = control.deliveries().find((delivery) => delivery.subscriptionId === subscriptionId)!;
    control.redeliver(delivered.id);
    control.redeliver(delivered.id, { newDeliveryId: true });
    await control.settled();
    const executions = await waitForExecutions(n8n, workflowId);
    const rows = executions.map(({ items }) => items['Rows']![0]!.json);
    assert.deepEqual(
      rows.map(({ type }) => type),
      Array.from({ length: 20 }, () => 'qr.created'),
    );
    assert.equal(new Set(rows.map(({ eventId }) => eventId)).size, 20);
  });

  step('a forged delivery gets a 401 and starts nothing, a genuine one a 200', async () => {
    const { secret, url } = control.subscriptions().find(({ id }) => id === subscriptionId)!;
    // The new ID rules out deduplication, so only signature verification can reject it.
    const body = JSON.stringify({ ...control.emit('qr.created'), id: 'evt_forged' });
    await control.settled();
    const before = (await waitForExecutions(n8n, workflowId, 21)).length;
    const timestamp = Math.floor(Date.now() / 1000);
    const post = async (by: string) => {
      const headers = {
        'Content-Type': 'application/json',
        [SERVICE_HEADERS.timestamp]: String(timestamp),
        [SERVICE_HEADERS.signature]: signWebhook({ body, secret: by, timestamp }),
        [SERVICE_HEADERS.delivery]: 'dlv_forged',
        [SERVICE_HEADERS.event]: 'qr.created',
      };
      return (await fetch(server.url + new URL(url).pathname, { method: 'POST', headers, body })).status;
    };
    assert.equal(await post('a made-up secret'), 401);
    assert.equal((await waitForExecutions(n8n, workflowId)).length, before);
    assert.equal(await post(secret), 200);
    assert.equal((await waitForExecutions(n8n, workflowId, before + 1)).length, before + 1);
  });

  step('a restart keeps the subscription and receives the missed events once', async () => {
    const subscribed = control.subscriptions();
    const before = (await waitForExecutions(n8n, workflowId)).length;
    await server.restart(() => {
      control.emit('qr.updated');
      control.emit('qr.updated');
    });
    control.emit('qr.created');
    await control.settled();
    const executions = (await waitForExecutions(n8n, workflowId, before + 3)).slice(before);
    assert.deepEqual(executions.map(({ items }) => items['Rows']?.[0]?.json['type'] as string).sort(), [
      'qr.created',
      'qr.updated',
      'qr.updated',
    ]);
    assert.deepEqual(control.subscriptions(), subscribed);
  });

  step('unpublishing removes the subscription', async () => {
    await n8n.deactivate(workflowId);
    await until('the subscription is gone', () =>
      control.subscriptions().every(({ id }) => id !== subscriptionId),
    );
  });

  step('publishing beside a polling trigger fails with the reason and what to do', async () => {
    const workflow = chain('Both triggers', credential, [
      { name: 'Events', type: TRIGGER, parameters: { events: ['export.ready'] } },
      { name: 'Rows', type: NO_OP },
      { name: 'Polls', type: POLLING_TRIGGER, parameters: { watch: 'changedCodes', ...POLL_OFTEN } },
    ]);
    const toRows = workflow.connections['Events']!;
    workflow.connections = { Events: toRows, Polls: toRows };
    const before = control.subscriptions();
    const id = await n8n.saveWorkflow(workflow);
    await assert.rejects(
      n8n.activate(id),
      /can't share a workflow with the trigger "Polls": n8n would refuse all events\. Move one of the two triggers to a workflow of its own\./,
    );
    assert.deepEqual(control.subscriptions(), before);
    await n8n.deactivate(id);
  });
}
