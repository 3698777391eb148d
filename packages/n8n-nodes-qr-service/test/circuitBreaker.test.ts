import { ApiError, TransportError } from '@qr-service/core';
import { CircuitBreaker } from '../nodes/QrService/common/CircuitBreaker.ts';

const NO_RESPONSE = new TransportError('The service could not be reached (ECONNREFUSED).', {
  kind: 'network',
});
const errorOf = (status: number) =>
  new ApiError({
    status,
    code: 'some_code',
    message: 'No.',
    retryable: status >= 500,
    method: 'GET',
    path: '/me',
  });
const NOT_PUBLISHED = new Error('The QR code was created but not published.', { cause: NO_RESPONSE });

/** The circuit breaker of a run whose items end this way, one after the other. */
async function breakerAfter(ends: (Error | undefined)[], msBetween = 4000): Promise<CircuitBreaker> {
  let now = 0;
  const breaker = new CircuitBreaker(() => now);
  for (const error of ends) {
    now += msBetween;
    await breaker
      .run(() => (error === undefined ? Promise.resolve() : Promise.reject(error)))
      .catch(() => undefined);
  }
  return breaker;
}
const times = (count: number, error: Error | undefined) => Array<Error | undefined>(count).fill(error);

describe('CircuitBreaker', () => {
  test.each([
    ['no response', NO_RESPONSE],
    ['a 503', errorOf(503)],
    ['no response for their publication', NOT_PUBLISHED],
  ])('fails the remaining items without sending them after 20 with %s', async (_how, error) => {
    const breaker = await breakerAfter(times(20, error));
    const work = jest.fn();
    await expect(breaker.run(work)).rejects.toMatchObject({
      name: 'TransportError',
      message: expect.stringMatching(/\. 20 items in a row failed this way, so this one was not sent\.$/),
    });
    expect(() => breaker.throwIfOpen()).toThrow('was not sent');
    expect(work).not.toHaveBeenCalled();
    expect(breaker.notSent).toBe(2);
  });

  test.each<[how: string, ends: (Error | undefined)[], msBetween: number, isSent: boolean]>([
    ['19 failures', times(19, NO_RESPONSE), 4000, true],
    ['a success among them', [...times(19, NO_RESPONSE), undefined, ...times(19, NO_RESPONSE)], 4000, true],
    [
      'a refusal among them',
      [...times(19, NO_RESPONSE), errorOf(422), ...times(19, NO_RESPONSE)],
      4000,
      true,
    ],
    [
      'an invalid item among them, which sends nothing',
      [...times(19, NO_RESPONSE), new TypeError('no name'), NO_RESPONSE],
      4000,
      false,
    ],
    ['50 refusals', times(50, errorOf(422)), 4000, true],
    ['50 failures in ten seconds', times(50, NO_RESPONSE), 200, true],
  ])('after %s, knows whether to send the next item', async (_how, ends, msBetween, isSent) => {
    const work = jest.fn(() => Promise.resolve());
    await (await breakerAfter(ends, msBetween)).run(work).catch(() => undefined);
    expect(work).toHaveBeenCalledTimes(isSent ? 1 : 0);
  });
});
