import { isWebhookVerificationError, verifyWebhook } from '@qr-service/core';
import { DELIVERY_FAULTS, type DeliveryFaultKind } from 'qr-service-emulator';
import { stopReceivers, type Received } from './support/receiver.ts';
import { stopServices } from './support/service.ts';
import { settleAhead } from './support/settleAhead.ts';
import { startSubscribed } from './support/subscribed.ts';
import { until } from '../../../test/support/jest/until.ts';

afterEach(async () => {
  await stopServices();
  await stopReceivers();
});

const NOW = Date.parse('2026-01-15T09:00:00Z');

/** The result of verification by a receiver: `genuine`, or the reason to reject the delivery. */
function verdict({ body, headers }: Received, secret: string, now = Date.now): string {
  try {
    verifyWebhook({ rawBody: body, headers, secret, now });
    return 'genuine';
  } catch (error) {
    if (isWebhookVerificationError(error)) return error.reason;
    throw error;
  }
}

const deliveryId = ({ headers }: Received) => headers['x-service-delivery'];
const eventId = ({ body }: Received) => (JSON.parse(body) as { id: string }).id;

test.each([
  ['wrong secret', 'signature_mismatch'],
  ['stale timestamp', 'timestamp_out_of_tolerance'],
  ['V0 only', 'deprecated_scheme'],
  ['unsigned', 'missing_header'],
  ['re-serialized body', 'signature_mismatch'],
] as const)('sends %s, which receivers reject as %s, and a valid retry', async (kind, reason) => {
  const verdicts: string[] = [];
  const service = await startSubscribed(() => {
    verdicts.push(verdict(service.receiver.received.at(-1)!, service.secret));
    return verdicts.at(-1) === 'genuine' ? 204 : 401;
  });
  const { control } = service.emulator;
  control.failDeliveries({ kind });
  control.emit('export.ready', { exportId: 'exp_1' });
  await control.settled();
  expect(verdicts).toEqual([reason, 'genuine']);
  const [delivery] = control.deliveries();
  expect(delivery?.attempts.map(({ fault, status }) => [fault, status])).toEqual([
    [kind, 401],
    [null, 204],
  ]);
});

test('re-serializes the body without changing the event and records what was sent', async () => {
  const { emulator, receiver } = await startSubscribed();
  emulator.control.failDeliveries({ kind: 're-serialized body' });
  const event = emulator.control.emit('export.ready', { exportId: 'exp_1' });
  await emulator.control.settled();
  const [delivery] = emulator.control.deliveries();
  expect(receiver.received[0]!.body).not.toBe(delivery!.body);
  expect(JSON.parse(receiver.received[0]!.body)).toEqual(event);
  expect(delivery!.attempts[0]!.sentBody).toBe(receiver.received[0]!.body);
});

test('signs a stale delivery correctly for its own time', async () => {
  const { emulator, receiver, secret } = await startSubscribed();
  emulator.control.failDeliveries({ kind: 'stale timestamp' });
  emulator.control.emit('export.ready');
  await emulator.control.settled();
  expect(verdict(receiver.received[0]!, secret, () => Date.now() - 60 * 60 * 1000)).toBe('genuine');
});

test('sends a duplicate with the same delivery ID, both valid', async () => {
  const { emulator, receiver, secret } = await startSubscribed();
  emulator.control.failDeliveries({ kind: 'duplicate' });
  emulator.control.emit('export.ready');
  await emulator.control.settled();
  const { received } = receiver;
  expect(received.map((delivery) => verdict(delivery, secret))).toEqual(['genuine', 'genuine']);
  expect(new Set(received.map(deliveryId)).size).toBe(1);
  expect(emulator.control.deliveries()).toMatchObject([{ status: 'delivered', tries: 2 }]);
});

test('sends an event with two delivery IDs, both valid', async () => {
  const { emulator, receiver, secret } = await startSubscribed();
  emulator.control.failDeliveries({ kind: 'second delivery id', times: Infinity });
  emulator.control.emit('export.ready');
  await emulator.control.settled();
  const { received } = receiver;
  expect(received.map((delivery) => verdict(delivery, secret))).toEqual(['genuine', 'genuine']);
  expect(new Set(received.map(deliveryId)).size).toBe(2);
  expect(new Set(received.map(eventId)).size).toBe(1);
});

