import { spawn, type ChildProcess, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { TOOLS } from '../../packages/mcp-server/src/tools/index.ts';
import { closeServices, neverRespond, serve } from '../support/faultyService/faultyService.ts';
import { until } from '../support/jest/until.ts';
import { COMMAND, connectClient, killHttpProcesses, startHttpProcess } from './support/httpProcess.ts';
import { closeWorlds, startServer, startWorld, type ServerSettings, type World } from './support/world.ts';

const KEY = 'sk_secret_0123456789';
const STDIO = { transport: 'stdio' } as const satisfies ServerSettings;

let world: World;
let folder: string;
let env: Record<string, string>;
beforeAll(async () => {
  world = await startWorld({}, STDIO);
  folder = mkdtempSync(join(tmpdir(), 'mcp-'));
  env = { QR_SERVICE_API_KEY: world.emulator.apiKey, QR_SERVICE_BASE_URL: world.emulator.url };
});
const children: ChildProcess[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  killHttpProcesses();
  closeServices();
});
afterAll(async () => {
  await closeWorlds();
  rmSync(folder, { recursive: true });
});

/** Runs the command without input until it ends. */
async function run(args: readonly string[], variables: Record<string, string> = {}, nodeArgs: string[] = []) {
  const child = spawn(process.execPath, [...nodeArgs, COMMAND, ...args], {
    env: variables,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'exit'),
  ]);
  return { stdout, stderr, code: code as number };
}

test('--help and --version need no API key', async () => {
  expect(await run(['--help'])).toMatchObject({
    code: 0,
    stderr: '',
    stdout: expect.stringContaining('--read-only') as string,
  });
  expect((await run(['--version'])).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
});

test.each([
  [['--out', '/dev/null/images'], { QR_SERVICE_API_KEY: KEY }, []],
  [['--http'], { QR_SERVICE_API_KEY: KEY, QR_SERVICE_MCP_TOKEN: 'sk_secret' }, []],
  // As in a Node.js that is too old.
  [[], {}, ['--import=data:text/javascript,process.getBuiltinModule=undefined']],
])(
  'a wrong start with %j ends with one line on stderr, without any value',
  async (args, variables, nodeArgs) => {
    const { code, stdout, stderr } = await run(args, variables, nodeArgs);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(/^qr-service-mcp: [A-Z-].*\.\n$/);
    expect(stderr).not.toContain('sk_secret');
  },
);

test('a service that does not respond at the start keeps no client from starting', async () => {
  const { url } = await serve(neverRespond);
  // The limit of a client's request is a minute.
  const withTimeLimits = { NODE_OPTIONS: '' };
  const server = await startServer({ url, apiKey: KEY }, { ...STDIO, era: 'legacy', env: withTimeLimits });
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

  /** Starts the command in the middle of a session, and returns how to send a message and read the next one. */
  async function open(variables = env) {
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
    await request({ id: 0, method: 'initialize', params });
    send({ method: 'notifications/initialized' });
    return { child, send, request };
  }

  /** The same with a call that the service doesn't answer. */
  async function openBusy() {
    const service = await serve((_request, response) => response.end('{"id": "ws_1"}'), neverRespond);
    const { child, send } = await open({ QR_SERVICE_API_KEY: KEY, QR_SERVICE_BASE_URL: service.url });
    send({ id: 2, method: 'tools/call', params: { name: 'find_qr_codes', arguments: {} } });
    await until(() => service.requests.length >= 2);
    return child;
  }

  test.each<[string, (child: ChildProcessWithoutNullStreams) => unknown]>([
    ['closing stdin', ({ stdin }) => stdin.end()],
    ['a client that dies', ({ stdio }) => stdio.forEach((stream) => stream?.destroy())],
    ...(['SIGTERM', 'SIGINT', 'SIGHUP'] as const).map(
      (signal): [string, (child: ChildProcess) => unknown] => [signal, (child) => child.kill(signal)],
    ),
  ])('%s ends the process, in the middle of a call', async (_what, end) => {
    const child = await openBusy();
    end(child);
    expect(await once(child, 'exit')).toEqual([0, null]);
  });

  test('deep JSON and a closed stderr end no session', async () => {
    const { child, request } = await open();
    child.stderr.destroy();
    const deep = '['.repeat(100_000) + ']'.repeat(100_000);
    for (const [id, rows] of [deep, `[{"name":${deep},"targetUrl":"x"}]`].entries()) {
      const params = `{"name":"create_qr_codes","arguments":{"rows":${rows}}}`;
      const answer = await request(`{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":${params}}`);
      expect(answer).toMatchObject({ id, result: { isError: true } });
    }
  });
});

describe('over HTTP', () => {
  test('prints its address and a new token once, and ends with exit code 0', async () => {
    const server = await startHttpProcess(env, { token: undefined });
    const client = await connectClient(server);
    const { structuredContent } = await client.callTool({ name: 'whoami' });
    expect(structuredContent).toMatchObject({ workspaceName: world.emulator.workspace.name });
    expect(await fetch(server.url).then(({ status }) => status)).toBe(401);
    await client.close();
    server.child.kill('SIGINT');
    expect(await server.ended).toBe(0);
    expect(server.printed.stdout).toBe('');
    expect(server.printed.stderr.split(server.token)).toHaveLength(2);
    expect(server.printed.stderr).toContain(`claude mcp add --transport http qr-service ${server.url}`);
    expect(server.printed.stderr).not.toContain(world.emulator.apiKey);
  });

  test('cancels the request of a call on SIGTERM, and never prints a given token', async () => {
    let isCancelled = false;
    const service = await serve((request, response) =>
      request.url?.endsWith('/me') === true
        ? response.writeHead(401).end('{}')
        : response.once('close', () => (isCancelled = true)),
    );
    const server = await startHttpProcess({ ...env, QR_SERVICE_BASE_URL: service.url });
    const client = await connectClient(server);
    const call = client.callTool({ name: 'find_qr_codes', arguments: {} }).catch(() => 'failed');
    await until(() => service.requests.some(({ url }) => url.includes('/qr')));
    server.child.kill('SIGTERM');
    expect(await server.ended).toBe(0);
    expect(server.printed.stderr).not.toContain(server.token);
    await until(() => isCancelled);
    await client.close();
    expect(await call).toBe('failed');
  });
});
