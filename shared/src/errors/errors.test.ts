import { inspect } from 'node:util';
import { ApiError, type ApiErrorInit } from './ApiError.ts';
import { isApiError, isOwnError, isProvenAbsent, isQrServiceError, isTransportError } from './guards.ts';
import { QrServiceError, TransportError, invalidInput } from './QrServiceError.ts';

const USUAL = { status: 422, code: 'x', message: 'm', retryable: false, method: 'GET', path: '/qr' } as const;
const failure = (facts: Partial<ApiErrorInit>) => new ApiError({ ...USUAL, ...facts });

describe('errors', () => {
  it.each([
    ['QrServiceError', new QrServiceError('m', { code: 'c' }), [true, false, false]],
    ['ApiError', failure({}), [true, true, false]],
    ['TransportError', new TransportError('m', { kind: 'network' }), [true, false, true]],
    ['TypeError', new TypeError('m'), [false, false, false]],
  ])('recognize a %s by its name and guards', (name, error, known) => {
    expect(error.name).toBe(name);
    expect([isQrServiceError(error), isApiError(error), isTransportError(error)]).toEqual(known);
  });

  it('are recognized from another copy of the core', () => {
    jest.isolateModules(() => {
      /* eslint-disable @typescript-eslint/no-require-imports -- the only way to load it again */
      const { TransportError: Other } = require('./QrServiceError.ts') as {
        TransportError: typeof TransportError;
      };
      /* eslint-enable */
      const error = new Other('m', { kind: 'network' });
      expect(error).not.toBeInstanceOf(TransportError);
      expect([isQrServiceError, isApiError, isTransportError].map((is) => is(error))).toEqual([
        true,
        false,
        true,
      ]);
    });
  });

  it.each<[Partial<ApiErrorInit>, own: boolean, absent: boolean]>([
    [{ status: 404, code: 'not_found' }, true, true],
    [{ status: 410, code: 'gone' }, true, true],
    [{ status: 403, code: 'insufficient_scope' }, true, false],
    [{ status: 404, code: 'http_404', intermediary: 'text/html' }, false, false],
  ])('%j is the own one of the service: %s, and proves that a record is absent: %s', (facts, own, absent) => {
    const error = failure(facts);
    expect([isOwnError(error, error.status), isProvenAbsent(error)]).toEqual([own, absent]);
    expect(isOwnError(error, 500)).toBe(false);
  });

  it('say what happened, then what to do, and finally the code and the request ID', () => {
    const facts = { code: 'quota_exceeded', status: 403, message: 'As Anna says', requestId: 'req_1' };
    const error = failure(facts);
    expect(error.message).toBe(
      'The workspace has reached its quota. As Anna says. Free up quota or increase it in the app, then retry. (quota_exceeded, request req_1)',
    );
    expect(error.serviceMessage).toBe('As Anna says');
  });

  it('show their code and status when printed', () => {
    const printed = inspect(failure({ code: 'not_found', status: 404 }));
    expect(printed).toContain('status: 404');
    expect(printed).toContain("code: 'not_found'");
  });

  it('keep what follows the first sentence as their detail', () => {
    const error = invalidInput('It is wrong.', 'Make it right.');
    expect(error).toMatchObject({ message: 'It is wrong. Make it right.', detail: 'Make it right.' });
    expect(Object.keys(error)).not.toContain('detail');
  });
});
