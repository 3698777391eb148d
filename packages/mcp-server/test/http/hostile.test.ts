import { until } from '../../../../test/support/jest/until.ts';
import { startHttp, type HttpServer } from '../../src/transports/http.ts';
import type { HttpLimits } from '../../src/transports/http/limits.ts';
import { parseResponses, rawConnection, type RawResponse } from '../support/httpClients.ts';
import { callHeaders, MESSAGES, RAW_TOKEN, rawRequest, type RawRequest } from '../support/rawRequest.ts';
import { toyServers, type ToyServers } from '../support/toyServer.ts';

let toys: ToyServers;
let server: HttpServer;
let logged: string[];

async function start(limits: Partial<HttpLimits> = {}): Promise<void> {
  toys = toyServers();
  logged = [];
  const log = (line: string) => void logged.push(line);
  server = await startHttp(toys.createServer, { port: 0, token: RAW_TOKEN, log, limits });
}

afterEach(async () => {
  await expectAnswers();
  expect(logged).toEqual([]);
  await server.close();
  expect(toys.open()).toBe(0);
});

/** Sends bytes and returns the responses, of which there are this many. */
async function exchange(bytes: string | Uint8Array, count = 1): Promise<RawResponse[]> {
  const connection = await rawConnection(server.url);
  connection.send(bytes);
  let isClosed = false;
  void connection.closed.then(() => (isClosed = true));
  const responses = () => parseResponses(connection.received());
  await until(() => isClosed || (responses().length >= count && isComplete(responses().at(-1)!)));
  connection.socket.destroy();
  return responses();
}

function isComplete({ headers, body, status }: RawResponse): boolean {
  if (status === 204) return true;
  const length = headers['content-length'];
  return length === undefined ? body.endsWith('0\r\n\r\n') : body.length >= Number(length);
}

/** Proves that the server still serves. */
async function expectAnswers(): Promise<void> {
  const request = {
    headers: callHeaders('echo'),
    body: JSON.stringify(MESSAGES.call('echo', { text: 'alive' })),
  };
  const [response] = await exchange(rawRequest(request));
  expect(response).toMatchObject({ status: 200, body: expect.stringContaining('alive') as string });
}

const nested = (depth: number, open = '[', close = ']') => open.repeat(depth) + close.repeat(depth);
const withParams = (params: string) => `{"jsonrpc":"2.0","id":1,"method":"initialize","params":${params}}`;

interface Case {
  request: RawRequest;
  status: number;
  /** Part of what the client is told. */
  says?: string;
  headers?: Record<string, unknown>;
}

