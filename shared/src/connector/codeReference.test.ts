import { BRAND } from '../contract/brand.ts';
import { SAMPLE_QR_CODE } from '../contract/fields.ts';
import { linkKeys, readCodeReference } from './codeReference.ts';

describe('readCodeReference', () => {
  const api = `${BRAND.baseUrl}/v1/public-api`;

  it.each([
    ['an id', 'qr_7hK2pQ', 'qr_7hK2pQ'],
    ['an API URL', `${api}/qr/qr_1`, 'qr_1'],
    ['an API URL with more after the ID', `${api}/qr/qr_1/image?size=3`, 'qr_1'],
    ['a legacy API URL', `${api}/workspaces/ws_1/qr/qr_1#top`, 'qr_1'],
    ['an API URL with an escaped ID', `${api}/qr/a%20b`, 'a b'],
    ['an API URL without a scheme', `${api.replace('https://', '')}/qr/qr_1/image`, 'qr_1'],
    ['an API URL with an uppercase scheme', `${api.replace('https', 'HTTPS')}/qr/qr_1`, 'qr_1'],
    ['an ID surrounded by whitespace', ' qr_7hK2pQ\n', 'qr_7hK2pQ'],
    ['an ID with a dot', 'qr.7', 'qr.7'],
    ['an ID with a colon', 'urn:qr:7', 'urn:qr:7'],
    ['a UUID', '0190c8a4-5d2e-7c3b-9f10-2b6a4d1e8f77', '0190c8a4-5d2e-7c3b-9f10-2b6a4d1e8f77'],
    ['a number', '7', '7'],
  ])('returns the ID for %s', (_what, text, id) => expect(readCodeReference(text)).toEqual({ id }));

  it.each([
    ['a short link', SAMPLE_QR_CODE.publicUrl],
    ['an uppercase link', 'HTTPS://QR.EXAMPLE/a'],
    ['the URL of the list in the API', `${api}/qr`],
    ['a link as it is printed', 'qr-service.example/table-4-7hk2'],
    ['a printed link with a path and a query', 'qr-service.example/r/table-4-7hk2/?from=print'],
    ['a link to a local service', 'localhost:4010/r/table-4-7hk2'],
    ['a link to an IP address', '[::1]:4010/r/table-4-7hk2'],
    ['a link to another host', 'https://elsewhere.example/a'],
    ['a link with an API URL in its query', `qr.example/a?next=${api}/qr/qr_1`],
    ['another scheme', 'ftp://qr-service.example/a'],
  ])('returns the link for %s', (_what, shortLink) =>
    expect(readCodeReference(shortLink)).toEqual({ shortLink }),
  );
});

describe('linkKeys', () => {
  it.each([
    'https://qr.example/table-4',
    'http://qr.example/table-4',
    'qr.example/table-4',
    ' https://QR.example/table-4// ',
    'https://qr.example/table-4/?from=print#top',
    'HTTPS://qr.example/%74able%2D4',
    'https://qr.example:443/table-4',
  ])('reads the same page from %j', (link) => expect(linkKeys(link).at(-1)).toBe('qr.example/table-4'));

  it.each([
    ['another case of the path', 'https://qr.example/Table-4'],
    ['another host', 'https://qr2.example/table-4'],
    ['another port', 'https://qr.example:8080/table-4'],
    ['a longer path', 'https://qr.example/table-4/b'],
    ['a path with an invalid escape', 'https://qr.example/table-4%E0%A4%A'],
  ])('reads another page from %s', (_what, link) =>
    expect(linkKeys(link).at(-1)).not.toBe('qr.example/table-4'),
  );

  it.each([
    ['', ''],
    [null, ''],
    [7, ''],
    ['Table 4', 'Table 4'],
    ['Cafe\u0301 4', 'Caf\u00e9 4'],
  ])("returns text that isn't a link as it is: %j", (text, expected) =>
    expect(linkKeys(text)).toEqual([expected]),
  );
});
