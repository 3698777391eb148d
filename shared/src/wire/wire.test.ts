import { readAccount } from './account.ts';
import { readDelay } from './delay.ts';
import { readErrorBody } from './errorBody.ts';
import { readImageFormat } from './image.ts';
import { readPage } from './list.ts';
import { readQrCode } from './qrCode.ts';
import { readRateLimit } from './rateLimit.ts';
import { scanId, scanTime } from './scan.ts';
import { readSigningSecret } from './secret.ts';

const rows = [{ id: 'a' }, { id: 'b' }];
const code = { id: 'qr_1', name: 'Door', publicUrl: 'https://r.example/door' };

describe('a page of a list', () => {
  it.each<[string, unknown]>([
    ['a top-level array', rows],
    ...['data', 'items', 'results', 'qrs', 'qrCodes', 'codes', 'scans', 'webhooks'].map(
      (key): [string, unknown] => [`under ${key}`, { [key]: rows }],
    ),
    ['under the only other array', { things: rows, allowedDimensions: ['country'] }],
    ['one level down', { data: { items: rows } }],
    ['one level down under an unknown name', { page: { things: rows } }],
  ])('is read as %s', (_what, body) => expect(readPage(body).rows).toEqual(rows));

  it('may be empty', () => expect(readPage({ data: [], pagination: { nextCursor: null } }).rows).toEqual([]));

  it.each([null, '', undefined])('is the last where nextCursor is %j', (nextCursor) =>
    expect(readPage({ data: rows, pagination: { nextCursor } })).not.toHaveProperty('nextCursor'),
  );

  it('gives the cursor and the dimensions, also one level down', () => {
    const inner = { scans: rows, pagination: { nextCursor: 'c2' }, allowedDimensions: ['country'] };
    const expected = { rows, nextCursor: 'c2', allowedDimensions: ['country'] };
    expect(readPage(inner)).toEqual(expected);
    expect(readPage({ data: inner })).toEqual(expected);
  });

  it.each<[string, unknown, RegExp]>([
    ['no list', { message: 'hi', total: 3 }, /keys message, total/],
    ['two lists of unknown names', { ups: rows, downs: rows }, /keys ups, downs/],
    ['a list of numbers', { data: [1] }, /keys data/],
    ['an empty body', undefined, /an empty body/],
  ])('with %s is an error that names what was seen', (_what, body, seen) =>
    expect(() => readPage(body)).toThrow(seen),
  );
});

describe('a code', () => {
  it.each<[string, unknown]>([
    ['flat', code],
    ['under qr', { qr: code }],
    ['under data', { data: code, ok: true }],
  ])('is read %s', (_what, body) => expect(readQrCode(body)).toEqual(code));

  it.each<[string, unknown]>([
    ['an empty body', undefined],
    ['{ok: true}', { ok: true }],
    ['a record that is no code', { id: 'job_1', state: 'queued' }],
    ['an array', [code]],
  ])('is not found in %s', (_what, body) => expect(readQrCode(body)).toBeUndefined());
});

describe('a signing secret', () => {
  it.each(['secret', 'signingSecret', 'signing_secret', 'webhookSecret', 'signingKey'])(
    'is read from %s',
    (key) => {
      expect(readSigningSecret({ id: 'w', [key]: 's1' })).toBe('s1');
      expect(readSigningSecret({ subscription: { id: 'w', [key]: 's1' } })).toBe('s1');
    },
  );

  it('may stand twice when it is the same', () =>
    expect(readSigningSecret({ secret: 's1', signingSecret: 's1' })).toBe('s1'));

  it.each([{ id: 'w' }, { secret: '' }, { secret: 's1', signingSecret: 's2' }, undefined])(
    'is not read from %j',
    (body) => expect(readSigningSecret(body)).toBeUndefined(),
  );
});

