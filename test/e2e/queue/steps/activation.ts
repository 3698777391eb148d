import assert from 'node:assert/strict';
import { until } from '../../support/n8n/executions.ts';
import { chain, TRIGGER } from '../../support/n8n/workflows.ts';
import { step } from '../../support/suite/step.ts';
import type { QueueWorld } from '../main.ts';

/** Only ends a hang: a busy machine may be slow. */
const TIMEOUT_MS = 300_000;

/**
 * The main is killed after the service has created the subscription, but before n8n has stored it. n8n has already stored
 * the webhook's route, takes the activation for complete, and doesn't call the trigger again.
 */
export function activationSteps({ cluster, emulator, client, credential, sheet }: QueueWorld): void {
  const { control } = emulator;
  const { n8n, main, processor, postgres } = cluster;
  const subscriptionIds = () => control.subscriptions().map(({ id }) => id);
  let workflowId = '';
  let orphan = '';

  step('a main killed between subscribing and saving leaves one subscription', async () => {
    workflowId = await n8n.saveWorkflow(
      chain('Killed activation', credential, [
        { name: 'Trigger', type: TRIGGER, parameters: { events: ['qr.created'] } },
        { name: 'Created', ...sheet.writer('Created') },
      ]),
    );
    // The service creates the subscription, but its response never arrives.
    control.failNext({ match: { method: 'POST', path: '/webhooks' }, drop: 'after', times: Infinity });
    const activation = n8n.activate(workflowId).catch(() => undefined);
    await until('the service has created the subscription', () => subscriptionIds().length > 0);
    await main.kill();
    control.clearFaults();
    await activation;
    [orphan = ''] = subscriptionIds();
    const stored = await postgres.query(
      `SELECT "staticData" FROM workflow_entity WHERE id = '${workflowId}'`,
    );
    assert.ok(!JSON.stringify(stored).includes(orphan), 'n8n had not stored the subscription');
    await cluster.waitUntilReady();
    const running = `SELECT 1 FROM workflow_publication_outbox WHERE status = 'in_progress'`;
    await until(
      'n8n has ended the activation',
      async () => (await postgres.query(running)).length === 0,
      TIMEOUT_MS,
    );
    assert.deepEqual(subscriptionIds(), [orphan]);
  });

  step('its deliveries are logged with what to do, and doing that recovers', async () => {
    control.emit('qr.created');
    await until('the log names the trigger and the fix', () =>
      /missing_secret.*unpublish the workflow and publish it again/.test(processor.log()),
    );
    await n8n.deactivate(workflowId);
    await n8n.activate(workflowId);
    assert.equal(subscriptionIds().length, 2, 'publishing again makes one subscription');
    await client.webhooks.unsubscribe(orphan);
    const { id } = control.emit('qr.created');
    const rows = () => sheet.rows('Created').filter(({ eventId }) => eventId === id);
    await until('the event is in the sheet', () => rows().length > 0, TIMEOUT_MS);
    assert.equal(rows().length, 1);
    await n8n.deactivate(workflowId);
    assert.deepEqual(subscriptionIds(), []);
  });
}