test('sends a delivery after the next one', async () => {
  const { emulator, receiver } = await startSubscribed(undefined, { now: () => NOW });
  const { control } = emulator;
  control.failDeliveries({ kind: 'out of order' });
  const events = [1, 2, 3].map((nth) => control.emit('export.ready', { nth }).id);
  await control.settled();
  expect(receiver.received.map(eventId).toSorted()).toEqual(events.toSorted());
  expect(receiver.received.map(eventId).indexOf(events[0]!)).toBeGreaterThan(0);
});

test('delays an out-of-order delivery even if no other follows', async () => {
  const { emulator, receiver } = await startSubscribed();
  emulator.control.failDeliveries({ kind: 'out of order', times: Infinity });
  emulator.control.emit('export.ready');
  await settleAhead(emulator.control);
  expect(receiver.received).toHaveLength(1);
});

test('retries with the first signature, which is stale by then', async () => {
  const { emulator, receiver, secret } = await startSubscribed(undefined, { retryBaseMs: 400_000 });
  const { control } = emulator;
  control.failDeliveries({ kind: 'first signature' });
  control.emit('export.ready');
  await until(() => control.deliveries()[0]?.attempts.length === 1);
  control.clock.advance(400_000);
  await control.settled();
  const { received } = receiver;
  expect(new Set(received.map(({ headers }) => headers['x-service-signature'])).size).toBe(1);
  expect(received).toHaveLength(2);
  expect(verdict(received[0]!, secret)).toBe('genuine');
  expect(verdict(received[1]!, secret, control.clock.now)).toBe('timestamp_out_of_tolerance');
});

test('retries a delivery whose response it does not wait for', async () => {
  const { emulator, receiver } = await startSubscribed();
  emulator.control.failDeliveries({ kind: 'receiver time-out' });
  emulator.control.emit('export.ready');
  await emulator.control.settled();
  expect(new Set(receiver.received.map(deliveryId)).size).toBe(1);
  expect(emulator.control.deliveries()[0]?.attempts).toMatchObject([
    { status: null, error: 'no response in time' },
    { status: 204, error: null },
  ]);
});

test.each(Object.keys(DELIVERY_FAULTS) as DeliveryFaultKind[])(
  'settles every delivery under a lasting fault: %s',
  async (kind) => {
    const { emulator, receiver } = await startSubscribed();
    const { control } = emulator;
    control.failDeliveries({ kind, times: Infinity });
    for (let nth = 0; nth < 3; nth++) control.emit('export.ready', { nth });
    await settleAhead(control);
    expect(new Set(receiver.received.map(eventId)).size).toBe(3);
    expect(control.deliveryFaults()).toEqual([{ id: 1, left: Infinity, fault: { kind, times: Infinity } }]);
    control.clearDeliveryFaults();
    expect(control.deliveryFaults()).toEqual([]);
  },
);

test('counts attempts, not deliveries', async () => {
  const { emulator } = await startSubscribed();
  const { control } = emulator;
  control.failDeliveries({ kind: 'unsigned', times: 2 });
  control.emit('export.ready', { nth: 1 });
  await control.settled();
  expect(control.deliveryFaults()).toMatchObject([{ left: 1 }]);
  control.emit('export.ready', { nth: 2 });
  control.emit('export.ready', { nth: 3 });
  await control.settled();
  const faults = control.deliveries().map(({ attempts }) => attempts.map(({ fault }) => fault));
  expect(faults.flat().filter((fault) => fault !== null)).toHaveLength(2);
});

test('refuses an unknown kind', async () => {
  const { emulator } = await startSubscribed();
  expect(() => emulator.control.failDeliveries({ kind: 'lost' as DeliveryFaultKind })).toThrow(
    'Unknown delivery fault lost. Use one of: wrong secret, ',
  );
});
