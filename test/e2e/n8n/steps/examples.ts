import assert from 'node:assert/strict';
import type { IDataObject } from 'n8n-workflow';
import type { WorkflowJson } from '../../../../engines/n8n/index.ts';
import { importFromTool } from '../../../../scripts/tools/install.ts';
import { publishedCode } from '../../support/n8n/codes.ts';
import { until, waitForExecutions, waitForPolls } from '../../support/n8n/executions.ts';
import { chain, example, exampleNames, TRIGGER } from '../../support/n8n/workflows.ts';
import { allCodes, type World } from '../../support/n8n/world.ts';
import { step } from '../../support/suite/step.ts';
import { TEMPLATE_NAMES } from './templates.ts';

/** Number of simultaneous events. */
const BURST = 20;

/** An outage with all retries and the polls after it takes a minute on an idle machine. */
const TIMEOUT_MS = 240_000;

/** Number of codes that change while n8n is down. */
const MISSED = 200;

/** Longer than all retries. */
const GIVING_UP_MS = 60_000;

/** A test for each example workflow. */
const USES: Record<string, (world: World, workflow: WorkflowJson) => Promise<void>> = {
  'rows-to-printable-codes': async ({ n8n }, workflow) => {
    const rows = workflow.pinData!['Rows']!;
    rows.push({ json: { ...rows[0]!.json, targetUrl: 'nowhere' } });
    const { items, error } = await n8n.runOnce(workflow, 'Start');
    assert.equal(error, undefined);
    const written = items['Write Short Links']!;
    assert.equal(written.length, rows.length - 1);
    for (const { json, binary } of written) {
      assert.equal(json['status'], 'published');
      const types = Object.values(binary!).map(({ mimeType }) => mimeType);
      assert.deepEqual(types.sort(), ['application/pdf', 'image/png', 'image/svg+xml']);
    }
    const errors = items['Write Errors']!.map(({ json }) => json['error']);
    assert.deepEqual(errors, ["Target URL isn't a valid web address: 'nowhere'"]);
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
        { name: 'Four', code: '', url, pointsTo: '' },
        { name: 'Four', code: '', url, pointsTo: '' },
      ].map((row, index) => ({ json: { row_number: index + 2, ...row } })),
    };
    const { items, error } = await n8n.runOnce(workflow, 'Every Night');
    assert.equal(error, undefined);
    const results = items['Write New Targets']!.map(({ json }) => json);
    const [four, five] = results.slice(-2).map(({ id }) => id);
    assert.notEqual(four, five);
    assert.deepEqual(
      results.map(({ id, outcome }) => [id, outcome]),
      [
        [one!.id, 'updated'],
        [two!.id, 'updated'],
        [four, 'created'],
        [five, 'created'],
      ],
    );
    assert.equal(items['Write Errors']!.length, 1);
    const targets = await Promise.all(
      [one, two, three].map(async (code) => (await scan(code!.publicUrl)).headers.get('location')),
    );
    assert.deepEqual(targets, [url, url, 'https://example.com/']);
    await whileActive(n8n, workflow, () => Promise.resolve());
  },

  'csv-to-zip': async ({ n8n, server, client }, workflow) => {
    const csv = '\uFEFFname,targetUrl\n"Bar, left",https://example.com/\nWrong,nowhere\n';
    await whileActive(n8n, workflow, async (workflowId) => {
      const { nodes } = await n8n.workflow(workflowId);
      const { webhookId } = nodes.find(({ name }) => name === 'CSV File')!;
      const body = new FormData();
      body.append('field-0', new File([csv], 'rows.csv'));
      const submitted = await fetch(`${server.url}/form/${webhookId!}`, { method: 'POST', body });
      const { formWaitingUrl } = (await submitted.json()) as { formWaitingUrl: string };
      const { pathname, search } = new URL(formWaitingUrl);
      const url = server.url + pathname;
      const status = async () => (await fetch(`${url}/n8n-execution-status${search}`)).text();
      await until('the file is ready', async () => (await status()).trim() === 'form-waiting');
      const page = await (await fetch(url + search)).text();
      const download = /const binaries = "([^"]+)"/.exec(page)![1]!;
      const [zip] = JSON.parse(decodeURIComponent(download)) as [
        { fileName: string; data: { data: number[] } },
      ];
      assert.equal(zip.fileName, 'codes.zip');
      const { 'codes.csv': manifest, ...images } = await unzip(Uint8Array.from(zip.data.data));
      const { slug, publicUrl } = (await allCodes(client)).find(({ name }) => name === 'Bar, left')!;
      assert.deepEqual(manifest!.trim().split('\n'), [
        'name,targetUrl,shortLink,file,error',
        `"Bar, left",https://example.com/,${publicUrl},${slug}.svg,`,
        `Wrong,nowhere,,,Target URL isn't a valid web address: 'nowhere'`,
      ]);
      assert.deepEqual(Object.keys(images), [`${slug}.svg`]);
    });
  },

  'signed-events-to-rows': async ({ n8n, server, emulator: { control } }, workflow) => {
    await whileActive(n8n, workflow, async (workflowId) => {
      const subscription = control.subscriptions().at(-1)!;
      // Start with simultaneous events: n8n's Remove Duplicates fails if two executions create its first record.
      for (let index = 0; index < BURST; index++) control.emit('qr.published');
      control.emit('feedback.response_received');
      await control.settled();
      const first = await waitForExecutions(n8n, workflowId, BURST + 1);
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
      await waitForExecutions(n8n, workflowId, BURST + 2);
      // The restart clears the trigger's own memory, so Remove Duplicates has to drop the event.
      await server.restart();
      control.redeliver(lastId);
      await control.settled();
      const { status, items } = (await waitForExecutions(n8n, workflowId, BURST + 3)).at(-1)!;
      assert.deepEqual([status, items['Rows']], ['success', undefined]);
    });
  },

  'catch-up-after-outage': async (world, workflow) => {
    const { n8n, server, client } = world;
    const { control } = world.emulator;
    const codes = await Promise.all(
      Array.from({ length: MISSED }, (_, index) => draftCode(client, `Missed ${index}`)),
    );
    const names = (suffix: string, count = MISSED) =>
      codes.slice(0, count).map(({ name }) => `${name}, ${suffix}`);
    const rename = (suffix: string, count = MISSED) => {
      for (const { id, name } of codes.slice(0, count)) control.rename(id, `${name}, ${suffix}`);
    };
    await whileActive(n8n, workflow, async (workflowId) => {
      let known = 0;
      /** Waits until polls could report the same changes as the events. Returns the rows added since the last call. */
      const newRows = async (polls: number) => {
        // The last poll has only started.
        await waitForPolls(control, '/qr', polls + 1);
        const rows = (await waitForExecutions(n8n, workflowId)).flatMap(({ items }) => items['Rows'] ?? []);
        const added = rows.slice(known).map(({ json }) => json);
        known = rows.length;
        return added;
      };
      await whileActive(n8n, handingOverTo(workflowId, world), async () => {
        const subscription = control.subscriptions().at(-1)!;
        const failed = () =>
          control
            .deliveries()
            .filter(({ subscriptionId: id, status }) => id === subscription.id && status === 'failed');

        // Simultaneous events are the worst case for Remove Duplicates. The sheet's key keeps one row per change.
        rename('before', BURST);
        await control.settled();
        const before = await newRows(1);
        assert.deepEqual(sheetOf(before), names('before', BURST).sort());

        await server.restart(async () => {
          rename('missed');
          rename('missed, then newest');
          await until('the service gave up', () => failed().length === 2 * MISSED, GIVING_UP_MS);
        });
        const caughtUp = await newRows(2);
        assert.equal(caughtUp.length, MISSED);
        assert.deepEqual(sheetOf(caughtUp), names('missed, then newest').sort());

        control.rename(codes[0]!.id, 'After');
        await control.settled();
        await waitForExecutions(n8n, workflowId);
        control.delete(codes[1]!.id);
        const after = await newRows(1);
        assert.deepEqual(
          after.map(({ qrId, name, status }) => [qrId, name, status]),
          [
            [codes[0]!.id, 'After', 'draft'],
            [codes[1]!.id, `${codes[1]!.name}, missed, then newest`, 'deleted'],
          ],
        );
      });
    });
  },

  'new-scans': async ({ n8n, client }, workflow) => {
    const { publicUrl } = await publishedCode(client, 'Scanned');
    await whileActive(n8n, workflow, async (workflowId) => {
      await scan(publicUrl);
      const executions = await waitForExecutions(n8n, workflowId, 1);
      assert.deepEqual(
        executions.map(({ items }) => items['Rows']?.length),
        [1],
      );
    });
  },
};

