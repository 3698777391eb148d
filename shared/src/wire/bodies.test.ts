import { IMAGE_FORMATS } from '../contract/types.ts';
import { readErrorBody } from './errorBody.ts';
import type { WireHeaders } from './headers.ts';
import { IMAGE_MIME_TYPES, readImageFormat } from './image.ts';
import { readPage, readQrCodePage } from './list.ts';
import { readAccount, readQrCode, readRecord } from './record.ts';
import { readSigningSecret, readSubscription, SECRET_KEYS } from './subscription.ts';

const code = { id: 'qr_1', name: 'Door', publicUrl: 'https://r.example/door' };
const job = { id: 'job_1', name: 'Publish', state: 'queued', updatedAt: '2026-01-01T00:00:00.000Z' };
const webhook = { id: 'wh_1', url: 'https://a.example' };

const KEYS = ['slug', 'publicUrl', 'mode', 'contentType'];
type Read = (body: unknown) => { id: string } | undefined;
type RecordRow = [what: string, read: Read, body: unknown, id: string | undefined];
it.each<RecordRow>([
  ['a code: flat', readQrCode, code, 'qr_1'],
  ['a code: under any name', readQrCode, { ok: true, qrCode: code }, 'qr_1'],
  ["a code: beside records that aren't codes", readQrCode, { code, workspace: { id: 'ws_1' } }, 'qr_1'],
  ['a code: inside a record with its own ID', readQrCode, { ...job, qr: code }, 'qr_1'],
  ...KEYS.map((key): RecordRow => [`a code: ${key} alone`, readQrCode, { id: 'q', [key]: 'a' }, 'q']),
  ['a code: instead of which there is a job', readQrCode, { job }, undefined],
  ['a code: in a list', readQrCode, [code], undefined],
  ['a code: two levels down', readQrCode, { data: { qr: code } }, undefined],
  ['a code: beside another one', readQrCode, { code, template: { ...code, id: 'qr_2' } }, undefined],
  ['a code: without an ID, beside its folder', readQrCode, { slug: 'door', folder: { id: 'f' } }, undefined],
  ['a code: with an empty ID', readQrCode, { ...code, id: '' }, undefined],
  ['any record: flat, with another ID inside', readRecord, { id: 'out', webhook }, 'out'],
  ['any record: beside objects without an ID', readRecord, { meta: {}, webhook, links: { a: '/' } }, 'wh_1'],
  ['any record: beside another one', readRecord, { webhook, job }, undefined],
  ['a subscription: with an ID alone', readSubscription, { id: 'wh_1' }, 'wh_1'],
  ['a subscription: beside its secret', readSubscription, { webhook, signingKey: 's' }, 'wh_1'],
  ['a subscription: ID and secret', readSubscription, { endpoint: { id: 'wh_1', secret: 's' } }, 'wh_1'],
  ['a subscription: beside the workspace', readSubscription, { webhook, workspace: { id: 'w' } }, 'wh_1'],
  ['a subscription: two', readSubscription, { one: webhook, two: { ...webhook, id: 'b' } }, undefined],
  ['a subscription: no ID', readSubscription, { url: 'u', secret: 's', workspace: { id: 'w' } }, undefined],
])('reads the only record of a response: %s', (_what, read, body, id) => expect(read(body)?.id).toBe(id));

it.each<[what: string, body: unknown, secret: string | undefined]>([
  ...SECRET_KEYS.map((key) => [key, { id: 'w', [key]: 's1' }, 's1'] as [string, unknown, string]),
  ['the same secret in two fields', { secret: 's1', signingSecret: 's1' }, 's1'],
  ['a secret beside the subscription', { webhook, signingSecret: 's1' }, 's1'],
  ['a secret in the subscription', { webhook: { secret: 's1' } }, 's1'],
  ['none', webhook, undefined],
  ['an empty one', { secret: '' }, undefined],
  ['two that differ, one of them nested', { secret: 's1', webhook: { secret: 's2' } }, undefined],
  ['an empty body', undefined, undefined],
])('reads the signing secret from %s', (_what, body, secret) => expect(readSigningSecret(body)).toBe(secret));

