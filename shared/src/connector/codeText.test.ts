import { codeLabel, describeCode, normalize } from './codeText.ts';

describe('normalize', () => {
  it.each<[unknown, string]>([
    [' Café\t', 'Café'],
    ['Cafe\u0301', 'Caf\u00e9'],
    [7, '7'],
    [null, ''],
    [undefined, ''],
    [true, ''],
    [['Door'], ''],
    [{}, ''],
  ])('reads %j as %j', (value, expected) => expect(normalize(value)).toBe(expected));
});

describe('codeLabel', () => {
  const code = { id: 'qr_1', name: 'Door', slug: 'door-7hk2', publicUrl: 'https://r.example/door-7hk2' };
  it.each<[string, object, string]>([
    ['all fields', {}, 'Door (door-7hk2)'],
    ['no slug', { slug: null }, 'Door (qr_1)'],
    ['no name', { name: null }, 'door-7hk2'],
    ['a blank name', { name: ' ' }, 'door-7hk2'],
    ['a link alone', { name: null, slug: undefined }, 'https://r.example/door-7hk2'],
    ['an ID alone', { name: null, slug: null, publicUrl: null }, 'qr_1'],
    ['numbers', { name: 4, slug: 7 }, '4 (7)'],
    ['another status', { status: 'draft' }, 'Door (draft, door-7hk2)'],
    ['another status and no name', { name: '', status: 'archived' }, 'door-7hk2 (archived)'],
    ['the usual status', { status: 'published' }, 'Door (door-7hk2)'],
    ['fields of other types', { name: {}, slug: [], publicUrl: true }, 'qr_1'],
  ])('shows a code with %s', (_what, fields, label) => expect(codeLabel({ ...code, ...fields })).toBe(label));

  it('keeps the ID in an error about a code with a long name', () =>
    expect(describeCode({ ...code, name: 'x'.repeat(200) })).toMatch(/^"x{40}…" \(ID qr_1, /));
});
