import assert from 'node:assert/strict';
import { until } from '../support/n8n/executions.ts';
import { CREATE, rows, workflowWithRows } from '../support/n8n/workflows.ts';
import type { QueueWorld } from '../support/n8nQueue/world.ts';

const ROWS = 1000;
/** Only ends a hang: a busy machine may be slow. */
const TIMEOUT_MS = 300_000;

/** Kills a worker while it creates codes from rows, then runs the workflow again. */
export async function killWorker({ cluster, client, credential, emulator }: QueueWorld): Promise<string> {
  const { n8n, workers } = cluster;
  const sheet = rows(ROWS);
  const create = {
    ...CREATE,
    parameters: { ...CREATE.parameters, options: { deduplicationKey: '={{ $json.name }}' } },
  };
  const workflowId = await n8n.saveWorkflow(workflowWithRows('Killed bulk', credential, sheet, create));
  const createdNames = async () => {
    const names: string[] = [];
    for await (const { name } of client.qr.list()) if (name.startsWith('Row ')) names.push(name);
    return names;
  };

  // The emulator runs in this process, so it creates no codes between this check and the kill.
  const { control } = emulator;
  const before = control.requestCount();
  const first = await n8n.run(workflowId, 'Rows');
  await until(
    'a third of the codes are created',
    () => control.requestCount() - before > ROWS / 3,
    TIMEOUT_MS,
  );
  const runner = workers.find((worker) => worker.log().includes(`Worker started execution ${first} `))!;
  await runner.kill();
  const createdCount = (await createdNames()).length;
  assert.ok(createdCount < ROWS, 'the worker was killed in the middle');
  const { status, error } = await n8n.waitUntilEnded(first);
  assert.ok(status === 'error' || status === 'crashed', `n8n reports the execution as failed, got ${status}`);

  const again = await n8n.waitUntilEnded(await n8n.run(workflowId, 'Rows'));
  assert.equal(again.status, 'success', again.error);
  const names = await createdNames();
  assert.deepEqual(names.sort(), sheet.map(({ name }) => name).sort());
  return (
    `killed after ${createdCount} of ${ROWS} codes; n8n says "${error ?? status}"; ` +
    `after a second run ${names.length} codes, no duplicates`
  );
}
