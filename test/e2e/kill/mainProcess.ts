import assert from 'node:assert/strict';
import { until } from '../../../harness/n8n/executions.ts';
import { chain, TRIGGER } from '../../../harness/n8n/workflows.ts';
import type { QueueWorld } from '../../../harness/n8nQueue/world.ts';
import { waitUntilDelivered } from './waitUntilDelivered.ts';

/** Only ends a hang: what is waited for comes, however busy the machine is. */
const TIMEOUT_MS = 300_000;

/**
 * The main ends where it stands when the service has made the subscription and n8n has not stored it yet. n8n takes
 * the route that it stored before for proof that all is done, and does not ask the trigger again: it is named then,
 * and heals when the workflow is published again, with one subscription and none left behind. What was refused
 * meanwhile by another process than the main is lost with the old one.
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
  // The service makes the subscription, and its answer never arrives.
  control.failNext({ match: { method: 'POST', path: '/webhooks' }, drop: 'after', times: Infinity });
  const activation = n8n.activate(workflowId).catch(() => undefined);
  await until('the service has made the subscription', () => subscriptionIds().length > 0);
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

  const event = control.emit('qr.created');
  const arrived = () => sheet.rows('Created').some(({ eventId }) => eventId === event.id);
  const isLogged = () => /missing_secret.*activate it again/.test(processor.log());
  await until(
    'the event arrives, or the log names the trigger and the remedy',
    () => arrived() || isLogged(),
  );
  const recovered = !isLogged();
  if (!recovered) {
    await n8n.deactivate(workflowId);
    await n8n.activate(workflowId);
    assert.equal(subscriptionIds().length, 1, 'there is one subscription');
  }
  const next = recovered ? event : control.emit('qr.created');
  await waitUntilDelivered(cluster, world.emulator, new Set([next.id]));
  const rows = () => sheet.rows('Created').filter(({ eventId }) => eventId === next.id);
  await until('the event is in the sheet, be it late', () => rows().length > 0, TIMEOUT_MS);
  assert.equal(rows().length, 1);
  await n8n.deactivate(workflowId);
  assert.deepEqual(subscriptionIds(), []);
  return recovered
    ? 'started again, n8n was given the same subscription with its secret; its event arrived once'
    : 'n8n did not ask again; the log named the trigger and what to do; published again, it had one subscription, none was left behind, and the next event arrived once';
}
