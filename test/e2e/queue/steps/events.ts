import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import type { EventType } from '@qr-service/core';
import { until } from '../../support/n8n/executions.ts';
import { example } from '../../support/n8n/workflows.ts';
import { step } from '../../support/suite/step.ts';
import type { QueueWorld } from '../main.ts';

const EVENTS = 300;
const PER_SECOND = 40;
const TYPES: readonly EventType[] = [
  'qr.created',
  'qr.published',
  'qr.updated',
  'feedback.response_received',
];
/** Only ends a hang: a busy machine may be slow. */
const TIMEOUT_MS = 300_000;

/** The instant trigger, in the example that writes each event to a sheet. */
export function eventSteps({ cluster, emulator: { control }, credential, sheet }: QueueWorld): void {
  const { n8n, processor } = cluster;
  let workflowId = '';
  const webhookPath = () => new URL(control.subscriptions().at(-1)!.url).pathname;
  const written = () => sheet.rows('Rows').map(({ eventId }) => eventId as string);
  const executions = () => n8n.succeeded(workflowId);

  step('the main activates the instant trigger, and only the webhook processor serves it', async () => {
    workflowId = await n8n.saveWorkflow(example('signed-events-to-rows', credential, sheet.writer));
    await n8n.activate(workflowId);
    assert.equal(control.subscriptions().length, 1);
    // The processor didn't create the subscription: it reads the secret from the database.
    const { id } = control.emit('qr.published');
    await until('the event is in the sheet', () => written().includes(id));
    await until('the execution is saved', async () => (await executions()) === 1);
    assert.equal((await fetch(cluster.url + webhookPath(), { method: 'POST' })).status, 404);
  });

  step('events start one execution each despite duplicates', async () => {
    const before = { rows: written().length, executions: await executions() };
    const sent = await emitEvents((index) => {
      if (index % 10 === 0)
        control.failDeliveries({ kind: index % 20 === 0 ? 'duplicate' : 'second delivery id' });
    });
    await control.settled();
    const expected = before.executions + sent.size;
    await until('each event was executed', async () => (await executions()) >= expected, TIMEOUT_MS);
    assert.deepEqual(written().slice(before.rows).sort(), [...sent].sort());
    assert.equal(await executions(), expected);
  });

  step('each event reaches the sheet although the webhook processor is killed meanwhile', async () => {
    const before = written().length;
    const sent = await emitEvents((index) => {
      if (index === EVENTS / 2) void processor.kill();
    });
    await waitUntilDelivered(sent);
    const rows = () => written().slice(before);
    await until('all events are in the sheet', () => new Set(rows()).size >= sent.size, TIMEOUT_MS);
    assert.deepEqual([...new Set(rows())].sort(), [...sent].sort());
    // A delivery whose response was lost comes again. If the example's Remove Duplicates has lost its list, a real sheet
    // finds the event's row and updates it.
    const attempts = (eventId: string) =>
      control.deliveries().flatMap((delivery) => (delivery.eventId === eventId ? delivery.attempts : []));
    const twice = rows().filter((eventId, index, all) => all.indexOf(eventId) !== index);
    for (const eventId of twice) assert.ok(attempts(eventId).length > 1);
    await n8n.deactivate(workflowId);
    assert.deepEqual(control.subscriptions(), []);
  });

  /** Emits events at a steady rate. Returns their IDs. */
  async function emitEvents(atEach: (index: number) => void): Promise<Set<string>> {
    const sent = new Set<string>();
    const startedAt = performance.now();
    for (let index = 0; index < EVENTS; index++) {
      atEach(index);
      sent.add(control.emit(TYPES[index % TYPES.length]!).id);
      await sleep(Math.max(0, startedAt + ((index + 1) * 1000) / PER_SECOND - performance.now()));
    }
    return sent;
  }

  /** Redelivers events that the service gave up on because n8n took too long to start. */
  async function waitUntilDelivered(eventIds: ReadonlySet<string>): Promise<void> {
    for (;;) {
      await cluster.waitUntilReady();
      await control.settled();
      const deliveries = control.deliveries().filter(({ eventId }) => eventIds.has(eventId));
      const failed = deliveries.filter(({ status }) => status !== 'delivered');
      if (failed.length === 0) return;
      for (const { id } of failed) control.redeliver(id);
    }
  }
}
