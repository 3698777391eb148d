import { SAMPLE_QR_CODE } from '../contract/samples.ts';
import type { QrCode } from '../contract/types.ts';
import { codeOpenedBy, readShortLink } from './shortLink.ts';

const pageOf = (link: unknown) => readShortLink(link).page;

describe('the page of a short link', () => {
  it.each([
    'https://qr.example/table-4',
    'http://qr.example/table-4',
    'qr.example/table-4',
    ' https://QR.example/table-4// ',
    'https://qr.example/table-4/?from=print#top',
    'HTTPS://qr.example/%74able%2D4',
    'https://qr.example:443/table-4',
  ])('is the same for %j', (link) => expect(pageOf(link)).toBe('qr.example/table-4'));

  it.each([
    ['another case of the path', 'https://qr.example/Table-4'],
    ['another host', 'https://qr2.example/table-4'],
    ['another port', 'https://qr.example:8080/table-4'],
    ['a longer path', 'https://qr.example/table-4/b'],
    ['a path with an invalid escape', 'https://qr.example/table-4%E0%A4%A'],
  ])('differs for %s', (_what, link) => expect(pageOf(link)).not.toBe('qr.example/table-4'));

  it.each(
    ['café', 'caf%C3%A9', 'caf%c3%a9'].flatMap((slug) => [
      slug,
      decodeURI(slug).normalize('NFD'),
      encodeURI(decodeURI(slug).normalize('NFD')),
    ]),
  )('is the same for the slug %s', (slug) =>
    expect(pageOf(`https://qr.example/${slug}`)).toBe('qr.example/café'),
  );

  it.each(['', '  ', null, undefined, 7, {}])('is empty for %j', (link) => expect(pageOf(link)).toBe(''));

  it("is the same for text that isn't a link in both Unicode forms", () =>
    expect(pageOf('Café 4'.normalize('NFD'))).toBe('Café 4'));

  it("returns text that isn't a link unchanged", () => expect(pageOf('Table 4')).toBe('Table 4'));
});

const code = (id: string, publicUrl: string): QrCode => ({ ...SAMPLE_QR_CODE, id, publicUrl });
const CODES = [
  code('plain', 'https://r.example/menu'),
  code('query', 'https://r.example/menu?c=1'),
  code('two', 'https://r.example/menu?c=1&d=2'),
  code('other', 'https://r.example/menu?c=2'),
  code('fragment', 'https://r.example/#/menu'),
];

it.each([
  ['r.example/menu', 'plain'],
  ['https://r.example/menu/?utm_source=a&UTM_medium=b', 'plain'],
  ['https://r.example/menu?c=1&utm_source=a', 'query'],
  ['https://r.example/menu?d=2&c=1', 'two'],
  ['https://r.example/menu?c=2', 'other'],
  ['https://r.example/#/menu', 'fragment'],
  ['https://r.example/', undefined],
  ['https://r.example/other?c=1', undefined],
])('%s opens the code %s', (link, id) => expect(codeOpenedBy(link, CODES)?.id).toBe(id));

it('ignores what a link has in addition, unless several codes could be meant', () => {
  const [plain, , , other] = CODES;
  expect(codeOpenedBy('https://r.example/menu?ref=mail#top', [plain!])?.id).toBe('plain');
  expect(() => codeOpenedBy('https://r.example/menu?c=2&ref=mail', [plain!, other!])).toThrow(
    'More than one QR code has the short link https://r.example/menu?',
  );
});
