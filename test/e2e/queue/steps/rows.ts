import assert from 'node:assert/strict';
import { until } from '../../support/n8n/executions.ts';
import { CREATE, RENDER, rows, workflowWithRows } from '../../support/n8n/workflows.ts';
import { allCodes } from '../../support/n8n/world.ts';
import { step } from '../../support/suite/step.ts';
import type { QueueWorld } from '../main.ts';

const ROWS = 1000;
/** Only ends a hang: a busy machine may be slow. */
const TIMEOUT_MS = 300_000;

export function rowSteps({ cluster, client, credential, emulator }: QueueWorld): void {
  const { n8n, workers, postgres } = cluster;
  const { control } = emulator;
  const sheet = rows(ROWS);
  let workflowId = '';
  const createdNames = async () => {
    const codes = await allCodes(client);
    return codes.flatMap(({ name }) => (name.startsWith('Row ') ? [name] : [])).sort();
  };

  step('a worker killed in the middle of a bulk run leaves a failed execution', async () => {
    const options = { deduplicationKey: '={{ $json.name }}' };
    const create = { ...CREATE, parameters: { ...CREATE.parameters, publish: true, options } };
    workflowId = await n8n.saveWorkflow(workflowWithRows('Bulk', credential, sheet, create, RENDER));
    const before = control.requestCount();
    const executionId = await n8n.run(workflowId, 'Rows');
    await until('codes are created', () => control.requestCount() - before > ROWS / 3, TIMEOUT_MS);
    const started = `Worker started execution ${executionId} `;
    await workers.find((worker) => worker.log().includes(started))!.kill();
    const created = await createdNames();
    assert.ok(created.length > 0 && created.length < ROWS, `${created.length} codes`);
    const { status } = await n8n.waitUntilEnded(executionId);
    assert.ok(status === 'error' || status === 'crashed', status);
    console.log(`  killed after ${created.length} of ${ROWS} codes`);
  });

  step('the next run publishes each row once, with images that the main can read', async () => {
    const startedAt = performance.now();
    const { status, error, items } = await n8n.waitUntilEnded(await n8n.run(workflowId, 'Rows'));
    const seconds = (performance.now() - startedAt) / 1000;
    assert.equal(status, 'success', error);
    const rendered = items['Render']!;
    assert.deepEqual(
      rendered.map(({ json }) => [json['name'], json['status']]),
      sheet.map(({ name }) => [name, 'published']),
    );
    assert.deepEqual(await createdNames(), sheet.map(({ name }) => name).sort());

    const images = rendered.map(({ binary }) => binary!['data']!);
    assert.ok(images.every(({ id, mimeType }) => id!.startsWith('database:') && mimeType === 'image/png'));
    const [[stored]] = (await postgres.query('SELECT count(*) FROM binary_data')) as [[string]];
    assert.ok(Number(stored) >= ROWS, `${stored} images in the database`);
    for (const { id } of [images[0]!, images.at(-1)!]) {
      const image = await n8n.file(id!);
      assert.deepEqual([...image.subarray(1, 4)], [...Buffer.from('PNG')]);
    }
    console.log(`  ${ROWS} rows in ${seconds.toFixed(1)} s, without duplicates`);
  });
}