describe('a delay', () => {
  const now = Date.parse('2026-01-01T00:00:00Z');
  it.each<[string, string | undefined, number | undefined]>([
    ['seconds', '7', 7000],
    ['a fraction of a second', '0.5', 500],
    ['epoch seconds', String(now / 1000 + 9), 9000],
    ['epoch milliseconds', String(now + 1500), 1500],
    ['an HTTP date', 'Thu, 01 Jan 2026 00:00:05 GMT', 5000],
    ['the past', String(now / 1000 - 60), 0],
    ['more than a day', '999999999', 86_400_000],
    ['a negative number', '-5', undefined],
    ['junk', 'soon', undefined],
    ['two numbers', '5, 7', undefined],
    ['nothing', undefined, undefined],
  ])('in %s', (_what, value, ms) => expect(readDelay(value, now)).toBe(ms));

  it('makes the rate limit, and none where a header is missing', () => {
    const headers = { 'x-ratelimit-limit': '100', 'X-RateLimit-Remaining': '0', 'x-rateLimit-reset': '3' };
    expect(readRateLimit(headers, now)).toEqual({ limit: 100, remaining: 0, resetAt: now + 3000 });
    expect(readRateLimit({ 'x-ratelimit-limit': '100' }, now)).toBeUndefined();
  });
});

describe('a failure body', () => {
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
  ])('%s gives its code', (_what, status, body, expected) =>
    expect(readErrorBody(status, body).code).toBe(expected),
  );

  it('keeps message, details and request id', () =>
    expect(
      readErrorBody(403, { message: 'm', code: 'c', details: { required: 'qr:write' }, requestId: 'r1' }),
    ).toEqual({
      message: 'm',
      code: 'c',
      details: { required: 'qr:write' },
      requestId: 'r1',
    }));
});

describe('an image', () => {
  const bytes = (text: string) => Uint8Array.from(Buffer.from(text, 'latin1'));
  it.each<[string, string | undefined, Uint8Array]>([
    ['png', 'image/png', bytes('\x89PNG\r\n\x1a\n…')],
    ['svg', 'image/svg+xml; charset=utf-8', bytes('<?xml version="1.0"?>\n<svg xmlns="…">')],
    ['svg', 'text/xml', bytes('<svg >')],
    ['pdf', 'application/pdf', bytes('%PDF-1.3')],
    ['pdf', 'application/octet-stream', bytes('%PDF-1.3')],
    ['png', undefined, bytes('\x89PNG\r\n\x1a\n')],
  ])('is known as %s from %s and its first bytes', (format, type, body) =>
    expect(readImageFormat(type, body)).toBe(format),
  );

  it.each<[string, string, string]>([
    ['JSON', 'application/json', '{"ok":true}'],
    ['JSON that says it is a png', 'image/png', '{"ok":true}'],
    ['a png that says it is JSON', 'application/json', '\x89PNG\r\n\x1a\n'],
    ['nothing', 'image/png', ''],
  ])('is an error where it is %s', (_what, type, body) =>
    expect(() => readImageFormat(type, bytes(body))).toThrow(/no png, svg or pdf/),
  );
});

describe('the account', () => {
  it.each<[string, unknown]>([
    ['nested', { workspace: { id: 'ws_1', name: 'Café' }, scopes: ['qr:read'] }],
    ['flat', { workspaceId: 'ws_1', workspaceName: 'Café', key: { scopes: ['qr:read'] } }],
    ['wrapped', { data: { id: 'ws_1', name: 'Café', apiKey: { scopes: ['qr:read'] } } }],
  ])('is read %s', (_what, body) =>
    expect(readAccount(body)).toEqual({
      workspace: { id: 'ws_1', name: 'Café' },
      scopes: ['qr:read'],
      raw: body,
    }),
  );
  it('says nothing that the answer does not say', () => expect(readAccount({})).toEqual({ raw: {} }));
});

describe('a scan', () => {
  it('has its own id, or a stable one made of the whole row', () => {
    expect(scanId({ id: 's1' })).toBe('s1');
    expect(scanId({ scanId: 7 })).toBe('7');
    expect(scanId({ a: 1, b: { c: 2, d: 3 } })).toBe(scanId({ b: { d: 3, c: 2 }, a: 1 }));
    expect(scanId({ a: 1 })).not.toBe(scanId({ a: 2 }));
  });

  it.each<[Record<string, unknown>, string | undefined]>([
    [{ scannedAt: '2026-01-01T00:00:00Z' }, '2026-01-01T00:00:00.000Z'],
    [{ timestamp: 1767225600 }, '2026-01-01T00:00:00.000Z'],
    [{ at: 1767225600000 }, '2026-01-01T00:00:00.000Z'],
    [{ country: 'CH' }, undefined],
  ])('%j happened at %s', (row, time) => expect(scanTime(row)).toBe(time));
});
