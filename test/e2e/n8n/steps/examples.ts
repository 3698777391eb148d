import assert from 'node:assert/strict';
import type { WorkflowJson } from '../../../../engines/n8n/index.ts';
import { executionsOf } from '../support/executions.ts';
import { step } from '../../support/step.ts';
import { example, exampleNames } from '../support/workflows.ts';
import type { World } from '../support/world.ts';

/** Events at the same moment. */
const BURST = 20;

/** What each example does when it is imported and used. */
const USES: Record<string, (world: World, workflow: WorkflowJson) => Promise<void>> = {
  'rows-to-printable-codes': async ({ n8n }, workflow) => {
    const rows = workflow.pinData!['Rows']!;
    rows.push({ json: { ...rows[0]!.json, targetUrl: 'nowhere' } });
    const { items, error } = await n8n.ended(await n8n.run(await n8n.saveWorkflow(workflow), 'Start'));
    assert.equal(error, undefined);
    const written = items['Write Short Links']!;
    assert.equal(written.length, rows.length - 1);
    for (const { json, binary } of written) {
      assert.equal(json['status'], 'published');
      const types = Object.values(binary!).map(({ mimeType }) => mimeType);
      assert.deepEqual(types.sort(), ['application/pdf', 'image/png', 'image/svg+xml']);
    }
    const errors = items['Write Errors']!.map(({ json }) => json['error'] as string);
    assert.equal(errors.length, 1);
    assert.match(errors[0]!, /\[item 3\]$/);
  },

  'retarget-codes': async ({ n8n, client }, workflow) => {
    const url = 'https://example.com/new';
    const [one, two, three] = await Promise.all(
      ['One', 'Two', 'Three'].map((name) => publishedCode(client, name)),
    );
    workflow.pinData = {
      Rows: [
        { code: one!.id, url, pointsTo: '' },
        { code: two!.publicUrl, url, pointsTo: 'https://example.com/old' },
        { code: three!.id, url, pointsTo: url },
        { code: 'qr_nobody', url, pointsTo: '' },
      ].map((row, index) => ({ json: { row_number: index + 2, ...row } })),
    };
    const run = await n8n.run(await n8n.saveWorkflow(workflow), 'Every Night');
    const { items, error } = await n8n.ended(run);
    assert.equal(error, undefined);
    assert.deepEqual(
      items['Write New Targets']!.map(({ json }) => json['id']),
      [one!.id, two!.id],
    );
    assert.equal(items['Write Errors']!.length, 1);
    const targets = await Promise.all(
      [one, two, three].map(async (code) => (await scan(code!.publicUrl)).headers.get('location')),
    );
    assert.deepEqual(targets, [url, url, 'https://example.com/']);
    await whileActive(n8n, workflow, () => Promise.resolve());
  },

  'signed-events-to-rows': async ({ n8n, server, emulator: { control } }, workflow) => {
    await whileActive(n8n, workflow, async (workflowId) => {
      const subscription = control.subscriptions().at(-1)!;
      // All at once, as the very first: n8n's Remove Duplicates fails where two make its first record.
      for (let index = 0; index < BURST; index++) control.emit('qr.published');
      control.emit('feedback.response_received');
      await control.settled();
      const first = await executionsOf(n8n, workflowId, BURST + 1);
      const typesAt = (node: string) =>
        first.flatMap(({ items }) => items[node] ?? []).map(({ json }) => json['type']);
      assert.deepEqual(
        first.map(({ status, error }) => [status, error]),
        first.map(() => ['success', undefined]),
      );
      assert.equal(typesAt('Rows').length, BURST + 1);
      assert.deepEqual(typesAt('Create Task'), ['feedback.response_received']);

      control.emit('qr.archived');
      await control.settled();
      const { id: lastId } = control
        .deliveries()
        .findLast(({ subscriptionId }) => subscriptionId === subscription.id)!;
      await executionsOf(n8n, workflowId, BURST + 2);
      // The trigger's own memory is gone then, and Remove Duplicates finishes the job.
      await server.restart();
      control.redeliver(lastId);
      await control.settled();
      const { status, items } = (await executionsOf(n8n, workflowId, BURST + 3)).at(-1)!;
      assert.deepEqual([status, items['Rows']], ['success', undefined]);
    });
  },

  'low-score-to-message': async ({ n8n, emulator: { control } }, workflow) => {
    await whileActive(n8n, workflow, async (workflowId) => {
      control.emit('feedback.low_score_received');
      control.emit('feedback.response_received');
      await control.settled();
      const executions = await executionsOf(n8n, workflowId, 1);
      assert.deepEqual(
        executions.map(({ items }) => items['Tell the Team']?.map(({ json }) => json['type'])),
        [['feedback.low_score_received']],
      );
    });
  },

  'new-scans': async ({ n8n, client }, workflow) => {
    const { publicUrl } = await publishedCode(client, 'Scanned');
    await whileActive(n8n, workflow, async (workflowId) => {
      await scan(publicUrl);
      const executions = await executionsOf(n8n, workflowId, 1);
      assert.deepEqual(
        executions.map(({ items }) => items['Rows']?.length),
        [1],
      );
    });
  },
};

/** Each example of the package, imported. */
export function exampleSteps(world: World): void {
  for (const name of exampleNames())
    step(`the example ${name} works`, async () => {
      const use = USES[name];
      assert.ok(use, `steps/examples.ts does not use ${name} yet`);
      await use(world, example(name, world.credential));
    });
}

/** Does something with a workflow that is active meanwhile. */
async function whileActive(
  n8n: World['n8n'],
  workflow: WorkflowJson,
  work: (workflowId: string) => Promise<void>,
): Promise<void> {
  const workflowId = await n8n.saveWorkflow(workflow);
  await n8n.activate(workflowId);
  try {
    await work(workflowId);
  } finally {
    await n8n.deactivate(workflowId);
  }
}

async function publishedCode(
  client: World['client'],
  name: string,
): Promise<{ id: string; publicUrl: string }> {
  const content = { targetUrl: 'https://example.com/' };
  const { id } = await client.qr.create({ name, mode: 'dynamic', contentType: 'url', content });
  return client.qr.publish(id);
}

const scan = (publicUrl: string) => fetch(publicUrl, { redirect: 'manual' });
