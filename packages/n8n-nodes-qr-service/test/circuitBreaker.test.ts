import { ApiError, TransportError } from '@qr-service/core';
import { Outage, type Listener } from '../nodes/QrService/helpers/CircuitBreaker.ts';
import { deferred } from './support/deferred.ts';

const MINUTE = 60_000;
const NO_ANSWER = new TransportError('The service could not be reached (ECONNREFUSED).', { kind: 'network' });
const DOWN = new ApiError({
  status: 503,
  code: 'some_code',
  message: 'No.',
  retryable: true,
  method: 'GET',
  path: '/me',
});

/** A service that has been silent since a time, and the watch of a run. */
function start() {
  const clock = { now: 0 };
  const service: { silentSince: Listener['silentSince'] } = { silentSince: undefined };
  const outage = new Outage(service, () => clock.now);
  const fail = (error: Error) => outage.watch(() => Promise.reject(error)).catch(() => undefined);
  return { clock, service, outage, fail };
}
const settle = () => new Promise((resolve) => setImmediate(resolve));
const NOT_SENT = /ECONNREFUSED.*No answer has come for a minute, so this item was not sent\.$/;

describe('Outage', () => {
  test.each([
    ['no response', NO_ANSWER],
    ['a 503', DOWN],
  ])(
    'sends one item at a time after a minute of silence (%s), and all when it is answered',
    async (_how, error) => {
      const { clock, service, outage, fail } = start();
      service.silentSince = 0;
      clock.now = MINUTE;
      await fail(error);
      const trial = deferred<string>();
      const others = jest.fn(() => Promise.resolve('done'));
      const results = [outage.watch(() => trial.promise), ...[1, 2, 3].map(() => outage.watch(others))];
      await settle();
      expect(others).not.toHaveBeenCalled();
      service.silentSince = undefined;
      trial.resolve('done');
      expect(await Promise.all(results)).toEqual(Array(4).fill('done'));
    },
  );

  test('after five minutes of silence fails the items that are left without sending them', async () => {
    const { clock, service, outage, fail } = start();
    service.silentSince = 0;
    for (; clock.now < 5 * MINUTE; clock.now += 4000) await fail(NO_ANSWER);
    const work = jest.fn();
    await expect(outage.watch(work)).rejects.toMatchObject({
      name: 'TransportError',
      message: expect.stringMatching(NOT_SENT),
    });
    expect(work).not.toHaveBeenCalled();
  });

  test('is none while the service answers others, however long one item gets no answer', async () => {
    const { clock, service, outage, fail } = start();
    for (; clock.now < 20 * MINUTE; clock.now += 30_000) {
      service.silentSince = clock.now;
      clock.now += 30_000;
      await fail(NO_ANSWER);
    }
    expect(await outage.watch(() => Promise.resolve('sent'))).toBe('sent');
  });

  test('is none before a call has failed, as long as a call may take', async () => {
    const { clock, service, outage, fail } = start();
    service.silentSince = 0;
    clock.now = 10 * MINUTE;
    expect(await outage.watch(() => Promise.resolve('sent'))).toBe('sent');
    await fail(new TypeError('something else'));
    expect(await outage.watch(() => Promise.resolve('sent'))).toBe('sent');
  });

  test('knows a code that was created and whose publication got no answer', async () => {
    const { clock, service, outage, fail } = start();
    service.silentSince = 0;
    clock.now = 5 * MINUTE;
    await fail(new Error('The QR code was created but not published.', { cause: NO_ANSWER }));
    await expect(outage.watch(() => Promise.resolve())).rejects.toThrow(NOT_SENT);
  });
});