const REFUSED: Record<string, Case> = {
  'no token': {
    request: { headers: { Authorization: undefined } },
    status: 401,
    says: 'Authorization: Bearer TOKEN',
    headers: { 'www-authenticate': 'Bearer realm="qr-service-mcp"' },
  },
  'a wrong token': {
    request: { headers: { Authorization: `Bearer ${RAW_TOKEN.replace('t', 'T')}` } },
    status: 401,
    headers: { 'www-authenticate': 'Bearer realm="qr-service-mcp", error="invalid_token"' },
  },
  'the start of the token': {
    request: { headers: { Authorization: `Bearer ${RAW_TOKEN.slice(0, -1)}` } },
    status: 401,
  },
  'the token and more': { request: { headers: { Authorization: `Bearer ${RAW_TOKEN}x` } }, status: 401 },
  'an empty token': { request: { headers: { Authorization: 'Bearer ' } }, status: 401 },
  'another scheme': {
    request: { headers: { Authorization: `Basic ${Buffer.from(`x:${RAW_TOKEN}`).toString('base64')}` } },
    status: 401,
  },
  'a token in the address': {
    request: { path: `/mcp?access_token=${RAW_TOKEN}`, headers: { Authorization: undefined } },
    status: 401,
  },
  'a wrong token before the right one': {
    request: {
      headers: { Authorization: 'Bearer wrong-token-of-these-tests' },
      lines: [`Authorization: Bearer ${RAW_TOKEN}`],
    },
    status: 401,
  },
  'the host of another site': {
    request: { headers: { Host: 'evil.example' } },
    status: 403,
    says: 'localhost',
  },
  'the host of another site on this port': {
    request: { headers: { Host: 'localhost.evil.example:4020' } },
    status: 403,
  },
  'an address of the network': { request: { headers: { Host: '192.168.1.5:4020' } }, status: 403 },
  'two hosts': { request: { lines: ['Host: evil.example'] }, status: 403 },
  'an empty host': { request: { headers: { Host: '' } }, status: 403 },
  'an invalid host': { request: { headers: { Host: 'localhost:x:y' } }, status: 403 },
  'the origin of another site': {
    request: { headers: { Origin: 'https://evil.example' } },
    status: 403,
    says: 'web pages from this machine',
  },
  'an origin that only looks local': {
    request: { headers: { Origin: 'http://localhost.evil.example' } },
    status: 403,
  },
  'the origin of a sandboxed page or a file': { request: { headers: { Origin: 'null' } }, status: 403 },
  'two origins': {
    request: { headers: { Origin: 'http://localhost:6274' }, lines: ['Origin: https://evil.example'] },
    status: 403,
  },
  "another site's preflight": {
    request: { method: 'OPTIONS', headers: { Origin: 'https://evil.example', Authorization: undefined } },
    status: 403,
  },
  'another path': {
    request: { path: '/', headers: { Authorization: undefined } },
    status: 404,
    says: 'endpoint is /mcp',
  },
  "a client's look for OAuth": {
    request: {
      method: 'GET',
      path: '/.well-known/oauth-protected-resource/mcp',
      headers: { Authorization: undefined },
    },
    status: 404,
    says: '"error":"not_found","error_description":"',
  },
  'a proxy request': { request: { path: 'http://evil.example/mcp' }, status: 404 },
  'a path with dots': { request: { path: '/mcp/../mcp' }, status: 404 },
  'a browser that opens the endpoint': {
    request: { method: 'GET', body: '' },
    status: 405,
    says: 'with POST',
    headers: { allow: 'POST, GET, DELETE' },
  },
  'DELETE without a session': { request: { method: 'DELETE', body: '' }, status: 405 },
  'another method': { request: { method: 'PUT' }, status: 405 },
  'an unknown session': {
    request: { headers: { 'Mcp-Session-Id': '4a1b2c3d-0000-4000-8000-000000000000' } },
    status: 404,
    says: 'Session not found',
  },
  'an unknown session for a stream': {
    request: { method: 'GET', body: '', headers: { 'Mcp-Session-Id': '__proto__' } },
    status: 404,
    says: 'Session not found',
  },
  'an unknown session to end': {
    request: { method: 'DELETE', body: '', headers: { 'Mcp-Session-Id': 'x'.repeat(8000) } },
    status: 404,
  },
  'a request before initialize': {
    request: { body: JSON.stringify(MESSAGES.ping) },
    status: 400,
    says: 'Send initialize first',
  },
  'initialize without its parameters': {
    request: { body: withParams('{}') },
    status: 400,
    says: 'protocolVersion, capabilities and clientInfo',
  },
  'no content type': { request: { headers: { 'Content-Type': undefined } }, status: 415 },
  "a form's content type": {
    request: { headers: { 'Content-Type': 'text/plain' } },
    status: 415,
    says: 'application/json',
  },
  'a client that accepts no JSON': { request: { headers: { Accept: 'text/html' } }, status: 406 },
  'an empty body': { request: { body: '' }, status: 400, says: 'not valid JSON' },
  'half of a JSON text': { request: { body: '{"jsonrpc":"2.0",' }, status: 400, says: 'not valid JSON' },
  'a compressed body': { request: { body: '\u001f\u008b', lines: ['Content-Encoding: gzip'] }, status: 400 },
  null: { request: { body: 'null' }, status: 400 },
  'a number': { request: { body: '1' }, status: 400 },
  'an empty batch': { request: { body: '[]' }, status: 400 },
  'a batch of thousands': { request: { body: `[${Array(5000).fill('{"id":1}').join()}]` }, status: 400 },
  'arrays 100,000 deep': { request: { body: nested(100_000) }, status: 400, says: 'levels deep' },
  'objects 100,000 deep, not closed': { request: { body: '{"a":'.repeat(100_000) }, status: 400 },
  'parameters 100,000 deep': { request: { body: withParams(nested(100_000)) }, status: 400 },
  'a body declared larger than the limit': {
    request: { headers: { 'Content-Length': '10485760' } },
    status: 413,
    says: '1048576 bytes',
  },
  'two different lengths': { request: { lines: ['Content-Length: 5'] }, status: 400 },
};

