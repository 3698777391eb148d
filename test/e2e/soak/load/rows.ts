import assert from 'node:assert/strict';
import { CREATE, RENDER, rows, workflowWithRows } from '../../support/n8n/workflows.ts';
import type { World } from '../../support/n8n/world.ts';
import type { Workload } from './Workload.ts';
import { problemsOf } from './problemsOf.ts';
import { repeat } from './repeat.ts';

const EVERY_MS = 30_000;
const ROWS = 300;
const SHEET = rows(ROWS);

/** Rows: every half minute, turns a sheet of rows into published codes with images. */
export async function rowsWorkload(
  { n8n, client, credential }: World,
  onFailure: (error: unknown) => void,
): Promise<Workload> {
  const workflowId = await n8n.saveWorkflow(
    workflowWithRows(
      'Rows',
      credential,
      SHEET,
      {
        ...CREATE,
        parameters: {
          ...CREATE.parameters,
          name: '={{ $execution.id }} {{ $json.name }}',
          publish: true,
        },
      },
      RENDER,
    ),
  );
  const expected = new Set<string>();

  async function work(): Promise<void> {
    const executionId = await n8n.run(workflowId, 'Rows');
    const { status, items, error } = await n8n.waitUntilEnded(executionId);
    assert.equal(status, 'success', error);
    const images = items['Render']?.filter(({ binary }) => binary?.['data']?.mimeType === 'image/png');
    assert.equal(images?.length, ROWS, 'each row has its image');
    for (const { name } of SHEET) expected.add(`${executionId} ${name}`);
  }

  return {
    ...repeat(EVERY_MS, work, onFailure),
    workflowIds: [workflowId],
    counts: () => ({ rows: expected.size }),
    async problems() {
      const created = new Map<string, number>();
      for await (const { name } of client.qr.list())
        if (/^\d+ Row /.test(name)) created.set(name, (created.get(name) ?? 0) + 1);
      return problemsOf('row', expected, created);
    },
  };
}
