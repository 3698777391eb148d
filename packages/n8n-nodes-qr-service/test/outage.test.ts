import { ApiError, TransportError } from '@qr-service/core';
import { startOutage, type Outage } from '../nodes/QrService/common/outage.ts';

const NO_RESPONSE = new TransportError('The service could not be reached (ECONNREFUSED).', {
  code: 'network',
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

/** The outage of a run whose items end this way, one after the other. */
function outageAfter(ends: (Error | undefined)[], msBetween = 4000): Outage {
  let now = Date.UTC(2026, 0, 1);
  const outage = startOutage(() => now);
  for (const error of ends) {
    now += msBetween;
    outage.note(error);
  }
  return outage;
}
const times = (count: number, error: Error | undefined) => Array<Error | undefined>(count).fill(error);

test.each([
  ['no response', NO_RESPONSE],
  ['a 503', errorOf(503)],
  ['no response for their publication', NOT_PUBLISHED],
])('sends no more items after 20 with %s', (_how, error) => {
  const outage = outageAfter(times(20, error));
  expect(() => outage.throwIfDown()).toThrow(
    /\. 20 items in a row failed this way, so this one was not sent\.$/,
  );
  expect(outage.notSent()).toBe(1);
});

test.each<[how: string, ends: (Error | undefined)[], msBetween: number, isSent: boolean]>([
  ['19 failures', times(19, NO_RESPONSE), 4000, true],
  ['a success among them', [...times(19, NO_RESPONSE), undefined, ...times(19, NO_RESPONSE)], 4000, true],
  ['a refusal among them', [...times(19, NO_RESPONSE), errorOf(422), ...times(19, NO_RESPONSE)], 4000, true],
  [
    'an invalid item among them, which sends nothing',
    [...times(19, NO_RESPONSE), new TypeError('no name'), NO_RESPONSE],
    4000,
    false,
  ],
  ['50 refusals', times(50, errorOf(422)), 4000, true],
  ['50 failures in ten seconds', times(50, NO_RESPONSE), 200, true],
])('after %s, decides whether to send the next item', (_how, ends, msBetween, isSent) => {
  const outage = outageAfter(ends, msBetween);
  const send = jest.fn(() => outage.throwIfDown());
  if (isSent) send();
  else expect(send).toThrow('was not sent');
  expect(outage.notSent()).toBe(isSent ? 0 : 1);
});
