import assert from 'node:assert/strict';
import { CREATE, RENDER, rows, workflowWithRows } from '../../support/n8n/workflows.ts';
import { step } from '../../support/suite/step.ts';
import type { QueueWorld } from '../../support/n8nQueue/world.ts';

const ROWS = 2000;

export function rowSteps({ cluster: { n8n, workers, postgres }, client, credential }: QueueWorld): void {
  step(`a worker turns ${ROWS} rows into published codes with images that the main can read`, async () => {
    const sheet = rows(ROWS);
    const workflowId = await n8n.saveWorkflow(
      workflowWithRows(
        'Bulk',
        credential,
        sheet,
        { ...CREATE, parameters: { ...CREATE.parameters, publish: true } },
        RENDER,
      ),
    );
    const startedAt = performance.now();
    const executionId = await n8n.run(workflowId, 'Rows');
    const { status, error, items } = await n8n.waitUntilEnded(executionId);
    const seconds = (performance.now() - startedAt) / 1000;
    assert.equal(status, 'success', error);
    assert.ok(workers.some((worker) => worker.log().includes(`Worker started execution ${executionId} `)));

    const rendered = items['Render']!;
    assert.deepEqual(
      rendered.map(({ json }) => [json['name'], json['status']]),
      sheet.map(({ name }) => [name, 'published']),
    );
    const created: string[] = [];
    for await (const { name } of client.qr.list()) if (name.startsWith('Row ')) created.push(name);
    assert.deepEqual(created.sort(), sheet.map(({ name }) => name).sort());

    const images = rendered.map(({ binary }) => binary!['data']!);
    assert.ok(images.every(({ id, mimeType }) => id!.startsWith('database:') && mimeType === 'image/png'));
    const [[stored]] = (await postgres.query('SELECT count(*) FROM binary_data')) as [[string]];
    assert.ok(Number(stored) >= ROWS, `${stored} images in the database`);
    for (const { id } of [images[0]!, images.at(-1)!]) {
      const image = await n8n.file(id!);
      assert.deepEqual([...image.subarray(1, 4)], [...Buffer.from('PNG')]);
    }
    console.log(
      `  ${ROWS} rows in ${seconds.toFixed(1)} s: created, published, rendered; ${(ROWS / seconds).toFixed(0)} rows per second`,
    );
  });
}
