import { readQrCode } from './qrCode.ts';
import { seen } from './record.ts';

const code = { id: 'qr_1', name: 'Door', publicUrl: 'https://r.example/door' };

describe('readQrCode', () => {
  it.each<[string, unknown]>([
    ['flat', code],
    ['under qr', { qr: code }],
    ['under data', { data: code, ok: true }],
    ['under subscription', { subscription: code }],
  ])('reads %s', (_what, body) => expect(readQrCode(body)).toEqual(code));

  it.each<[string, unknown]>([
    ['an empty body', undefined],
    ['{ok: true}', { ok: true }],
    ['a record that is no code', { id: 'job_1', state: 'queued' }],
    ['an array', [code]],
    ['a job with a name and a time', { id: 'job_1', name: 'Publish', updatedAt: '2026-01-01T00:00:00.000Z' }],
    ['a record that has its own id around the code', { id: 'job_1', qr: code }],
    ['a code two levels down', { data: { qr: code } }],
    ['a code under another name', { code }],
    ['a code with no id', { name: 'Door', slug: 'door' }],
    ['a code whose id is empty', { ...code, id: '' }],
  ])('returns undefined for %s', (_what, body) => expect(readQrCode(body)).toBeUndefined());

  it('keeps unknown statuses and fields', () => {
    const future = { ...code, status: 'paused', approvalState: 'contested', tags: ['a'] };
    expect(readQrCode(future)).toEqual(future);
  });

  it('converts a numeric ID to text', () =>
    expect(readQrCode({ qr: { ...code, id: 7 } })).toEqual({ ...code, id: '7' }));
});

describe('seen', () => {
  it.each<[unknown, string]>([
    [{ data: { page: {} }, ok: true }, 'the keys data (page), ok'],
    [{}, 'an empty object'],
    [[], 'an array'],
    [null, 'null'],
    ['', 'an empty body'],
    ['text', 'a string'],
    [{ ['k'.repeat(500)]: 1, 'line\nbreak': 1 }, `the keys ${'k'.repeat(40)}, line break`],
    [
      Object.fromEntries('abcdefghijklmnop'.split('').map((key) => [key, 1])),
      'the keys a, b, c, d, e, f, g, h, i, j, k, l',
    ],
  ])('names only keys and kinds in %j', (value, told) => expect(seen(value)).toBe(told));
});
