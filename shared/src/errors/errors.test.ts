import { inspect } from 'node:util';
import { ERROR_CODES, type ErrorCode } from '../contract/errorCodes.ts';
import { ApiError, isApiError, type ApiErrorInit } from './ApiError.ts';
import { describeError } from '../connector/describeError.ts';
import { isQrServiceError, QrServiceError } from './QrServiceError.ts';
import { isTransportError, TransportError } from './TransportError.ts';

const failure = (facts: Partial<ApiErrorInit>) =>
  new ApiError({
    status: 422,
    code: 'x',
    message: 'm',
    retryable: false,
    method: 'GET',
    path: '/qr',
    ...facts,
  });

describe('errors', () => {
  it.each([
    ['QrServiceError', new QrServiceError('m', { code: 'c' }), [true, false, false]],
    ['ApiError', failure({}), [true, true, false]],
    ['TransportError', new TransportError('m', { kind: 'network' }), [true, false, true]],
    ['TypeError', new TypeError('m'), [false, false, false]],
  ])('recognise a %s by its name and guards', (name, error, known) => {
    expect(error.name).toBe(name);
    expect([isQrServiceError(error), isApiError(error), isTransportError(error)]).toEqual(known);
  });

  it.each(Object.keys(ERROR_CODES) as ErrorCode[])('say for %s what happened and what to do', (code) => {
    const { status, advice } = ERROR_CODES[code];
    const error = failure({ status, code, message: 'As the service says' });
    expect(error.message).toMatch(/^[A-Z].*\. [A-Z].*\.$/);
    if (code !== 'insufficient_scope') {
      expect(error.message).toContain('As the service says.');
      expect(error.message).toContain(advice);
    }
    expect(describeError(error).message).not.toMatch(/reconnect/i);
  });

  it('name a missing scope and the scopes that the key has', () => {
    const details = { required: 'qr:write', granted: ['qr:read', 'exports:read'] };
    const error = failure({ status: 403, code: 'insufficient_scope', message: 'Forbidden', details });
    expect(error.message).toContain('lacks the scope qr:write. It has qr:read, exports:read.');
    expect(error.message).toContain('with the scope qr:write');
  });

  it.each([undefined, {}, { required: 7, granted: 'all' }])(
    'explain a missing scope with the details %j',
    (details) => {
      const error = failure({ status: 403, code: 'insufficient_scope', ...(details && { details }) });
      expect(error.message).toMatch(/lacks the scope that this step needs\. .*with that scope/);
    },
  );

  it('name the invalid fields', () => {
    const error = failure({
      code: 'validation_failed',
      details: { fields: { name: 'is empty' }, hint: 'short' },
    });
    expect(error.message).toContain('(fields: {"name":"is empty"}; hint: short)');
  });

  it('say how long to wait at the rate limit', () => {
    const error = failure({ status: 429, code: 'rate_limited', retryAfterMs: 6100 });
    expect(describeError(error).description).toBe('Wait 7 seconds, then run this step again.');
  });

  it("keep the service's message and the request ID for an undocumented code", () => {
    const error = failure({ status: 403, code: 'moon_phase', message: 'Not tonight', requestId: 'req_1' });
    expect(error.message).toBe(
      "Not tonight. (request req_1) Give the request's id to the service's support.",
    );
    expect(error.serviceMessage).toBe('Not tonight');
  });

  it('show their code and status when printed', () => {
    expect(inspect(failure({ code: 'not_found', status: 404 }))).toMatch(
      /status: 404[\s\S]*code: 'not_found'|code: 'not_found'[\s\S]*status: 404/,
    );
  });
});
