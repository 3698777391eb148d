import { codeLabel, describeCode, hasStatus, normalize, targetUrlOf } from './code.ts';

describe('normalize', () => {
  it.each<[unknown, string]>([
    [' Café\t', 'Café'],
    ['Cafe\u0301', 'Caf\u00e9'],
    ['Table\u00A0\u202F4\r\nMenu', 'Table 4 Menu'],
    ['\uFEFFMe\u00ADnu\u200B', 'Menu'],
    ['\u200B', ''],
    ['Grü\u200Cße Ст\u200Dол', 'Grüße Стол'],
    ['👨\u200D🍳 می\u200Cخواهم ❤\uFE0F', '👨\u200D🍳 می\u200Cخواهم ❤\uFE0F'],
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

it.each<[string[], unknown, boolean]>([
  [[], 'draft', true],
  [[' '], 'draft', true],
  [['Draft', ''], 'draft', true],
  [['Draft'], 'published', false],
  [['Draft'], undefined, true],
])('with the statuses %j, a code with the status %j matches: %p', (statuses, status, matches) =>
  expect(hasStatus(statuses)({ status })).toBe(matches),
);

const URL = 'https://example.com/menu';

it.each([
  ['in the code', { targetUrl: URL }, URL],
  ['in its content', { content: { targetUrl: URL } }, URL],
  ['in both', { targetUrl: URL, content: { targetUrl: 'https://example.org' } }, URL],
  ['nowhere', { name: 'Door' }, undefined],
  ['in content that is no object', { content: URL }, undefined],
  ['in no text', { targetUrl: 7, content: null }, undefined],
  ['in no code', undefined, undefined],
])('finds a target %s', (_place, code, expected) => {
  expect(targetUrlOf(code as Parameters<typeof targetUrlOf>[0])).toBe(expected);
});
