import { fc } from '../../../../test/support/fastCheck.ts';
import { toWebAddress } from './webAddress.ts';

const read = (value: unknown) => toWebAddress(value, { label: 'url' });

it('keeps every absolute URL, and adds https:// to a host with a dot', () => {
  const others = ['mailto:a@example.com?body=https:', 'sms:12345', 'geo:1,2', 'app://a.b'];
  // Not `fc.webUrl`, which takes a second to start.
  const letter = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 1 }).map(encodeURIComponent);
  const mark = fc.constantFrom(...Array.from("-._~!$&'()*+,;=:@"));
  const part = fc.array(fc.oneof(letter, mark)).map((letters) => letters.join(''));
  // Random domains may end like the name of a file.
  const host = fc.domain().map((domain) => `${domain}.example`);
  const urls = fc
    .tuple(fc.constantFrom('http', 'https'), host, fc.array(part), fc.array(part, { maxLength: 2 }))
    .map(([scheme, host, path, [query = '', fragment]]) => {
      const end = `?${query}${fragment === undefined ? '' : `#${fragment}`}`;
      // With a separator at the end, it would be a list.
      return `${scheme}://${[host, ...path].join('/')}${end}`.replace(/[,;]+$/, '');
    });
  fc.assert(
    fc.property(fc.oneof(urls, fc.constantFrom(...others)), (url) => {
      expect(read(url)).toBe(url);
      expect(read(` ${url}\n`)).toBe(url);
      if (url.startsWith('https://')) expect(read(url.slice(8))).toBe(url);
    }),
  );
});

const words = (text: string) => text.trim().split(/\s+/);

test.each(
  words(`
    example.com:8080 example.com:8080/menu www.example.com?table=4 müller.example/karte example.com/menu.pdf http.cat
    clips.mov archive.zip readme.md example.app example.page example.pub install.sh chat.ai adobe.ps pdf.example`),
)('reads %s with https://', (text) => expect(read(text)).toBe(`https://${text}`));

test.each(
  words(`
    nowhere #REF! 3.50 1.2.3.4 e.g. info@example.com //example.com images/menu.pdf localhost/menu
    =HYPERLINK("https://example.com","Menu") <https://example.com> [Menu](https://example.com)
    https:example.com https:a?b=https://c http:///menu https://[x https://{host}/menu
    https://.example.com/menu https://a.example,b.example`),
)('refuses %j', (text) => {
  const error = { message: `url isn't a valid web address: '${text}'.`, code: 'validation_failed' };
  const advice = 'Use a full web address, for example https://example.com/menu.';
  expect(() => read(text)).toThrow(expect.objectContaining({ ...error, advice, parameter: 'url' }));
});

const LAST = 'Remove the last character, or percent-encode it if the address needs it.';
const OTHER_LINKS = expect.stringContaining('a link such as mailto:') as string;
const FROM_SOURCE = 'It was copied from the source of a page. Replace &amp;, for example, with &.';

