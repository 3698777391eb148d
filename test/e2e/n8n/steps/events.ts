import assert from 'node:assert/strict';
import { SERVICE_HEADERS } from '@qr-service/core/connector';
import { signWebhook } from '@qr-service/core';
import { waitForExecutions, until } from '../../support/n8n/executions.ts';
import { step, stepUnless } from '../../support/suite/step.ts';
import { chain, NO_OP, TRIGGER } from '../../support/n8n/workflows.ts';
import type { World } from '../../support/n8n/world.ts';

export function eventSteps({ n8n, server, emulator, credential }: World): void {
  const { control } = emulator;
  const stepOnOwnServer = stepUnless(server.external);
  const subscription = () => control.subscriptions().find(({ id }) => id === subscriptionId)!;
  const deliveries = () =>
    control.deliveries().filter((delivery) => delivery.subscriptionId === subscriptionId);
  let subscriptionId = '';
  let workflowId = '';

  /** Posts to the workflow as the service would. Returns the status. */
  async function post(body: string, headers: Record<string, string>): Promise<number> {
    const { pathname } = new URL(subscription().url);
    const response = await fetch(server.url + pathname, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...headers },
      body,
    });
    return response.status;
  }

  step('activation subscribes to the selected events', async () => {
    const others = new Set(control.subscriptions().map(({ id }) => id));
    workflowId = await n8n.saveWorkflow(
      chain('Events', credential, [
        { name: 'Trigger', type: TRIGGER, parameters: { events: ['qr.created', 'qr.updated'] } },
        { name: 'Rows', type: NO_OP },
      ]),
    );
    await n8n.activate(workflowId);
    const created = control.subscriptions().filter(({ id }) => !others.has(id));
    assert.deepEqual(
      created.map(({ eventTypes }) => eventTypes),
      [['qr.created', 'qr.updated']],
    );
    subscriptionId = created[0]!.id;
  });

  step('each event starts one execution, even for simultaneous events', async () => {
    for (let index = 0; index < 20; index++) control.emit('qr.created');
    control.emit('qr.archived');
    await control.settled();
    const executions = await waitForExecutions(n8n, workflowId, 20);
    assert.deepEqual(
      executions.map(({ status, items }) => [status, items['Rows']?.[0]?.json['type']]),
      Array.from({ length: 20 }, () => ['success', 'qr.created']),
    );
    const eventIds = executions.map(({ items }) => items['Rows']?.[0]?.json['eventId']);
    assert.equal(new Set(eventIds).size, 20);
  });

  step('a redelivery starts nothing, with the same or a new delivery ID', async () => {
    const [delivered] = deliveries();
    control.redeliver(delivered!.id);
    control.redeliver(delivered!.id, { newDeliveryId: true });
    await control.settled();
    const redelivered = deliveries().filter(({ eventId }) => eventId === delivered!.eventId);
    assert.deepEqual(
      redelivered.map(({ attempts }) => attempts.at(-1)!.status),
      [200, 200],
    );
    assert.equal((await waitForExecutions(n8n, workflowId)).length, 20);
  });

  step('forged, changed, stale, unsigned and V0-only deliveries get a 401 and start nothing', async () => {
    const { secret } = subscription();
    const { body, attempts } = deliveries()[0]!;
    const { [SERVICE_HEADERS.signatureV0]: signatureV0 } = attempts[0]!.headers;
    // The new ID rules out deduplication, so only signature verification can reject it.
    const event = { ...(JSON.parse(body) as object), id: 'evt_forged' };
    const forged = JSON.stringify(event);
    const now = Math.floor(Date.now() / 1000);
    const signed = (by: string, timestamp: number, text = forged) => ({
      [SERVICE_HEADERS.timestamp]: String(timestamp),
      [SERVICE_HEADERS.signature]: signWebhook({ body: text, secret: by, timestamp }),
      [SERVICE_HEADERS.delivery]: 'dlv_forged',
      [SERVICE_HEADERS.event]: 'qr.created',
    });
    const statuses = {
      forged: await post(forged, signed('a made-up secret', now)),
      changed: await post(forged.replace('evt_forged', 'evt_other'), signed(secret, now)),
      stale: await post(forged, signed(secret, now - 3600)),
      unsigned: await post(forged, {}),
      old: await post(body, { [SERVICE_HEADERS.signatureV0]: signatureV0 ?? '' }),
    };
    assert.deepEqual(statuses, { forged: 401, changed: 401, stale: 401, unsigned: 401, old: 401 });
    assert.equal((await waitForExecutions(n8n, workflowId)).length, 20);
    assert.equal(await post(forged, signed(secret, now)), 200);
    assert.equal((await waitForExecutions(n8n, workflowId, 21)).length, 21);
  });

  stepOnOwnServer('a restart keeps the subscription and receives the missed events once', async () => {
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

  step('deactivation removes the subscription', async () => {
    await n8n.deactivate(workflowId);
    await until('the subscription is gone', () =>
      control.subscriptions().every(({ id }) => id !== subscriptionId),
    );
  });
}
