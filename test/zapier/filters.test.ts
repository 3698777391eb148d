import type { EventType } from '@qr-service/core';
import app from 'zapier-qr-service';
import type { HookRequest, Row, ZapierHook } from '../../engines/zapier/index.ts';
import { nextRequest, nowSeconds, signedAnew, withHeaders } from './support/deliveries.ts';
import { failureOf, HOOK_URL, startWorld, type World } from './support/world.ts';

let world: World;
/** Two published codes. */
let door: Row;
let menu: Row;
beforeAll(async () => {
  world = await startWorld();
  const input = { targetUrl: 'https://example.com', publishNow: true };
  door = await world.engine.create('create_qr_code', { ...input, name: 'Door' });
  menu = await world.engine.create('create_qr_code', { ...input, name: 'Menu' });
  for (const { publicUrl } of [door, menu])
    await (await fetch(String(publicUrl), { redirect: 'manual' })).text();
});
afterAll(() => world.close());

const keyOf = (type: string) => type.replaceAll('.', '_');
const ids = (rows: Row[]) => rows.map((row) => row['qrId'] ?? row['id']);

/** A code identified by its URL in the API. */
const named = ({ id }: Row) => ` ${world.emulator.url}/v1/public-api/qr/${String(id)}\n`;

const emitted = async (type: EventType, data: Row): Promise<HookRequest> => {
  const before = world.hooks.requests.length;
  world.emulator.control.emit(type, data);
  return nextRequest(world, before);
};
const about = (code: Row, changes: Row = {}) => ({ qrId: code['id'], qr: { ...code, ...changes } });

/** Turns a Zap on for a test. */
async function withHook(
  type: string,
  inputData: Row,
  test: (hook: ZapierHook) => Promise<void>,
  engine = world.engine,
): Promise<void> {
  const hook = await engine.subscribe(keyOf(type), HOOK_URL, inputData);
  try {
    await test(hook);
  } finally {
    await hook.unsubscribe();
  }
}

test('the code is chosen from the same dropdown as in the other steps', async () => {
  const { choices } = await world.engine.dropdown('publish_qr_code', 'qrCodeId');
  const steps = ['retarget_qr_code', 'render_qr_code', 'find_scans'];
  for (const key of [...steps, 'qr_updated', 'qr_changed', 'new_scan'])
    expect((await world.engine.dropdown(key, 'qrCodeId')).choices).toEqual(choices);
});

describe('a code', () => {
  test('is the only one whose events start the Zap, without a request', async () => {
    await withHook('qr.updated', { qrCodeId: named(door) }, async (hook) => {
      const requests = [await emitted('qr.updated', about(menu)), await emitted('qr.updated', about(door))];
      const before = world.emulator.control.requestCount();
      const rows = [await hook.receive(requests[0]!), await hook.receive(requests[1]!)];
      expect(rows.map(ids)).toEqual([[], [door['id']]]);
      expect(world.emulator.control.requestCount()).toBe(before);
    });
  });

  test('is the only one that polls and tests in the editor show', async () => {
    const input = { qrCodeId: named(door) };
    for (const meta of [{ isPopulatingDedupe: true }, {}, { isLoadingSample: true }])
      for (const trigger of ['qr_changed', 'new_scan']) {
        const before = world.emulator.control.requestCount();
        expect(ids(await world.engine.poll(trigger, input, meta))).toEqual([door['id']]);
        // A poll doesn't check that the code exists.
        if (Object.keys(meta).length === 0) expect(world.emulator.control.requestCount()).toBe(before + 1);
      }
    expect(ids(await world.engine.performList('qr_published', input))).toEqual([door['id']]);
    for (const qrCodeId of [named(door), door['publicUrl']])
      expect(ids(await world.engine.search('find_scans', { qrCodeId }))).toEqual([door['id']]);
  });
});

describe('a status', () => {
  test.each([
    [[' PUBLISHED '], 'published', 1],
    [['archived'], 'published', 0],
    [['Published', 'archived'], 'archived', 1],
    [['published', 'ARCHIVED', ''], 'draft', 0],
    ['published, archived', 'archived', 1],
    [' , ', 'published', 1],
  ])('%j and a code that is %j: an event about it returns %i row(s)', async (status, own, count) => {
    await withHook('qr.updated', { status }, async (hook) => {
      expect(await hook.receive(await emitted('qr.updated', about(door, { status: own })))).toHaveLength(
        count,
      );
    });
  });

  test('filters polls', async () => {
    const draft = { name: 'Draft', targetUrl: 'https://example.com', publishNow: false };
    const code = await world.engine.create('create_qr_code', draft);
    for (const meta of [{}, { isLoadingSample: true }])
      expect(ids(await world.engine.poll('qr_changed', { status: 'Draft' }, meta))).toEqual([code['id']]);
    expect(ids(await world.engine.poll('qr_changed', { status: 'published' }))).not.toContain(code['id']);
    expect(await world.engine.poll('qr_changed', { status: 'published', qrCodeId: code['id'] })).toEqual([]);
  });

  test('that matches no recent code shows the sample in the editor', async () => {
    const status = ' , In review,archived';
    const { sample } = app.triggers['qr_updated']!.operation;
    expect(await world.engine.performList('qr_updated', { status })).toEqual([sample]);
    expect(await world.engine.poll('qr_changed', { status }, { isLoadingSample: true })).toEqual([]);
  });
});

