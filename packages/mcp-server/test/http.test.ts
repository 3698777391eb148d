import { once } from 'node:events';
import { request as startRequest, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { networkInterfaces } from 'node:os';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { McpServer } from '@modelcontextprotocol/server';
import { until } from '../../../test/support/jest/until.ts';
import { startHttp } from '../src/transports/http.ts';

const TOKEN = 'token-of-these-tests';
const BEARER = { Authorization: `Bearer ${TOKEN}` };
const CHUNKED = { ...BEARER, 'Transfer-Encoding': 'chunked' };

/** The versions of the protocol, as the official client speaks them. */
const [LEGACY, MODERN] = ['2025-11-25', '2026-07-28'] as const;

let server: Awaited<ReturnType<typeof startHttp>>;
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
function createToy({ id, showsPages }: { id: string; showsPages: boolean }): Promise<McpServer> {
  open++;
  const toy = new McpServer({ name: 'toy', version: '1.0.0' });
  toy.server.onclose = () => open--;
  const text = (value: string) => ({ content: [{ type: 'text' as const, text: value }] });
  toy.registerTool('session', {}, () => text(id));
  toy.registerTool('pages', {}, () => text(String(showsPages)));
  toy.registerTool('headers', {}, ({ http }) => text([...(http?.req?.headers.keys() ?? [])].join()));
  toy.registerTool('wait', {}, async ({ mcpReq: { signal } }) => {
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

async function connectClient(era: string, { name = 'test', url = server.url, mimeTypes = [''] } = {}) {
  const mode = era === LEGACY ? 'legacy' : { pin: era };
  const extensions = { 'io.modelcontextprotocol/ui': { mimeTypes } };
  const options = { versionNegotiation: { mode }, capabilities: { extensions } } as const;
  const client = new Client({ name, version: '1.0.0' }, options);
  clients.push(client);
  const transport = new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers: BEARER } });
  await client.connect(transport);
  const call = async (name: string) => {
    const { content } = await client.callTool({ name });
    return (content as { text: string }[])[0]!.text;
  };
  return { client, transport, call };
}

/** Sends a request with any headers. */
async function send(headers: Record<string, string>, { method = 'POST', path = '/mcp', body = '{}' } = {}) {
  const types = { Accept: 'application/json, text/event-stream', 'Content-Type': 'application/json' };
  const { port } = new URL(server.url);
  const to = { host: '127.0.0.1', port, method, path, headers: { ...types, ...headers } };
  const sent = startRequest(to).end(body);
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  const text = Buffer.concat(await response.toArray()).toString();
  return { status: response.statusCode, headers: response.headers, text };
}

describe.each([LEGACY, MODERN])('a client of %s', (era) => {
  beforeEach(() => start());

  it('has its own session, also through localhost, and no tool sees its token', async () => {
    const url = server.url.replace('127.0.0.1', 'localhost');
    const first = await connectClient(era, { name: 'a', mimeTypes: ['text/html;profile=mcp-app'] });
    const second = await connectClient(era, { name: 'b', url });
    expect([await first.call('pages'), await second.call('pages')]).toEqual(['true', 'false']);
    const ids = await Promise.all([first, second, first].map(({ call }) => call('session')));
    expect(ids[0]).toBe(ids[2]);
    expect(ids[0]).not.toBe(ids[1]);
    expect((await second.call('headers')).split(',')).not.toContain('authorization');
    expect(second.client.getNegotiatedProtocolVersion()).toBe(era);
    expect(logged).toEqual([]);
  });

  it('can finish its calls when the server stops, until a time limit', async () => {
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

const message = (params: object) =>
  JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'session', ...params } });

test('treats null as missing in both protocols, and responds with 404 for an ended session', async () => {
  await start();
  const { transport } = await connectClient(LEGACY);
  const session = { ...BEARER, 'Mcp-Session-Id': transport.sessionId! };
  const body = `\uFEFF${message({ arguments: null, _meta: null })}`;
  const named = { 'MCP-Protocol-Version': MODERN, 'Mcp-Method': 'tools/call', 'Mcp-Name': 'session' };
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': MODERN,
    'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': { sampling: null },
  };
  const modern = await send({ ...BEARER, ...named }, { body: message({ arguments: null, _meta }) });
  for (const { status, text } of [await send(session, { body }), modern])
    expect({ status, text }).toMatchObject({ status: 200, text: expect.stringContaining('"result"') });
  await transport.terminateSession();
  const ended = { status: 404, text: expect.stringMatching(/-32001.*Session not found/) };
  expect(await send(session, { body })).toMatchObject(ended);
});

test('the 65th session ends the one used longest ago, but none with a call in progress', async () => {
  await start();
  const busy = await connectClient(LEGACY);
  const idle = await connectClient(LEGACY);
  const running = busy.call('wait').catch(String);
  await until(() => waiting.length === 1);
  const capabilities = {};
  const clientInfo = { name: 'raw', version: '1' };
  const params = { protocolVersion: LEGACY, capabilities, clientInfo };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params });
  for (let nth = 0; nth < 64; nth++) expect((await send(BEARER, { body })).status).toBe(200);
  await expect(idle.call('session')).rejects.toThrow('Session not found');
  waiting[0]!.release();
  expect(await running).toBe('released');
  expect(await busy.call('session')).toBe(busy.transport.sessionId);
});

