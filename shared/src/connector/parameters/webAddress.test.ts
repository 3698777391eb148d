import { fc } from '../../../../test/support/fastCheck.ts';
import { toWebAddress } from './webAddress.ts';

const INFO = { label: 'url' };

it('keeps every absolute URL', () => {
  const others = fc.constantFrom(
    'mailto:a@example.com',
    'mailto:a@example.com?body=https:',
    'tel:+41442681234',
    'sms:12345',
    'geo:1,2',
    'app://a.b',
  );
  fc.assert(
    fc.property(fc.oneof(fc.webUrl({ withFragments: true, withQueryParameters: true }), others), (url) => {
      expect(toWebAddress(url, INFO)).toBe(url);
      expect(toWebAddress(` ${url}\n`, INFO)).toBe(url);
    }),
  );
});

it('adds https:// to a host with a dot, and to nothing twice', () => {
  fc.assert(
    fc.property(fc.webUrl({ validSchemes: ['https'], withQueryParameters: true }), (url) => {
      expect(toWebAddress(url.replace('https://', ''), INFO)).toBe(url);
    }),
  );
});

test.each([
  'HTTP://example.com/menu?table=4#top',
  'https://localhost:3000',
  'https://192.168.1.20/menu',
  'example.com:8080/menu',
  'www.example.com?table=4',
  'müller.example/karte',
])('reads %s', (text) => {
  expect(toWebAddress(text, INFO)).toBe(/^https?:/i.test(text) ? text : `https://${text}`);
});

test.each([
  'nowhere',
  'N/A',
  '3.50',
  '1.2.3.4',
  'e.g.',
  'Dr. No',
  'info@example.com',
  '//example.com',
  'javascript:alert(1)',
  'https:example.com',
  'http:///menu',
  'https://[x',
  'https://www..example.com',
  'https://.example.com/menu',
  'https://a.example,b.example',
  'https://{host}/menu',
])('refuses %j', (text) => {
  expect(() => toWebAddress(text, INFO)).toThrow(
    expect.objectContaining({
      message: expect.stringMatching(
        /^url (isn't a valid web address|holds a space or a line break after '.*'): '/,
      ),
      code: 'validation_failed',
      parameter: 'url',
    }),
  );
});

/** What stands in cells, by its class, each from public reports of people who made codes from sheets. */
test.each([
  // Joined by people, by line items, and by cells with several lines.
  [
    'https://a.example,https://b.example',
    "holds more than one web address: 'https://a.example,https://b.example'.",
  ],
  ['https://a.example/menu, https://b.example', 'holds more than one web address'],
  ['https://a.example;http://b.example', 'holds more than one web address'],
  ['https://a.example | https://b.example', 'holds more than one web address'],
  ['https://a.example/1\nhttps://a.example/2', 'holds more than one web address'],
  ['https://a.example and https://b.example', 'holds more than one web address'],
  ['a.example, https://b.example', 'holds more than one web address'],
  ['https://a.example?utm_source=x,https://b.example', 'holds more than one web address'],
  // A prefix put in front of a cell that already has one.
  ['https://https://example.com/menu', "begins twice: 'https://https://example.com/menu'."],
  ['http://https://example.com', 'begins twice'],
  ['https://http//example.com', 'begins twice'],
  ['HTTPS://HTTPS://example.com', 'begins twice'],
  ['https://mailto:info@example.com', 'begins twice'],
  ['https://tel:+41442681234', 'begins twice'],
  ['mailto:mailto:info@example.com', 'begins twice'],
  ['www.https://example.com', 'begins twice'],
  // Typed.
  ['htps://example.com', 'begins with a misspelled https://'],
  ['ttps://example.com', 'begins with a misspelled https://'],
  ['htttp://example.com', 'begins with a misspelled https://'],
  // Expressions and merge fields that nothing has evaluated.
  [
    'https://example.com/{{$json.slug}}',
    "holds a placeholder instead of its value: 'https://example.com/{{$json.slug}}'.",
  ],
  ['https://{{ $json.host }}/menu', 'holds a placeholder'],
  ['https://example.com/${slug}', 'holds a placeholder'],
  ['example.com/{{slug}}', 'holds a placeholder'],
  // Copied from chats, PDFs and web pages.
  ['https://example.com/me\u200Bnu', "holds an invisible character after 'https://example.com/me'"],
  ['https://example\u00AD.com', "holds an invisible character after 'https://example'"],
  ['https://example.com/\u200Emenu', 'holds an invisible character'],
  ['https://example.com/\u202Aa\u202C/b', 'holds an invisible character'],
  ['https://example.com/\u2060menu', 'holds an invisible character'],
  ['https://exa\uFEFFmple.com', 'holds an invisible character'],
  ['https://example.com/me\u200Dnu', 'holds an invisible character'],
  ['https://example.com/a\u00A0b', "holds a space or a line break after 'https://example.com/a'"],
  ['https://example.com/a b', "holds a space or a line break after 'https://example.com/a'"],
  ['https://a b', "holds a space or a line break after 'https://a'"],
  ['java\tscript:alert(1)', 'holds a space or a line break'],
])('says what is wrong with %j', (text, problem) => {
  expect(() => toWebAddress(text, INFO)).toThrow(`url ${problem}`);
});

test.each([
  'https://web.archive.org/web/2026/https://example.com/menu',
  'https://example.com/go?to=https://other.example/a,b;c',
  'https://example.com/go?to=https://a.example,https://b.example',
  'https://example.com/#/open?u=http://other.example',
  'https://example.com/a,b;c=1,2|3',
  'https://example.com/w_100,h_200/https/menu',
  'https://example.com/👩\u200D🍳',
  'https://example.com/❤️\u200D🔥',
  'https://example.com/🏴\u{E0067}\u{E0062}\u{E0065}\u{E006E}\u{E0067}\u{E007F}',
  'https://example.com/می\u200Cخواهم',
  'https://example.com/%7B%7Bid%7D%7D',
  'https://example.com/?filter={%22a%22:{%22b%22:1}}',
  'https://intranet/x',
  'https://http.example.com/',
  'https://httpbin.example/get',
  'https://user:pass@example.com/',
  'https://example.com:8443/x#top',
  'https://例え.jp/メニュー',
  'https://مثال.example/',
  'https://my_shop.example.com./',
  'https://[2001:db8::1]/menu',
  'tel:+41442681234',
  'myapp://https://example.com',
])('keeps %s', (text) => {
  expect(toWebAddress(text, INFO)).toBe(text);
});

test.each([' ', '\u00A0', '\u200B', '\uFEFF', '\u202F\n', '\u2060\u00AD'])(
  'drops %j at the ends',
  (blank) => {
    expect(toWebAddress(`${blank}https://example.com/menu${blank}`, INFO)).toBe('https://example.com/menu');
    expect(() => toWebAddress(blank, INFO)).toThrow('url is empty.');
  },
);

test('keeps a query to itself', () => {
  const text = 'https://https://example.com/?key=secret';
  expect(() => toWebAddress(text, INFO)).toThrow(
    expect.objectContaining({ message: expect.not.stringContaining('secret') }),
  );
});

test.each([
  ['', 'url is empty.'],
  [{}, 'url must be text, but got an object.'],
])('refuses %j', (value, message) => {
  expect(() => toWebAddress(value, INFO)).toThrow(message);
});
