import { inspect } from 'node:util';
import { ApiError, type ApiErrorInit } from './ApiError.ts';
import {
  isApiError,
  isOwnError,
  isProvenAbsent,
  isQrServiceError,
  isServiceUnavailable,
  isTransportError,
  isWebhookVerificationError,
} from './guards.ts';
import { QrServiceError, invalidInput } from './QrServiceError.ts';
import { TransportError } from './TransportError.ts';
import { WebhookVerificationError } from './WebhookVerificationError.ts';

const USUAL = { status: 422, code: 'x', message: 'm', retryable: false, method: 'GET', path: '/qr' } as const;
const failure = (facts: Partial<ApiErrorInit>) => new ApiError({ ...USUAL, ...facts });

function fromAnotherCopy(): Error {
  let Other = TransportError;
  // oxlint-disable-next-line typescript/no-require-imports -- the only way to load it again
  jest.isolateModules(() => ({ TransportError: Other } = require('./TransportError.ts')));
  expect(Other).not.toBe(TransportError);
  return new Other('m', { code: 'network' });
}

it.each<[name: string, error: Error, guards: unknown[]]>([
  ['QrServiceError', new QrServiceError('m', { code: 'c' }), [isQrServiceError]],
  ['ApiError', failure({}), [isQrServiceError, isApiError]],
  ['TransportError', new TransportError('m', { code: 'network' }), [isQrServiceError, isTransportError]],
  ['TransportError', fromAnotherCopy(), [isQrServiceError, isTransportError]],
  [
    'WebhookVerificationError',
    new WebhookVerificationError('invalid_body', 'm'),
    [isQrServiceError, isWebhookVerificationError],
  ],
  ['TypeError', new TypeError('m'), []],
])('errors recognize a %s by its name and guards', (name, error, guards) => {
  expect(error.name).toBe(name);
  const all = [isQrServiceError, isApiError, isTransportError, isWebhookVerificationError];
  expect(all.filter((is) => is(error))).toEqual(guards);
});

it.each<[Partial<ApiErrorInit>, own: boolean, absent: boolean]>([
  [{ status: 404, code: 'not_found' }, true, true],
  [{ status: 410, code: 'gone' }, true, true],
  [{ status: 403, code: 'insufficient_scope' }, true, false],
  [{ status: 404, code: 'http_404', intermediary: 'text/html' }, false, false],
])(
  "whether %j is the service's own error is %s, and whether it proves that a record is absent is %s",
  (facts, own, absent) => {
    const error = failure(facts);
    expect([isOwnError(error, error.status), isProvenAbsent(error)]).toEqual([own, absent]);
    expect(isOwnError(error, 500)).toBe(false);
  },
);

it.each<[Error, boolean]>([
  [failure({ status: 500, retryable: true }), true],
  [failure({ status: 501 }), false],
  [failure({ status: 429, retryable: true }), false],
  [new TransportError('m', { code: 'network' }), true],
  [new TransportError('m', { code: 'timeout' }), true],
  [new TransportError('m', { code: 'certificate' }), false],
  [new QrServiceError('m', { code: 'network' }), false],
])('whether %p means that the service is down is %s', (error, isDown) =>
  expect(isServiceUnavailable(error)).toBe(isDown),
);

it('errors say what happened, then what to do, and finally the code and the request ID, also when printed', () => {
  const facts = { code: 'quota_exceeded', status: 403, message: 'As Anna says', requestId: 'req_1' };
  const error = failure(facts);
  const { message, ...properties } = facts;
  expect(error).toMatchObject({ ...properties, serviceMessage: message });
  expect(error.message).toBe(
    'The workspace has reached its quota. As Anna says. Free up quota or increase it in the app, then retry. (quota_exceeded, request req_1)',
  );
  expect(inspect(error)).toMatch(/^ {2}status: 403/m);
});

it('errors keep what follows the first sentence as their detail', () => {
  const error = invalidInput('It is wrong.', 'Make it right.');
  expect(error).toMatchObject({ message: 'It is wrong. Make it right.', detail: 'Make it right.' });
  expect(Object.keys(error)).not.toContain('detail');
});