test.each<[string, Record<string, string>, Parameters<typeof send>[1], number, string]>([
  ['no token', {}, {}, 401, 'Authorization: Bearer TOKEN'],
  ['a wrong token', { Authorization: `Bearer ${TOKEN}x` }, {}, 401, 'QR_SERVICE_MCP_TOKEN'],
  ['a token in the address', {}, { path: `/mcp?access_token=${TOKEN}` }, 401, ''],
  ['the host of another site', { ...BEARER, Host: 'localhost.evil.example:4020' }, {}, 403, 'Invalid Host'],
  ['the origin of another site', { ...BEARER, Origin: 'http://localhost.evil' }, {}, 403, 'Invalid Origin'],
  ["another site's preflight", { Origin: 'https://evil.example' }, { method: 'OPTIONS' }, 403, ''],
  ['an invalid message', BEARER, { body: 'null' }, 400, '-32600'],
  ['a body that is too large', BEARER, { body: 'x'.repeat(5_000_000) }, 413, 'at most 4 MiB'],
  ['such a body in chunks', CHUNKED, { body: 'x'.repeat(30_000_000) }, 413, 'Too Large'],
  ['the path of OAuth discovery', {}, { method: 'GET', path: '/.well-known/oauth' }, 404, 'endpoint is /mcp'],
])('rejects a request with %s', async (_name, headers, options, status, says) => {
  await start();
  const refused = await send(headers, options);
  expect(refused.status).toBe(status);
  expect(refused.text).toContain(says);
  expect(JSON.stringify([refused, logged])).not.toContain(TOKEN);
  expect(open).toBe(0);
});

test('only this machine can connect, through 127.0.0.1', async () => {
  await start();
  const port = Number(new URL(server.url).port);
  const addresses = Object.values(networkInterfaces()).flatMap(
    (of) => of?.map(({ address }) => address) ?? [],
  );
  // Linux has further addresses of this machine.
  for (const host of ['127.0.0.1', '127.0.0.2', ...addresses]) {
    const socket = connect({ host, port, timeout: 1000 });
    const { promise, resolve } = Promise.withResolvers<boolean>();
    socket.on('connect', () => resolve(true));
    for (const event of ['error', 'timeout']) socket.on(event, () => resolve(false));
    expect([host, await promise]).toEqual([host, host === '127.0.0.1']);
    socket.destroy();
  }
});

test('names a port that is in use', async () => {
  await start();
  const port = Number(new URL(server.url).port);
  await expect(startHttp(createToy, { port, token: TOKEN, log: () => undefined })).rejects.toThrow(
    `Can't listen on port ${port} (EADDRINUSE). Stop the program that uses it, or choose another port with --http.`,
  );
});