/** What stands in cells, by its class, each from public reports of people who made codes or links from sheets. */
const SPOILED: Record<string, [advice: string, ...texts: (string | [string, shown: string])[]]> = {
  // Joined by people, by line items, and by cells with several lines.
  'contains more than one web address': [
    'A QR code has one destination. Keep one of them, or use a row for each.',
    ['https://a.example,https://b.example', ": 'https://a.example,https://b.example'."],
    'https://a.example/menu, https://b.example',
    'https://a.example;http://b.example',
    'https://a.example | https://b.example',
    'https://a.example/1\nhttps://a.example/2',
    'a.example, https://b.example',
    'https://a.example?utm_source=x,https://b.example',
    ...words('https://a.example/1https://b.example/2 a.example/menuHTTP://b.example'),
  ],
  'is the name of a file instead of a web address': [
    'Upload the file, and use the web address where it opens.',
    ...words('menu.pdf Menü.PDF menu.v2.docx?dl=1 prices.xlsx#A1 index.html/ photo.JPEG jingle.mp3 clip.mp4'),
    ...words('C:\\menu.pdf d:/menu \\\\server\\menu file:///home/me/menu.html https://menu.pdf'),
    'Our menu (1).pdf',
  ],
  "starts with 'WIFI:', which phones don't open as a link": [
    'Use a full web address, for example https://example.com/menu, or a link such as mailto:, tel: or sms:.',
    'WIFI:S:Guests;T:WPA;P:secret;;',
  ],
  "starts with 'BEGIN:', which": [OTHER_LINKS, 'BEGIN:VCARD\nVERSION:3.0\nEND:VCARD'],
  "starts with 'URL:', which": [OTHER_LINKS, 'URL:https://example.com'],
  "starts with 'Tel.:', which": [OTHER_LINKS, ...words('Tel.:+41442681234'), 'Tel.: +41 44 268 12 34'],
  "starts with 'localhost:', which": [OTHER_LINKS, ...words('localhost:3000/menu localhost:3000')],
  "starts with 'Menu:', which": [OTHER_LINKS, 'Menu: https://example.com', 'Menu:example.com'],
  "starts with 'about:', which": [OTHER_LINKS, 'about:blank'],
  "starts with 'chrome:', which": [OTHER_LINKS, 'chrome://settings'],
  "starts with 'javascript:', which": [OTHER_LINKS, 'javascript:alert(1)', 'javascript://a.b/%0Aalert(1)'],
  "has nothing after 'mailto:'": ['Add who or what it opens.', 'mailto:', 'mailto://', 'mailto: '],
  "has nothing after 'tel:'": ['Add who or what it opens.', 'tel:'],
  'contains two dots in a row': [
    'Remove one of them.',
    ...words('https://example..com/menu example..com www...example.com:80/a https://me@www..example.com?a=b'),
  ],
  // Lost when a file was read with the wrong encoding.
  'contains a character that was lost': [
    'Type it again, or save the file as UTF-8 and read it again.',
    ...words('https://example.com/caf\uFFFD m\uFFFDller.example'),
  ],
  // A prefix put in front of a cell that already has one.
  'starts with two schemes': [
    'Keep one https:// (or mailto:, tel:) at the start.',
    ['https://https://example.com/?key=secret', ": 'https://https://example.com/?…'."],
    ...words(
      'https://http//example.com https://http HTTPS://HTTPS://example.com https:////http:/example.com',
    ),
    ...words(
      'https://tel:+41442681234 mailto:mailto:info@example.com sms://sms:12345 www.https://example.com',
    ),
  ],
  'starts with a misspelled https://': [
    'Correct the start.',
    ...words('htps://example.com ttps://example.com htttp://example.com httpss://example.com hptts://a.b'),
    ...words(
      'hhttps://a.b htpps://a.b httsp://a.b HTTPD://a.b gttps://a.b httos://a.b https.://a.b thtps:a.b https.a.example/menu http.a.b.example:80',
    ),
  ],
  // Expressions and merge fields that nothing has evaluated.
  'contains a placeholder instead of its value': [
    'Replace the placeholder with its value, for example by mapping the field again.',
    ['https://example.com/{{$json.slug}}', ": 'https://example.com/{{$json.slug}}'."],
    'https://{{ $json.host }}/menu',
    'https://example.com/${slug}',
  ],
  // From HTML, feeds and editors: the second parameter is then called "amp;b".
  'contains &amp; instead of the character that it stands for': [
    FROM_SOURCE,
    ['https://example.com/?a=1&amp;b=2', ": 'https://example.com/?…'."],
  ],
  'contains &#038; instead of': [FROM_SOURCE, 'https://example.com/?p=7&#038;lang=de'],
  'contains &#x26; instead of': [FROM_SOURCE, 'https://example.com/?p=7&#x26;lang=de'],
  'contains &QUOT; instead of': [FROM_SOURCE, 'example.com/?q=&QUOT;menu&QUOT;'],
  'contains \\u0026 instead of': [FROM_SOURCE, 'https://example.com/?p=7\\u0026lang=de'],
  // Selected with the end of a quotation, an attribute or a link.
  "ends with '\"'": [LAST, 'https://example.com/menu"'],
  "ends with '”'": [LAST, 'https://example.com/menu”'],
  "ends with '>'": [LAST, 'https://example.com/menu>'],
  // Or a list whose other values are empty.
  "ends with ','": [
    LAST,
    ...words(
      'https://a.example/1, a.example, https://a.example/1?table=4, https://a.example/1,, a.example:8080/1,',
    ),
  ],
  "ends with ';'": [LAST, 'https://a.example/1;'],
  "ends with '|'": [LAST, 'a.example/1|'],
  // Copied from chats, PDFs and web pages, some as a browser's address bar or an editor hands it on.
  'contains an invisible character after ': [
    'Delete the characters around that place and type them again.',
    ['https://example.com/me\u200Bnu', "'https://example.com/me': "],
    ['https://example\u00AD.com', "'https://example': "],
    'https://example.com/\u202Aa\u202C/b',
    'https://exa\uFEFFmple.com',
    'https://example.com/me\u200Dnu',
  ],
  'contains a space or a line break after ': [
    'Remove it, or write %20 for a space.',
    ['https://example.com/a\u00A0b', "'https://example.com/a': "],
    ['Dr. No', "'Dr.': "],
    'java\tscript:alert(1)',
  ],
};

