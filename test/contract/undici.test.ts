import { randomBytes } from 'node:crypto';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { undiciTransport } from '@qr-service/core/undici';
import type { TransportRequest } from '@qr-service/core';
import { Agent, MockAgent, type Dispatcher } from 'undici';
import { closeServices, serve } from '../support/faultyService/faultyService.ts';

afterEach(closeServices);

const requestTo = (url: string, more: Partial<TransportRequest> = {}): TransportRequest => ({
  method: 'GET',
  url,
  headers: {},
  responseType: 'json',
  timeoutMs: 30_000,
  maxBytes: 100,
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

describe('the transport over a dispatcher of undici 6', () => {
  const dispatcher = new Undici6Agent();
  afterAll(() => dispatcher.close());

  it('returns the status, the headers and the body', async () => {
    const { url } = await serve((_request, response) =>
      response
        .writeHead(201, { 'X-One': 'a', 'X-Two': ['b', 'c'], 'Content-Encoding': 'gzip' })
        .end(gzipSync('{"id":"qr_1"}')),
    );
    const response = await undiciTransport({ dispatcher })(requestTo(`${url}/`));
    expect(response).toMatchObject({ status: 201, headers: { 'x-one': 'a', 'x-two': ['b', 'c'] } });
    expect(String(response.body)).toBe('{"id":"qr_1"}');
  });

  it('returns repeated headers of any name', async () => {
    const { url } = await serve((_request, response) =>
      response.writeHead(200, { constructor: ['a', 'b'], toString: 'c' }).end(),
    );
    const { headers } = await undiciTransport({ dispatcher })(requestTo(`${url}/`));
    expect(headers).toMatchObject({ constructor: ['a', 'b'], tostring: 'c' });
  });

  it('reads no more than allowed', async () => {
    const { url } = await serve((_request, response) => response.writeHead(200).end('x'.repeat(101)));
    await expect(undiciTransport({ dispatcher })(requestTo(`${url}/`))).rejects.toMatchObject({
      kind: 'too_large',
    });
  });

  it('reports that the service could not be reached', async () => {
    const { url } = await serve((request) => request.socket.destroy());
    await expect(undiciTransport({ dispatcher })(requestTo(`${url}/`))).rejects.toMatchObject({
      kind: 'network',
    });
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
  await expect(send(requestTo('http://localhost/b'))).rejects.toMatchObject({ kind: 'network' });
});

describe('the connection of an abandoned response', () => {
  const large = Buffer.alloc(90_000, 'x');
  const garbage = (compressed: Buffer) => Buffer.concat([compressed, large]);

  test.each([
    ["isn't gzip", 200, 'gzip', large],
    ["isn't brotli", 200, 'br', large],
    ["isn't deflate", 200, 'deflate', large],
    ['has garbage after gzip', 200, 'gzip', garbage(gzipSync('{}'))],
    ['has garbage after brotli', 200, 'br', garbage(brotliCompressSync('{}'))],
    ['has garbage after deflate', 200, 'deflate', garbage(deflateSync('{}'))],
    ["isn't gzip, of an error response", 500, 'gzip', large],
    ['is too large', 200, 'identity', large],
    ['expands too far', 200, 'gzip', gzipSync(Buffer.alloc(90_000))],
  ])('is free for the next request when the body %s', async (_what, status, coding, body) => {
    const { url } = await serve(
      (_request, response) => response.writeHead(status, { 'Content-Encoding': coding }).write(body),
      (_request, response) => response.end('{"id":"qr_1"}'),
    );
    const dispatcher = new Agent({ connections: 1 });
    const send = undiciTransport({ dispatcher });
    await send(requestTo(`${url}/`)).catch(() => undefined);
    const next = send(requestTo(`${url}/`, { timeoutMs: 3000 }));
    expect(await next.catch(String)).toMatchObject({ status: 200 });
    await dispatcher.destroy();
  });
});

it('resumes with the controller that it paused, after a dispatcher retried in the middle of a body', async () => {
  const image = randomBytes(100_000);
  const body = gzipSync(image);
  const controller = (): Dispatcher.DispatchController =>
    ({ pause: jest.fn(), resume: jest.fn(), abort: jest.fn() }) as unknown as Dispatcher.DispatchController;
  const [first, second] = [controller(), controller()];
  const dispatcher = new Agent();
  jest.spyOn(dispatcher, 'dispatch').mockImplementation((_options, handler) => {
    handler.onRequestStart!(first, {});
    handler.onResponseStart!(first, 200, { 'content-encoding': 'gzip' });
    jest.spyOn(second, 'resume').mockImplementation(() => handler.onResponseEnd!(second, {}));
    handler.onResponseData!(second, body);
    return true;
  });
  const response = undiciTransport({ dispatcher })(requestTo('http://localhost/', { maxBytes: 100_000 }));
  expect((await response).body).toEqual(new Uint8Array(image));
});

it('rejects for a relative URL', async () => {
  await expect(undiciTransport()(requestTo('/v1/me'))).rejects.toMatchObject({ kind: 'network' });
});

describe('a request without a connection', () => {
  it('ends as soon as it is cancelled', async () => {
    const dispatcher = new Agent({ connect: () => undefined });
    const controller = new AbortController();
    const request = requestTo('http://localhost/', { signal: controller.signal });
    const response = undiciTransport({ dispatcher })(request);
    controller.abort();
    await expect(response).rejects.toMatchObject({ kind: 'aborted' });
  });
});
