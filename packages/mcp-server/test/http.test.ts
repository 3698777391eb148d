import { once } from 'node:events';
import { request as startRequest, type IncomingMessage } from 'node:http';
import { createServer as createTcpServer, type AddressInfo } from 'node:net';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { McpServer } from '@modelcontextprotocol/server';
import { until } from '../../../test/support/jest/until.ts';
import { startHttp, type HttpServer } from '../src/transports/http.ts';

const TOKEN = 'token-of-these-tests';
const BEARER = { Authorization: `Bearer ${TOKEN}` };

/** The versions of the protocol, as the official client speaks them. */
const ERAS = { '2025-11-25': 'legacy', '2026-07-28': { pin: '2026-07-28' } } as const;
type Era = keyof typeof ERAS;
const [LEGACY, MODERN] = Object.keys(ERAS) as [Era, Era];

let server: HttpServer;
let logged: string[];
let clients: Client[];
/** Servers that haven't been closed. */
let open: number;
/** Calls of `wait`, including those that are over. */
let waiting: { signal: AbortSignal; release: () => void }[];

beforeEach(() => {
  logged = [];
  clients = [];
  open = 0;
  waiting = [];
});
afterEach(async () => {
  for (const client of clients) await client.close();
  await server.close();
  expect(open).toBe(0);
});

/** A server with a few small tools. */
function createToy({ id }: { id: string }): Promise<McpServer> {
  open++;
  const toy = new McpServer({ name: 'toy', version: '1.0.0' });
  toy.server.onclose = () => open--;
  const text = (value: string) => ({ content: [{ type: 'text' as const, text: value }] });
  toy.registerTool('session', {}, () => text(id));
  toy.registerTool('headers', {}, ({ http }) => text([...(http?.req?.headers.keys() ?? [])].join()));
  toy.registerTool('wait', {}, async ({ mcpReq: { signal, _meta, notify } }) => {
    const progressToken = _meta?.progressToken;
    if (progressToken !== undefined)
      await notify({ method: 'notifications/progress', params: { progressToken, progress: 1 } });
    await new Promise<void>((resolve) => {
      waiting.push({ signal, release: resolve });
      signal.addEventListener('abort', () => resolve());
    });
    return text('released');
  });
  return Promise.resolve(toy);
}

async function start(shutdownMs = 200): Promise<void> {
  const log = (line: string) => void logged.push(line);
  server = await startHttp(createToy, { port: 0, token: TOKEN, log, shutdownMs });
}

async function connectClient(era: Era, { name = 'test', url = server.url } = {}) {
  const client = new Client({ name, version: '1.0.0' }, { versionNegotiation: { mode: ERAS[era] } });
  clients.push(client);
  const transport = new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers: BEARER } });
  await client.connect(transport);
  const call = async (tool: string, options = {}) => {
    const { content } = await client.callTool({ name: tool }, options);
    return (content as { text: string }[])[0]!.text;
  };
  return { client, transport, call };
}

/** Sends a request with any headers. */
async function send(headers: Record<string, string>, { method = 'POST', path = '/mcp', body = '{}' } = {}) {
  const all = {
    Accept: 'application/json, text/event-stream',
    'Content-Type': 'application/json',
    ...headers,
  };
  const { port } = new URL(server.url);
  const sent = startRequest({ host: '127.0.0.1', port, method, path, headers: all }).end(body);
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  const text = Buffer.concat(await response.toArray()).toString();
  return { status: response.statusCode, headers: response.headers, text };
}

describe.each([LEGACY, MODERN])('a client of %s', (era) => {
  beforeEach(() => start());

  it('lists and calls tools through localhost, and the token stays here', async () => {
    const { client, call } = await connectClient(era, { url: server.url.replace('127.0.0.1', 'localhost') });
    expect((await client.listTools()).tools).toHaveLength(3);
    const headers = (await call('headers')).split(',');
    expect(headers).toContain('mcp-protocol-version');
    expect(headers).not.toContain('authorization');
    expect(client.getNegotiatedProtocolVersion()).toBe(era);
    expect(logged).toEqual([]);
  });

  it('receives progress, and cancels a call, which ends its signal', async () => {
    const { call } = await connectClient(era);
    const abort = new AbortController();
    const seen: number[] = [];
    const onprogress = ({ progress }: { progress: number }) => seen.push(progress);
    const cancelled = call('wait', { signal: abort.signal, onprogress });
    await until(() => seen.length === 1 && waiting.length === 1);
    abort.abort();
    await expect(cancelled).rejects.toThrow();
    await until(() => waiting[0]!.signal.aborted);
    expect(await call('session')).not.toBe('');
  });

  it('has an identity of its own, for all of its calls', async () => {
    const [first, second] = [
      await connectClient(era, { name: 'a' }),
      await connectClient(era, { name: 'b' }),
    ];
    const ids = await Promise.all([first, second, first].map(({ call }) => call('session')));
    expect(ids[0]).toBe(ids[2]);
    expect(ids[0]).not.toBe(ids[1]);
  });

  it('has its calls finished when the server stops, for a while', async () => {
    const { call } = await connectClient(era);
    const finished = call('wait');
    await until(() => waiting.length === 1);
    const closed = server.close();
    waiting[0]!.release();
    expect(await finished).toBe('released');
    await closed;
    await expect(fetch(server.url)).rejects.toThrow();
    await start(1);
    const { client, call: callAgain } = await connectClient(era);
    const cut = callAgain('wait').catch(() => 'cut');
    await until(() => waiting.length === 2);
    await server.close();
    await until(() => waiting[1]!.signal.aborted);
    await client.close();
    expect(await cut).toBe('cut');
  });
});

