import { createHmac } from 'node:crypto';
import { verifyWebhook } from '@qr-service/core';
import { until } from '../../../test/support/jest/until.ts';
import { startReceiver } from './support/receiver.ts';
import { startService } from './support/service.ts';
import { settleAhead } from './support/settleAhead.ts';
import { HOST, startSubscribed } from './support/subscribed.ts';
import { tempFile } from './support/tempFile.ts';

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

test('retries when the receiver is unreachable and records the reason', async () => {
  const { receiver, emulator } = await startSubscribed();
  await receiver.stop();
  emulator.control.emit('export.ready');
  await settleAhead(emulator.control);
  const [{ status, attempts } = { status: '', attempts: [] }] = emulator.control.deliveries();
  expect([status, attempts.length]).toEqual(['failed', 7]);
  expect(attempts[0]).toMatchObject({ status: null, error: expect.stringContaining('ECONNREFUSED') });
});

test('sends at most eight deliveries to one subscription at a time', async () => {
  let respond: (status: number) => void = () => undefined;
  const responded = new Promise<number>((resolve) => (respond = resolve));
  const { receiver, emulator } = await startSubscribed(() => responded);
  for (let nth = 0; nth < 50; nth++) emulator.control.emit('export.ready', { nth });
  await until(() => receiver.received.length === 8);
  const sending = emulator.control.deliveries().filter(({ status }) => status === 'sending');
  expect(sending).toHaveLength(8);
  respond(204);
  await emulator.control.settled();
  expect([receiver.received.length, receiver.busiest()]).toEqual([50, 8]);
});

test('does not delay other subscriptions when one is slow', async () => {
  const slow = await startReceiver(() => null);
  const quick = await startReceiver();
  const { call, emulator } = await startService({
    connectTo: { 'slow.example.com': slow.address, 'quick.example.com:8443': quick.address },
  });
  for (const url of ['https://slow.example.com/', 'https://quick.example.com:8443/'])
    await call('POST', '/webhooks', { body: { url, eventTypes: ['export.ready'] } });
  for (let nth = 0; nth < 20; nth++) emulator.control.emit('export.ready', { nth });
  await until(() => quick.received.length === 20);
  expect(slow.received.length).toBeLessThanOrEqual(8);
  expect(quick.received[0]?.headers.host).toBe('quick.example.com:8443');
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

test('stops without waiting for hanging deliveries', async () => {
  const lines: string[] = [];
  const { receiver, emulator } = await startSubscribed(() => null, { log: (line) => lines.push(line) });
  emulator.control.emit('export.ready');
  await until(() => receiver.received.length > 0);
  const settled = emulator.control.settled();
  await emulator.stop();
  await settled;
  // No attempt has ended, with a response or with a timeout.
  expect(lines.filter((line) => line.startsWith('delivery'))).toEqual([]);
});

test.each([2, 3, 4, 5, 6, 7, 8])(
  'sends a retry %i ms later even if the clock moves between two readings',
  async (ms) => {
    let clock = 0;
    const { emulator, receiver } = await startSubscribed((nth) => (nth === 0 ? 503 : 204), {
      retryBaseMs: ms,
      now: () => (clock += 1),
    });
    emulator.control.emit('export.ready');
    await emulator.control.settled();
    expect(receiver.received).toHaveLength(2);
  },
);
