import assert from 'node:assert/strict';
import { until, waitForExecutions } from '../../support/n8n/executions.ts';
import { chain, NO_OP, TRIGGER } from '../../support/n8n/workflows.ts';
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

  step('a forged delivery gets a 401 and starts nothing, its genuine retry a 200', async () => {
    control.failDeliveries({ kind: 'wrong secret' });
    const { id } = control.emit('qr.created');
    await control.settled();
    const sent = control
      .deliveries()
      .find((delivery) => delivery.eventId === id && delivery.subscriptionId === subscriptionId)!;
    assert.deepEqual(
      sent.attempts.map(({ status }) => status),
      [401, 200],
    );
    assert.equal((await waitForExecutions(n8n, workflowId, 21)).length, 21);
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
}
