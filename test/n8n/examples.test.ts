import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { eventRow, sampleEvent } from '@qr-service/core/webhook';
import { SAMPLE_QR_CODE, SAMPLE_SCAN } from '@qr-service/core/connector';
import type { EventType } from '@qr-service/core';
import type { IConnections, IDataObject, INode, INodeParameters } from 'n8n-workflow';
import type { ActiveTrigger, RunResult, WorkflowJson } from '../../engines/n8n/index.ts';
import { PACKAGE_DIR, PUBLIC_URL, startWorld, type World } from './support/world.ts';
import { example, startsByItself } from './support/workflows.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.close());
beforeEach(() => world.frontDoor.forget());

const FILES = readdirSync(join(PACKAGE_DIR, 'examples'))
  .filter((file) => file.endsWith('.json'))
  .map((file) => file.replace(/\.json$/, ''));

test('there is an example for each common task', () => {
  expect(FILES).toEqual([
    'agent-with-approval',
    'airtable-to-drive-images',
    'catch-up-after-outage-events',
    'catch-up-after-outage',
    'crm-deals-to-links',
    'daily-scan-report',
    'low-score-to-message',
    'new-scans',
    'quiet-trigger-alarm-events',
    'quiet-trigger-alarm',
    'registration-to-ticket',
    'retarget-codes',
    'rows-to-printable-codes',
    'signed-events-to-rows',
  ]);
});

/** Nodes of other services, which need an account there. An agent's model does. */
const OTHER_ACCOUNTS = /\.(?:agent|airtable|emailSend|googleDrive|googleSheets|hubspot|slack)$/;

/** The names of all nodes that a node's output can reach. */
function nodesAfter(connections: IConnections, name: string, found = new Set<string>()): Set<string> {
  for (const { node } of (connections[name]?.main ?? []).flatMap((targets) => targets ?? [])) {
    if (found.has(node)) continue;
    nodesAfter(connections, node, found.add(node));
  }
  return found;
}