describe('refuses', () => {
  beforeEach(() => start());

  it.each(Object.entries(REFUSED))('%s', async (_, { request, status, says = '', headers = {} }) => {
    const [response] = await exchange(rawRequest(request));
    expect(response).toMatchObject({ status, headers });
    expect(response!.body).toContain(says);
    expect(toys.open()).toBe(0);
    expect(JSON.stringify(response)).not.toContain(RAW_TOKEN);
  });

  it('a body that is not UTF-8', async () => {
    const request = rawRequest({ headers: { 'Content-Length': '3' }, body: '' });
    const [response] = await exchange(Buffer.concat([Buffer.from(request), Buffer.of(0x22, 0xff, 0x22)]));
    expect(response).toMatchObject({ status: 400, body: expect.stringContaining('UTF-8') as string });
  });

  it('a body of 10 MB, whose sender still reads the refusal', async () => {
    const [response] = await exchange(rawRequest({ body: `"${'x'.repeat(10_000_000)}"` }));
    expect(response).toMatchObject({ status: 413 });
  });

  it('a body that grows beyond the limit, before it has ended', async () => {
    const connection = await rawConnection(server.url);
    connection.send(
      rawRequest({ headers: { 'Content-Length': undefined, 'Transfer-Encoding': 'chunked' }, body: '' }),
    );
    const chunk = `10000\r\n${'x'.repeat(0x10000)}\r\n`;
    for (let at = 0; at < 20; at++) connection.send(chunk);
    await until(() => parseResponses(connection.received()).length === 1);
    expect(parseResponses(connection.received())[0]).toMatchObject({ status: 413 });
    connection.socket.destroy();
  });
});

describe('accepts', () => {
  beforeEach(() => start());

  const ACCEPTED: Record<string, RawRequest> = {
    'the name localhost': { headers: { Host: 'localhost:4020' } },
    'the IPv6 address': { headers: { Host: '[::1]:4020' } },
    'a content type with a character set': { headers: { 'Content-Type': 'application/json; charset=utf-8' } },
    'a token after a lower-case scheme': { headers: { Authorization: `bearer ${RAW_TOKEN}` } },
    'JSON as deep as the limit': {
      body: JSON.stringify({
        ...MESSAGES.initialize,
        params: { ...MESSAGES.initialize.params, _meta: JSON.parse(`{"deep":${nested(61)}}`) as object },
      }),
    },
    'brackets in text': {
      body: JSON.stringify({
        ...MESSAGES.initialize,
        params: {
          ...MESSAGES.initialize.params,
          clientInfo: { name: `\\"${'['.repeat(200)}`, version: '"{' },
        },
      }),
    },
  };

  it.each(Object.entries(ACCEPTED))('%s', async (_, request) => {
    const [response] = await exchange(rawRequest(request));
    expect(response).toMatchObject({ status: 200 });
  });

  it.each(['http://localhost:6274', 'http://127.0.0.1:6274', 'http://[::1]:5173', 'https://localhost'])(
    'a page at %s, like the MCP Inspector',
    async (Origin) => {
      const asked = 'authorization,content-type,mcp-protocol-version,mcp-session-id';
      const [preflight] = await exchange(
        rawRequest({
          method: 'OPTIONS',
          body: '',
          headers: {
            Origin,
            Authorization: undefined,
            'Access-Control-Request-Method': 'POST',
            'Access-Control-Request-Headers': asked,
          },
        }),
      );
      expect(preflight).toMatchObject({
        status: 204,
        headers: {
          'access-control-allow-origin': Origin,
          'access-control-allow-headers': asked,
          'access-control-allow-methods': 'POST, GET, DELETE',
          vary: 'Origin',
        },
      });
      const [response] = await exchange(rawRequest({ headers: { Origin } }));
      expect(response).toMatchObject({
        status: 200,
        headers: {
          'access-control-allow-origin': Origin,
          'access-control-expose-headers': expect.stringContaining('Mcp-Session-Id') as string,
        },
      });
      const [refused] = await exchange(rawRequest({ headers: { Origin, Authorization: undefined } }));
      expect(refused).toMatchObject({ status: 401, headers: { 'access-control-allow-origin': Origin } });
    },
  );
});

