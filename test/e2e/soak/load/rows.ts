import assert from 'node:assert/strict';
import { CREATE, RENDER, rows, rowsInto } from '../../../../harness/n8n/workflows.ts';
import type { World } from '../../../../harness/n8n/world.ts';
import type { Part } from './Part.ts';
import { problemsOf } from './problemsOf.ts';
import { repeat } from './repeat.ts';

const EVERY_MS = 30_000;
const ROWS = 300;
const SHEET = rows(ROWS);

/** Sheets of rows that become published codes with images, one sheet every half minute. */
export async function rowsPart(
  { n8n, client, credential }: World,
  onFailure: (error: unknown) => void,
): Promise<Part> {
  const workflowId = await n8n.saveWorkflow(
    rowsInto(
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
  const wanted = new Set<string>();

  async function work(): Promise<void> {
    const executionId = await n8n.run(workflowId, 'Rows');
    const { status, items, error } = await n8n.ended(executionId);
    assert.equal(status, 'success', error);
    const images = items['Render']?.filter(({ binary }) => binary?.['data']?.mimeType === 'image/png');
    assert.equal(images?.length, ROWS, 'each row has its image');
    for (const { name } of SHEET) wanted.add(`${executionId} ${name}`);
  }

  return {
    ...repeat(EVERY_MS, work, onFailure),
    workflowIds: [workflowId],
    counts: () => ({ rows: wanted.size }),
    async problems() {
      const made = new Map<string, number>();
      for await (const { name } of client.qr.list())
        if (/^\d+ Row /.test(name)) made.set(name, (made.get(name) ?? 0) + 1);
      return problemsOf('row', wanted, made);
    },
  };
}
