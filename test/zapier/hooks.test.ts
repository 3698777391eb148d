import type { HookRequest, ZapierHook } from '../../engines/zapier/index.ts';
import { causeDelivery, nextRequest, nowSeconds, signedAnew, withHeaders } from './support/deliveries.ts';
import { HOOK_URL, startWorld, type World } from './support/world.ts';

let world: World;
let hook: ZapierHook;
let secret: string;
beforeAll(async () => {
  world = await startWorld();
  hook = await world.engine.subscribe('qr_published', HOOK_URL);
  secret = String(hook.subscribeData['secret']);
});
afterAll(() => world.close());

const consoleLines = () => world.logs.filter(({ type }) => type === 'console').map(({ message }) => message);

test('a genuine delivery becomes one flat row', async () => {
  const request = await causeDelivery(world, 'Door');
  expect(request.headers).toMatchObject({
    'Http-X-Service-Signature': expect.stringMatching(/^t=\d+,v1=[0-9a-f]{64}$/),
    'Content-Type': expect.stringContaining('application/json'),
  });
  const event = JSON.parse(request.rawBody) as { id: string; data: { qrId: string } };
  expect(await hook.receive(request)).toMatchObject([
    {
      eventId: event.id,
      type: 'qr.published',
      deliveryId: request.headers['Http-X-Service-Delivery'],
      qrId: event.data.qrId,
      name: 'Door',
      status: 'published',
    },
  ]);
});

test.each([
  ['lower case', (name: string) => name.toLowerCase()],
  ['upper case with underscores left alone', (name: string) => name.toUpperCase()],
  ['without Http- in front', (name: string) => name.replace(/^Http-/, '')],
])('header names are known in %s', async (_how, rename) => {
  const request = await causeDelivery(world);
  const headers = Object.fromEntries(
    Object.entries(request.headers).map(([name, value]) => [rename(name), value]),
  );
  expect(await hook.receive({ ...request, headers })).toHaveLength(1);
});

const genuine = () => causeDelivery(world, 'Not to be shown');
const refused: [what: string, reason: string, make: (request: HookRequest) => HookRequest][] = [
  ['signed with another secret', 'signature_mismatch', (r) => signedAnew(r, 'whsec_forged', nowSeconds())],
  ['with a changed body', 'signature_mismatch', (r) => ({ ...r, rawBody: r.rawBody.replace('qr', 'qR') })],
  [
    'with the same JSON written differently',
    'signature_mismatch',
    (r) => ({ ...r, rawBody: `${r.rawBody} ` }),
  ],
  ['with an empty body', 'signature_mismatch', (r) => ({ ...r, rawBody: '' })],
  ['older than an hour', 'timestamp_out_of_tolerance', (r) => signedAnew(r, secret, nowSeconds() - 3700)],
  ['from an hour ahead', 'timestamp_out_of_tolerance', (r) => signedAnew(r, secret, nowSeconds() + 3700)],
  [
    'with only the deprecated signature',
    'deprecated_scheme',
    (r) =>
      withHeaders(r, {
        'Http-X-Service-Signature': undefined,
        'Http-X-Service-Signature-V0': 'ab'.repeat(32),
      }),
  ],
  [
    'without a signature',
    'missing_header',
    (r) =>
      withHeaders(r, { 'Http-X-Service-Signature': undefined, 'Http-X-Service-Signature-V0': undefined }),
  ],
  [
    'with another time in its header than is signed',
    'malformed_header',
    (r) => withHeaders(r, { 'Http-X-Service-Timestamp': String(nowSeconds() + 7) }),
  ],
];

test.each(refused)(
  'a delivery %s starts nothing; the log says %s and nothing of its data',
  async (_what, reason, make) => {
    const request = make(await genuine());
    const before = consoleLines().length;
    expect(await hook.receive(request)).toEqual([]);
    const lines = consoleLines().slice(before);
    expect(lines).toEqual([`A delivery was refused (${reason}). Nothing was started.`]);
  },
);

test('a genuine delivery taken up 50 minutes late still starts the Zap: Zapier may be that slow', async () => {
  const late = signedAnew(await genuine(), secret, nowSeconds() - 3000);
  expect(await hook.receive(late)).toHaveLength(1);
});

test('a repeated delivery starts nothing the second time', async () => {
  const request = await genuine();
  expect(await hook.receive(request)).toHaveLength(1);
  expect(await hook.receive(request)).toEqual([]);
});

test('an event that the service sends again, under the same or a new delivery id, starts the Zap once', async () => {
  const { control } = world.emulator;
  expect(await hook.receive(await genuine())).toHaveLength(1);
  const deliveryId = control.deliveries().at(-1)?.id ?? '';
  for (const newDeliveryId of [false, true]) {
    const before = world.hooks.requests.length;
    const sent = control.redeliver(deliveryId, { newDeliveryId });
    const again = await nextRequest(world, before);
    expect(again.headers['Http-X-Service-Delivery']).toBe(sent);
    expect(await hook.receive(again)).toEqual([]);
  }
});

test('two Zaps with the same trigger both start from one event', async () => {
  const other = await world.engine.subscribe('qr_published', HOOK_URL);
  const before = world.hooks.requests.length;
  await genuine();
  const requests = world.hooks.requests.slice(before);
  expect(requests).toHaveLength(2);
  const rows = await Promise.all(
    [hook, other].flatMap((zap) => requests.map((request) => zap.receive(request))),
  );
  expect(rows.flat()).toHaveLength(2);
  expect(new Set(rows.flat().map(({ eventId }) => eventId)).size).toBe(1);
  await other.unsubscribe();
});

test('an event of another type than the trigger is for starts nothing', async () => {
  const request = await genuine();
  const rawBody = request.rawBody.replace('"qr.published"', '"qr.deleted"');
  expect(await hook.receive(signedAnew({ ...request, rawBody }, secret, nowSeconds()))).toEqual([]);
});

test('a delivery id, which is not signed, keeps no event out', async () => {
  const request = await genuine();
  expect(await hook.receive(request)).toHaveLength(1);
  const { id } = JSON.parse(request.rawBody) as { id: string };
  const rawBody = request.rawBody.replace(id, 'evt_another');
  expect(await hook.receive(signedAnew({ ...request, rawBody }, secret, nowSeconds()))).toHaveLength(1);
});

test('a replay under a delivery id and event name of its own, which are not signed, starts nothing', async () => {
  const request = await genuine();
  expect(await hook.receive(request)).toHaveLength(1);
  const replay = withHeaders(request, {
    'Http-X-Service-Delivery': 'dlv_made_up',
    'Http-X-Service-Event': 'qr.deleted',
  });
  expect(await hook.receive(replay)).toEqual([]);
});

test('another brand word in the header names is not taken for a signature', async () => {
  const request = await genuine();
  const headers = Object.fromEntries(
    Object.entries(request.headers).map(([name, value]) => [name.replace('Service', 'Other'), value]),
  );
  expect(await hook.receive({ ...request, headers })).toEqual([]);
});
