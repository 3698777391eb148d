import { readErrorBody as readErrorResponse } from './errorBody.ts';
import type { WireHeaders } from './headers.ts';

const readErrorBody = (status: number, body: unknown, headers: WireHeaders = {}) =>
  readErrorResponse({ status, body, headers });

const PAGE = { 'content-type': 'text/html; charset=a', server: 'elb/2.0' };

describe('readErrorBody', () => {
  it.each<[string, number, unknown, string]>([
    ["the service's own", 422, { error: 'e', message: 'm', code: 'invalid_cursor' }, 'invalid_cursor'],
    ['with an unknown code', 403, { code: 'constructor' }, 'constructor'],
    ["a proxy's page at 401", 401, '<html>', 'http_401'],
    ['nothing with a 404', 404, undefined, 'http_404'],
    ["a gateway's JSON with a 404", 404, { message: 'no Route matched' }, 'http_404'],
  ])('returns the code for %s', (_what, status, body, expected) =>
    expect(readErrorBody(status, body).code).toBe(expected),
  );

  it.each<[string, unknown, unknown]>([
    ['an object', { limit: 'too large' }, { limit: 'too large' }],
    ['a list, under items', [{ field: 'limit' }], { items: [{ field: 'limit' }] }],
    ['text', 'limit', undefined],
  ])('has details that are %s', (_what, details, expected) =>
    expect(readErrorBody(422, { code: 'validation_failed', details }).details).toEqual(expected),
  );

  it('shortens a long message', () =>
    expect(readErrorBody(500, { message: 'm'.repeat(1e6) }).message).toBe(`${'m'.repeat(1000)}…`));

  it.each<[string, unknown, Record<string, string>, string | undefined]>([
    ['a page', '<html>', PAGE, 'text/html, from elb'],
    ['text without a type', 'no', {}, 'no content type'],
    ['nothing', '', { Server: 'nginx' }, 'from nginx'],
    ['JSON that was cut off', '{"code": "insufficient_sc', {}, 'no content type'],
    ['JSON without a code', { message: 'm' }, { Server: 'nginx' }, 'from nginx'],
    ["nothing, as it is the service's own", { code: 'c' }, { Server: 'nginx' }, undefined],
  ])('names the intermediary behind %s', (_what, body, headers, expected) =>
    expect(readErrorBody(502, body, headers).intermediary).toBe(expected),
  );

  it('hides signing secrets in details, at any depth', () => {
    const rows = (signingSecret: string) => [{ signingSecret, id: 'wh_1' }];
    const shown = (secret: string) => ({ secret, rows: rows(secret), webhookSecret: { a: 1 } });
    const { details } = readErrorBody(409, { code: 'c', details: shown('s1') });
    expect(details).toEqual(shown('[secret]'));
  });

  it.each(['message', 'error'])('keeps the text in %s, the details and the request ID', (key) => {
    const error = { code: 'c', details: { required: 'qr:write' }, requestId: 'r1' };
    const expected = { message: 'm', ...error };
    expect(readErrorBody(403, { [key]: 'm', ...error })).toEqual(expected);
  });
});
