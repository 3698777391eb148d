import { fc } from '../../../../test/support/fastCheck.ts';
import { toWebAddress } from './webAddress.ts';

const read = (value: unknown) => toWebAddress(value, { label: 'url' });

it('keeps every absolute URL, and adds https:// to a host with a dot', () => {
  const others = ['mailto:a@example.com?body=https:', 'sms:12345', 'geo:1,2', 'app://a.b'];
  const urls = fc.webUrl({ withFragments: true, withQueryParameters: true });
  fc.assert(
    fc.property(fc.oneof(urls, fc.constantFrom(...others)), (url) => {
      expect(read(url)).toBe(url);
      expect(read(` ${url}\n`)).toBe(url);
      if (url.startsWith('https://')) expect(read(url.slice(8))).toBe(url);
    }),
  );
});

test.each(['example.com:8080/menu', 'www.example.com?table=4', 'müller.example/karte'])(
  'reads %s with https://',
  (text) => expect(read(text)).toBe(`https://${text}`),
);

const lines = (text: string) => text.trim().split(/\n */);

test.each(
  lines(`
    nowhere
    #REF!
    =HYPERLINK("https://example.com","Menu")
    <https://example.com>
    [Menu](https://example.com)
    3.50
    1.2.3.4
    e.g.
    info@example.com
    //example.com
    javascript:alert(1)
    https:example.com
    http:///menu
    https://[x
    https://www..example.com
    https://.example.com/menu
    https://a.example,b.example
    https://{host}/menu`),
)('refuses %j', (text) => {
  const error = { message: `url isn't a valid web address: '${text}'.`, code: 'validation_failed' };
  expect(() => read(text)).toThrow(expect.objectContaining({ ...error, parameter: 'url' }));
});

const JOINED = 'holds more than one web address';
const TWICE = 'begins twice';
const MISSPELLED = 'begins with a misspelled https://';
const PLACEHOLDER = 'holds a placeholder instead of its value';
const QUOTED = 'ends with a quotation mark or a bracket';
const INVISIBLE = 'holds an invisible character';
const SPACE = 'holds a space or a line break';

/** What stands in cells, by its class, each from public reports of people who made codes or links from sheets. */
test.each([
  // Joined by people, by line items, and by cells with several lines.
  ['https://a.example,https://b.example', `${JOINED}: 'https://a.example,https://b.example'.`],
  ['https://a.example/menu, https://b.example', JOINED],
  ['https://a.example;http://b.example', JOINED],
  ['https://a.example | https://b.example', JOINED],
  ['https://a.example/1\nhttps://a.example/2', JOINED],
  ['a.example, https://b.example', JOINED],
  ['https://a.example?utm_source=x,https://b.example', JOINED],
  // A prefix put in front of a cell that already has one.
  ['https://https://example.com/menu', `${TWICE}: 'https://https://example.com/menu'.`],
  ['https://http//example.com', TWICE],
  ['https://http', TWICE],
  ['HTTPS://HTTPS://example.com', TWICE],
  ['https:////http:/example.com', TWICE],
  ['https://tel:+41442681234', TWICE],
  ['mailto:mailto:info@example.com', TWICE],
  ['sms://sms:12345', TWICE],
  ['www.https://example.com', TWICE],
  // Typed.
  ['htps://example.com', MISSPELLED],
  ['ttps://example.com', MISSPELLED],
  ['htttp://example.com', MISSPELLED],
  // Expressions and merge fields that nothing has evaluated.
  ['https://example.com/{{$json.slug}}', `${PLACEHOLDER}: 'https://example.com/{{$json.slug}}'.`],
  ['https://{{ $json.host }}/menu', PLACEHOLDER],
  ['https://example.com/${slug}', PLACEHOLDER],
  // From HTML, feeds and editors: the second parameter is then called "amp;b".
  ['https://example.com/?a=1&amp;b=2', "holds &amp; instead of &: 'https://example.com/?…'."],
  // Selected with the end of a quotation, an attribute or a link.
  ['https://example.com/menu"', QUOTED],
  ['https://example.com/menu”', QUOTED],
  ['https://example.com/menu>', QUOTED],
  // Copied from chats, PDFs and web pages, some as a browser's address bar or an editor hands it on.
  ['https://example.com/me\u200Bnu', `${INVISIBLE} after 'https://example.com/me'`],
  ['https://example\u00AD.com', `${INVISIBLE} after 'https://example'`],
  ['https://example.com/\u202Aa\u202C/b', INVISIBLE],
  ['https://exa\uFEFFmple.com', INVISIBLE],
  ['https://example.com/me\u200Dnu', INVISIBLE],
  ['https://example.com/a\u00A0b', `${SPACE} after 'https://example.com/a'`],
  ['Dr. No', `${SPACE} after 'Dr.'`],
  ['java\tscript:alert(1)', SPACE],
])('says what is wrong with %j', (text, problem) => {
  expect(() => read(text)).toThrow(`url ${problem}`);
  expect(() => read(text)).toThrow(expect.objectContaining({ code: 'validation_failed', parameter: 'url' }));
});

/** What looks like that, and works. */
test.each([
  'HTTP://example.com/menu?table=4#top',
  'https://localhost:3000',
  'https://192.168.1.20/menu',
  'https://web.archive.org/web/2026/https://example.com/menu',
  'https://example.com/go?to=https://a.example,https://b.example',
  'https://example.com/#/open?u=http://other.example',
  'mailto:info@example.com?body=See,https://example.com',
  'https://example.com/a,b;c=1,2|3',
  'https://example.com/w_100,h_200/https/menu',
  'https://example.com/say-"hello"',
  'https://example.com/?q=“menu”',
  'https://example.com/?q=a%26amp;b&amp=1',
  'https://example.com/👩\u200D🍳',
  'https://example.com/❤️\u200D🔥',
  'https://example.com/🏴\u{E0067}\u{E0062}\u{E0065}\u{E006E}\u{E0067}\u{E007F}',
  'https://example.com/می\u200Cخواهم',
  'https://example.com/%D9%85%DB%8C%E2%80%8C%D8%AE',
  'https://example.com/%E1%9E%80%E2%80%8B%E1%9E%81',
  // Profiles and pages that exist have such marks.
  'https://example.com/in/%E2%80%AAname%E2%80%AC%E2%80%8F-1',
  'https://example.com/me%C2%ADnu%E2%80%8B',
  'https://example.com/%7B%7Bid%7D%7D',
  'https://example.com/?filter={%22a%22:{%22b%22:1}}',
  'https://intranet/x',
  'https://httpbin.example/get',
  'https://user:pass@example.com:8443/x#top',
  'https://例え.jp/メニュー',
  'https://my_shop.example.com./',
  'https://[2001:db8::1]/menu',
  'tel:+41442681234',
  'myapp://https://example.com',
])('keeps %s', (text) => expect(read(text)).toBe(text));

test.each([' ', '\u00A0', '\u200B', '\uFEFF', '\u202F\n', '\u2060\u00AD'])(
  'drops %j at the ends',
  (blank) => {
    expect(read(`${blank}https://example.com/menu${blank}`)).toBe('https://example.com/menu');
    expect(() => read(blank)).toThrow('url is empty.');
  },
);

test('keeps a query to itself, and refuses what is no text', () => {
  expect(() => read('https://https://example.com/?key=secret')).toThrow(/^(?!.*secret)url begins twice/);
  expect(() => read({})).toThrow('url must be text, but got an object.');
});
