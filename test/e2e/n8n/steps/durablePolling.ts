import assert from 'node:assert/strict';
import { waitForExecutions, until } from '../../support/n8n/executions.ts';
import { chain, NO_OP, POLL_OFTEN, POLLING_TRIGGER } from '../../support/n8n/workflows.ts';
import type { World } from '../../support/n8n/world.ts';
import { step } from '../../support/suite/step.ts';
import { pollingSteps } from './polling.ts';

/** n8n's durable scheduler, which runs polls from its database and abandons those that take too long. */
export const DURABLE_SCHEDULER = {
  N8N_SCHEDULER_ENABLED: 'true',
  N8N_SCHEDULER_POLL_TRIGGERS_ENABLED: 'true',
  N8N_POLLER_DURABLE_CURSORS_ENABLED: 'true',
  N8N_USE_WORKFLOW_PUBLICATION_SERVICE: 'true',
};

/** More than one poll can return. */
const CODES = 1200;
/** Only ends a hang: after a kill, the server first waits until its earlier tasks count as lost. */
const TIMEOUT_MS = 300_000;

export function durablePollingSteps(world: World): void {
  const { server, n8n, client, credential, emulator } = world;
  pollingSteps(world, ", on n8n's durable scheduler");

  step('each change is emitted once when n8n is killed between polls of its durable scheduler', async () => {
    const workflowId = await n8n.saveWorkflow(
      chain('Durable', credential, [
        { name: 'Trigger', type: POLLING_TRIGGER, parameters: { watch: 'changedCodes', ...POLL_OFTEN } },
        { name: 'Rows', type: NO_OP },
      ]),
    );
    await n8n.activate(workflowId);
    const created: string[] = [];
    const create = async (count: number) => {
      const content = { targetUrl: 'https://example.com/' };
      for (let i = 0; i < count; i++)
        created.push(
          (await client.qr.create({ name: 'Durable', mode: 'dynamic', contentType: 'url', content })).id,
        );
    };
    const emitted = async () =>
      (await waitForExecutions(n8n, workflowId))
        .flatMap(({ items }) => items['Rows'] ?? [])
        .map(({ json }) => json['id'] as string);
    // Before the first scheduled poll, so the stored cursor is the one from the activation.
    await create(1);
    await until('the first change is emitted', async () => (await emitted()).length > 0, TIMEOUT_MS);
    await create(CODES);
    await until('some changes are emitted', async () => (await emitted()).length > 1, TIMEOUT_MS);
    await server.crash(() => create(50));
    await until(
      'all changes are emitted',
      async () => new Set(await emitted()).size >= created.length,
      TIMEOUT_MS,
    );
    // Emitted changes must not be emitted again.
    const polls = () => emulator.control.requestCount();
    const before = polls();
    await until('n8n has polled some more', () => polls() > before + 30, TIMEOUT_MS);
    const ids = await emitted();
    assert.deepEqual([...ids].sort(), [...created].sort());
    await n8n.deactivate(workflowId);
  });
}
