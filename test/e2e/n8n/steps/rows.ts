import assert from 'node:assert/strict';
import { until, waitForExecutions } from '../../support/n8n/executions.ts';
import { chain, CREATE, NO_OP, TRIGGER } from '../../support/n8n/workflows.ts';
import { allCodes, type World } from '../../support/n8n/world.ts';
import { step } from '../../support/suite/step.ts';

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
    // A manual run can't be retried after a crash, as n8n has stored nothing of it.
    const workflowId = await n8n.saveWorkflow(
      chain('Killed', credential, [
        { name: 'Trigger', type: TRIGGER, parameters: { events: ['export.ready'] } },
        { name: 'Rows', type: 'n8n-nodes-base.splitOut', parameters: { fieldToSplitOut: 'rows' } },
        CREATE,
        { name: 'Behind', type: NO_OP },
      ]),
    );
    await n8n.activate(workflowId);
    control.failNext({ match: { method: 'POST', path: '/qr' }, times: 100, delayMs: 20 });
    control.emit('export.ready', { rows: sheet });
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
}
