import { readQrCode, readRecord } from './record.ts';
import { describeShape } from './unreadableResponse.ts';

const code = { id: 'qr_1', name: 'Door', publicUrl: 'https://r.example/door' };

describe('readQrCode', () => {
  it.each<[string, unknown]>([
    ['flat', code],
    ['under qr', { qr: code }],
    ['under data', { data: code, ok: true }],
    ['under any other name', { ok: true, qrCode: code }],
    ["beside records that aren't codes", { code, workspace: { id: 'ws_1' } }],
    ['inside a record with its own ID', { id: 'job_1', qr: code }],
  ])('reads %s', (_what, body) => expect(readQrCode(body)).toEqual(code));

  it.each<[string, unknown]>([
    ['an empty body', undefined],
    ['{ok: true}', { ok: true }],
    ["a record that isn't a code", { id: 'job_1', state: 'queued' }],
    ['an array', [code]],
    ['a job with a name and a time', { id: 'job_1', name: 'Publish', updatedAt: '2026-01-01T00:00:00.000Z' }],
    ['a code two levels down', { data: { qr: code } }],
    ['a job under its name', { job: { id: 'job_1', state: 'queued' } }],
    ['one of two codes', { code, template: { ...code, id: 'qr_2' } }],
    ['a code without an ID next to its folder', { name: 'Door', slug: 'door', folder: { id: 'fld_1' } }],
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
    ['a list', { webhooks: [{ id: 'a' }] }, undefined],
    ['an outer object with an ID', { id: 'out', webhook: { id: 'a' } }, 'out'],
  ])('reads %s', (_what, body, id) => expect(readRecord(body)?.id).toBe(id));
});

describe('describeShape', () => {
  it.each<[unknown, string]>([
    [{ data: { page: {} }, ok: true }, 'the keys data, ok'],
    [{}, 'an empty object'],
    [[], 'a list'],
    [null, 'null'],
    ['', 'an empty body'],
    ['text', 'a string'],
    [{ 'line\nbreak': 1, ['k'.repeat(500)]: 1 }, `the keys line break, ${'k'.repeat(148)}…`],
  ])('names only keys and kinds in %j', (value, told) => expect(describeShape(value)).toBe(told));
});
