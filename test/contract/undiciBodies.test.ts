import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { QrServiceClient } from '@qr-service/core';
import { undiciTransport } from '@qr-service/core/undici';
import { closeServices, CODE, serve, type RequestHandler } from '../support/faultyService/faultyService.ts';

afterEach(closeServices);

describe('the transport for Node.js', () => {
  async function clientOf(handler: RequestHandler) {
    const { url, requests } = await serve(handler);
    const sleep = () => Promise.resolve();
    return {
      client: new QrServiceClient({ baseUrl: url, apiKey: 'qrs_a_key', transport: undiciTransport(), sleep }),
      requests,
    };
  }

  const compressed =
    (coding: string, body: Buffer, status = 200): RequestHandler =>
    (_request, response) =>
      response
        .writeHead(status, { 'Content-Encoding': coding, 'Content-Type': 'application/json' })
        .end(body);
  const json = Buffer.from(JSON.stringify(CODE));

  test.each([
    ['gzip', gzipSync(json)],
    ['GZIP', gzipSync(json)],
    ['x-gzip', gzipSync(json)],
    ['deflate', deflateSync(json)],
    ['br', brotliCompressSync(json)],
    ['identity', json],
  ])('reads a response with Content-Encoding %s', async (coding, body) => {
    const { client } = await clientOf(compressed(coding, body));
    expect(await client.qr.get('qr_1')).toMatchObject({ id: CODE.id });
  });

  test.each([
    ["isn't compressed", Buffer.from('{"code":"invalid_api_key"}')],
    ['is cut off', gzipSync(json).subarray(0, 20)],
    ['is empty', Buffer.alloc(0)],
  ])('reports a 401 by its status, without a retry, when its gzip body %s', async (_what, body) => {
    const { client, requests } = await clientOf(compressed('gzip', body, 401));
    await expect(client.me()).rejects.toMatchObject({ status: 401, code: 'http_401' });
    expect(requests).toHaveLength(1);
  });

  test.each([
    [200, "isn't compressed", Buffer.from('<html>'), { kind: 'network' }],
    [
      404,
      "isn't compressed",
      Buffer.from('<html>'),
      { code: 'http_404', intermediary: expect.any(String) as string },
    ],
    [404, 'is empty', Buffer.alloc(0), { code: 'http_404', intermediary: expect.any(String) as string }],
  ])('reads nothing from a %d whose gzip body %s', async (status, _what, body, error) => {
    const { client } = await clientOf(compressed('gzip', body, status));
    await expect(client.qr.get('qr_1')).rejects.toMatchObject(error);
  });

  test('accepts a compressed 204, which has no body', async () => {
    const { client } = await clientOf(compressed('gzip', Buffer.alloc(0), 204));
    await expect(client.webhooks.unsubscribe('whs_1')).resolves.toBe('removed');
  });

  test('reports a response that switches protocols at once', async () => {
    const { client } = await clientOf(({ socket }) =>
      socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n'),
    );
    await expect(client.me()).rejects.toMatchObject({ kind: 'network', unsent: false });
  });
});
