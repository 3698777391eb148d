import { BRAND } from '../contract/brand.ts';
import { SAMPLE_QR_CODE } from '../contract/samples.ts';
import { readCodeReference, shortLinkKey } from './codeReference.ts';

describe('readCodeReference', () => {
  const api = `${BRAND.baseUrl}/v1/public-api`;

  it.each([
    ['an id', 'qr_7hK2pQ', 'qr_7hK2pQ'],
    ['an id that looks like a path', 'v1/public-api/qr/x', 'v1/public-api/qr/x'],
    ['an address in the API', `${api}/qr/qr_1`, 'qr_1'],
    ['an address with more behind the id', `${api}/qr/qr_1/image?size=3`, 'qr_1'],
    ['an address of the legacy form', `${api}/workspaces/ws_1/qr/qr_1#top`, 'qr_1'],
    ['an address with an escaped id', `${api}/qr/a%20b`, 'a b'],
  ])('returns the ID for %s', (_what, text, id) => expect(readCodeReference(text)).toEqual({ id }));

  it.each([
    ['a short link', SAMPLE_QR_CODE.publicUrl],
    ['a link in capitals', 'HTTPS://QR.EXAMPLE/a'],
    ['the list in the API', `${api}/qr`],
    ['an address that is escaped wrongly', `${api}/qr/%E0%A4%A`],
  ])('returns the link for %s', (_what, shortLink) =>
    expect(readCodeReference(shortLink)).toEqual({ shortLink }),
  );
});

describe('shortLinkKey', () => {
  it.each([
    'https://qr.example/table-4',
    'http://qr.example/table-4',
    'qr.example/table-4',
    ' https://QR.example/table-4// ',
    'https://qr.example/table-4/?from=print#top',
  ])('is the same for %j', (link) => expect(shortLinkKey(link)).toBe('qr.example/table-4'));

  it.each([
    ['another case of the path', 'https://qr.example/Table-4'],
    ['another host', 'https://qr2.example/table-4'],
    ['another port', 'https://qr.example:8080/table-4'],
    ['a longer path', 'https://qr.example/table-4/b'],
  ])('differs for %s', (_what, link) => expect(shortLinkKey(link)).not.toBe('qr.example/table-4'));

  it.each(['', '  ', null, undefined])('is empty for %j', (link) => expect(shortLinkKey(link)).toBe(''));

  it("returns text that isn't a link unchanged", () => expect(shortLinkKey('Table 4')).toBe('Table 4'));
});
