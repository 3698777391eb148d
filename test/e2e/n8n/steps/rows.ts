import assert from 'node:assert/strict';
import { until, waitForExecutions } from '../../support/n8n/executions.ts';
import { chain, CREATE, NO_OP, TRIGGER, workflowWithRows } from '../../support/n8n/workflows.ts';
import { allCodes, type World } from '../../support/n8n/world.ts';
import { step } from '../../support/suite/step.ts';

const ROWS_TO_CANCEL = 2000;
/** The node's concurrent requests. */
const CONCURRENCY = 10;
const PROBES = 100;

export function rowSteps({ n8n, server, emulator, client, credential }: World): void {
  const { control } = emulator;

  /** Sorted names of all codes that start with this text. */
  async function codesNamed(start: string): Promise<string[]> {
    const codes = await allCodes(client);
    return codes.flatMap(({ name }) => (name.startsWith(start) ? [name] : [])).sort();
  }

  const named = (start: string, count: number) =>
    Array.from({ length: count }, (_, index) => ({
      name: `${start} ${String(index).padStart(4, '0')}`,
      targetUrl: `https://example.com/${index}`,
    }));

  step('retrying an execution after n8n was killed creates no duplicates', async () => {
    const sheet = named('Killed', 200);
    const names = sheet.map(({ name }) => name);
    const jsCode = `return ${JSON.stringify(sheet)}`;
    // A manual run can't be retried after a crash, as n8n has stored nothing of it.
    const workflowId = await n8n.saveWorkflow(
      chain('Killed', credential, [
        { name: 'Trigger', type: TRIGGER, parameters: { events: ['export.ready'] } },
        { name: 'Rows', type: 'n8n-nodes-base.code', typeVersion: 2, parameters: { jsCode } },
        CREATE,
        { name: 'Behind', type: NO_OP },
      ]),
    );
    await n8n.activate(workflowId);
    control.failNext({ match: { method: 'POST', path: '/qr' }, times: 100, delayMs: 20 });
    control.emit('export.ready');
    await until('some codes are created', async () => (await codesNamed('Killed')).length >= 40);
    await server.crash(async () => {
      await control.settled();
      const created = (await codesNamed('Killed')).length;
      assert.ok(created < 200, `${created} codes were created before n8n was killed`);
    });

    const [killed] = await waitForExecutions(n8n, workflowId, 1);
    assert.equal(killed?.status, 'crashed');
    const { status, items, error } = await n8n.waitUntilEnded(await n8n.retry(killed.id));
    assert.equal(status, 'success', error);
    assert.deepEqual(
      items['Behind']?.map(({ json }) => json['name']),
      names,
    );
    assert.deepEqual(await codesNamed('Killed'), names);
    await n8n.deactivate(workflowId);
  });

  step('a cancelled execution ends and sends no new requests', async () => {
    control.failNext({ times: 200, delayMs: 50 });
    const before = control.requestCount();
    const sheet = named('Cancelled', ROWS_TO_CANCEL);
    const workflowId = await n8n.saveWorkflow(workflowWithRows('Cancelled', credential, sheet, CREATE));
    const executionId = await n8n.run(workflowId, 'Rows');
    await until('the run is under way', () => control.requestCount() - before > 50);
    await n8n.cancel(executionId);
    const { status } = await n8n.waitUntilEnded(executionId);
    assert.equal(status, 'canceled');
    // Pending requests still arrive. If the run continued, it would send far more during these probes.
    const requests = control.requestCount() - before;
    assert.ok(requests < ROWS_TO_CANCEL / 2, `${requests} requests`);
    for (let probe = 0; probe < PROBES; probe++) await client.me();
    assert.ok(control.requestCount() - before - PROBES <= requests + CONCURRENCY);
  });
}
