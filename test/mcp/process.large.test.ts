import { spawn, type ChildProcess, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { TOOLS } from '../../packages/mcp-server/src/tools/index.ts';
import { neverRespond, serve } from '../support/faultyService/faultyService.ts';
import { until } from '../support/jest/until.ts';
import { COMMAND, startMcpServer } from '../support/mcp/mcpServer.ts';
import { closeWorlds, startServer, startWorld, type ServerSettings, type World } from './support/world.ts';

const KEY = 'sk_secret_0123456789';
const STDIO = { transport: 'stdio' } as const satisfies ServerSettings;

let world: World;
let env: Record<string, string>;
beforeAll(async () => {
  world = await startWorld();
  env = { QR_SERVICE_API_KEY: world.emulator.apiKey, QR_SERVICE_BASE_URL: world.emulator.url };
});
const children: ChildProcess[] = [];
afterAll(async () => {
  for (const child of children) child.kill('SIGKILL');
  await closeWorlds();
});

/** One line on stderr. */
const USAGE = /^qr-service-mcp: [A-Z-].*\.\n$/;

test.each<[string[], Record<string, string>, nodeArgs: string[], exitCode: number, shown: RegExp]>([
  [['--help'], {}, [], 0, /^[^]*--read-only[^]*$/],
  [['--version'], {}, [], 0, /^\d+\.\d+\.\d+\n$/],
  [['--out', '/dev/null/images'], { QR_SERVICE_API_KEY: KEY }, [], 2, USAGE],
  [['--http'], { QR_SERVICE_API_KEY: KEY, QR_SERVICE_MCP_TOKEN: 'sk_secret' }, [], 2, USAGE],
  // As in a Node.js that is too old.
  [[], {}, ['--import=data:text/javascript,process.getBuiltinModule=undefined'], 2, USAGE],
])('exits when started with %j, and shows no value', async (args, env, nodeArgs, code, shown) => {
  const child = spawn(process.execPath, [...nodeArgs, COMMAND, ...args], { env });
  const printed = Promise.all([text(child.stdout), text(child.stderr)]);
  expect(await once(child, 'exit')).toEqual([code, null]);
  const [used, unused] = code === 0 ? await printed : (await printed).reverse();
  expect(unused).toBe('');
  expect(used).toMatch(shown);
  expect(used).not.toContain('sk_secret');
});

test('a client can start while the service does not respond', async () => {
  const { url } = await serve(neverRespond);
  const server = await startServer({ url, apiKey: KEY }, { ...STDIO, era: 'legacy' });
  expect(server.tools).toHaveLength(TOOLS.length);
});

test("uses the environment's proxy, if Node.js is told to", async () => {
  const tunnels: (string | undefined)[] = [];
  const proxy = createServer().on('connect', ({ url }, socket) => {
    tunnels.push(url);
    socket.write('HTTP/1.1 200 Connected\r\n\r\n');
    const { port } = new URL(world.emulator.url);
    socket.pipe(connect(Number(port), '127.0.0.1')).pipe(socket);
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  const HTTP_PROXY = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  const service = { ...world.emulator, url: 'http://service.internal' };
  const server = await startServer(service, { ...STDIO, env: { NODE_USE_ENV_PROXY: '1', HTTP_PROXY } });
  expect((await server.call('whoami')).data.workspaceName).toBe(world.emulator.workspace.name);
  expect(tunnels).toContain('service.internal:80');
  await server.close();
  proxy.close();
});

describe('over stdio', () => {
  const clientInfo = { name: 'tests', version: '1.0.0' };
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo };
  const initialize = (more = {}) => ({ id: 0, method: 'initialize', params: { ...params, ...more } });
  const INITIALIZE = initialize();
  const named = (version: string) => ({
    'io.modelcontextprotocol/protocolVersion': version,
    'io.modelcontextprotocol/clientInfo': clientInfo,
    'io.modelcontextprotocol/clientCapabilities': {},
  });
  const KNOWN = named('2026-07-28');
  const UNKNOWN = named('2099-01-01');
  const DISCOVER = { id: 0, method: 'server/discover', params: { _meta: KNOWN } };

  /** Starts the command with a first message, and returns how to send a line and read the next one. */
  async function open(first: string | object = INITIALIZE, variables = env) {
    const child = spawn(process.execPath, [COMMAND], { env: variables });
    children.push(child);
    const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
    const send = (line: string | object) =>
      child.stdin.write(`${typeof line === 'string' ? line : JSON.stringify({ jsonrpc: '2.0', ...line })}\n`);
    const request = async (line: string | object) => {
      send(line);
      const { value } = await lines.next();
      return JSON.parse(value as string) as object;
    };
    const response = await request(first);
    if (first === INITIALIZE) send({ method: 'notifications/initialized', params: null });
    return { child, send, request, response };
  }

  const sessions = new Map<unknown, ReturnType<typeof open>>();
  /** A session that began with this message. */
  const sessionOf = (first: string | object) =>
    sessions.get(first) ?? sessions.set(first, open(first)).get(first)!;

  const list = (fields: unknown) => ({ id: 1, method: 'tools/list', params: fields });
  const call = (name: string, args: unknown, fields = {}) =>
    Object.assign(list({ name, arguments: args, ...fields }), { method: 'tools/call' });
  const line = (message: object) => JSON.stringify({ jsonrpc: '2.0', ...message });
  const STARTED = { result: { serverInfo: {} } };
  const LISTED = { result: { tools: expect.any(Array) as unknown } };
  const NEGOTIATED = { result: { protocolVersion: '2025-11-25' } };
  const WORKED = { result: { structuredContent: expect.any(Object) as unknown } };
  const data = { supported: ['2026-07-28'], requested: '2099-01-01' };
  const REFUSED = { error: { code: -32_022, data } };
  const failed = (reason: string) => ({
    result: { isError: true, content: [{ text: expect.stringContaining(reason) as unknown }] },
  });
  const created = (name: string) => ({ result: { structuredContent: { results: [{ qrCode: { name } }] } } });
  const creating = (name: string) =>
    call('create_qr_codes', { rows: [{ name, targetUrl: 'https://example.com/a' }] });

  /** What clients write, and the response. Clients in Go, Java and C# send null for nothing, and some shells send a BOM. */
  test.each<[what: string, first: string | object, then: string | object | undefined, response: object]>([
    ['a BOM before the first message', `\uFEFF${line(INITIALIZE)}`, undefined, STARTED],
    ['a BOM before a later one', INITIALIZE, `\uFEFF${line(list({}))}`, LISTED],
    ['CRLF and an empty line', INITIALIZE, `{\r\n\r\n${line(list({}))}\r`, LISTED],
    ['params: null', INITIALIZE, list(null), LISTED],
    ['_meta: null', INITIALIZE, list({ _meta: null }), LISTED],
    ['cursor: null', INITIALIZE, list({ cursor: null }), LISTED],
    ['cursor: null of a newer client', DISCOVER, list({ cursor: null, _meta: KNOWN }), LISTED],
    ['arguments: null', INITIALIZE, call('whoami', null), WORKED],
    ['arguments: null of a newer client', DISCOVER, call('whoami', null, { _meta: KNOWN }), WORKED],
    ['progressToken: null', INITIALIZE, call('whoami', {}, { _meta: { progressToken: null } }), WORKED],
    ['roots: null', initialize({ capabilities: { roots: null }, _meta: null }), undefined, STARTED],
    ['null for an optional argument', INITIALIZE, call('find_qr_codes', { name: null, limit: null }), WORKED],
    ['null for a needed argument', INITIALIZE, call('get_qr_code', { code: null }), failed('code is empty')],
    ['null in a list', INITIALIZE, call('render_qr_codes', { codes: [null] }), failed('Row 1: code is e')],
    ['a BOM within a value', INITIALIZE, creating('A\uFEFFB'), created('A\uFEFFB')],
    ['a line separator within a value', INITIALIZE, call('find_qr_codes', { name: 'A\u2028B' }), WORKED],
    ['an unknown version first', { ...DISCOVER, params: { _meta: UNKNOWN } }, list({ _meta: KNOWN }), LISTED],
    ['an earlier version', INITIALIZE, list({ _meta: named('2025-11-25') }), LISTED],
    ['an unknown version after a known one', DISCOVER, list({ _meta: UNKNOWN }), REFUSED],
    ['a version to come', initialize({ protocolVersion: '2099-01-01' }), undefined, NEGOTIATED],
  ])('a client may send %s', async (_what, first, then, expected) => {
    const { request, response } = await sessionOf(first);
    expect(then === undefined ? response : await request(then)).toMatchObject(expected);
  });

  test.each<[string, (child: ChildProcessWithoutNullStreams) => unknown]>([
    ['closing stdin', ({ stdin }) => stdin.end()],
    ['a client that dies', ({ stdio }) => stdio.forEach((stream) => stream?.destroy())],
    ['SIGTERM', (child) => child.kill('SIGTERM')],
    ['SIGINT', (child) => child.kill('SIGINT')],
    ['SIGHUP', (child) => child.kill('SIGHUP')],
  ])('%s ends the process during a call', async (_what, end) => {
    const service = await serve((_request, response) => response.end('{"id": "ws_1"}'), neverRespond);
    const variables = { QR_SERVICE_API_KEY: KEY, QR_SERVICE_BASE_URL: service.url };
    const { child, send } = await open(INITIALIZE, variables);
    send(call('find_qr_codes', {}));
    await until(() => service.requests.length >= 2);
    end(child);
    expect(await once(child, 'exit')).toEqual([0, null]);
  });

  test('a session survives deeply nested JSON and a closed stderr', async () => {
    const { child, request } = await open();
    child.stderr.destroy();
    const deep = '['.repeat(100_000) + ']'.repeat(100_000);
    for (const rows of [deep, `[{"name":${deep},"targetUrl":"x"}]`]) {
      const message = line(call('create_qr_codes', '')).replace('""', `{"rows":${rows}}`);
      expect(await request(message)).toMatchObject({ result: { isError: true } });
    }
  });
});

test.each(['new', 'a-token-of-16-characters'])(
  'over HTTP, with the token %s, it serves until SIGTERM, which cancels calls, and prints no secret',
  async (given) => {
    let isCancelled = false;
    const service = await serve(
      (_request, response) => response.end('{}'),
      (_request, response) => response.once('close', () => (isCancelled = true)),
    );
    const server = { url: service.url, apiKey: KEY };
    const { url, token, printed, stop } = await startMcpServer(server, { token: given });
    const client = new Client({ name: 'tests', version: '1.0.0' });
    const requestInit = { headers: { Authorization: `Bearer ${token}` } };
    await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }));
    const call = client.callTool({ name: 'find_qr_codes', arguments: {} }).catch(() => 'failed');
    await until(() => service.requests.length >= 2);
    expect(await stop()).toBe(0);
    await until(() => isCancelled);
    await client.close();
    expect(await call).toBe('failed');
    expect(printed.stdout).toBe('');
    // A new token is shown once.
    expect(printed.stderr.split(token)).toHaveLength(given === 'new' ? 2 : 1);
    expect(printed.stderr).toContain(`claude mcp add --transport http qr-service ${url}`);
    expect(printed.stderr).not.toContain(KEY);
  },
);
