import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import type { TransportRequest } from '@qr-service/core';
import { undiciTransport } from '@qr-service/core/undici';
import { Agent, MockAgent, type Dispatcher } from 'undici';
import { cutBody, hangUp, serve, type RequestHandler } from '../support/faultyService/faultyService.ts';

const requestTo = (url: string, more: Partial<TransportRequest> = {}): TransportRequest => ({
  method: 'GET',
  url,
  headers: {},
  responseType: 'json',
  timeoutMs: 30_000,
  ...more,
});

/** Calls handlers as undici 6 (Node 20 and 22) does, without the methods added in undici 7. */
class Undici6Agent extends Agent {
  override dispatch(options: Agent.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    const names = ['onConnect', 'onHeaders', 'onData', 'onComplete', 'onError'] as const;
    return super.dispatch(
      options,
      Object.fromEntries(names.map((name) => [name, handler[name]!.bind(handler)])),
    );
  }
}

const switchProtocols: RequestHandler = ({ socket }) =>
  socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n');
describe.each([
  ['undici', () => new Agent({ connections: 1 })],
  ["Node 20's undici", () => new Undici6Agent({ connections: 1 })],
])('the transport over %s', (_name, createDispatcher) => {
  let dispatcher: Agent;
  beforeEach(() => (dispatcher = createDispatcher()));
  afterEach(() => dispatcher.destroy());

  it('returns the status, the headers and the whole body', async () => {
    const { url, requests } = await serve((_request, response) => {
      response.writeHead(201, { 'X-One': 'a', 'X-Two': ['b', 'c'] }).write('{"id":');
      setImmediate(() => response.end('"qr_1"}'));
    });
    const more = { method: 'POST', headers: { 'X-Key': 'k' }, body: '{"a":1}' } as const;
    const response = await undiciTransport({ dispatcher })(requestTo(`${url}/a?b=c`, more));
    expect(response).toMatchObject({ status: 201, headers: { 'x-one': 'a', 'x-two': ['b', 'c'] } });
    expect(String(response.body)).toBe('{"id":"qr_1"}');
    expect(requests).toHaveLength(1);
  });

  it.each([
    ['gzip', gzipSync],
    ['GZIP', gzipSync],
    ['deflate', deflateSync],
    ['deflate', deflateRawSync],
    ['br', brotliCompressSync],
    ['Identity', (text: string) => Buffer.from(text)],
  ])('decodes a body with the Content-Encoding %s', async (coding, encode) => {
    const { url } = await serve((_request, response) => {
      response.writeHead(200, { 'Content-Encoding': coding }).end(encode('{"id":"qr_1"}'));
    });
    const response = await undiciTransport({ dispatcher })(requestTo(`${url}/`));
    expect(String(response.body)).toBe('{"id":"qr_1"}');
  });

  it('names a Content-Encoding that it cannot decode, and keeps the status of an error', async () => {
    const coded: (code: number, coding: string) => RequestHandler = (code, coding) => (_request, response) =>
      response.writeHead(code, { 'Content-Encoding': coding }).end('x');
    const { url } = await serve(coded(200, 'zstd'), coded(200, 'gzip'), coded(502, 'gzip'));
    const send = undiciTransport({ dispatcher });
    await expect(send(requestTo(`${url}/`))).rejects.toThrow('could not be decoded (Content-Encoding zstd)');
    await expect(send(requestTo(`${url}/`))).rejects.toThrow('could not be decoded (Z_');
    expect(await send(requestTo(`${url}/`))).toMatchObject({ status: 502 });
  });

  it.each<[what: string, handler: RequestHandler, code: string]>([
    ['is cut off', cutBody, 'network'],
    ['never arrives, as the connection is closed', hangUp, 'network'],
    ['switches protocols', switchProtocols, 'network'],
  ])('fails for a response that %s, and frees its connection', async (_what, handler, code) => {
    const { url } = await serve(handler, (_request, response) => response.end('{}'));
    const send = undiciTransport({ dispatcher });
    await expect(send(requestTo(`${url}/`))).rejects.toMatchObject({ code, unsent: false });
    expect(await send(requestTo(`${url}/`, { timeoutMs: 3000 }))).toMatchObject({ status: 200 });
  });

  it('cancels a request that has no connection yet', async () => {
    const waiting = new Agent({ connect: () => undefined });
    const controller = new AbortController();
    const request = requestTo('http://localhost/', { signal: controller.signal });
    const response = undiciTransport({ dispatcher: waiting })(request);
    controller.abort();
    await expect(response).rejects.toMatchObject({ code: 'aborted' });
  });
});

test('the transport works over a MockAgent', async () => {
  const dispatcher = new MockAgent();
  dispatcher.disableNetConnect();
  dispatcher
    .get('http://localhost')
    .intercept({ path: '/a' })
    .reply(200, '{}', { headers: { 'X-One': 'a' } });
  const send = undiciTransport({ dispatcher });
  expect(await send(requestTo('http://localhost/a'))).toMatchObject({
    status: 200,
    headers: { 'x-one': 'a' },
  });
  await expect(send(requestTo('http://localhost/b'))).rejects.toMatchObject({ code: 'network' });
});