const CLIENT = { name: 'raw', version: '1' };
const message = (method: string, params: unknown = {}) =>
  JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });

test.each<[string, string, unknown]>([
  ['params: null', 'tools/list', null],
  ['cursor: null', 'tools/list', { cursor: null }],
  ['arguments: null and _meta: null', 'tools/call', { name: 'session', arguments: null, _meta: null }],
])('null is treated as missing in %s', async (_what, method, params) => {
  await start();
  const { transport } = await connectClient(LEGACY);
  const session = { ...BEARER, 'Mcp-Session-Id': transport.sessionId! };
  const legacy = await send(session, { body: `\uFEFF${message(method, params)}` });
  const named = { 'MCP-Protocol-Version': MODERN, 'Mcp-Method': method, 'Mcp-Name': 'session' };
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': MODERN,
    'io.modelcontextprotocol/clientInfo': CLIENT,
    'io.modelcontextprotocol/clientCapabilities': { sampling: null },
  };
  const body = message(method, { ...(params as object | null), _meta });
  for (const { status, text } of [legacy, await send({ ...BEARER, ...named }, { body })]) {
    expect({ status, text }).toMatchObject({ status: 200, text: expect.stringContaining('"result"') });
  }
});

test('a session before 2026-07-28 ends with DELETE, which cancels its calls', async () => {
  await start();
  const { call, transport } = await connectClient(LEGACY);
  const { sessionId = '' } = transport;
  const cancelled = call('wait').catch(() => 'ended');
  await until(() => waiting.length === 1);
  await transport.terminateSession();
  await until(() => waiting[0]!.signal.aborted);
  const session = { ...BEARER, 'Mcp-Session-Id': sessionId };
  expect(await send(session, { body: message('ping') })).toMatchObject({
    status: 404,
    text: expect.stringMatching(/-32001.*Session not found/),
  });
  await clients[0]!.close();
  expect(await cancelled).toBe('ended');
});

test.each<[string, Record<string, string>, Parameters<typeof send>[1], number, string]>([
  ['no token', {}, {}, 401, 'Authorization: Bearer TOKEN'],
  ['a wrong token', { Authorization: `Bearer ${TOKEN}x` }, {}, 401, 'QR_SERVICE_MCP_TOKEN'],
  ['a token in the address', {}, { path: `/mcp?access_token=${TOKEN}` }, 401, ''],
  ['the host of another site', { ...BEARER, Host: 'localhost.evil.example:4020' }, {}, 403, 'Invalid Host'],
  [
    'the origin of another site',
    { ...BEARER, Origin: 'http://localhost.evil.example' },
    {},
    403,
    'Invalid Origin',
  ],
  ["another site's preflight", { Origin: 'https://evil.example' }, { method: 'OPTIONS' }, 403, ''],
  [
    'a look for OAuth',
    {},
    { method: 'GET', path: '/.well-known/oauth-protected-resource' },
    404,
    'endpoint is /mcp',
  ],
])('a request with %s is refused', async (_name, headers, options, status, says) => {
  await start();
  const refused = await send(headers, options);
  expect(refused.status).toBe(status);
  expect(refused.text).toContain(says);
  expect(JSON.stringify([refused, logged])).not.toContain(TOKEN);
  expect(open).toBe(0);
});

test('a port that is in use is named', async () => {
  await start();
  const other = createTcpServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  const { port } = other.address() as AddressInfo;
  await expect(startHttp(createToy, { port, token: TOKEN, log: () => undefined })).rejects.toThrow(
    `Can't listen on port ${port} (EADDRINUSE). Stop the program that uses it, or choose another port with --http.`,
  );
  other.close();
});
