import { EVENT_TYPES } from '@qr-service/core';
import { UNSEEN_EVENTS } from '@qr-service/core/connector';
import app from 'zapier-qr-service';
import packageJson from 'zapier-qr-service/package.json' with { type: 'json' };
import type { PlainInputField } from 'zapier-platform-core';
import { createZapierEngine, type ZapierHook } from '../../engines/zapier/index.ts';
import { HOOK_URL, startWorld, type World } from './support/world.ts';

const SEEN_EVENTS = EVENT_TYPES.filter((type) => !UNSEEN_EVENTS.includes(type));

/** Fields of a step that don't depend on other inputs. */
const staticFields = (operation: object) =>
  ((operation as { inputFields?: unknown[] }).inputFields ?? []).filter(
    (field): field is PlainInputField => typeof field !== 'function',
  );

test("passes Zapier's own validation", async () => {
  const engine = await createZapierEngine({ auth: { apiKey: 'none' } });
  expect(await engine.validate()).toEqual([]);
  await engine.close();
});

test('has the versions of the package and of zapier-platform-core', () => {
  expect(app.version).toBe(packageJson.version);
  expect(app.platformVersion).toBe(packageJson.dependencies['zapier-platform-core']);
});

test('keeps the keys that saved Zaps rely on', () => {
  expect(Object.keys(app.creates)).toEqual([
    'create_qr_code',
    'publish_qr_code',
    'retarget_qr_code',
    'upsert_qr_code',
    'render_qr_code',
  ]);
  expect(Object.keys(app.searches)).toEqual(['find_qr_code', 'find_scans']);
  expect(app.searchOrCreates.find_qr_code).toMatchObject({
    search: 'find_qr_code',
    create: 'create_qr_code',
  });
  expect(app.authentication.fields?.map(({ key }) => key)).toEqual(['apiKey', 'baseUrl']);
  const inputsOf = (steps: object) =>
    Object.fromEntries(
      (Object.values(steps) as { key: string; operation: { inputFields?: unknown } }[]).map(
        ({ key, operation }) => [key, staticFields(operation).map((field) => field.key)],
      ),
    );
  expect(inputsOf(app.creates)).toEqual({
    create_qr_code: ['name', 'targetUrl', 'publishNow', 'deduplicationKey'],
    publish_qr_code: ['qrCodeId'],
    retarget_qr_code: ['qrCodeId', 'url'],
    // Match By adds the others.
    upsert_qr_code: ['targetUrl', 'matchBy'],
    render_qr_code: ['qrCodeId', 'format', 'size'],
  });
  expect(inputsOf(app.searches)).toEqual({
    find_qr_code: ['value'],
    find_scans: ['qrCodeId', 'since', 'limit'],
  });
  expect(inputsOf(app.triggers)).toEqual({
    qr_created: [],
    qr_published: ['qrCodeId'],
    qr_updated: ['qrCodeId', 'status'],
    qr_archived: [],
    qr_deleted: [],
    feedback_response_received: [],
    other_event: ['event'],
    qr_changed: ['qrCodeId', 'status'],
    new_scan: ['qrCodeId'],
  });
});

test('actions have the names that people search for', () => {
  const displays = [...Object.values(app.creates), ...Object.values(app.searches)].map(
    ({ display }) => display,
  );
  const pair = app.searchOrCreates.find_qr_code.display;
  expect([...displays, pair].map(({ label }) => label)).toEqual([
    'Create QR Code',
    'Publish QR Code',
    'Update QR Code Destination',
    'Create or Update QR Code',
    'Create QR Code Image',
    'Find QR Code',
    'Find Scans',
    'Find or Create QR Code',
  ]);
});

