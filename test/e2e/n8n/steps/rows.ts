import assert from 'node:assert/strict';
import { waitForExecutions, until } from '../../support/n8n/executions.ts';
import { isReachable } from '../../../support/process/managedProcess.ts';
import { step, stepUnless } from '../../support/suite/step.ts';
import { chain, CREATE, NO_OP, rows, workflowWithRows, TRIGGER } from '../../support/n8n/workflows.ts';
import type { World } from '../../support/n8n/world.ts';

const CODE = 'n8n-nodes-base.code';

const ROWS_TO_CANCEL = 2000;
/** The node's concurrent requests. */
const CONCURRENCY = 10;
const PROBES = 100;

export function rowSteps({ n8n, server, emulator, client, credential }: World): void {
  const { control } = emulator;

  const stepOnOwnServer = stepUnless(server.external);
  /** Sorted names of all codes that start with this text. */
  async function codesNamed(start: string): Promise<string[]> {
    const names: string[] = [];
    for await (const { name } of client.qr.list()) if (name.startsWith(start)) names.push(name);
    return names.sort();
  }

  const named = (start: string, count: number) =>
    rows(count).map((row, index) => ({ ...row, name: `${start} ${String(index).padStart(4, '0')}` }));
  const namesOf = (sheet: readonly { name: string }[]) => sheet.map(({ name }) => name);

  async function start(
    name: string,
    sheet: { name: string; targetUrl: string }[],
    settings: Partial<typeof CREATE> = {},
  ): Promise<string> {
    const steps = [
      { ...CREATE, ...settings },
      { name: 'Behind', type: NO_OP },
    ];
    const workflowId = await n8n.saveWorkflow(workflowWithRows(name, credential, sheet, ...steps));
    return n8n.run(workflowId, 'Rows');
  }

  step('retrying a failed execution from the executions list creates no duplicates', async () => {
    const sheet = named('Retried', 100);
    control.failNext({ times: 40, delayMs: 5 });
    control.failNext({ code: 'validation_failed' });
    const failed = await n8n.waitUntilEnded(await start('UI retry', sheet));
    assert.equal(failed.status, 'error');
    const createdCount = (await codesNamed('Retried')).length;
    assert.ok(
      createdCount >= 40 && createdCount < 100,
      `${createdCount} codes were created before the failure`,
    );
    const { status, items, error } = await n8n.waitUntilEnded(await n8n.retry(failed.id));
    assert.equal(status, 'success', error);
    assert.deepEqual(
      items['Behind']?.map(({ json }) => json['name']),
      namesOf(sheet),
    );
    assert.deepEqual(await codesNamed('Retried'), namesOf(sheet));
  });

  stepOnOwnServer('retrying an execution after n8n was killed creates no duplicates', async () => {
    const sheet = named('Killed', 200);
    // A manual run can't be retried after a crash, as n8n has stored nothing of it.
    const workflowId = await n8n.saveWorkflow(
      chain('Killed', credential, [
        { name: 'Trigger', type: TRIGGER, parameters: { events: ['export.ready'] } },
        {
          name: 'Rows',
          type: CODE,
          typeVersion: 2,
          parameters: { jsCode: `return ${JSON.stringify(sheet)}` },
        },
        CREATE,
        { name: 'Behind', type: NO_OP },
      ]),
    );
    await n8n.activate(workflowId);
    control.failNext({ match: { method: 'POST', path: '/qr' }, times: 100, delayMs: 20 });
    control.emit('export.ready');
    await until('some codes are created', async () => (await codesNamed('Killed')).length >= 40);
    process.kill(-server.pid(), 'SIGKILL');
    await until('n8n is gone', async () => !(await isReachable(server.url)));
    await control.settled();
    const createdCount = (await codesNamed('Killed')).length;
    assert.ok(createdCount < 200, `${createdCount} codes were created before n8n was killed`);
    await server.restart();

    const [killed] = await waitForExecutions(n8n, workflowId, 1);
    assert.equal(killed?.status, 'crashed');
    const { status, items, error } = await n8n.waitUntilEnded(await n8n.retry(killed.id));
    assert.equal(status, 'success', error);
    assert.deepEqual(
      items['Behind']?.map(({ json }) => json['name']),
      namesOf(sheet),
    );
    assert.deepEqual(await codesNamed('Killed'), namesOf(sheet));
    await n8n.deactivate(workflowId);
  });

  step('a cancelled execution ends and sends no new requests', async () => {
    control.failNext({ times: 200, delayMs: 50 });
    const before = control.requestCount();
    const executionId = await start('Cancelled', named('Cancelled', ROWS_TO_CANCEL));
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
