import { readErrorBody } from './errorBody.ts';

/** Objects inside each other. */
function nested(levels: number): unknown {
  return JSON.parse('{"a":'.repeat(levels) + '1' + '}'.repeat(levels));
}

describe('readErrorBody', () => {
  it.each<[string, number, unknown, string]>([
    ["the service's own", 422, { error: 'e', message: 'm', code: 'invalid_cursor' }, 'invalid_cursor'],
    [
      'with the code inside error',
      403,
      { error: { code: 'quota_exceeded', message: 'm' } },
      'quota_exceeded',
    ],
    ['with a code of the future', 403, { code: 'moon_phase' }, 'moon_phase'],
    ["a proxy's page at 401", 401, '<html>', 'invalid_api_key'],
    ['nothing at 404', 404, undefined, 'not_found'],
    ['nothing at 429', 429, '', 'rate_limited'],
    ['nothing at 403, which has several codes', 403, undefined, 'http_403'],
    ["a proxy's page at 502", 502, '<html>', 'http_502'],
  ])('returns the code for %s', (_what, status, body, expected) =>
    expect(readErrorBody(status, body).code).toBe(expected),
  );

  it.each<[string, unknown, unknown]>([
    ['an object', { limit: 'too large' }, { limit: 'too large' }],
    ['an object inside error', undefined, { limit: 'too large' }],
    ['a list, under items', [{ field: 'limit' }], { items: [{ field: 'limit' }] }],
    ['text', 'limit', undefined],
    ['deeper than anyone could read', nested(5000), undefined],
  ])('has details that are %s', (what, details, expected) => {
    const error = what.endsWith('inside error') ? { details: { limit: 'too large' } } : 'Bad';
    expect(readErrorBody(422, { code: 'validation_failed', error, details }).details).toEqual(expected);
  });

  it('shortens a long message', () =>
    expect(readErrorBody(500, { message: 'm'.repeat(1e6) }).message).toHaveLength(1000));

  it.each(['__proto__', 'constructor', 'toString'])(
    'keeps the code %s, the name of an inherited property',
    (code) => expect(readErrorBody(403, { code }).code).toBe(code),
  );

  it('keeps message, details and request ID', () =>
    expect(
      readErrorBody(403, { message: 'm', code: 'c', details: { required: 'qr:write' }, requestId: 'r1' }),
    ).toEqual({
      message: 'm',
      code: 'c',
      details: { required: 'qr:write' },
      requestId: 'r1',
    }));
});