const workspace = { id: 'ws_1', name: 'Café' };
const scopes = ['qr:read'];
it.each<[what: string, body: unknown, expected: object]>([
  ['nested', { workspace, scopes }, { workspace, scopes }],
  ['flat', { workspaceId: 'ws_1', workspaceName: 'Café', key: { scopes } }, { workspace, scopes }],
  ['in data', { data: { ...workspace, scopes } }, { workspace, scopes }],
  ["beside a user's ID", { id: 'user_1', workspaceId: 'ws_1' }, { workspace: { id: 'ws_1' } }],
  ['as a name without an ID', { workspace: { name: 'Café' } }, { workspace: { name: 'Café' } }],
  ['next to empty data', { workspace, data: {} }, { workspace }],
  ['nowhere', {}, {}],
])("reads the key's account %s", (_what, body, expected) =>
  expect(readAccount(body)).toEqual({ ...expected, raw: body }),
);

const rows = [{ id: 'a' }, { id: 'b' }];
const pagination = { nextCursor: null };
describe('a page of a list', () => {
  const allowedDimensions = ['country'];
  const whole = { scans: rows, pagination: { nextCursor: ' c2 ' }, allowedDimensions };
  const read = { rows, nextCursor: ' c2 ', allowedDimensions };

  it.each<[what: string, body: unknown, page: object]>([
    ['under data', { data: rows, pagination }, {}],
    ['under any name', { qrCodes: rows, pagination }, {}],
    ['in data, beside pagination', { data: { codes: rows }, pagination }, {}],
    ['in data with the whole page', { data: whole }, read],
    ['with a cursor and dimensions', whole, read],
    ['beside dimensions that are objects', { scans: rows, allowedDimensions: [{ name: 'country' }] }, {}],
    ['beside lists of plain values', { tags: ['a'], things: rows, pagination: { nextCursor: '' } }, {}],
    ['that are none', { scans: [], allowedDimensions: [], pagination: {} }, { rows: [] }],
    ['that are none, in data', { data: { items: [] }, pagination }, { rows: [] }],
  ])('has rows %s', (_what, body, page) =>
    expect(readPage(body)).toEqual({ rows, allowedDimensions: [], ...page }),
  );

  it('of codes has flat and wrapped rows, with unknown fields and statuses', () => {
    const code = { id: 'qr_1', status: 'paused', color: 'red' };
    expect(readQrCodePage({ data: [code, { qr: code }] }).rows).toEqual([code, code]);
  });
});

describe('an unreadable response', () => {
  const LIST = 'a list of rows with its pagination';
  const row = { name: 'Door', slug: 'door' };
  const long = { 'line\nbreak': 1, ['k'.repeat(500)]: 1 };
  const cursor = (nextCursor: unknown) => ({ data: rows, pagination: { nextCursor } });

  it.each<[expected: string, reader: (body: unknown) => unknown, body: unknown, found: string]>([
    [LIST, readPage, { message: 'hi', total: 3 }, 'the keys message, total'],
    [LIST, readPage, { ups: rows, downs: rows }, 'the keys ups, downs'],
    [LIST, readPage, { data: { page: { items: rows } } }, 'the keys data'],
    [LIST, readPage, { pagination, allowedDimensions: [] }, 'the keys pagination, allowedDimensions'],
    [LIST, readPage, { errors: [] }, 'the keys errors'],
    [LIST, readPage, { data: [] }, 'the keys data'],
    [LIST, readPage, long, `the keys line break, ${'k'.repeat(148)}…`],
    [LIST, readPage, rows, 'a list'],
    [LIST, readPage, {}, 'an empty object'],
    [LIST, readPage, null, 'null'],
    [LIST, readPage, '<html>', 'a string'],
    [LIST, readPage, '', 'an empty body'],
    [LIST, readPage, undefined, 'an empty body'],
    ['a valid cursor', readPage, cursor(7), 'a number'],
    ['a valid cursor', readPage, cursor(false), 'a boolean'],
    ['a valid cursor', readPage, cursor({ after: 'a' }), 'the keys after'],
    ['an ID in each row of the list', readQrCodePage, { data: [code, row] }, 'the keys name, slug'],
    ['an account', readAccount, [], 'a list'],
  ])('that lacks %s makes %p throw: %j', (expected, reader, body, found) => {
    const message = `Unexpected response: expected ${expected}. Got ${found}.`;
    const error = expect.objectContaining({ code: 'unreadable_response', message }) as Error;
    expect(() => reader(body)).toThrow(error);
  });
});

