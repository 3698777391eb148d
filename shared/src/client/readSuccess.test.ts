import { QrServiceClient } from './QrServiceClient.ts';
import type { TransportResponse } from './transport.ts';

const KEY = 'qrs_the_key_of_these_tests';
const clientOf = (response: TransportResponse) =>
  new QrServiceClient({
    baseUrl: 'https://qr.example',
    apiKey: KEY,
    transport: () => Promise.resolve(response),
  });

it('rejects a response that is too large even if the transport has no limit', async () => {
  const client = clientOf({ status: 200, headers: {}, body: new Uint8Array(17e6) });
  await expect(client.me()).rejects.toMatchObject({ code: 'too_large' });
});

it("doesn't show a Content-Type that echoes the key", async () => {
  const headers = { 'Content-Type': `Bearer ${KEY}` };
  const client = clientOf({ status: 200, headers, body: new TextEncoder().encode('no image') });
  await expect(client.qr.render('qr_1')).rejects.toThrow(
    'Expected a PNG, SVG or PDF, but got no content type (8 bytes)',
  );
});
