import { createHmac } from 'node:crypto';
import { createServer, type AddressInfo } from 'node:net';
import { verifyWebhook } from '@qr-service/core';
import { until } from '../../../test/support/jest/until.ts';
import { readConnectTo } from '../src/config/options.ts';
import { createPoster } from '../src/delivery/post.ts';
import { startReceiver } from './support/receiver.ts';
import { HOST, startService, startSubscribed, tempFile } from './support/service.ts';
import { settleAhead } from './support/time.ts';

const HOUR = 60 * 60 * 1000;
const NOW = Date.parse('2026-01-15T09:00:00Z');

test('sends a signed delivery with the event, its type and the delivery ID', async () => {
  const { createCode, receiver, emulator, secret } = await startSubscribed();
  const qr = await createCode('Signed Ä');
  await emulator.control.settled();
  const { headers, body, url } = receiver.received[0]!;
  expect(url).toBe('/in?box=1');
  const { event, deliveryId } = verifyWebhook({ rawBody: body, headers, secret });
  expect(event).toEqual({
    id: expect.stringMatching(/^evt_/),
    type: 'qr.created',
    workspaceId: emulator.workspace.id,
    occurredAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    data: { qrId: qr.id, source: 'public_api', qr },
  });
  expect(emulator.control.deliveries()).toMatchObject([{ id: deliveryId, status: 'delivered' }]);
  expect(headers).toMatchObject({
    host: HOST,
    'content-type': 'application/json',
    'x-forwarded-proto': 'https',
    'x-service-event': 'qr.created',
    'x-service-timestamp': /^t=(\d+),/.exec(String(headers['x-service-signature']))?.[1],
    'x-service-signature-v0': createHmac('sha256', secret).update(body).digest('hex'),
  });
});

test('delivers only the event types of the subscription', async () => {
  const { call, createCode, receiver, emulator, subscribe } = await startSubscribed();
  const [all] = emulator.control.subscriptions();
  await call('DELETE', `/webhooks/${all!.id}`);
  await subscribe('qr.published');
  const { id } = await createCode();
  await call('POST', `/qr/${id}/publish`);
  await emulator.control.settled();
  expect(receiver.received.map(({ headers }) => headers['x-service-event'])).toEqual(['qr.published']);
});

test('fires the documented events for each change', async () => {
  const { call, createCode, receiver, emulator } = await startSubscribed();
  const { control } = emulator;
  const { id } = await createCode();
  await control.settled();
  const body = { url: 'https://example.com/other' };
  const changes: [change: () => unknown, fired: string[]][] = [
    [() => call('POST', `/qr/${id}/publish`), ['qr.published public_api', 'qr.updated public_api']],
    [() => call('POST', `/qr/${id}/publish`), []],
    [
      () => call('POST', `/qr/${id}/destination`, { body }),
      ['qr.updated public_api', 'redirect.rule_changed public_api'],
    ],
    [() => control.rename(id, 'New name'), ['qr.updated app']],
    [() => control.archive(id), ['qr.archived app', 'qr.updated app']],
    [() => control.unarchive(id), ['qr.updated app']],
    [() => control.delete(id), ['qr.deleted app']],
  ];
  for (const [change, fired] of changes) {
    receiver.received.length = 0;
    await change();
    await control.settled();
    const events = receiver.received.map(
      (delivery) => JSON.parse(delivery.body) as { type: string; data: { source: string } },
    );
    expect(events.map(({ type, data }) => `${type} ${data.source}`).toSorted()).toEqual(fired);
  }
});

test('retries with the same delivery ID and body and a new signature', async () => {
  const { receiver, emulator, secret } = await startSubscribed((nth) => [500, 302, 204][nth] ?? 204, {
    retryBaseMs: HOUR,
    now: () => NOW,
  });
  emulator.control.emit('export.ready', { exportId: 'exp_1' });
  await settleAhead(emulator.control);
  const { received } = receiver;
  expect(received).toHaveLength(3);
  expect(new Set(received.map(({ headers }) => headers['x-service-delivery'])).size).toBe(1);
  expect(new Set(received.map(({ body }) => body)).size).toBe(1);
  for (const [nth, sentAt] of [NOW, NOW + HOUR, NOW + 3 * HOUR].entries()) {
    const { body, headers } = received[nth]!;
    verifyWebhook({ rawBody: body, headers, secret, toleranceSeconds: 1, now: () => sentAt });
  }
  const { attempts } = emulator.control.deliveries()[0]!;
  expect(attempts.map(({ number, status, error }) => [number, status, error])).toEqual([
    [1, 500, null],
    [2, 302, null],
    [3, 204, null],
  ]);
  expect(attempts[1]?.headers['X-Service-Signature']).toBe(received[1]!.headers['x-service-signature']);
});

test('gives up after six retries, each wait twice as long as the one before', async () => {
  const { receiver, emulator } = await startSubscribed(() => 500, { retryBaseMs: HOUR, now: () => NOW });
  emulator.control.emit('bulk.completed');
  await settleAhead(emulator.control);
  expect(receiver.received).toHaveLength(7);
  const [delivery] = emulator.control.deliveries();
  expect(delivery).toMatchObject({ status: 'failed', tries: 7 });
  const starts = delivery!.attempts.map(({ startedAt }) => (startedAt - NOW) / HOUR);
  expect(starts).toEqual([0, 1, 3, 7, 15, 31, 63]);
});

