import assert from 'node:assert/strict';
import { until, waitForExecutions, waitForPolls } from '../../support/n8n/executions.ts';
import { chain, NO_OP, POLL_OFTEN, POLLING_TRIGGER } from '../../support/n8n/workflows.ts';
import type { World } from '../../support/n8n/world.ts';
import { step } from '../../support/suite/step.ts';

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

const CODE = {
  name: 'Polled',
  mode: 'dynamic',
  contentType: 'url',
  content: { targetUrl: 'https://example.com/' },
} as const;

/** Activates a workflow that polls. Returns its ID. */
async function startPolling({ n8n, credential }: World, watch: string): Promise<string> {
  const id = await n8n.saveWorkflow(
    chain(`Poll ${watch}`, credential, [
      { name: 'Trigger', type: POLLING_TRIGGER, parameters: { watch, ...POLL_OFTEN } },
      { name: 'Rows', type: NO_OP },
    ]),
  );
  await n8n.activate(id);
  return id;
}

/** What a workflow emitted. */
async function rowsOf({ n8n }: World, workflowId: string): Promise<{ id: string; updatedAt: string }[]> {
  const executions = await waitForExecutions(n8n, workflowId);
  return executions.flatMap(({ items }) => items['Rows'] ?? []).map(({ json }) => json as never);
}

export function pollingSteps(world: World, suffix = ''): void {
  const { n8n, client, emulator } = world;
  step(`the polling trigger emits each changed code and each scan once${suffix}`, async () => {
    const changes = await startPolling(world, 'changedCodes');
    const scans = await startPolling(world, 'scans');
    const code = await client.qr.create(CODE);
    await client.qr.publish(code.id);
    await fetch(code.publicUrl, { redirect: 'manual' });
    // Rows of the first poll must not be emitted again by the second one.
    await Promise.all([
      waitForPolls(emulator.control, '/qr', 3),
      waitForPolls(emulator.control, '/scans', 3),
    ]);
    const states = (await rowsOf(world, changes)).map(({ id, updatedAt }) => `${id} ${updatedAt}`);
    assert.ok(states.some((state) => state.startsWith(code.id)));
    assert.equal(new Set(states).size, states.length);
    assert.equal((await rowsOf(world, scans)).length, 1);
    await Promise.all([n8n.deactivate(changes), n8n.deactivate(scans)]);
  });
}

export function durablePollingSteps(world: World): void {
  const { server, n8n, client, emulator } = world;
  pollingSteps(world, ", on n8n's durable scheduler");

  step('each change is emitted once when n8n is killed between polls of its durable scheduler', async () => {
    const workflowId = await startPolling(world, 'changedCodes');
    const created: string[] = [];
    const create = async (count: number) => {
      for (let i = 0; i < count; i++) created.push((await client.qr.create(CODE)).id);
    };
    const emitted = async () => (await rowsOf(world, workflowId)).map(({ id }) => id);
    // Before the first scheduled poll, so the stored cursor is the one from the activation.
    await create(1);
    await until('the first change is emitted', async () => (await emitted()).length > 0, TIMEOUT_MS);
    await create(CODES);
    await until('some changes are emitted', async () => (await emitted()).length > 1, TIMEOUT_MS);
    await server.crash(() => create(50));
    const isComplete = async () => new Set(await emitted()).size >= created.length;
    await until('all changes are emitted', isComplete, TIMEOUT_MS);
    // Emitted changes must not be emitted again.
    const before = emulator.control.requestCount();
    await until('n8n has polled some more', () => emulator.control.requestCount() > before + 30, TIMEOUT_MS);
    assert.deepEqual((await emitted()).sort(), created.sort());
    await n8n.deactivate(workflowId);
  });
}
