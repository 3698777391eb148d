import { QrServiceClient } from './QrServiceClient.ts';
import type { TransportResponse } from './transport.ts';

const KEY = 'qrs_the_key_of_these_tests';
const clientOf = (response: TransportResponse, apiKey = KEY) =>
  new QrServiceClient({
    baseUrl: 'https://qr.example',
    apiKey,
    transport: () => Promise.resolve(response),
  });

it('rejects a response that is too large even if the transport has no limit', async () => {
  const client = clientOf({ status: 200, headers: {}, body: new Uint8Array(17e6) });
  await expect(client.me()).rejects.toMatchObject({ code: 'too_large' });
});

it.each<[string, (row: object) => unknown]>([
  ['text', (row) => JSON.stringify(row).replaceAll('qrs', '\\u0071rs')],
  ['parsed JSON', (row) => row],
])('returns no API key that the response repeats, as %s', async (_form, write) => {
  const row = { id: 'qr_1', slug: 'a', name: `Key ${KEY}!`, [KEY]: [`https://example.com/?key=${KEY}`] };
  const client = clientOf({ status: 200, headers: {}, body: write(row) });
  expect(await client.qr.get('qr_1')).toEqual({
    id: 'qr_1',
    slug: 'a',
    name: 'Key [API key]!',
    '[API key]': ['https://example.com/?key=[API key]'],
  });
});

it('keeps a number that contains the digits of the key', async () => {
  const body = { id: 'qr_1', slug: 'a', scans: 1234567890, name: '12345678' };
  const client = clientOf({ status: 200, headers: {}, body: JSON.stringify(body) }, '12345678');
  expect(await client.qr.get('qr_1')).toEqual({ ...body, name: '[API key]' });
});

it.each([
  ['https://login.example/a?b', ' to login.example.'],
  ['/a', ' to qr.example.'],
  [undefined, '.'],
  ['https://', '.'],
  ['mailto:a@qr.example', '.'],
  [`https://${'a'.repeat(300)}.example`, ` to ${'a'.repeat(100)}.`],
  [`https://${KEY.replaceAll('_', '-')}.example`, '.'],
])('says where a redirect to %p leads', async (location, end) => {
  const client = clientOf(
    { status: 302, headers: { Location: location }, body: '' },
    KEY.replaceAll('_', '-'),
  );
  await expect(client.me()).rejects.toThrow(`The request was redirected${end} Redirects aren't followed`);
});

it("doesn't show the key that a transport's own error contains", async () => {
  const transport = () => Promise.reject(new Error(`no route for ${KEY}`));
  const client = new QrServiceClient({ baseUrl: 'https://qr.example', apiKey: KEY, transport });
  await expect(client.me()).rejects.toThrow('The service could not be reached. no route for [API key].');
});

it("doesn't show a Content-Type that echoes the key", async () => {
  const headers = { 'Content-Type': `Bearer ${KEY}` };
  const client = clientOf({ status: 200, headers, body: new TextEncoder().encode('no image') });
  await expect(client.qr.render('qr_1')).rejects.toThrow(
    'Expected a PNG, SVG or PDF, but got no content type (8 bytes)',
  );
});
