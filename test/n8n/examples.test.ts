import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { WorkflowJson } from '../../engines/n8n/index.ts';
import { PACKAGE_DIR, PUBLIC_URL, startWorld, type World } from './support/world.ts';
import { example } from './support/workflows.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.close());

test.each(readdirSync(join(PACKAGE_DIR, 'examples')))(
  '%s has what an import into the editor needs',
  (file) => {
    const workflow = example(file.replace(/\.json$/, ''));
    const names = workflow.nodes.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    expect(new Set(workflow.nodes.map(({ id }) => id)).size).toBe(names.length);
    for (const { id, position, typeVersion } of workflow.nodes) {
      expect(id).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
      expect(position).toHaveLength(2);
      expect(typeVersion).toBe(1);
    }
    for (const [from, { main }] of Object.entries(workflow.connections)) {
      expect(names).toContain(from);
      for (const { node } of main!.flatMap((targets) => targets ?? [])) expect(names).toContain(node);
    }
  },
);

/** The same workflow with small images: the emulator draws large ones slowly inside jest. */
function smallImages(workflow: WorkflowJson): WorkflowJson {
  for (const { parameters } of workflow.nodes) {
    if (parameters['operation'] === 'render') parameters['size'] = 100;
  }
  return workflow;
}

async function publishedCodes(): Promise<{ id: string; publicUrl: string }[]> {
  const { data } = await world.engine.runWorkflow(smallImages(example('rows-to-printable-codes')));
  return data['Render PDF']!.map(({ json }) => json as { id: string; publicUrl: string });
}

test('rows become published codes with three files each; a bad row leaves by the error output', async () => {
  const workflow = smallImages(example('rows-to-printable-codes'));
  const pinned = await world.engine.runWorkflow(workflow);
  expect(pinned.error).toBeUndefined();
  const items = pinned.data['Render PDF']!;
  expect(items).toHaveLength(3);
  for (const { json, binary } of items) {
    expect(json).toMatchObject({ status: 'published', publicUrl: expect.stringContaining('http') });
    expect(Object.values(binary!).map(({ mimeType }) => mimeType)).toEqual([
      'image/png',
      'image/svg+xml',
      'application/pdf',
    ]);
  }
  const triggerItems = [
    { name: 'Good', targetUrl: 'https://example.com/' },
    { name: 'Bad', targetUrl: 'nowhere' },
  ];
  const mixed = await world.engine.runWorkflow(workflow, { triggerItems });
  expect(mixed.data['Render PDF']!.map(({ json }) => json['name'])).toEqual(['Good']);
  expect(mixed.data['Rows With Errors']!.map(({ json }) => json)).toMatchObject([
    { name: 'Bad', targetUrl: 'nowhere', error: expect.stringContaining('[item 1]') },
  ]);
});

test('retargeting takes ids and short links', async () => {
  const [one, two] = await publishedCodes();
  const triggerItems = [
    { id: one!.id, url: 'https://example.com/one' },
    { id: two!.publicUrl, url: 'https://example.com/two' },
    { id: 'qr_nobody', url: 'https://example.com/three' },
  ];
  const result = await world.engine.runWorkflow(example('retarget-codes'), { triggerItems });
  expect(result.data['Retarget QR Code']!.map(({ json }) => json['id'])).toEqual([one!.id, two!.id]);
  expect(result.data['Rows With Errors']!.map(({ json }) => json)).toMatchObject([
    { id: 'qr_nobody', details: { code: 'not_found' } },
  ]);
  const target = async (link: string) => (await fetch(link, { redirect: 'manual' })).headers.get('location');
  expect(await target(one!.publicUrl)).toBe('https://example.com/one');
  expect(await target(two!.publicUrl)).toBe('https://example.com/two');
});

test('signed events become rows', async () => {
  const workflow = example('signed-events-to-rows');
  const trigger = await world.engine.activateTrigger(workflow, 'QR Service Trigger', {
    publicUrl: PUBLIC_URL,
  });
  world.frontDoor.open(trigger);
  world.emulator.control.emit('feedback.low_score_received');
  await world.emulator.control.settled();
  expect(world.frontDoor.executions.map(({ data }) => data['Rows']![0]!.json['type'])).toEqual([
    'feedback.low_score_received',
  ]);
  await trigger.deactivate();
});

test('new scans become rows', async () => {
  const [code] = await publishedCodes();
  const trigger = world.engine.pollTrigger(example('new-scans'), 'QR Service Polling Trigger');
  await trigger.activate();
  await fetch(code!.publicUrl, { redirect: 'manual' });
  const { execution } = await trigger.tick();
  expect((await execution)?.data['Rows']).toMatchObject([{ json: { scanId: expect.any(String) } }]);
});
