import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { closeServices, neverRespond, serve } from '../support/faultyService/faultyService.ts';
import { TOOLS } from '../../packages/mcp-server/src/tools/index.ts';
import { COMMAND } from './support/httpProcess.ts';
import { closeWorlds, startServer, startWorld, type ServerSettings, type World } from './support/world.ts';

const KEY = 'sk_secret_0123456789';
const STDIO = { transport: 'stdio' } as const satisfies ServerSettings;

let world: World;
let folder: string;
beforeAll(async () => {
  world = await startWorld({}, STDIO);
  folder = mkdtempSync(join(tmpdir(), 'mcp-'));
});
afterEach(closeServices);
afterAll(async () => {
  await closeWorlds();
  rmSync(folder, { recursive: true });
});

/** Runs the command without input until it ends. */
async function run(args: readonly string[], env: Record<string, string> = {}) {
  const child = spawn(process.execPath, [COMMAND, ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'exit'),
  ]);
  return { stdout, stderr, code: code as number };
}

const configFile = (content: unknown) => {
  const path = join(folder, 'config.json');
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
};

test('--help and --version need no API key', async () => {
  expect(await run(['--help'])).toMatchObject({
    code: 0,
    stderr: '',
    stdout: expect.stringContaining('--read-only') as string,
  });
  expect((await run(['--version'])).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
});

test.each([
  [['--api-key', KEY], {}],
  [['--out', '/dev/null/images'], { QR_SERVICE_API_KEY: KEY }],
  [[], { QR_SERVICE_BASE_URL: KEY }],
])('a wrong start with %j ends with one line on stderr, without any value', async (args, env) => {
  const { code, stdout, stderr } = await run(args, env);
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toMatch(/^qr-service-mcp: [A-Z-].*\.\n$/);
  expect(stderr).not.toContain(KEY);
});

test('reads the connection from a file, and the environment goes before it', async () => {
  const { url, apiKey } = world.emulator;
  const path = configFile({ apiKey, baseUrl: 'https://wrong.invalid', authHeader: 'api-key' });
  const server = await startServer({ url, apiKey: '' }, { ...STDIO, args: ['--config', path] });
  expect((await server.call('whoami')).isError).toBe(false);
  const [request] = world.emulator.control.requests().slice(-1);
  expect(Object.keys(request?.request.headers ?? {})).toContain('X-Service-API-Key');
});

test('a service that does not respond at the start keeps no client from starting', async () => {
  const { url } = await serve(neverRespond);
  // The limit of a client's request is a minute.
  const withTimeLimits = { NODE_OPTIONS: '' };
  const server = await startServer({ url, apiKey: KEY }, { ...STDIO, era: 'legacy', env: withTimeLimits });
  expect(server.tools).toHaveLength(TOOLS.length);
});

test("uses the environment's proxy, if Node.js is told to", async () => {
  const proxy = await serve((_request, response) => response.end('{"id": "ws_1", "name": "Behind"}'));
  const service = { url: 'http://service.internal', apiKey: KEY };
  const env = { NODE_USE_ENV_PROXY: '1', HTTP_PROXY: proxy.url };
  const server = await startServer(service, { ...STDIO, env });
  expect((await server.call('whoami')).text).toContain('Behind');
  expect(proxy.requests.map(({ url }) => url)).toContain('http://service.internal/v1/public-api/me');
});

test('a Node.js that is too old is named', async () => {
  const older = '--import=data:text/javascript,process.getBuiltinModule=undefined';
  const child = spawn(process.execPath, [older, COMMAND], { stdio: ['ignore', 'ignore', 'pipe'] });
  const [stderr, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')]);
  expect(stderr).toMatch(/^qr-service-mcp: Node\.js \S+ is too old\. Install \S+ or newer\.\n$/);
  expect(code).toBe(2);
});

/** Calls in progress have a hundredth of the time to finish. */
const SHORT_WAITS = {
  NODE_OPTIONS:
    '--import=data:text/javascript,const%20wait=setTimeout;globalThis.setTimeout=(f,ms,...a)=>wait(f,ms/100,...a)',
};

describe('the end', () => {
  /** Starts the command with a call that the service doesn't answer. */
  async function startBusy() {
    const service = await serve((_request, response) => response.end('{"id": "ws_1"}'), neverRespond);
    const child = spawn(process.execPath, [COMMAND], {
      env: { QR_SERVICE_API_KEY: KEY, QR_SERVICE_BASE_URL: service.url, ...SHORT_WAITS },
    });
    const send = (message: object) =>
      child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
    const clientInfo = { name: 'tests', version: '1.0.0' };
    send({
      id: 1,
      method: 'initialize',
      params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo },
    });
    await once(child.stdout, 'data');
    send({ method: 'notifications/initialized' });
    send({ id: 2, method: 'tools/call', params: { name: 'find_qr_codes', arguments: {} } });
    while (service.requests.length < 2) await new Promise((resolve) => setTimeout(resolve, 2));
    return child;
  }

  test('what was requested before stdin ends is answered, also without a last line break', async () => {
    const env = { QR_SERVICE_API_KEY: world.emulator.apiKey, QR_SERVICE_BASE_URL: world.emulator.url };
    const child = spawn(process.execPath, [COMMAND], { env });
    const params = {
      protocolVersion: '1999-01-01',
      capabilities: {},
      clientInfo: { name: 'sh', version: '1' },
    };
    const messages = [
      { id: 1, method: 'initialize', params },
      { method: 'notifications/initialized' },
      { id: 2, method: 'tools/call', params: { name: 'whoami' } },
    ];
    child.stdin.end(messages.map((message) => JSON.stringify({ jsonrpc: '2.0', ...message })).join('\n'));
    const [stdout, [code]] = await Promise.all([text(child.stdout), once(child, 'exit')]);
    const answers = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as object);
    expect(answers).toMatchObject([
      { id: 1, result: { protocolVersion: '2025-11-25' } },
      { id: 2, result: { structuredContent: { readOnly: false } } },
    ]);
    expect(code).toBe(0);
  });

  test('closing stdin ends the process, in the middle of a call', async () => {
    const child = await startBusy();
    child.stdin.end();
    expect(await once(child, 'exit')).toEqual([0, null]);
  });

  test.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)(
    '%s ends the process, in the middle of a call',
    async (signal) => {
      const child = await startBusy();
      child.kill(signal);
      expect(await once(child, 'exit')).toEqual([0, null]);
    },
  );

  test('a client that dies leaves no process behind', async () => {
    const child = await startBusy();
    child.stdin.destroy();
    child.stdout.destroy();
    child.stderr.destroy();
    expect(await once(child, 'exit')).toEqual([0, null]);
  });
});

