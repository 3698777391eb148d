import assert from 'node:assert/strict';
import { until } from '../support/n8n/executions.ts';
import { chain, TRIGGER } from '../support/n8n/workflows.ts';
import type { QueueWorld } from '../support/n8nQueue/world.ts';
import { waitUntilDelivered } from './waitUntilDelivered.ts';

/** Only ends a hang: a busy machine may be slow. */
const TIMEOUT_MS = 300_000;

/**
 * Kills the main after the service has created the subscription, but before n8n has stored it. n8n has already stored
 * the webhook's route, takes the activation for complete, and doesn't call the trigger again. The log must then name
 * the trigger, and doing what it says must recover: publishing the workflow again makes a second subscription, and the
 * first one is removed in the app. Deliveries that were rejected in the meantime are lost with it.
 */
export async function killMain(world: QueueWorld): Promise<string> {
  const { cluster, credential, sheet } = world;
  const { control } = world.emulator;
  const { n8n, main, processor, postgres } = cluster;
  const workflowId = await n8n.saveWorkflow(
    chain('Killed activation', credential, [
      { name: 'Trigger', type: TRIGGER, parameters: { events: ['qr.created'] } },
      { name: 'Created', ...sheet.writer('Created') },
    ]),
  );
  const stored = async () =>
    JSON.stringify(
      await postgres.query(`SELECT "staticData" FROM workflow_entity WHERE id = '${workflowId}'`),
    );
  const subscriptionIds = () => control.subscriptions().map(({ id }) => id);
  // The service creates the subscription, but its response never arrives.
  control.failNext({ match: { method: 'POST', path: '/webhooks' }, drop: 'after', times: Infinity });
  const activation = n8n.activate(workflowId).catch(() => undefined);
  await until('the service has created the subscription', () => subscriptionIds().length > 0);
  await main.kill();
  control.clearFaults();
  await activation;
  const [id] = subscriptionIds();
  assert.ok(!(await stored()).includes(id!), 'n8n had not stored the subscription');
  await cluster.waitUntilReady();
  await until(
    'n8n has ended the activation',
    async () =>
      (await postgres.query(`SELECT 1 FROM workflow_publication_outbox WHERE status = 'in_progress'`))
        .length === 0,
    TIMEOUT_MS,
  );
  assert.deepEqual(subscriptionIds(), [id], 'there is one subscription');

  control.emit('qr.created');
  await until('the log names the trigger and the fix', () =>
    /missing_secret.*unpublish the workflow and publish it again/.test(processor.log()),
  );
  await n8n.deactivate(workflowId);
  await n8n.activate(workflowId);
  assert.equal(subscriptionIds().length, 2, 'publishing again makes one subscription');
  await world.client.webhooks.unsubscribe(id!);
  const next = control.emit('qr.created');
  await waitUntilDelivered(cluster, world.emulator, new Set([next.id]));
  const rows = () => sheet.rows('Created').filter(({ eventId }) => eventId === next.id);
  await until('the event is in the sheet', () => rows().length > 0, TIMEOUT_MS);
  assert.equal(rows().length, 1);
  await n8n.deactivate(workflowId);
  assert.deepEqual(subscriptionIds(), []);
  return "n8n didn't call the trigger again; the log named it and what to do; doing so left one subscription, and the next event arrived once";
}
