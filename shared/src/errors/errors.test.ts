import { inspect } from 'node:util';
import { ERROR_CODES, type ErrorCode } from '../contract/errorCodes.ts';
import { ApiError, isApiError, type ApiErrorInit } from './ApiError.ts';
import { invalidInput } from './invalidInput.ts';
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
  ])('recognize a %s by its name and guards', (name, error, known) => {
    expect(error.name).toBe(name);
    expect([isQrServiceError(error), isApiError(error), isTransportError(error)]).toEqual(known);
  });

  it.each(Object.keys(ERROR_CODES) as ErrorCode[])(
    'say for %s what happened, then what to do, and finally the code and the request ID',
    (code) => {
      const { status, meaning } = ERROR_CODES[code];
      const error = failure({ status, code, message: 'As Anna says', requestId: 'req_1' });
      expect(error.message).toMatch(/^[A-Z].*\. [A-Z].*\. \(\w+, request req_1\)$/);
      if (code === 'insufficient_scope') return;
      expect(error.message.startsWith(`${meaning} As Anna says. `)).toBe(true);
      expect(error.message).not.toMatch(/reconnect/i);
    },
  );

  it.each(Object.keys(ERROR_CODES) as ErrorCode[])('omit a message for %s that adds nothing', (code) => {
    const { status, meaning } = ERROR_CODES[code];
    for (const message of [meaning, meaning.toUpperCase(), 'Request failed.', code.replaceAll('_', ' ')]) {
      const error = failure({ status, code, message });
      expect(error.message.toLowerCase().split(meaning.toLowerCase()).length).toBeLessThanOrEqual(2);
      expect(error.message).not.toContain('Request failed');
    }
  });

  it('name a missing scope and the scopes that the key has', () => {
    const details = { required: 'qr:write', granted: ['other', 'exports:read', 'qr:read'] };
    const error = failure({ status: 403, code: 'insufficient_scope', message: 'Forbidden', details });
    expect(error.message).toContain('lacks the scope qr:write. It has qr:read, exports:read, other.');
    expect(error.message).toContain('with the scope qr:write');
  });

  it.each([undefined, {}, { required: 7, granted: 'all' }, { required: '' }, { required: [] }])(
    'name the scope that the call needs if the details are %j',
    (details) => {
      const error = failure({
        status: 403,
        code: 'insufficient_scope',
        path: '/scans',
        ...(details && { details }),
      });
      expect(error.message).toMatch(/lacks the scope analytics:read\. .*with the scope analytics:read/);
    },
  );

  it("keep the service's message and the request ID for an undocumented code", () => {
    const error = failure({ status: 403, code: 'moon_phase', message: 'Not tonight', requestId: 'req_1' });
    expect(error.message).toBe(
      'Not tonight. If you need help, give the request ID to support. (moon_phase, request req_1)',
    );
    expect(error.serviceMessage).toBe('Not tonight');
  });

  it('show their code and status when printed', () => {
    expect(inspect(failure({ code: 'not_found', status: 404 }))).toMatch(
      /status: 404[\s\S]*code: 'not_found'|code: 'not_found'[\s\S]*status: 404/,
    );
  });

  it('keep what follows the first sentence as their detail', () => {
    const error = invalidInput('It is wrong.', 'Make it right.');
    expect(error).toMatchObject({ message: 'It is wrong. Make it right.', detail: 'Make it right.' });
    expect(Object.keys(error)).not.toContain('detail');
  });
});
