import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import type { EventType } from '@qr-service/core';
import { until } from '../../support/n8n/executions.ts';
import { example } from '../../support/n8n/workflows.ts';
import { step } from '../../support/suite/step.ts';
import { postForged } from '../forge.ts';
import type { QueueWorld } from '../../support/n8nQueue/world.ts';

const EVENTS = 1000;
const PER_SECOND = 50;
const DUPLICATES = 100;
const FORGED = 50;
const TIMEOUT_MS = 240_000;
const TYPES: readonly EventType[] = [
  'qr.created',
  'qr.published',
  'qr.updated',
  'feedback.response_received',
];

/** The instant trigger, in the example that writes each event to a sheet. */
export function eventSteps({ cluster, emulator: { control }, credential, sheet }: QueueWorld): void {
  const { n8n, processor, workers } = cluster;
  let workflowId = '';
  const subscription = () => control.subscriptions().at(-1)!;
  const written = () => sheet.rows('Rows').map(({ eventId }) => eventId as string);

  step('the main activates the instant trigger, and only the webhook processor serves it', async () => {
    workflowId = await n8n.saveWorkflow(example('signed-events-to-rows', credential, sheet.writer));
    await n8n.activate(workflowId);
    assert.equal(control.subscriptions().length, 1);
    // The processor didn't create the subscription: it reads the secret from the database.
    const { id } = control.emit('qr.published');
    await control.settled();
    await until('the event is in the sheet', () => written().includes(id));
    const path = new URL(subscription().url).pathname;
    assert.equal((await fetch(cluster.url + path, { method: 'POST' })).status, 404);
    assert.equal(await postForged(cluster.address, subscription().url), 401);
  });

  step(
    `${EVENTS} events at ${PER_SECOND} a second each start one execution despite duplicates, and forged ones none`,
    sendEvents,
    TIMEOUT_MS,
  );

  async function sendEvents(): Promise<void> {
    const before = { rows: written().length, executions: await n8n.succeeded(workflowId) };
    const sent = new Set<string>();
    const forged: Promise<number>[] = [];
    const startedAt = performance.now();
    for (let index = 0; index < EVENTS; index++) {
      if (index % (EVENTS / DUPLICATES) === 0)
        control.failDeliveries({ kind: index % 20 === 0 ? 'duplicate' : 'second delivery id' });
      sent.add(control.emit(TYPES[index % TYPES.length]!).id);
      if (index % (EVENTS / FORGED) === 0) forged.push(postForged(cluster.address, subscription().url));
      await sleep(Math.max(0, startedAt + ((index + 1) * 1000) / PER_SECOND - performance.now()));
    }
    await control.settled();
    const settledMs = performance.now() - startedAt;
    const executions = () => n8n.succeeded(workflowId);
    const expected = before.executions + sent.size;
    await until('each event was executed', async () => (await executions()) >= expected, TIMEOUT_MS);
    const seconds = (performance.now() - startedAt) / 1000;
    assert.deepEqual(written().slice(before.rows).sort(), [...sent].sort());
    assert.deepEqual(new Set(await Promise.all(forged)), new Set([401]));
    assert.equal(await executions(), expected);
    const ran = workers.map((worker) => worker.log().split('Worker started execution').length - 1);
    assert.ok(
      ran.every((count) => count > 0),
      `both workers ran executions: ${ran.join(' and ')}`,
    );
    const deliveries = control.deliveries().filter(({ eventId }) => sent.has(eventId));
    const attempts = deliveries.reduce((sum, delivery) => sum + delivery.attempts.length, 0);
    console.log(
      `  ${sent.size} events in ${attempts} deliveries, and ${forged.length} forged ones: ${sent.size} executions and ` +
        `rows, one each; sent and delivered in ${(settledMs / 1000).toFixed(1)} s, written after ${seconds.toFixed(1)} s`,
    );
  }

  step(
    'events redelivered after a processor restart are dropped by Remove Duplicates or write the same row',
    async () => {
      cluster.supervise(false);
      await processor.stop();
      await processor.start();
      cluster.supervise(true);
      const before = { rows: written().length, executions: await n8n.succeeded(workflowId) };
      const deliveries = new Map(control.deliveries().map((delivery) => [delivery.eventId, delivery]));
      const again = written()
        .slice(-DUPLICATES)
        .map((eventId) => deliveries.get(eventId)!);
      for (const [index, { id }] of again.entries())
        control.redeliver(id, { newDeliveryId: index % 2 === 0 });
      await control.settled();
      const expected = before.executions + again.length;
      await until('they were executed', async () => (await n8n.succeeded(workflowId)) >= expected);
      const passed = written().slice(before.rows);
      const known = new Set(written().slice(0, before.rows));
      assert.ok(passed.every((eventId) => known.has(eventId)));
      console.log(
        `  ${again.length} redelivered events: Remove Duplicates dropped ${again.length - passed.length}, and missed ` +
          `${passed.length}, which it lost when executions wrote its list concurrently`,
      );
    },
  );

  step('deactivation removes the subscription', async () => {
    await n8n.deactivate(workflowId);
    assert.deepEqual(control.subscriptions(), []);
  });
}