describe('survives', () => {
  it('bytes that are no HTTP', async () => {
    await start();
    for (const bytes of [
      '\u0016\u0003\u0001\u0002\u0000\u0001',
      'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
      '\0'.repeat(1000),
    ]) {
      const [response] = await exchange(bytes);
      expect(response).toMatchObject({ status: 400 });
    }
  });

  it('requests cut off anywhere', async () => {
    await start();
    const whole = rawRequest({ headers: callHeaders('wait'), body: JSON.stringify(MESSAGES.call('wait')) });
    for (let length = 0; length < whole.length; length += 37) {
      const connection = await rawConnection(server.url);
      connection.send(whole.slice(0, length));
      if (length % 2 === 0) connection.socket.end();
      else connection.socket.resetAndDestroy();
    }
    expect(toys.waiting).toEqual([]);
  });

  it('pipelined requests, which it answers in their order', async () => {
    await start();
    const call = (at: number) =>
      rawRequest({
        headers: callHeaders('echo'),
        body: JSON.stringify(MESSAGES.call('echo', { text: `<${at}>` }, at)),
      });
    const numbers = Array.from({ length: 50 }, (_, at) => at);
    const responses = await exchange(numbers.map(call).join(''), 50);
    expect(responses.map(({ body }) => /<(\d+)>/.exec(body)?.[1])).toEqual(numbers.map(String));
  });

  it('a client that pipelines calls and disconnects, by cancelling all', async () => {
    await start();
    const call = rawRequest({ headers: callHeaders('wait'), body: JSON.stringify(MESSAGES.call('wait')) });
    const connection = await rawConnection(server.url);
    connection.send(call.repeat(3));
    await until(() => toys.waiting.length === 3);
    connection.socket.resetAndDestroy();
    await until(() => toys.waiting.every(({ signal }) => signal.aborted));
    await until(() => toys.open() === 0);
  });

  it.each([
    ['in the body', (hidden: string) => rawRequest({ body: hidden })],
    [
      'after a refused body',
      (hidden: string) => rawRequest({ headers: { Authorization: undefined }, body: hidden }),
    ],
    [
      'after a chunk',
      (hidden: string) =>
        rawRequest({
          headers: { 'Content-Length': undefined, 'Transfer-Encoding': 'chunked' },
          body: `${hidden.length.toString(16)}\r\n${hidden}\r\n0\r\n\r\n`,
        }),
    ],
    [
      'after both a length and chunks',
      (hidden: string) =>
        rawRequest({
          headers: { 'Content-Length': '5', 'Transfer-Encoding': 'chunked' },
          body: `0\r\n\r\n${hidden}`,
        }),
    ],
    [
      'after chunks with extensions',
      (hidden: string) =>
        rawRequest({
          headers: { 'Content-Length': undefined, 'Transfer-Encoding': 'chunked' },
          body: `2;a="\r\n\r\n${hidden}"\r\n{}\r\n0\r\n\r\n`,
        }),
    ],
    ['in a GET', (hidden: string) => rawRequest({ method: 'GET', body: hidden })],
  ])('a request hidden %s, which is never served', async (_, smuggle) => {
    await start();
    const hidden = rawRequest({ headers: callHeaders('wait'), body: JSON.stringify(MESSAGES.call('wait')) });
    const responses = await exchange(smuggle(hidden));
    expect(responses.map(({ status }) => status)).toEqual([expect.any(Number)]);
    expect(responses[0]!.status).toBeGreaterThanOrEqual(400);
    expect(toys.waiting).toEqual([]);
  });

  it('clients that never finish their request', async () => {
    await start({ headersMs: 100, requestMs: 200 });
    const whole = rawRequest();
    const cuts = [10, whole.indexOf('\r\n\r\n') + 10];
    const connections = await Promise.all(cuts.map(() => rawConnection(server.url)));
    connections.forEach(({ send }, at) => send(whole.slice(0, cuts[at])));
    await Promise.all(connections.map(({ closed }) => closed));
    for (const { received } of connections)
      expect(parseResponses(received())).toMatchObject([{ status: 408 }]);
  });

  it('a client that reads nothing, by disconnecting it', async () => {
    await start({ stallMs: 100 });
    const connection = await rawConnection(server.url);
    connection.socket.pause();
    connection.send(
      rawRequest({
        headers: callHeaders('repeat'),
        body: JSON.stringify(MESSAGES.call('repeat', { times: 20_000_000 })),
      }),
    );
    // Only a write shows a client that reads nothing that the connection is closed. Empty lines ask for nothing.
    await until(() => {
      connection.send('\r\n');
      return connection.socket.destroyed;
    });
    await connection.closed;
    expect(connection.received().length).toBeLessThan(20_000_000);
  });

  it('more connections than the limit, by closing the further ones', async () => {
    await start({ connections: 5 });
    const connections = await Promise.all(Array.from({ length: 5 }, () => rawConnection(server.url)));
    const further = await rawConnection(server.url);
    await further.closed;
    for (const { socket } of connections) socket.destroy();
    await Promise.all(connections.map(({ closed }) => closed));
  });
});
