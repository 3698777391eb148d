import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { freePort } from '../../harness/process/freePort.ts';
import { closeServices, neverRespond, serve } from '../../harness/faultyService/faultyService.ts';
import { closeWorlds, COMMAND, ERAS, startServer, startWorld, type World } from './support/world.ts';

const KEY = 'sk_secret_0123456789';

let world: World;
let folder: string;
beforeAll(async () => {
  world = await startWorld();
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

describe('the command line', () => {
  test('--help and --version need no API key', async () => {
    expect(await run(['--help'])).toMatchObject({
      code: 0,
      stderr: '',
      stdout: expect.stringContaining('--read-only'),
    });
    expect(await run(['--version'])).toMatchObject({
      code: 0,
      stderr: '',
      stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/),
    });
  });

  test.each([
    [['--api-key', KEY], 'API keys and tokens are not accepted on the command line'],
    [[`--apiKey=${KEY}`], 'API keys and tokens are not accepted on the command line'],
    [[KEY], 'API keys and tokens are not accepted on the command line'],
    [['--read-only', KEY], 'API keys and tokens are not accepted on the command line'],
    [['--verbose'], 'Unknown option --verbose.'],
    [['--config'], '--config needs a value.'],
    [['--out', '/does/not/exist'], '--out needs an existing folder.'],
    [['--http', '99999'], '--http needs a port from 0 to 65535.'],
    [['--config', '/does/not/exist'], "The file of --config can't be read (ENOENT)."],
  ])('%j is refused', async (args, message) => {
    const { code, stdout, stderr } = await run(args, { QR_SERVICE_API_KEY: KEY });
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(message);
    expect(stderr).not.toContain(KEY);
  });

  test.each([
    [{}, 'There is no API key.'],
    [{ QR_SERVICE_API_KEY: `${KEY}\n${KEY}` }, 'The API key contains invalid characters.'],
    [{ QR_SERVICE_API_KEY: KEY, QR_SERVICE_BASE_URL: KEY }, "Base URL isn't a valid URL."],
    [
      { QR_SERVICE_API_KEY: KEY, QR_SERVICE_BASE_URL: 'http://example.com' },
      'Base URL must start with https://.',
    ],
    [{ QR_SERVICE_API_KEY: KEY, QR_SERVICE_AUTH_HEADER: KEY }, 'Send Key In must be one of'],
    [{ QR_SERVICE_API_KEY: KEY, QR_SERVICE_HEADER_PREFIX: `${KEY} x` }, 'The header prefix must be a word'],
  ] as [Record<string, string>, string][])('an invalid environment is refused: %#', async (env, message) => {
    const { code, stderr } = await run([], env);
    expect(code).toBe(2);
    expect(stderr).toContain(message);
    expect(stderr).not.toContain(KEY);
  });

  test.each([
    [`{"apiKey": "${KEY}"`, 'must contain a JSON object'],
    [[KEY], 'must contain a JSON object'],
    [{ apiKey: KEY, token: KEY }, 'has unknown fields'],
    [{ apiKey: '' }, 'There is no API key.'],
  ])('an invalid file is refused: %#', async (content, message) => {
    const { code, stderr } = await run(['--config', configFile(content)]);
    expect(code).toBe(2);
    expect(stderr).toContain(message);
    expect(stderr).not.toContain(KEY);
  });
});

test('reads the connection from a file, and the environment goes before it', async () => {
  const { url, apiKey } = world.emulator;
  const path = configFile({ apiKey, baseUrl: 'https://wrong.invalid', authHeader: 'api-key' });
  const server = await startServer({ url, apiKey: '' }, { args: ['--config', path] });
  expect((await server.call('whoami')).isError).toBe(false);
  const [request] = world.emulator.control.requests().slice(-1);
  expect(Object.keys(request?.request.headers ?? {})).toContain('x-service-api-key');
});

describe.each(ERAS)('a service that is down at the start, with a client of the %s era', (era) => {
  test('offers all tools, each of which says what is wrong', async () => {
    const url = `http://127.0.0.1:${await freePort()}`;
    const server = await startServer({ url, apiKey: KEY }, { era });
    expect(server.tools).toHaveLength(8);
  });

  test('a service that does not respond keeps nobody waiting for long', async () => {
    const { url } = await serve(neverRespond);
    const started = Date.now();
    const server = await startServer({ url, apiKey: KEY }, { era });
    expect(server.tools).toHaveLength(8);
    expect(Date.now() - started).toBeLessThan(10_000);
  });
});

test('an invalid key is explained by every tool', async () => {
  const server = await startServer({ url: world.emulator.url, apiKey: KEY });
  for (const [name, args] of Object.entries({ whoami: {}, find_qr_codes: {}, list_scans: {} })) {
    const { isError, text: told } = await server.call(name, args);
    expect(isError).toBe(true);
    expect(told).toContain('The API key is missing, revoked or expired.');
    expect(told).toContain("then update the MCP server's configuration.");
  }
  expect(server.output()).not.toContain(KEY);
});

describe('the end', () => {
  /** Starts the command with a call that the service doesn't answer. */
  async function startBusy() {
    const service = await serve((_request, response) => response.end('{"id": "ws_1"}'), neverRespond);
    const child = spawn(process.execPath, [COMMAND], {
      env: { QR_SERVICE_API_KEY: KEY, QR_SERVICE_BASE_URL: service.url },
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

  test('closing stdin ends the process, in the middle of a call', async () => {
    const child = await startBusy();
    child.stdin.end();
    expect(await once(child, 'exit')).toEqual([0, null]);
  });

  test.each(['SIGTERM', 'SIGINT'] as const)(
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

test('what is not a message is ignored, and the session continues', async () => {
  const server = await startServer(world.emulator);
  await expect(server.client.callTool({ name: 'unknown_tool', arguments: {} })).rejects.toThrow(/not found/);
  expect((await server.call('whoami')).isError).toBe(false);
});
