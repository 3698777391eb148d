import { readQrCode } from './qrCode.ts';
import { describeShape, readRecord } from './record.ts';
import { readSubscription } from './secret.ts';

const code = { id: 'qr_1', name: 'Door', publicUrl: 'https://r.example/door' };

describe('readQrCode', () => {
  it.each<[string, unknown]>([
    ['flat', code],
    ['under qr', { qr: code }],
    ['under data', { data: code, ok: true }],
    ['under subscription', { subscription: code }],
    ['under any other name', { ok: true, qrCode: code }],
    ["under another name beside records that aren't codes", { code, workspace: { id: 'ws_1' } }],
    ['under a known name beside another code', { template: { ...code, id: 'qr_2' }, qr: code }],
  ])('reads %s', (_what, body) => expect(readQrCode(body)).toEqual(code));

  it.each<[string, unknown]>([
    ['an empty body', undefined],
    ['{ok: true}', { ok: true }],
    ["a record that isn't a code", { id: 'job_1', state: 'queued' }],
    ['an array', [code]],
    ['a job with a name and a time', { id: 'job_1', name: 'Publish', updatedAt: '2026-01-01T00:00:00.000Z' }],
    ['a code inside a record with its own ID', { id: 'job_1', qr: code }],
    ['a code two levels down', { data: { qr: code } }],
    ['a job under its name', { job: { id: 'job_1', state: 'queued' } }],
    ['a job under a known name', { data: { id: 'job_1' } }],
    ['one of two codes', { code, template: { ...code, id: 'qr_2' } }],
    ['a code without an ID next to its folder', { name: 'Door', slug: 'door', folder: { id: 'fld_1' } }],
    ['a code without an ID', { name: 'Door', slug: 'door' }],
    ['a code with an empty ID', { ...code, id: '' }],
  ])('returns undefined for %s', (_what, body) => expect(readQrCode(body)).toBeUndefined());

  it.each(['slug', 'publicUrl', 'mode', 'contentType'])('recognizes a code by its %s alone', (key) =>
    expect(readQrCode({ id: 'qr_1', [key]: 'a' })).toEqual({ id: 'qr_1', [key]: 'a' }),
  );

  it('converts a numeric ID to text', () =>
    expect(readQrCode({ qr: { ...code, id: 7 } })).toEqual({ ...code, id: '7' }));
});

describe('readRecord', () => {
  it.each<[string, unknown, string | undefined]>([
    ['a wrapper of any name', { webhook: { id: 'a' } }, 'a'],
    ['a wrapper beside objects without an ID', { meta: {}, webhook: { id: 7 }, links: { self: '/' } }, '7'],
    ['two wrappers', { one: { id: 'a' }, two: { id: 'b' } }, undefined],
    ['a known wrapper and another', { one: { id: 'a' }, data: { id: 'b' } }, 'b'],
    ['a wrapper two levels down', { answer: { webhook: { id: 'a' } } }, undefined],
    ['a list', { webhooks: [{ id: 'a' }] }, undefined],
    ['an outer object with an ID', { id: 'out', webhook: { id: 'a' } }, 'out'],
  ])('reads %s', (_what, body, id) => expect(readRecord(body)?.id).toBe(id));
});

describe('readSubscription', () => {
  const made = { id: 'wh_1', url: 'https://a.example', eventTypes: ['qr.created'] };
  const workspace = { id: 'ws_1', name: 'Café' };

  it.each<[string, unknown]>([
    ['flat', { ...made, signingKey: 's' }],
    ['in a wrapper of any name', { webhook: { ...made, signingKey: 's' } }],
    ['with its secret beside it', { webhook: made, signingKey: 's' }],
    ['inside a record with another ID', { id: 'req_1', webhook: { ...made, signingKey: 's' } }],
    ['with an ID and a secret alone', { endpoint: { id: 'wh_1', secret: 's' } }],
    ['beside the workspace', { webhook: { ...made, signingKey: 's' }, workspace }],
    ['beside the workspace under data', { webhook: { ...made, signingKey: 's' }, data: workspace }],
  ])('reads one %s', (_what, body) => expect(readSubscription(body)?.id).toBe('wh_1'));

  it.each<[string, unknown]>([
    ['two of them', { one: { ...made, secret: 's' }, two: { ...made, id: 'wh_2', secret: 't' } }],
    ['one without an ID beside the workspace', { url: 'https://a.example', secret: 's', workspace }],
  ])('returns undefined for %s', (_what, body) => expect(readSubscription(body)).toBeUndefined());
});

describe('describeShape', () => {
  it.each<[unknown, string]>([
    [{ data: { page: {} }, ok: true }, 'the keys data (page), ok'],
    [{}, 'an empty object'],
    [[], 'a list'],
    [null, 'null'],
    ['', 'an empty body'],
    ['text', 'a string'],
    [{ ['k'.repeat(500)]: 1, 'line\nbreak': 1 }, `the keys ${'k'.repeat(40)}, line break`],
    [
      Object.fromEntries('abcdefghijklmnop'.split('').map((key) => [key, 1])),
      'the keys a, b, c, d, e, f, g, h, i, j, k, l',
    ],
  ])('names only keys and kinds in %j', (value, told) => expect(describeShape(value)).toBe(told));
});