describe('rows start with the fields that users map first and end with IDs:', () => {
  let world: World;
  beforeAll(async () => {
    world = await startWorld();
  });
  afterAll(() => world.close());

  const FIRST =
    'name publicUrl file targetUrl outcome score scoreKind status scannedAt occurredAt updatedAt'.split(' ');
  const inOrder = (keys: readonly string[]) => {
    const isOwn = (key: string) => key === 'id' || key === 'qrId';
    const ids = keys
      .filter((key) => /^id$|Id$/.test(key))
      .sort((a, b) => Number(isOwn(b)) - Number(isOwn(a)));
    const first = FIRST.filter((key) => keys.includes(key));
    return [...first, ...keys.filter((key) => !ids.includes(key) && !first.includes(key)), ...ids];
  };
  const UNMAPPED = ['mode', 'contentType', 'type', 'workspaceId', 'deliveryId'];
  const steps = Object.entries({ ...app.triggers, ...app.searches, ...app.creates });

  test.each(steps)('%s', (_key, { operation }) => {
    const fields = (operation.outputFields as { key?: string }[]).flatMap(({ key }) => key ?? []);
    expect(fields).toEqual(inOrder(fields));
    expect(fields).not.toEqual(expect.arrayContaining([expect.stringMatching(`^(${UNMAPPED.join('|')})$`)]));
    // In the key of a field, Zapier writes `__` for a field of an object.
    const keys = Object.entries(operation.sample ?? {}).flatMap(([key, value]) =>
      typeof value === 'object' ? Object.keys(value as object).map((inner) => `${key}__${inner}`) : [key],
    );
    expect(keys).toEqual(fields);
  });

  test('rows of runs have the fields of the sample, in its order', async () => {
    const { engine } = world;
    const url = 'https://example.com';
    const code = await engine.create('create_qr_code', { name: 'Ordered', targetUrl: url });
    const hooks = new Map<string, ZapierHook>();
    for (const type of SEEN_EVENTS)
      hooks.set(type, await engine.subscribe(type.replaceAll('.', '_'), HOOK_URL));
    await (await fetch(String(code['publicUrl']), { redirect: 'manual' })).text();
    for (const type of SEEN_EVENTS) world.emulator.control.emit(type);
    await world.emulator.control.settled();
    const received = world.hooks.requests.map(async (request) => {
      const type = String(request.headers['Http-X-Service-Event']);
      const [row] = await hooks.get(type)!.receive(request);
      return [type.replaceAll('.', '_'), row!] as const;
    });
    const { id: qrCodeId } = code;
    const rows = [
      ['create_qr_code', code],
      ['publish_qr_code', await engine.create('publish_qr_code', { qrCodeId })],
      ['retarget_qr_code', await engine.create('retarget_qr_code', { qrCodeId, url })],
      ['upsert_qr_code', await engine.create('upsert_qr_code', { qrCodeId, matchBy: 'id', targetUrl: url })],
      ['render_qr_code', await engine.create('render_qr_code', { qrCodeId, format: 'pdf', size: 400 })],
      ['find_qr_code', (await engine.search('find_qr_code', { value: qrCodeId }))[0]!],
      ['qr_changed', (await engine.poll('qr_changed'))[0]!],
      ['qr_published', (await engine.performList('qr_published'))[0]!],
      ...(await Promise.all(received)),
    ] as const;
    expect(rows.length).toBe(8 + SEEN_EVENTS.length);
    const parts = Object.fromEntries(steps);
    for (const [key, row] of rows)
      expect([key, Object.keys(row)]).toEqual([key, Object.keys(parts[key]?.operation.sample ?? {})]);

    // Scans have the dimensions that the workspace allows as well.
    const [polled] = await engine.poll('new_scan');
    const [found] = await engine.search('find_scans', {});
    const sample = app.searches['find_scans']?.operation.sample ?? {};
    expect(sample).toBe(app.triggers['new_scan']?.operation.sample);
    expect(Object.keys(polled!)).toEqual(inOrder(Object.keys(polled!)));
    expect(Object.keys(found!)).toEqual(Object.keys(polled!));
    expect(Object.keys(found!)).toEqual(expect.arrayContaining(Object.keys(sample)));
    expect(found?.['scannedCode']).toEqual(await engine.hydrate(polled?.['scannedCode']));
    expect(found?.['scannedCode']).toEqual({ name: 'Ordered', publicUrl: code['publicUrl'] });
  });
});

test('required fields come first in every step', () => {
  for (const { operation } of Object.values({ ...app.triggers, ...app.searches, ...app.creates })) {
    const required = staticFields(operation).map((field) => field.required === true);
    expect(required).toEqual([...required].sort((a, b) => Number(b) - Number(a)));
  }
});