describe.each(FILES)('%s', (file) => {
  const workflow = example(file);
  const names = workflow.nodes.map(({ name }) => name);

  test('can be imported into the editor', () => {
    expect(new Set(names).size).toBe(names.length);
    expect(new Set(workflow.nodes.map(({ id }) => id)).size).toBe(names.length);
    for (const { id, position, type, typeVersion } of workflow.nodes) {
      expect(id).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
      expect(position).toHaveLength(2);
      expect(type).toMatch(/^(@n8n\/n8n-nodes-langchain|n8n-nodes-(base|qr-service))\.\w+$/);
      expect(typeVersion).toBeGreaterThanOrEqual(1);
    }
    for (const [from, outputs] of Object.entries(workflow.connections)) {
      expect(names).toContain(from);
      const targets = Object.values(outputs).flatMap((each) => each.flatMap((items) => items ?? []));
      for (const { node } of targets) expect(names).toContain(node);
    }
    for (const name of Object.keys(workflow.pinData!)) expect(names).toContain(name);
  });

  test('runs as imported without an account but the service, creates nothing before others have one, and says how to try it', () => {
    const isPinned = ({ name }: INode) => Object.hasOwn(workflow.pinData!, name);
    // Tools and models run only with their agent.
    const isSubNode = ({ name }: INode) =>
      Object.keys(workflow.connections[name] ?? {}).some((type) => type !== 'main');
    const running = workflow.nodes.filter(
      (node) => node.disabled !== true && !isPinned(node) && !isSubNode(node),
    );
    expect(running.filter(({ type }) => OTHER_ACCOUNTS.test(type))).toEqual([]);
    const needing = workflow.nodes.filter(({ type, disabled }) => OTHER_ACCOUNTS.test(type) && !disabled);
    for (const { name, type, parameters } of running) {
      if (
        !type.endsWith('.qrService') ||
        /^(?:find|get|getAll|render)$/.test(parameters['operation'] as string)
      )
        continue;
      const later = nodesAfter(workflow.connections, name);
      expect(needing.filter((node) => later.has(node.name))).toEqual([]);
    }
    expect(workflow.nodes[0]!.parameters['content']).toContain('**Try it');
  });

  // n8n keeps the ID of an imported trigger, so a second import could not be published. It adds an ID when it saves.
  // Until then, the name is part of the URL, where n8n doesn't decode it.
  test('gets its own address with each import, by the editor and by the command line', () => {
    expect(workflow.nodes.filter(({ webhookId }) => webhookId !== undefined)).toEqual([]);
    const triggers = workflow.nodes.filter(({ type }) => type.endsWith('.qrServiceTrigger'));
    expect(triggers.filter(({ name }) => !/^\w+$/.test(name))).toEqual([]);
  });

  test('explains its setup, contains no credential and is inactive', () => {
    const notes = workflow.nodes.filter(({ type }) => type.endsWith('.stickyNote'));
    expect(notes[0]!.parameters['content']).toMatch(/^## .*[Cc]hoose .*credential/s);
    expect(workflow.nodes.filter(({ credentials }) => credentials !== undefined)).toEqual([]);
    expect(workflow).toMatchObject({ active: false });
  });

  test('says to publish the workflow if, and only if, n8n can start it by itself', () => {
    const notes = JSON.stringify(workflow.nodes.map(({ parameters }) => parameters['content']));
    expect(/publish this workflow|publish the workflow/i.test(notes)).toBe(startsByItself(workflow));
  });
});

/** The workflow as set up by a user: all nodes are enabled, and only triggers are pinned. Images are small, as this is faster. */
function setUp(name: string): WorkflowJson {
  const workflow = example(name);
  const triggers = workflow.nodes.filter(({ type }) => /Trigger$/.test(type)).map((node) => node.name);
  workflow.pinData = Object.fromEntries(
    Object.entries(workflow.pinData!).filter(([node]) => triggers.includes(node)),
  );
  for (const node of workflow.nodes) {
    delete node.disabled;
    if (node.parameters['operation'] === 'render')
      node.parameters['options'] = { ...(node.parameters['options'] as INodeParameters), size: 100 };
  }
  return workflow;
}

/** Runs a workflow on the rows of a sheet instead of the pinned ones. */
const runOnRows = (name: string, rows: IDataObject[]) =>
  world.engine.runWorkflow(setUp(name), { startNode: 'Rows', triggerItems: rows });

const written = ({ data }: RunResult, node: string) => data[node]?.map(({ json }) => json) ?? [];

const target = async (link: unknown) =>
  (await fetch(String(link), { redirect: 'manual' })).headers.get('location');

test('the sample rows become published codes with three files each, without a sheet connected', async () => {
  const { error, data } = await world.engine.runWorkflow(example('rows-to-printable-codes'));
  expect(error).toBeUndefined();
  const items = data['Download Images']!;
  expect(items.map(({ json }) => json['name'])).toEqual(['Table 1', 'Table 2', 'Table 3']);
  for (const { json, binary } of items) {
    expect(await target(json['publicUrl'])).toMatch(/^https:\/\/example\.com\/menu/);
    expect(binary).toMatchObject({
      image: { mimeType: 'image/png', fileName: `${json['slug'] as string}.png` },
      image_svg: { mimeType: 'image/svg+xml' },
      image_pdf: { mimeType: 'application/pdf' },
    });
  }
});

test('each row gets its short link or an error, and rows that have a link are skipped', async () => {
  const result = await runOnRows('rows-to-printable-codes', [
    { row_number: 2, name: 'Good', targetUrl: 'https://example.com/', shortLink: '' },
    { row_number: 3, name: 'Has one', targetUrl: 'https://example.com/', shortLink: 'https://qr.example/x' },
    { row_number: 4, name: 'Bad', targetUrl: 'nowhere', shortLink: '' },
    { row_number: 5, name: 'Good, too', targetUrl: 'https://example.com/' },
  ]);
  expect(result.error).toBeUndefined();
  const links = written(result, 'Write Short Links');
  expect(links).toEqual(
    [2, 5].map((row_number) => ({
      row_number,
      shortLink: expect.stringContaining('/r/good'),
      qrCodeId: expect.any(String),
      error: '',
    })),
  );
  expect(await target(links[1]!['shortLink'])).toBe('https://example.com/');
  expect(written(result, 'Write Errors')).toEqual([
    { row_number: 4, error: "Target URL isn't a valid web address: 'nowhere'" },
  ]);
});

test('running the same rows before their links are written returns the same codes', async () => {
  const rows = [
    { row_number: 2, name: 'Same', targetUrl: 'https://example.com/' },
    { row_number: 3, name: 'Same', targetUrl: 'https://example.com/' },
  ];
  const idsOf = (result: RunResult) => written(result, 'Write Short Links').map(({ qrCodeId }) => qrCodeId);
  const first = idsOf(await runOnRows('rows-to-printable-codes', rows));
  expect(new Set(first).size).toBe(2);
  expect(idsOf(await runOnRows('rows-to-printable-codes', rows.toReversed()))).toEqual(first.toReversed());
});

test('changed cells update the destinations of codes once, by ID or by short link', async () => {
  const made = await runOnRows('rows-to-printable-codes', [
    { row_number: 2, name: 'One', targetUrl: 'https://example.com/' },
    { row_number: 3, name: 'Two', targetUrl: 'https://example.com/' },
  ]);
  const [one, two] = written(made, 'Write Short Links');
  const old = 'https://example.com/';
  const result = await runOnRows('retarget-codes', [
    { row_number: 2, code: one!['qrCodeId'], url: 'https://example.com/one', pointsTo: old },
    { row_number: 3, code: two!['shortLink'], url: 'https://example.com/two', pointsTo: '' },
    { row_number: 4, code: 'qr_nobody', url: 'https://example.com/three' },
    { row_number: 5, code: one!['qrCodeId'], url: old, pointsTo: old },
    { row_number: 6, code: one!['qrCodeId'], url: '', pointsTo: old },
  ]);
  expect(result.error).toBeUndefined();
  expect(written(result, 'Write New Targets')).toEqual([
    { row_number: 2, code: one!['qrCodeId'], pointsTo: 'https://example.com/one', error: '' },
    { row_number: 3, code: two!['shortLink'], pointsTo: 'https://example.com/two', error: '' },
  ]);
  expect(written(result, 'Write Errors')).toEqual([
    { row_number: 4, error: "QR code qr_nobody doesn't exist" },
  ]);
  expect(await target(one!['shortLink'])).toBe('https://example.com/one');
  expect(await target(two!['shortLink'])).toBe('https://example.com/two');
});

test('a sheet and its codes stay in step: each row gets one code, which points where the row says', async () => {
  const rows = ['Entrance', 'Exit', 'Entrance'].map((name, index) => ({
    row_number: index + 2,
    name,
    code: '',
    url: `https://example.com/${name}`,
    pointsTo: '',
  }));
  const codesOf = (result: RunResult) => written(result, 'Write New Targets').map(({ code }) => code);
  const first = await runOnRows('retarget-codes', rows);
  const [entrance, exit, again] = codesOf(first);
  expect([entrance, exit, again]).toEqual([expect.any(String), expect.any(String), entrance]);
  // The sheet wasn't written, so the next run finds the codes by their names.
  const moved = rows.map((row) => ({ ...row, url: `${row.url}/moved` }));
  expect(codesOf(await runOnRows('retarget-codes', moved))).toEqual([entrance, exit, entrance]);
  const complete = moved.map((row, index) => ({ ...row, code: [entrance, exit, entrance][index] }));
  const unchanged = await runOnRows('retarget-codes', complete);
  const results = unchanged.data['Create or Update QR Code']!.map(({ json }) => json);
  expect(results.map(({ outcome }) => outcome)).toEqual(Array(3).fill('unchanged'));
  expect(await target(results[0]!['publicUrl'])).toBe('https://example.com/Entrance/moved');
});

async function activate(workflow: WorkflowJson): Promise<ActiveTrigger> {
  const trigger = await world.engine.activateTrigger(workflow, 'Events', {
    publicUrl: PUBLIC_URL,
  });
  world.frontDoor.open(trigger);
  return trigger;
}

test('each event becomes one row, and each feedback event one task, however often it is delivered', async () => {
  const trigger = await activate(setUp('signed-events-to-rows'));
  world.emulator.control.emit('qr.published');
  const { id } = world.emulator.control.emit('feedback.low_score_received');
  await world.emulator.control.settled();
  const results = () => world.frontDoor.executions;
  expect(results().flatMap((result) => written(result, 'Rows').map(({ type }) => type))).toEqual([
    'qr.published',
    'feedback.low_score_received',
  ]);
  expect(results().flatMap((result) => written(result, 'Create Task'))).toMatchObject([
    {
      resource: 'engagement',
      type: 'task',
      dueDate: expect.stringMatching(/^20/),
      metadata: {
        subject: expect.stringMatching(/^feedback\.low_score_received: \d+$/),
        body: expect.stringMatching(/^Response \S+, 20/),
      },
    },
  ]);

  // As from the trigger of another process, which doesn't know the first delivery.
  const seen = setUp('signed-events-to-rows');
  const again = { ...sampleEvent('qr.updated'), id };
  const run = await world.engine.runWorkflow(
    { ...seen, pinData: { Events: [{ json: eventRow(again, 'dlv_other') as IDataObject }] } },
    { startNode: 'Events' },
  );
  expect(run.error).toBeUndefined();
  expect(written(run, 'Rows')).toEqual([]);
  await trigger.deactivate();
});

test('the list of seen events is cleared once a week, so that it does not grow without limit', async () => {
  const workflow = setUp('signed-events-to-rows');
  const runFrom = (startNode: string) => world.engine.runWorkflow(workflow, { startNode });
  expect(written(await runFrom('Events'), 'Rows')).toHaveLength(2);
  expect(written(await runFrom('Events'), 'Rows')).toEqual([]);
  await world.engine.runWorkflow(workflow, { startNode: 'Every Week', triggerItems: [{}] });
  expect(written(await runFrom('Events'), 'Rows')).toHaveLength(2);
});

describe('a changed code', () => {
  const receiver = setUp('catch-up-after-outage');
  const rowsOf = (result: RunResult) => written(result, 'Rows');

  /** Delivers a code's changes as events, and returns the rows of each. */
  async function byEvents(work: () => void | Promise<void>): Promise<IDataObject[]> {
    const trigger = await activate(setUp('catch-up-after-outage-events'));
    await work();
    await world.emulator.control.settled();
    await trigger.deactivate();
    const rows: IDataObject[] = [];
    for (const execution of world.frontDoor.executions) {
      const triggerItems = written(execution, 'Hand Over');
      rows.push(...rowsOf(await world.engine.runWorkflow(receiver, { startNode: 'Events', triggerItems })));
    }
    return rows;
  }

  const createCode = async (name: string): Promise<IDataObject> => {
    const rows = [{ row_number: 2, name, targetUrl: 'https://example.com/' }];
    return written(await runOnRows('rows-to-printable-codes', rows), 'Write Short Links')[0]!;
  };

  test('becomes one row by event or by poll, and another row when it is deleted', async () => {
    const { control } = world.emulator;
    const poll = world.engine.pollTrigger(receiver, 'Changed Codes');
    await poll.activate();
    const tick = async () => {
      const { execution } = await poll.tick();
      return execution === undefined ? [] : rowsOf(await execution);
    };
    let id = '';
    const byEvent = await byEvents(async () => {
      id = (await createCode('Both ways'))['qrCodeId'] as string;
    });
    expect(byEvent).toEqual(
      ['draft', 'published'].map((status) => ({
        change: expect.stringMatching(new RegExp(`^${id}:20.*Z$`)),
        qrId: id,
        name: 'Both ways',
        status,
        publicUrl: expect.stringContaining('/r/both-ways'),
        updatedAt: expect.stringMatching(/^20.*Z$/),
      })),
    );
    expect(await tick()).toEqual([]);

    control.rename(id, 'While n8n was away');
    control.archive(id);
    const [caughtUp, ...others] = await tick();
    expect(others).toEqual([]);
    expect(caughtUp).toMatchObject({ qrId: id, name: 'While n8n was away', status: 'archived' });

    world.frontDoor.forget();
    const deleted = await byEvents(() => {
      control.delete(id);
    });
    expect(deleted).toMatchObject([{ change: `${id}:deleted`, qrId: id, status: 'deleted' }]);
  });

  test('becomes one row from the sample data of both triggers', async () => {
    const samples = receiver.pinData!;
    expect(samples['Changed Codes']).toEqual([{ json: SAMPLE_QR_CODE }]);
    expect(samples['Events']).toEqual([{ json: eventRow(sampleEvent('qr.updated'), 'dlv_sample') }]);
    const from = (startNode: string) => world.engine.runWorkflow(receiver, { startNode });
    const rows = [rowsOf(await from('Events')), rowsOf(await from('Changed Codes'))];
    expect(rows.map(({ length }) => length)).toEqual([1, 0]);
  });
});

test('a low score sends a message', async () => {
  const trigger = await activate(setUp('low-score-to-message'));
  world.emulator.control.emit('feedback.low_score_received', {
    responseId: 'resp_1',
    campaignId: 'camp_1',
    placementId: 'plc_1',
    score: 2,
    scoreKind: 'nps',
  });
  world.emulator.control.emit('feedback.response_received');
  await world.emulator.control.settled();
  expect(world.frontDoor.executions.flatMap((result) => written(result, 'Tell the Team'))).toEqual([
    {
      select: 'channel',
      channelId: expect.anything(),
      text: expect.stringMatching(
        /^A low score came in: 2 \(nps\), 20.*\. Response resp_1, campaign camp_1, placement plc_1\.$/,
      ),
    },
  ]);
  await trigger.deactivate();
});

test('new scans become rows', async () => {
  const [code] = written(
    await runOnRows('rows-to-printable-codes', [
      { row_number: 2, name: 'Scanned', targetUrl: 'https://example.com/' },
    ]),
    'Write Short Links',
  );
  const trigger = world.engine.pollTrigger(setUp('new-scans'), 'QR Service Polling Trigger');
  await trigger.activate();
  await fetch(code!['shortLink'] as string, { redirect: 'manual' });
  const { execution } = await trigger.tick();
  const rows = written((await execution)!, 'Rows');
  expect(rows).toMatchObject([{ id: expect.any(String), qrId: code!['qrCodeId'] }]);
  const [sample] = example('new-scans').pinData!['QR Service Polling Trigger']!;
  for (const field of Object.keys(sample!.json)) expect(rows[0]).toHaveProperty(field);
});

test.each([
  ['signed-events-to-rows', ['qr.published', 'feedback.response_received']],
  ['low-score-to-message', ['feedback.low_score_received']],
  ['catch-up-after-outage-events', ['qr.updated']],
  ['quiet-trigger-alarm-events', ['qr.updated']],
] satisfies [string, EventType[]][])(
  "the data pinned to the trigger of %s matches the core's samples",
  async (name, types) => {
    const workflow = example(name);
    expect(workflow.pinData!['Events']).toEqual(
      types.map((type) => ({ json: eventRow(sampleEvent(type), 'dlv_sample') })),
    );
    const { error } = await world.engine.runWorkflow(workflow, { startNode: 'Events' });
    expect(error).toBeUndefined();
  },
);

test("the data pinned to the trigger of new-scans matches the core's sample", () => {
  expect(example('new-scans').pinData!['QR Service Polling Trigger']).toEqual([{ json: SAMPLE_SCAN }]);
});