describe('an error response', () => {
  const read = (body: unknown, headers: WireHeaders) => readErrorBody(404, body, headers);
  const SERVER = { Server: 'nginx' };
  const facts = { details: { required: 'qr:write' }, requestId: 'r1' };
  const items = [{ field: 'limit' }];

  it.each<[what: string, body: object, expected: object]>([
    ['keeps its facts', { error: 'e', message: 'm', ...facts }, { message: 'm', ...facts }],
    ['may have its message as error', { error: 'e', ...facts }, { message: 'e', ...facts }],
    ['may have a list of details', { details: items }, { message: '', details: { items } }],
    ['may have other details', { details: 'limit' }, { message: '' }],
    ['is shortened', { message: 'm'.repeat(1e6) }, { message: `${'m'.repeat(1000)}…` }],
  ])("of the service's own %s", (_what, body, expected) => {
    const code = 'constructor';
    expect(read({ ...body, code }, SERVER)).toEqual({ ...expected, code });
  });

  const PAGE = { 'content-type': 'text/html; charset=a', server: 'elb/2.0' };
  const HOSTILE = { 'Content-Type': '<text/html', Server: '(nginx)' };
  it.each<[what: string, body: unknown, headers: WireHeaders, message: string, intermediary: string]>([
    ["a proxy's page", '<html>', PAGE, '', 'text/html, from elb'],
    ["a gateway's JSON", { message: 'no Route matched' }, SERVER, 'no Route matched', 'from nginx'],
    ['nothing, with headers that contain anything', '', HOSTILE, '', 'no content type'],
    ['nothing', undefined, {}, '', 'no content type'],
  ])(
    'without a code is not its own, and says who sent it: %s',
    (_what, body, headers, message, intermediary) =>
      expect(read(body, headers)).toEqual({ code: 'http_404', message, intermediary }),
  );

  it('hides signing secrets in its details, at any depth', () => {
    const rows = (signingSecret: string) => [{ signingSecret, id: 'wh_1' }];
    const shown = (secret: string) => ({ secret, rows: rows(secret), webhookSecret: { a: 1 } });
    expect(read({ code: 'c', details: shown('s1') }, {}).details).toEqual(shown('[secret]'));
  });
});

describe('an image', () => {
  const bytes = (text: string) => Uint8Array.from(Buffer.from(text, 'latin1'));
  const doctype = '<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://www.w3.org/Graphics/SVG/1.1">';
  const entities = '<!ENTITY ns "http://ns.example/">\n'.repeat(100);

  it.each<[format: string, body: string]>([
    ['png', '\x89PNG\r\n\x1a\n…'],
    ['svg', '<?xml version="1.0"?>\n<svg xmlns="…">'],
    ['svg', `<?xml version="1.0"?><!-- ${'Drawn by a program. '.repeat(1000)}--><svg>`],
    ['svg', `${doctype}\n<svg>`],
    ['svg', `<!DOCTYPE svg [${entities}]>\n<svg/>`],
    ['svg', '<!DOCTYPE  svg:svg [ ]  ><svg:svg>'],
    ['svg', '\xEF\xBB\xBF<svg>'],
    ['pdf', '%PDF-1.3'],
    ['pdf', '\r\n%PDF-1.7'],
  ])('is recognized as a %s by its first bytes', (format, body) =>
    expect(readImageFormat({}, bytes(body))).toBe(format),
  );

  it.each<[what: string, type: string, body: string, told?: string]>([
    ['JSON labeled as a PDF', 'application/pdf; version=1.7', '{"ok":true}', 'application/pdf'],
    ['a type after other text', '<b>text/html', '', 'no content type'],
    ['a type before other text', 'text/html<b>', '', 'text/html'],
    ['an HTML page that begins with a drawing', 'image/svg+xml', '<!DOCTYPE html><svg>'],
    ['an HTML page with a drawing', 'text/xml', '<?xml version="1.0"?><html><svg></svg></html>'],
    ['a drawing in a comment only', 'text/xml', '<!-- <svg> --><note/><!-- --><svg>'],
    ['a drawing in an entity only', 'text/xml', '<!DOCTYPE note [<!ENTITY a "<svg>">]><note/>'],
    ['an element that only begins with svg', 'text/xml', '<svgs>'],
    ['text before a PDF', 'text/plain', 'A file: %PDF-1.7'],
    ['a truncated PNG', 'image/png', '\x89PNG'],
    ['nothing', 'image/png', ''],
  ])('is not %s, which throws', (_what, type, body, told = type) => {
    const message = `Expected a PNG, SVG or PDF, but got ${told} (${body.length} bytes).`;
    const error = expect.objectContaining({ code: 'unreadable_response', message }) as Error;
    expect(() => readImageFormat({ 'Content-Type': type }, bytes(body))).toThrow(error);
  });

  it('has the MIME type of its format', () =>
    expect(IMAGE_FORMATS.map((format) => IMAGE_MIME_TYPES[format])).toEqual([
      'image/png',
      'image/svg+xml',
      'application/pdf',
    ]));
});