describe.each(Object.entries(SPOILED))('an address that %s', (problem, [advice, ...texts]) => {
  it.each(texts.map((text) => [text].flat() as [string, string?]))('is refused: %j', (text, shown = '') => {
    const message = expect.stringContaining(`url ${problem}${shown}`) as string;
    const error = { message, advice, code: 'validation_failed', parameter: 'url' };
    expect(() => read(text)).toThrow(expect.objectContaining(error));
  });
});

/** What looks like that, and works. */
test.each(
  words(`
    HTTP://example.com/menu?table=4#top https://localhost:3000 https://192.168.1.20/menu https://intranet/x
    https://web.archive.org/web/2026/https://example.com/menu https://httpbin.example/get
    https://example.com/go?to=https://a.example,https://b.example https://example.com/#/open?u=http://other.example
    mailto:info@example.com?body=See,https://example.com tel:+41442681234 myapp://https://example.com
    https://example.com/a,b;c=1,2|3 https://example.com/w_100,h_200/https/menu
    https://example.com/say-"hello" https://example.com/?q=“menu” https://example.com/?q=a%26amp;b&amp=1
    https://example.com/👩\u200D🍳 https://example.com/❤️\u200D🔥 https://example.com/می\u200Cخواهم
    https://example.com/🏴\u{E0067}\u{E0062}\u{E0065}\u{E006E}\u{E0067}\u{E007F}
    https://example.com/%D9%85%DB%8C%E2%80%8C%D8%AE https://example.com/%E1%9E%80%E2%80%8B%E1%9E%81
    https://example.com/in/%E2%80%AAname%E2%80%AC%E2%80%8F-1 https://example.com/me%C2%ADnu%E2%80%8B
    https://example.com/%7B%7Bid%7D%7D https://example.com/?filter={%22a%22:{%22b%22:1}}
    https://user:p..w@example.com:8443/x#top https://[2001:db8::1]/menu https://例え.jp/メニュー
    https://my_shop.example.com./ https://example.com/a..b?c..d https://example.com/menu.pdf https://a.example/a_(planet)
    https://a.example/Apple_Inc. https://a.example/?a=1&#top https://a.example/?a=1&#!/route
    https://a.example/?a=1&amphora=2 https://a.example/?text=a%20https://b.example
    https://a.example/?text=ここhttps://b.example https://web.archive.org/web/2020id_/https://example.com/
    https://https.cio.gov http://http.cat app://x viber://chat?number=1 upi://pay?pa=a@b rtsp://a.b/c ftp://a.b
    intent://scan/#Intent;scheme=zxing;end intent:#Intent;action=x;end ssh://a.b sftp://a.b sms: spotify: MAILTO:a@b.c
    mailto:a..b@example.com,c@example.com, tel:+41442681234,, tel://112 https+app://x x-safari-https://example.com
    smsto:1:hi mms:1 mmsto:1 geo:47.3,8.5 sip:a@b sips:a@b facetime:a@b facetime-audio:1 skype:me?chat
    whatsapp:send?text=hi bitcoin:1A?amount=1 ethereum:0xA lightning:lnbc1 magnet:?xt=urn:btih:1 urn:isbn:1
    spotify:track:1 market:details?id=a xmpp:a@b matrix:u/a:b tg:resolve?domain=a google.navigation:q=a+b
    vnd.youtube:dQw4 wc:a@2?b nostr:npub1 webcal:a.b/c.ics web+stellar:pay?a=b msteams:/l/chat/0/0`),
)('keeps %s', (text) => expect(read(text)).toBe(text));

test.each([' ', '\u00A0', '\u200B', '\uFEFF', '\u202F\n', '\u2060\u00AD'])(
  'drops %j at the ends',
  (blank) => {
    expect(read(`${blank}https://example.com/menu${blank}`)).toBe('https://example.com/menu');
    expect(() => read(blank)).toThrow('url is empty.');
  },
);

test('refuses what is no text', () => expect(() => read({})).toThrow('url must be text, but got an object.'));
