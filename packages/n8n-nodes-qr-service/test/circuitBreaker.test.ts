import { ApiError, TransportError } from '@qr-service/core';
import { CircuitBreaker, type ServiceHealth } from '../nodes/QrService/helpers/CircuitBreaker.ts';
import { deferred } from './support/deferred.ts';

const MINUTE = 60_000;
const NO_RESPONSE = new TransportError('The service could not be reached (ECONNREFUSED).', {
  kind: 'network',
});
const DOWN = new ApiError({
  status: 503,
  code: 'some_code',
  message: 'No.',
  retryable: true,
  method: 'GET',
  path: '/me',
});

/** The circuit breaker of a run, and a service that can be silent since a given time. */
function start() {
  const clock = { now: 0 };
  const service: { silentSince: ServiceHealth['silentSince'] } = { silentSince: undefined };
  const breaker = new CircuitBreaker(service, () => clock.now);
  const fail = (error: Error) => breaker.run(() => Promise.reject(error)).catch(() => undefined);
  return { clock, service, breaker, fail };
}
const settle = () => new Promise((resolve) => setImmediate(resolve));
const NOT_SENT = /ECONNREFUSED.*There was no response for five minutes, so this item was not sent\.$/;

describe('CircuitBreaker', () => {
  test.each([
    ['no response', NO_RESPONSE],
    ['a 503', DOWN],
  ])(
    'sends one item at a time after a minute of silence (%s), and all after a response',
    async (_how, error) => {
      const { clock, service, breaker, fail } = start();
      service.silentSince = 0;
      clock.now = MINUTE;
      await fail(error);
      const probe = deferred<string>();
      const others = jest.fn(() => Promise.resolve('done'));
      const results = [breaker.run(() => probe.promise), ...[1, 2, 3].map(() => breaker.run(others))];
      await settle();
      expect(others).not.toHaveBeenCalled();
      service.silentSince = undefined;
      probe.resolve('done');
      expect(await Promise.all(results)).toEqual(Array(4).fill('done'));
    },
  );

  test('fails the remaining items without sending them after five minutes of silence', async () => {
    const { clock, service, breaker, fail } = start();
    service.silentSince = 0;
    for (; clock.now < 5 * MINUTE; clock.now += 4000) await fail(NO_RESPONSE);
    const work = jest.fn();
    await expect(breaker.run(work)).rejects.toMatchObject({
      name: 'TransportError',
      message: expect.stringMatching(NOT_SENT),
    });
    expect(work).not.toHaveBeenCalled();
  });

  test('stays closed while the service responds to others, even if one item gets no response for long', async () => {
    const { clock, service, breaker, fail } = start();
    for (; clock.now < 20 * MINUTE; clock.now += 30_000) {
      service.silentSince = clock.now;
      clock.now += 30_000;
      await fail(NO_RESPONSE);
    }
    expect(await breaker.run(() => Promise.resolve('sent'))).toBe('sent');
  });

  test('stays closed until a call has failed, however long that takes', async () => {
    const { clock, service, breaker, fail } = start();
    service.silentSince = 0;
    clock.now = 10 * MINUTE;
    expect(await breaker.run(() => Promise.resolve('sent'))).toBe('sent');
    await fail(new TypeError('something else'));
    expect(await breaker.run(() => Promise.resolve('sent'))).toBe('sent');
  });

  test('counts a code that was created but whose publication got no response', async () => {
    const { clock, service, breaker, fail } = start();
    service.silentSince = 0;
    clock.now = 5 * MINUTE;
    await fail(new Error('The QR code was created but not published.', { cause: NO_RESPONSE }));
    await expect(breaker.run(() => Promise.resolve())).rejects.toThrow(NOT_SENT);
  });
});