/** Examples that `agentSteps` and `templateSteps` test. */
const TESTED_ELSEWHERE = ['agent-with-approval', ...TEMPLATE_NAMES];

/** One step for each example of the package. */
export function exampleSteps(world: World): void {
  for (const name of exampleNames().filter((each) => !TESTED_ELSEWHERE.includes(each)))
    step(
      `the example ${name} works`,
      async () => {
        const use = USES[name];
        assert.ok(use, `steps/examples.ts has no test for ${name} yet`);
        await use(world, example(name, world.credential));
      },
      TIMEOUT_MS,
    );
}

/** A workflow that passes events to another one, as the example's note says. */
const handingOverTo = (workflowId: string, { credential }: World) =>
  chain('Hand Over', credential, [
    { name: 'Events', type: TRIGGER, parameters: { events: ['qr.created', 'qr.updated', 'qr.deleted'] } },
    {
      name: 'Hand Over',
      type: 'n8n-nodes-base.executeWorkflow',
      typeVersion: 1.2,
      parameters: { workflowId: { __rl: true, mode: 'id', value: workflowId } },
    },
  ]);

/** Sorted names in a sheet with one row per change. */
function sheetOf(rows: readonly IDataObject[]): string[] {
  const byChange = new Map(rows.map(({ change, name }) => [change, name as string]));
  return [...byChange.values()].sort();
}

/** Runs some work while a workflow is active. */
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

function draftCode(client: World['client'], name: string): Promise<{ id: string; name: string }> {
  const content = { targetUrl: 'https://example.com/' };
  return client.qr.create({ name, mode: 'dynamic', contentType: 'url', content });
}

/** Texts of the files in a ZIP file. */
async function unzip(zip: Uint8Array): Promise<Record<string, string>> {
  type Fflate = { unzipSync: (zip: Uint8Array) => Record<string, Uint8Array> };
  const { unzipSync } = await importFromTool<Fflate>('n8n', 'fflate');
  const files = Object.entries(unzipSync(zip));
  return Object.fromEntries(files.map(([name, content]) => [name, Buffer.from(content).toString()]));
}

const scan = (publicUrl: string) => fetch(publicUrl, { redirect: 'manual' });
