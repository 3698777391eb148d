import { EVENT_TYPES } from '@qr-service/core';
import { UNSEEN_EVENTS } from '@qr-service/core/connector';
import app from 'zapier-qr-service';
import packageJson from 'zapier-qr-service/package.json' with { type: 'json' };
import type { PlainInputField } from 'zapier-platform-core';
import { createZapierEngine, type ZapierHook } from '../../engines/zapier/index.ts';
import { HOOK_URL, startWorld, type World } from './support/world.ts';

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

describe('the output has the same keys as the sample of', () => {
  let world: World;
  let code: Record<string, unknown>;
  beforeAll(async () => {
    world = await startWorld();
    const input = { name: 'Sampled', targetUrl: 'https://example.com', publishNow: true };
    code = await world.engine.create('create_qr_code', input);
  });
  afterAll(() => world.close());

  const sampleKeys = (step: { operation: { sample?: object } } | undefined) =>
    Object.keys(step?.operation.sample ?? {}).sort();
  const keysOf = (row: Record<string, unknown> | undefined) => Object.keys(row ?? {}).sort();
  const url = 'https://example.com/new';

  const INPUTS: Record<string, () => Record<string, unknown>> = {
    create_qr_code: () => ({ name: 'Once more', targetUrl: url, publishNow: false }),
    publish_qr_code: () => ({ qrCodeId: code['id'] }),
    retarget_qr_code: () => ({ qrCodeId: code['id'], url }),
    upsert_qr_code: () => ({ qrCodeId: code['id'], matchBy: 'id', targetUrl: url }),
    render_qr_code: () => ({ qrCodeId: code['id'], format: 'pdf', size: 400 }),
  };
  test.each(Object.keys(app.creates))('%s', async (key) => {
    expect(keysOf(await world.engine.create(key, INPUTS[key]!()))).toEqual(sampleKeys(app.creates[key]));
  });

  test('find_qr_code', async () => {
    const [row] = await world.engine.search('find_qr_code', { value: code['id'] });
    expect(keysOf(row)).toEqual(sampleKeys(app.searches['find_qr_code']));
  });

  test('qr_changed', async () => {
    const [row] = await world.engine.poll('qr_changed');
    expect(keysOf(row)).toEqual(sampleKeys(app.triggers['qr_changed']));
  });

  test('new_scan and find_scans, plus the dimensions that the workspace allows', async () => {
    await (await fetch(String(code['publicUrl']), { redirect: 'manual' })).text();
    const [polled] = await world.engine.poll('new_scan');
    const [found] = await world.engine.search('find_scans', {});
    expect(keysOf(found)).toEqual(keysOf(polled));
    expect(found?.['scannedCode']).toEqual(await world.engine.hydrate(polled?.['scannedCode']));
    const { sample } = app.searches['find_scans']!.operation;
    expect(sample).toBe(app.triggers['new_scan']?.operation.sample);
    expect(found).toMatchObject({
      ...Object.fromEntries(Object.keys(sample ?? {}).map((key) => [key, expect.anything()])),
      scannedCode: { name: 'Sampled', publicUrl: code['publicUrl'] },
    });
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

  test('rows of runs', async () => {
    const { engine } = world;
    const input = { name: 'Ordered', targetUrl: 'https://example.com' };
    const hooks = new Map<string, ZapierHook>();
    for (const type of EVENT_TYPES) {
      const isOther = UNSEEN_EVENTS.includes(type);
      const key = isOther ? 'other_event' : type.replaceAll('.', '_');
      hooks.set(type, await engine.subscribe(key, HOOK_URL, isOther ? { event: type } : {}));
    }
    const code = await engine.create('create_qr_code', input);
    await (await fetch(String(code['publicUrl']), { redirect: 'manual' })).text();
    for (const type of EVENT_TYPES) world.emulator.control.emit(type);
    await world.emulator.control.settled();
    const received = await Promise.all(
      world.hooks.requests.map((request) =>
        hooks.get(String(request.headers['Http-X-Service-Event']))!.receive(request),
      ),
    );
    const rows = [
      code,
      await engine.create('render_qr_code', { qrCodeId: code['id'] }),
      ...(await engine.search('find_qr_code', { value: 'Ordered' })),
      ...(await engine.poll('qr_changed')),
      ...(await engine.poll('new_scan')),
      ...(await engine.performList('qr_published')),
      ...received.flat(),
    ];
    expect(received.flat().length).toBeGreaterThanOrEqual(EVENT_TYPES.length);
    for (const row of rows) expect(Object.keys(row)).toEqual(inOrder(Object.keys(row)));
  });
});

test("the lock of steps that change a code is held for 30 s and isn't shared with other connections", () => {
  for (const step of ['publish_qr_code', 'retarget_qr_code'])
    expect(app.creates[step]?.operation.lock).toEqual({
      key: 'qr_code-{{bundle.inputData.qrCodeId}}',
      scope: ['auth'],
      timeout: 30,
    });
});

test('required fields come first in every step', () => {
  for (const { operation } of Object.values({ ...app.triggers, ...app.searches, ...app.creates })) {
    const required = staticFields(operation).map((field) => field.required === true);
    expect(required).toEqual([...required].sort((a, b) => Number(b) - Number(a)));
  }
});