describe('a hostile client', () => {
  /** Starts the command in the middle of a session, and returns how to send a line and read the next one. */
  async function open() {
    const child = spawn(process.execPath, [COMMAND], {
      env: { QR_SERVICE_API_KEY: world.emulator.apiKey, QR_SERVICE_BASE_URL: world.emulator.url },
    });
    const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
    const request = async (line: string) => {
      child.stdin.write(`${line}\n`);
      const { value } = await lines.next();
      return JSON.parse(value as string) as { id: number; result?: { isError?: boolean }; error?: object };
    };
    const clientInfo = { name: 'tests', version: '1.0.0' };
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo };
    await request(JSON.stringify({ jsonrpc: '2.0', id: 0, method: 'initialize', params }));
    return { child, request };
  }
  const callWith = (id: number, args: string) =>
    `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"create_qr_codes","arguments":${args}}}`;

  test('gets an error for deep JSON, and the session continues', async () => {
    const { child, request } = await open();
    const stderr = text(child.stderr);
    const deep = '['.repeat(100_000) + ']'.repeat(100_000);
    for (const args of [
      `{"rows":${deep}}`,
      `{"rows":[${deep}]}`,
      `{"rows":[{"name":${deep},"targetUrl":"x"}]}`,
    ])
      expect(await request(callWith(1, args))).toMatchObject({ id: 1, result: { isError: true } });
    for (const [line, code] of [
      ['not JSON', -32700],
      ['{"jsonrpc":"1.0"}', -32600],
      ['[]', -32600],
    ] as const)
      expect(await request(`\n${line}`)).toMatchObject({ id: null, error: { code } });
    const invalid = '{"jsonrpc":"2.0","id":5,"method":7}';
    expect(await request(invalid)).toMatchObject({ id: 5, error: { code: -32600 } });
    expect(await request('[{"jsonrpc":"2.0","id":4,"method":"ping"}]')).toMatchObject({ id: 4, result: {} });
    expect(await request('{"jsonrpc":"2.0","id":2,"method":"ping"}')).toEqual({
      jsonrpc: '2.0',
      id: 2,
      result: {},
    });
    expect(await request('{"jsonrpc":"2.0","id":3,"method":"no/such"}')).toHaveProperty('error');
    child.stdin.end();
    await once(child, 'exit');
    expect(await stderr).toMatch(/^(qr-service-mcp: The .*\. It was ignored\.\n){4}$/);
  });

  test("doesn't end the session by closing stderr", async () => {
    const { child, request } = await open();
    child.stderr.destroy();
    // Each of these is logged.
    for (const line of ['[]', '[]']) expect(await request(line)).toHaveProperty('error');
    expect(await request('{"jsonrpc":"2.0","id":2,"method":"ping"}')).toMatchObject({ id: 2, result: {} });
    child.stdin.end();
    expect(await once(child, 'exit')).toEqual([0, null]);
  });

  test('is disconnected after a message of more than 10 MB', async () => {
    const { child } = await open();
    const stderr = text(child.stderr);
    child.stdin.on('error', () => undefined);
    child.stdin.write('x'.repeat(11_000_000));
    expect(await once(child, 'exit')).toEqual([0, null]);
    expect(await stderr).toMatch(/^qr-service-mcp: .*size.*\n$/i);
  });
});
