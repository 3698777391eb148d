import type { HookRequest, ZapierHook } from '../../engines/zapier/index.ts';
import { serve } from '../support/faultyService/faultyService.ts';
import { startVirtualTime } from '../support/jest/virtualTime.ts';
import { nextRequest, causeDelivery, nowSeconds, signedAnew, withHeaders } from './support/deliveries.ts';
import { HOOK_URL, startWorld, type World } from './support/world.ts';

describe('hooks', () => {
  let world: World;
  let hook: ZapierHook;
  let secret: string;
  beforeAll(async () => {
    world = await startWorld();
    hook = await world.engine.subscribe('qr_published', HOOK_URL);
    secret = String(hook.subscribeData['secret']);
  });
  afterAll(() => world.close());

  const consoleLines = () =>
    world.logs.filter(({ type }) => type === 'console').map(({ message }) => message);

  test('returns one flat row for a genuine delivery', async () => {
    const request = await causeDelivery(world, 'Door');
    expect(request.headers).toMatchObject({
      'Http-X-Service-Signature': expect.stringMatching(/^t=\d+,v1=[0-9a-f]{64}$/),
      'Content-Type': expect.stringContaining('application/json'),
    });
    const event = JSON.parse(request.rawBody) as { id: string; data: { qrId: string } };
    const row = { eventId: event.id, qrId: event.data.qrId, name: 'Door', status: 'published' };
    expect(await hook.receive(request)).toMatchObject([row]);
  });

  const genuine = () => causeDelivery(world, 'Not to be shown');

  test('verifies with the signing secret exactly as the service returned it', async () => {
    const encoded = 'c2VjcmV0\n';
    const { url } = await serve((_request, response) =>
      response.end(JSON.stringify({ id: 'wh_1', secret: encoded })),
    );
    const subscribed = await (await world.connect('key_of_a_test', url)).subscribe('qr_published', HOOK_URL);
    expect(await subscribed.receive(signedAnew(await genuine(), encoded, nowSeconds()))).toHaveLength(1);
  });

  const ONLY_V0 = {
    'Http-X-Service-Signature': undefined,
    'Http-X-Service-Signature-V0': 'ab'.repeat(32),
  };
  const refused: [what: string, reason: string, make: (request: HookRequest) => HookRequest][] = [
    ['signed with another secret', 'signature_mismatch', (r) => signedAnew(r, 'whsec_forged', nowSeconds())],
    ['signed an hour ago', 'timestamp_out_of_tolerance', (r) => signedAnew(r, secret, nowSeconds() - 3602)],
    ['with only the deprecated signature', 'deprecated_scheme', (r) => withHeaders(r, ONLY_V0)],
  ];

  test.each(refused)('starts nothing for a delivery %s and logs only %s', async (_what, reason, make) => {
    const request = make(await genuine());
    const before = consoleLines().length;
    expect(await hook.receive(request)).toEqual([]);
    const lines = consoleLines().slice(before);
    expect(lines).toEqual([`Rejected a delivery (${reason}). The Zap wasn't triggered.`]);
  });

  test('starts the Zap for a genuine delivery that Zapier processes 50 minutes late', async () => {
    const late = signedAnew(await genuine(), secret, nowSeconds() - 3000);
    expect(await hook.receive(late)).toHaveLength(1);
  });

  test('starts the Zap once for an event redelivered with the same or a new delivery ID', async () => {
    const { control } = world.emulator;
    expect(await hook.receive(await genuine())).toHaveLength(1);
    const deliveryId = control.deliveries().at(-1)?.id ?? '';
    for (const newDeliveryId of [false, true]) {
      const before = world.hooks.requests.length;
      const sent = control.redeliver(deliveryId, { newDeliveryId });
      const again = await nextRequest(world, before);
      expect(again.headers['Http-X-Service-Delivery']).toBe(sent);
      expect(await hook.receive(again)).toEqual([]);
      expect(consoleLines().at(-1)).toMatch('already received');
    }
    // Its memory lasts for a day, not for the hour of Zapier's cache.
    const last = world.hooks.requests.at(-1)!;
    const time = startVirtualTime();
    for (const hours of [23, 2]) {
      time.advance(hours * 3_600_000);
      expect(await hook.receive(signedAnew(last, secret, nowSeconds()))).toHaveLength(hours === 23 ? 0 : 1);
    }
    jest.restoreAllMocks();
  });

  test('starts two Zaps with the same trigger from one event', async () => {
    const other = await world.engine.subscribe('qr_published', HOOK_URL);
    const before = world.hooks.requests.length;
    await genuine();
    const requests = world.hooks.requests.slice(before);
    expect(requests).toHaveLength(2);
    const received = [hook, other].flatMap((zap) => requests.map((request) => zap.receive(request)));
    const rows = await Promise.all(received);
    expect(rows.flat()).toHaveLength(2);
    expect(new Set(rows.flat().map(({ eventId }) => eventId)).size).toBe(1);
    await other.unsubscribe();
  });

  test('starts nothing for an event of another type', async () => {
    const request = await genuine();
    const rawBody = request.rawBody.replace('"qr.published"', '"qr.deleted"');
    expect(await hook.receive(signedAnew({ ...request, rawBody }, secret, nowSeconds()))).toEqual([]);
    expect(consoleLines().at(-1)).toMatch('event type');
  });

  test('starts the Zap for a new event with a known delivery ID, which is not signed', async () => {
    const request = await genuine();
    expect(await hook.receive(request)).toHaveLength(1);
    const { id } = JSON.parse(request.rawBody) as { id: string };
    const rawBody = request.rawBody.replace(id, 'evt_another');
    expect(await hook.receive(signedAnew({ ...request, rawBody }, secret, nowSeconds()))).toHaveLength(1);
  });

  describe('turning a Zap', () => {
    let own: World;
    beforeEach(async () => {
      own = await startWorld();
    });
    afterEach(async () => {
      jest.restoreAllMocks();
      await own.close();
    });

    test('on subscribes to its event and stores only the ID and the secret', async () => {
      const { subscribeData } = await own.engine.subscribe('qr_published', HOOK_URL);
      expect(own.emulator.control.subscriptions()).toMatchObject([
        { url: HOOK_URL, eventTypes: ['qr.published'] },
      ]);
      expect(Object.keys(subscribeData).sort()).toEqual(['id', 'secret']);
    });

    test('off stops its deliveries and succeeds when repeated', async () => {
      const hook = await own.engine.subscribe('qr_published', HOOK_URL);
      await causeDelivery(own);
      await hook.unsubscribe();
      await hook.unsubscribe();
      await expect(causeDelivery(own)).rejects.toThrow('Nothing was delivered.');
    });

    test.each([
      { status: 405 },
      { code: 'not_found' as const },
      { drop: 'before' as const, times: 4 },
      { code: 'insufficient_scope' as const },
    ])('off logs the ID of a subscription that could not be removed (%j)', async (fault) => {
      const hook = await own.engine.subscribe('qr_archived', HOOK_URL);
      own.emulator.control.failNext(fault);
      startVirtualTime();
      await hook.unsubscribe();
      const said = own.logs.map(({ message }) => message).join('\n');
      const advice = `Remove the webhook subscription ${String(hook.subscribeData['id'])} in the app`;
      expect(said.split(advice)).toHaveLength(2);
      // There is nothing left to do about the failure itself.
      expect(said).not.toMatch(/again|then update/);
      expect(said).not.toContain(hook.subscribeData['secret']);
    });

    test('off does not hang when the service never responds', async () => {
      const time = startVirtualTime();
      const { url } = await serve(
        (_request, response) => response.end('{"id":"wh_1","secret":"s"}'),
        () => setImmediate(() => time.advance(9000)),
      );
      const hook = await (await own.connect('key_of_a_test', url)).subscribe('qr_archived', HOOK_URL);
      const began = Date.now();
      await hook.unsubscribe();
      expect(Date.now() - began).toBeLessThan(15_000);
    });
  });
});
