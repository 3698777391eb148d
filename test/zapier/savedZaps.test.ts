import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sampleEvent } from '@qr-service/core/webhook';
import { nextRequest } from './support/deliveries.ts';
import { HOOK_URL, startWorld, type World } from './support/world.ts';

type Row = Record<string, unknown>;

/** A Zap that a user saved with version 0.1.0: keys of steps and fields, and the mappings. */
interface SavedZap {
  steps: { id: string; action: 'create' | 'search'; key: string; params: Record<string, string> }[];
}

/** Saved Zaps are never edited: they must keep running as they are. */
const ZAP = JSON.parse(
  readFileSync(join(__dirname, 'saved/0.1.0/rows-to-printed-codes.json'), 'utf8'),
) as SavedZap;

let world: World;
beforeEach(async () => {
  world = await startWorld();
});
afterEach(() => world.close());

/** Runs a Zap's steps in order, as Zapier does. `{{step.field}}` is replaced by the output of an earlier step. */
async function run({ steps }: SavedZap, row: Row): Promise<Record<string, Row>> {
  const outputs: Record<string, Row> = { row };
  const fill = (text: string) =>
    text.replace(/\{\{(\w+)\.(\w+)\}\}/g, (_all, step: string, field: string) =>
      String(outputs[step]?.[field]),
    );
  for (const { id, action, key, params } of steps) {
    const input = Object.fromEntries(Object.entries(params).map(([field, text]) => [field, fill(text)]));
    const result = await world.engine[action](key, input);
    outputs[id] = Array.isArray(result) ? (result[0] as Row) : result;
  }
  return outputs;
}

test('every step of a saved Zap runs with the fields and mappings that were saved', async () => {
  const row = { id: 'row-2', name: 'Table 4', targetUrl: 'https://example.com/4' };
  const { create, publish, render, find } = await run(ZAP, row);
  expect(create).toMatchObject({ name: 'Table 4', status: 'draft' });
  expect(publish).toMatchObject({ id: create!['id'], status: 'published' });
  const response = await fetch(String(publish!['publicUrl']), { redirect: 'manual' });
  expect(response.headers.get('location')).toBe(`https://example.com/new/${String(create!['slug'])}`);
  const image = await world.engine.hydrateFile(render!['file']);
  expect(image.contentType).toBe('image/svg+xml');
  expect(find).toMatchObject({ id: create!['id'] });
});

test('a saved Zap that runs again for a row on the same day publishes and updates its code again', async () => {
  const row = { id: 'row-2', name: 'Table 4', targetUrl: 'https://example.com/4' };
  const { create } = await run(ZAP, row);
  const id = String(create!['id']);
  world.emulator.control.archive(id);
  world.emulator.control.unarchive(id);
  await world.engine.create('retarget_qr_code', { qrCodeId: id, url: 'https://example.com/elsewhere' });
  const { publish } = await run(ZAP, row);
  expect(publish).toMatchObject({ id, status: 'published' });
  const response = await fetch(String(publish!['publicUrl']), { redirect: 'manual' });
  expect(response.headers.get('location')).toBe(`https://example.com/new/${String(create!['slug'])}`);
});

test.each([
  ['id', ({ id }: Row) => id],
  ['publicUrl', ({ publicUrl }: Row) => publicUrl],
  ['name', ({ name }: Row) => name],
])('a saved search by %s finds its code', async (searchBy, valueOf) => {
  const code = await world.engine.create('create_qr_code', {
    name: 'Table 4',
    targetUrl: 'https://example.com',
  });
  const found = await world.engine.search('find_qr_code', { searchBy, value: valueOf(code) });
  expect(found).toMatchObject([{ id: code['id'] }]);
});

test('a saved trigger receives its event in the fields that were mapped', async () => {
  const hook = await world.engine.subscribe('qr_published', HOOK_URL);
  world.emulator.control.emit('qr.published', sampleEvent('qr.published').data);
  const [row] = await hook.receive(await nextRequest(world, 0));
  expect(row).toMatchObject({
    eventId: expect.any(String),
    type: 'qr.published',
    occurredAt: expect.any(String),
    qrId: 'qr_7hK2pQ',
    name: 'Table 4',
    publicUrl: expect.any(String),
  });
});