const BOTH = () => ({ qrCodeId: door['id'], status: 'archived' });
// An event without a filtered field starts the Zap, so that none is lost.
test.each<[string, number, () => Row, () => Row]>([
  ['both filters match', 1, BOTH, () => about(door, { status: 'archived' })],
  ['the status differs', 0, BOTH, () => about(door, { status: 'published' })],
  ['the code differs', 0, BOTH, () => about(menu, { status: 'archived' })],
  ['its status is null', 1, BOTH, () => about(door, { status: null })],
  ['it names no code', 1, () => ({ qrCodeId: door['id'] }), () => ({ rule: 'time' })],
  ['it has only the ID of another code', 0, () => ({ qrCodeId: door['id'] }), () => ({ qrId: menu['id'] })],
  // The status of an approval isn't the code's.
  ["a status isn't the code's", 1, () => ({ status: 'published' }), () => ({ ...about(door), status: 'ok' })],
])('an event of which %s returns %i row(s)', async (_what, count, input, data) => {
  await withHook('qr.updated', input(), async (hook) => {
    expect(await hook.receive(await emitted('qr.updated', data()))).toHaveLength(count);
  });
});

describe('a filter that can never match raises an error:', () => {
  test.each([
    ['a name', 'Door', 'No QR code with ID Door was found.'],
    ['a printed link', 'qr.example/a', 'QR Code must be the ID of a QR code, but got "qr.example/a". Choose'],
  ])('%s, when the Zap is turned on or tested', async (_what, qrCodeId, message) => {
    const { engine, emulator } = world;
    const before = emulator.control.subscriptions().length;
    for (const run of [
      () => engine.subscribe('qr_updated', HOOK_URL, { qrCodeId }),
      () => engine.performList('qr_updated', { qrCodeId }),
      () => engine.poll('qr_changed', { qrCodeId }, { isLoadingSample: true }),
      () => engine.poll('qr_changed', { qrCodeId }, { isPopulatingDedupe: true }),
      () => engine.poll('new_scan', { qrCodeId }, { isLoadingSample: true }),
      () => engine.poll('new_scan', { qrCodeId }, { isPopulatingDedupe: true }),
    ])
      expect(await failureOf(run())).toMatchObject({
        name: 'AppError',
        message: expect.stringContaining(message),
      });
    expect(await failureOf(engine.search('find_scans', { qrCodeId }))).toMatchObject({ code: 'not_found' });
    expect(emulator.control.subscriptions()).toHaveLength(before);
  });

  test("a value that isn't text: also for a delivery, but only for a genuine one", async () => {
    const invalid = { status: ['published', { id: 1 }] };
    for (const run of [
      world.engine.subscribe('qr_updated', HOOK_URL, invalid),
      world.engine.performList('qr_updated', invalid),
      world.engine.poll('qr_changed', invalid),
    ])
      expect((await failureOf(run)).message).toMatch(/^Status must be text, but got an object/);

    const inputData: Row = {};
    await withHook('qr.updated', inputData, async (hook) => {
      const request = await emitted('qr.updated', about(door));
      Object.assign(inputData, invalid);
      const forged = withHeaders(request, { 'Http-X-Service-Signature': 't=1,v1=00' });
      expect(await hook.receive(forged)).toEqual([]);
      expect((await failureOf(hook.receive(request))).message).toMatch(/^Status must be text/);
    });
  });

  test('a key that may not read codes turns the Zap on, and the filter works', async () => {
    const { apiKey } = world.emulator.control.createKey({ scopes: ['webhooks:write'] });
    const engine = await world.connect(apiKey);
    const input = { qrCodeId: door['id'] };
    const { sample } = app.triggers['qr_published']!.operation;
    expect(await engine.performList('qr_published', input)).toEqual([sample]);
    const run = async (hook: ZapierHook) => {
      expect(await hook.receive(await emitted('qr.updated', about(menu)))).toEqual([]);
      expect(await hook.receive(await emitted('qr.updated', about(door)))).toHaveLength(1);
    };
    await withHook('qr.updated', input, run, engine);
  });
});

test('a filtered event is not remembered as a duplicate', async () => {
  const hook = await world.engine.subscribe('qr_updated', HOOK_URL, { status: 'archived' });
  const request = await emitted('qr.updated', about(door));
  expect(await hook.receive(request)).toEqual([]);
  expect(world.logs.map(({ message }) => message)).toContain(
    "Ignored a delivery: its QR code doesn't match this trigger's filters.",
  );
  const { id } = JSON.parse(request.rawBody) as { id: string };
  const data = about(door, { status: 'archived' });
  const rawBody = JSON.stringify({ ...(JSON.parse(request.rawBody) as Row), data });
  const secret = String(hook.subscribeData['secret']);
  const again = signedAnew({ ...request, rawBody }, secret, nowSeconds());
  expect(await hook.receive(again)).toMatchObject([{ eventId: id, status: 'archived' }]);
  expect(await hook.receive(again)).toEqual([]);
  await hook.unsubscribe();
});
