import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { eventRow, sampleEvent } from '@qr-service/core/webhook';
import { SAMPLE_QR_CODE, SAMPLE_SCAN } from '@qr-service/core/connector';
import type { EventType } from '@qr-service/core';
import type { IConnections, IDataObject, INode, INodeParameters } from 'n8n-workflow';
import type { RunResult, WorkflowJson } from '../../engines/n8n/index.ts';
import { PACKAGE_DIR, PUBLIC_URL, startWorld, type World } from './support/world.ts';
import { example, startsByItself } from './support/workflows.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.close());

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

test('each event becomes one row, and each feedback event one task, however often it is delivered', async () => {
  const workflow = setUp('signed-events-to-rows');
  const trigger = await world.engine.activateTrigger(workflow, 'Events', { publicUrl: PUBLIC_URL });
  world.frontDoor.open(trigger);
  world.emulator.control.emit('qr.published');
  const { id } = world.emulator.control.emit('feedback.low_score_received');
  await world.emulator.control.settled();
  const results = world.frontDoor.executions;
  expect(results.flatMap((result) => written(result, 'Rows').map(({ type }) => type))).toEqual([
    'qr.published',
    'feedback.low_score_received',
  ]);
  expect(results.flatMap((result) => written(result, 'Create Task'))).toMatchObject([
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
  const again = { ...sampleEvent('qr.updated'), id };
  const run = await world.engine.runWorkflow(
    { ...workflow, pinData: { Events: [{ json: eventRow(again, 'dlv_other') as IDataObject }] } },
    { startNode: 'Events' },
  );
  expect(run.error).toBeUndefined();
  expect(written(run, 'Rows')).toEqual([]);
  await trigger.deactivate();
});

test.each([
  ['signed-events-to-rows', ['qr.published', 'feedback.response_received']],
  ['low-score-to-message', ['feedback.low_score_received']],
  ['catch-up-after-outage-events', ['qr.updated']],
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

test("the data pinned to polling triggers matches the core's samples", () => {
  expect(example('new-scans').pinData!['QR Service Polling Trigger']).toEqual([{ json: SAMPLE_SCAN }]);
  expect(example('catch-up-after-outage').pinData).toMatchObject({
    'Changed Codes': [{ json: SAMPLE_QR_CODE }],
    Events: [{ json: eventRow(sampleEvent('qr.updated'), 'dlv_sample') }],
  });
});
