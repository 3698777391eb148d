import { gzipSync } from 'node:zlib';
import { undiciTransport } from '@qr-service/core/undici';
import type { TransportRequest } from '@qr-service/core';
import { Agent, MockAgent, type Dispatcher } from 'undici';
import { closeServices, serve } from '../../harness/faultyService/faultyService.ts';

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

/** Calls handlers as undici 6 does, which Node 20 and 22 contain: without the methods that undici 7 added. */
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
