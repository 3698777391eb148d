import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { IDataObject } from 'n8n-workflow';
import type { WorkflowJson } from '../../engines/n8n/index.ts';
import { PUBLIC_URL, startWorld, type World } from './support/world.ts';

/** Workflows as users have saved them with version 0.1.0. They are never edited: they must keep running as they are. */
const FOLDER = join(__dirname, 'saved/0.1.0');

/** A saved file with its `{{name}}` placeholders replaced. */
function saved(file: string, values: Record<string, string> = {}): unknown {
  const text = readFileSync(join(FOLDER, file), 'utf8');
  return JSON.parse(text.replace(/\{\{(\w+)\}\}/g, (all, name: string) => values[name] ?? all)) as unknown;
}

const workflow = (name: string) => saved(`${name}.json`) as WorkflowJson;

/** The same workflow with every node enabled. */
function switchedOn(name: string): WorkflowJson {
  const json = workflow(name);
  for (const node of json.nodes) delete node.disabled;
  return json;
}

let world: World;
afterEach(() => world.close());

test('every operation runs with every parameter that was saved', async () => {
  world = await startWorld();
  const { error, data } = await world.engine.runWorkflow(workflow('every-operation'));
  expect(error).toBeUndefined();
  const rows = (node: string) => data[node]!.map(({ json }) => json);

  const slugs = rows('Create').map(({ slug }) => slug);
  expect(rows('Create')).toMatchObject([
    { name: 'Table 4', status: 'draft' },
    { name: 'Table 5', status: 'draft' },
  ]);
  expect(rows('Publish')).toMatchObject(slugs.map((slug) => ({ slug, status: 'published' })));
  const targets = rows('Retarget').map(async ({ publicUrl }) =>
    (await fetch(publicUrl as string, { redirect: 'manual' })).headers.get('location'),
  );
  expect(await Promise.all(targets)).toEqual(
    slugs.map((slug) => `https://example.com/new/${slug as string}`),
  );
  expect(rows('Get')).toMatchObject(slugs.map((slug) => ({ slug, status: 'published' })));
  expect(data['Render']!.map(({ binary }) => binary)).toMatchObject(
    ['Table 4', 'Table 5'].map((name) => ({
      image: { mimeType: 'image/svg+xml', fileName: `${name}.svg` },
      image_png: { mimeType: 'image/png', fileName: `${name}.png` },
      image_pdf: { mimeType: 'application/pdf', fileName: `${name}.pdf` },
    })),
  );
  expect(rows('Get Many')).toHaveLength(2);
  expect(rows('Get Account')).toMatchObject([{ scopes: expect.arrayContaining(['qr:write']) }]);
});

test('rows become published codes with three files each', async () => {
  world = await startWorld();
  const { error, data } = await world.engine.runWorkflow(workflow('rows-to-printable-codes'));
  expect(error).toBeUndefined();
  expect(data['Render Images']!.map(({ binary }) => Object.keys(binary ?? {}).sort())).toEqual(
    Array.from({ length: 3 }, () => ['image', 'image_pdf', 'image_svg']),
  );
});

test('a scan reaches the column that the workflow named', async () => {
  world = await startWorld();
  const trigger = world.engine.pollTrigger(switchedOn('new-scans'), 'QR Service Polling Trigger');
  await trigger.activate();
  const { data } = await world.engine.runWorkflow(workflow('every-operation'));
  const { id, publicUrl } = data['Publish']![0]!.json;
  await fetch(publicUrl as string, { redirect: 'manual' });
  const { execution } = await trigger.tick();
  const rows = (await execution!).data['Rows']!.map(({ json }) => json);
  expect(rows).toMatchObject([{ scanId: expect.stringMatching(/./), qrId: id }]);
});

test('an active trigger keeps its subscription and secret when n8n restarts with the new version', async () => {
  const file = 'signed-events-to-rows.staticData.json';
  const template = saved(file) as Record<string, { url: string; secret: string }>;
  const { url, secret } = template['node:QR Service Trigger']!;
  world = await startWorld({
    // The key from which the saved subscription's owner was derived.
    apiKey: 'key_saved',
    seed: { subscriptions: [{ url, secret }] },
  });
  const { control, url: baseUrl } = world.emulator;
  const subscriptionId = control.subscriptions()[0]!.id;
  const staticData = saved(file, { baseUrl, subscriptionId }) as IDataObject;
  const json = { ...switchedOn('signed-events-to-rows'), id: 'saved-events' };
  const trigger = await world.engine.activateTrigger(json, 'QR Service Trigger', {
    publicUrl: PUBLIC_URL,
    mode: 'init',
    staticData,
  });
  expect(control.subscriptions()).toMatchObject([{ id: subscriptionId }]);

  world.frontDoor.open(trigger);
  const { id } = control.emit('qr.published');
  await control.settled();
  const rows = world.frontDoor.executions.flatMap(({ data }) => data['Rows']!.map((item) => item.json));
  expect(rows).toMatchObject([{ eventId: id, type: 'qr.published' }]);

  await trigger.deactivate();
  expect(control.subscriptions()).toEqual([]);
});
