import { BRAND } from '../../contract/brand.ts';
import { SAMPLE_QR_CODE } from '../../contract/fields.ts';
import * as code from './qrCode.ts';
import { linkKeys, readCodeReference } from './reference.ts';

const { codeLabel, describeCode, hasStatus, ignoreCase, normalize, targetUrlOf } = code;

// Reports of names that only look alike, with what must stay apart.
it.each<[unknown, string]>([
  [' Café\t', 'Café'],
  ['Cafe\u0301', 'Caf\u00e9'],
  ['Table\u00A0\u202F4\r\nMenu', 'Table 4 Menu'],
  ['\uFEFFMe\u00ADnu\u200B', 'Menu'],
  ['\u200B', ''],
  ['Grü\u200Cße Ст\u200Dол', 'Grüße Стол'],
  ['👨\u200D🍳 می\u200Cخواهم ❤\uFE0F', '👨\u200D🍳 می\u200Cخواهم ❤\uFE0F'],
  [7, '7'],
  [['Door'], ''],
])('reads the text %j as %j', (value, expected) => expect(normalize(value)).toBe(expected));

it.each([
  "ANNA'S CAF\u00c9-4",
  '\u200EAnna\u2019s Cafe\u0301-4\u200F',
  'Anna\u2018s\u202F Café\u20114',
  "anna's café\u20104",
])('takes %j for the name of a code, as spreadsheets and phones change it', (name) =>
  expect(ignoreCase(name)).toBe("anna's café-4"),
);

const CODE = { id: 'qr_1', name: 'Door', slug: 'door-7hk2', status: 'published' };

it.each([
  ['all fields', {}, 'Door (door-7hk2)'],
  ['no slug', { slug: null }, 'Door (qr_1)'],
  ['a blank name', { name: ' ' }, 'qr_1 (door-7hk2)'],
  ['numbers', { name: 4, slug: 7 }, '4 (7)'],
  ['another status', { status: 'draft' }, 'Door (draft, door-7hk2)'],
  ['no status', { status: undefined }, 'Door (door-7hk2)'],
])('labels a code with %s', (_what, fields, label) =>
  expect(codeLabel({ ...CODE, ...fields } as typeof CODE)).toBe(label),
);

it('names a code in an error with its link, and keeps the ID after a long name', () => {
  const withLink = { ...CODE, publicUrl: ' https://r.example/a' };
  expect(describeCode(withLink)).toBe('"Door" (ID qr_1, https://r.example/a)');
  expect(describeCode({ ...CODE, name: 'x'.repeat(200) })).toMatch(/^"x{40}…" \(ID qr_1\)$/);
});

it('shows the fields of a code that rows are written back by first', () => {
  const { id, name, slug, status } = CODE;
  const fields = Object.entries(code.inOutputOrder({ slug, targetUrl: 'x', outcome: 'o', status, name, id }));
  expect(fields).toEqual(Object.entries({ id, name, status, outcome: 'o', targetUrl: 'x', slug }));
});

it.each(['strasse cafe', 'STRASSE CAFÉ', 'Straße Cafe\u0301'])('searches for %j in any spelling', (text) =>
  expect(code.foldCase(text)).toBe('strasse cafe'),
);

it.each([
  ['https://example.com', 'HTTPS://EXAMPLE.com:443/', true],
  ['https://example.com/a', 'https://example.com/A', false],
  ['Door', 'Door', true],
  ['https://example.com', 'Door', false],
])('takes the URLs %j and %j for the same: %s', (one, other, isSame) =>
  expect(code.isSameUrl(one, other)).toBe(isSame),
);

it.each<[string[], unknown, boolean]>([
  [[' '], 'draft', true],
  [['Draft', ''], 'draft', true],
  [['Draft'], 'published', false],
  [['Draft'], undefined, true],
])('with the statuses %j, a code with the status %j matches: %p', (statuses, status, matches) =>
  expect(hasStatus(statuses)({ status })).toBe(matches),
);

const URL = 'https://example.com/menu';

it.each([
  [{ targetUrl: URL, content: { targetUrl: 'https://example.org' } }, URL],
  [{ content: { targetUrl: URL } }, URL],
  [{ targetUrl: 7, content: null }, undefined],
  [undefined, undefined],
])('finds the target of %j', (code, expected) =>
  expect(targetUrlOf(code as Parameters<typeof targetUrlOf>[0])).toBe(expected),
);

const API = `${BRAND.baseUrl}/v1/public-api`;
const LINKS = ['qr-service.example?c=1', 'localhost:4010/r/table-4-7hk2', `qr.example/a?next=${API}/qr/qr_1`];

it.each<[text: string, id?: string]>([
  [' qr_7hK2pQ\n', 'qr_7hK2pQ'],
  ['qr.7', 'qr.7'],
  ['urn:qr:7', 'urn:qr:7'],
  [`${API}/qr/qr_1/image?size=3`, 'qr_1'],
  [`${API}/workspaces/ws_1/qr/qr_1#top`, 'qr_1'],
  [`${API.replace('https://', '')}/qr/a%20b`, 'a b'],
  ...[SAMPLE_QR_CODE.publicUrl, `${API}/qr`, ...LINKS].map((link): [string] => [link]),
])('reads %j as the ID %j, or if there is none as a short link', (text, id = '') =>
  expect(readCodeReference(text)).toEqual(id === '' ? { shortLink: text } : { id }),
);

const KEY = 'qr.example/table-4';
it.each<[unknown, ...keys: string[]]>([
  ['http://qr.example/table-4', KEY],
  [' https://QR.example/table-4// ', KEY],
  ['HTTPS://qr.example/%74able%2D4#top', KEY],
  ['qr.example:443/table-4?utm_source=a&UTM_medium=b', KEY],
  ['https://qr.example/table-4/?c=1&utm_source=a&my_utm=2', `${KEY}?c=1&my_utm=2`, KEY],
  ['qr.example/table-4?to=https://a.example', `${KEY}?to=https%3A%2F%2Fa.example`, KEY],
  ['https://qr.example/Table-4', 'qr.example/Table-4'],
  ['https://qr.example:8080/table-4', 'qr.example:8080/table-4'],
  ['https://qr.example/table-4%E0%A4%A', 'qr.example/table-4%E0%A4%A'],
  [null, ''],
  ['Cafe\u0301 4', 'Caf\u00e9 4'],
])('compares the short link %j as %j', (link, ...keys) => expect(linkKeys(link)).toEqual(keys));