test('sends at most eight deliveries to one subscription at a time', async () => {
  const { promise: responded, resolve: respond } = Promise.withResolvers<number>();
  const { receiver, emulator } = await startSubscribed(() => responded);
  for (let nth = 0; nth < 50; nth++) emulator.control.emit('export.ready', { nth });
  await until(() => receiver.received.length === 8);
  const sending = emulator.control.deliveries().filter(({ status }) => status === 'sending');
  expect(sending).toHaveLength(8);
  respond(204);
  await emulator.control.settled();
  expect([receiver.received.length, receiver.busiest()]).toEqual([50, 8]);
});

test('cancels retries when the subscription is removed', async () => {
  const { call, receiver, emulator } = await startSubscribed(() => 500, { retryBaseMs: HOUR });
  emulator.control.emit('export.ready');
  await until(() => receiver.received.length > 0);
  const [subscription] = emulator.control.subscriptions();
  await call('DELETE', `/webhooks/${subscription!.id}`);
  await emulator.control.settled();
  expect(receiver.received).toHaveLength(1);
  const [delivery] = emulator.control.deliveries();
  expect(delivery).toMatchObject({ status: 'canceled' });
  expect(() => emulator.control.redeliver(delivery!.id)).toThrow(
    "can't be redelivered because its subscription was removed.",
  );
});

test('resumes pending and interrupted deliveries after a restart', async () => {
  const db = tempFile('emulator.json');
  const hanging = await startReceiver((nth) => (nth === 0 ? 500 : null));
  const options = { db, retryBaseMs: 30_000, connectTo: { [HOST]: hanging.address } };
  const { call, emulator } = await startService(options);
  const body = { url: `https://${HOST}/`, eventTypes: ['export.ready'] };
  const secret = String((await call('POST', '/webhooks', { body })).json['secret']);
  emulator.control.emit('export.ready', { nth: 1 });
  await until(() => emulator.control.deliveries()[0]?.attempts.length === 1);
  emulator.control.emit('export.ready', { nth: 2 });
  await until(() => hanging.received.length === 2);
  const deliveries = emulator.control.deliveries();
  expect(deliveries.map(({ status }) => status)).toEqual(['pending', 'sending']);
  await emulator.stop();

  const receiver = await startReceiver();
  const later = Date.now() + 60_000;
  const after = await startService({ db, now: () => later, connectTo: { [HOST]: receiver.address } });
  await after.emulator.control.settled();
  const got = receiver.received.map(({ headers }) => headers['x-service-delivery']);
  expect(got.toSorted()).toEqual(deliveries.map(({ id }) => id).toSorted());
  const { headers, body: rawBody } = receiver.received[0]!;
  verifyWebhook({ rawBody, headers, secret, now: () => later });
  expect(after.emulator.control.deliveries().map(({ status }) => status)).toEqual(['delivered', 'delivered']);
});

describe('where deliveries go', () => {
  const REQUEST = { headers: {}, body: '{}' };

  test.each(['https://localhost:9/', 'https://127.0.0.1:9/', 'https://[::1]:9/', 'https://10.0.0.1/'])(
    'refuses to deliver to %s, a local or private address',
    async (url) => {
      const poster = createPoster(readConnectTo({}), 1000);
      const { status, error } = await poster.post({ ...REQUEST, url });
      poster.close();
      expect([status, error]).toEqual([null, expect.stringMatching(/local or private address/)]);
    },
  );

  test.each([
    ['plain HTTP to a connect-to port', 'hooks.example.com', /^POST \/in HTTP\/1\.1\r\n/],
    ['TLS to a public host, by its name', undefined, /hooks\.example\.com/],
  ])('sends %s, and times out on a silent receiver', async (_what, connectTo, expected) => {
    const first: Buffer[] = [];
    const server = createServer((socket) => socket.once('data', (data) => first.push(data)));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const rules = connectTo === undefined ? {} : { [connectTo]: `127.0.0.1:${port}` };
    const poster = createPoster(readConnectTo(rules), 100, (_name, { all }, callback) => {
      if (all === true) callback(null, [{ address: '127.0.0.1', family: 4 }]);
      else callback(null, '127.0.0.1', 4);
    });
    const at = connectTo === undefined ? `:${port}` : '';
    const result = await poster.post({ ...REQUEST, url: `https://hooks.example.com${at}/in` });
    expect(result).toEqual({ status: null, error: 'no response within 0.1 s' });
    expect(first[0]?.toString('latin1')).toMatch(expected);
    poster.close();
    await new Promise((resolve) => server.close(resolve));
  });

  test.each(['127.0.0.1', '127.0.0.1:0', '127.0.0.1:99999', ':80', 'http://x:80', '::1:80', '[nope]:80'])(
    'rejects the connect-to rule to %j and names it',
    (to) => {
      expect(() => readConnectTo({ 'a.example.com': to })).toThrow(`a.example.com=${to}`);
    },
  );

  test.each([
    ['localhost:80', { host: 'localhost', port: 80 }],
    ['[::1]:8080', { host: '::1', port: 8080 }],
  ])('reads the connect-to rule to %j', (to, endpoint) => {
    expect(readConnectTo({ 'A.example.com': to })(new URL('https://a.example.com/x'))).toEqual(endpoint);
  });
});
