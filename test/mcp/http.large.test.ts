import { once } from 'node:events';
import { connect, createServer, type AddressInfo } from 'node:net';
import { startEmulator, type Emulator } from 'qr-service-emulator';
import { closeServices, serve, type RequestHandler } from '../support/faultyService/faultyService.ts';
import { until } from '../support/jest/until.ts';
import {
  connectClient,
  killHttpProcesses,
  startHttpProcess,
  type HttpProcess,
} from './support/httpProcess.ts';

let emulator: Emulator;
let env: Record<string, string>;

beforeAll(async () => {
  emulator = await startEmulator();
  env = { QR_SERVICE_API_KEY: emulator.apiKey, QR_SERVICE_BASE_URL: emulator.url };
});
afterEach(() => {
  killHttpProcesses();
  closeServices();
});
afterAll(() => emulator.stop());

/** Memory that ends the process if sessions or requests stay in it. */
const LITTLE_MEMORY = ['--max-semi-space-size=1', '--max-old-space-size=72'];

const INITIALIZE = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
};

function post({ url, token }: HttpProcess, body: string, headers: Record<string, string> = {}) {
  return fetch(url, {
    method: 'POST',
    body,
    headers: {
      Authorization: `Bearer ${token}`,
      Accept: 'application/json, text/event-stream',
      'Content-Type': 'application/json',
      ...headers,
    },
  });
}

async function expectAnswers(server: HttpProcess): Promise<void> {
  const client = await connectClient(server);
  const { structuredContent } = await client.callTool({ name: 'whoami' });
  expect(structuredContent).toMatchObject({ workspaceName: emulator.workspace.name });
  await client.close();
  expect(server.child.exitCode).toBeNull();
}

/** Handles requests of tools; the account can't be read. */
const onCalls =
  (handle: RequestHandler): RequestHandler =>
  (request, response, body) =>
    request.url?.endsWith('/me') === true
      ? response.writeHead(401).end('{}')
      : handle(request, response, body);

test('prints its address and a new token once, and ends with exit code 0', async () => {
  const server = await startHttpProcess(env, { token: undefined });
  expect(server.token).toMatch(/^[\w-]{43}$/);
  const client = await connectClient(server);
  const { structuredContent } = await client.callTool({ name: 'whoami' });
  expect(structuredContent).toMatchObject({ workspaceName: emulator.workspace.name });
  expect(await fetch(server.url).then(({ status }) => status)).toBe(401);
  server.child.kill('SIGINT');
  expect(await server.ended).toBe(0);
  expect(server.printed.stdout).toBe('');
  expect(server.printed.stderr.split(server.token)).toHaveLength(2);
  expect(server.printed.stderr).toContain(`claude mcp add --transport http qr-service ${server.url}`);
  expect(server.printed.stderr).not.toContain(emulator.apiKey);
  await client.close();
});

test('never prints a token from the environment', async () => {
  const server = await startHttpProcess(env);
  await (await connectClient(server)).close();
  server.child.kill('SIGTERM');
  expect(await server.ended).toBe(0);
  expect(server.printed.stderr).not.toContain(server.token);
});

test.each([
  ['shorter than 16 characters', 'short-token'],
  ['with a space', 'a token of the tests 0123456789'],
  ['with an umlaut', 'tokän-of-the-tests-0123456789'],
  ['that a client did not expand', '${QR_SERVICE_MCP_TOKEN}', 'contains the name of a variable'],
])(
  'refuses a token %s, without showing it',
  async (_, token, reason = 'must have at least 16 characters') => {
    const refused = await startHttpProcess(env, { token }).catch(String);
    expect(refused).toContain(`QR_SERVICE_MCP_TOKEN ${reason}`);
    expect(refused).not.toContain(token);
  },
);

test('says what to do when the port is in use', async () => {
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  const { port } = other.address() as AddressInfo;
  await expect(startHttpProcess(env, { port })).rejects.toThrow(
    `It ended without serving:\nqr-service-mcp: Port ${port} is already in use. Stop the program that uses it, or choose another port: --http ${port + 1}.\n`,
  );
  other.close();
});

describe('with little memory, the process survives', () => {
  test('a flood of sessions', async () => {
    const server = await startHttpProcess(env, { nodeArgs: LITTLE_MEMORY });
    const sessions: string[] = [];
    for (let at = 0; at < 1000; at++) {
      const response = await post(server, JSON.stringify(INITIALIZE));
      expect(response.status).toBe(200);
      await response.text();
      sessions.push(response.headers.get('mcp-session-id')!);
    }
    const ping = (id: string) =>
      post(server, '{"jsonrpc":"2.0","id":2,"method":"ping"}', { 'Mcp-Session-Id': id });
    expect((await ping(sessions[0]!)).status).toBe(404);
    expect((await ping(sessions.at(-1)!)).status).toBe(200);
    await expectAnswers(server);
  });

  test('a flood of requests of clients with many names', async () => {
    const server = await startHttpProcess(env, { nodeArgs: LITTLE_MEMORY });
    const headers = { 'Mcp-Protocol-Version': '2026-07-28', 'Mcp-Method': 'tools/list' };
    for (let at = 0; at < 250; at++) {
      const _meta = {
        'io.modelcontextprotocol/protocolVersion': '2026-07-28',
        'io.modelcontextprotocol/clientInfo': { name: `${at}${'n'.repeat(250_000)}`, version: '1' },
        'io.modelcontextprotocol/clientCapabilities': {},
      };
      const message = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: { _meta } };
      const response = await post(server, JSON.stringify(message), headers);
      expect(response.status).toBe(200);
      await response.text();
    }
    await expectAnswers(server);
  });

  test('large, deep and aborted bodies', async () => {
    const server = await startHttpProcess(env, { nodeArgs: LITTLE_MEMORY });
    const deep = '['.repeat(100_000) + ']'.repeat(100_000);
    const large = `"${'x'.repeat(10_000_000)}"`;
    const { port } = new URL(server.url);
    const head = `POST /mcp HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${server.token}\r\nContent-Type: application/json\r\nContent-Length: 1000000\r\n\r\n`;
    for (let at = 0; at < 30; at++) {
      expect((await post(server, deep)).status).toBe(400);
      expect((await post(server, large)).status).toBe(413);
      const socket = connect(Number(port), '127.0.0.1');
      await once(socket, 'connect');
      await new Promise((resolve) => socket.write(head + 'x'.repeat(500_000), resolve));
      socket.resetAndDestroy();
    }
    await expectAnswers(server);
  });

  test('more connections and streams than its limits', async () => {
    const server = await startHttpProcess(env, { nodeArgs: LITTLE_MEMORY });
    const { port } = new URL(server.url);
    const sockets = Array.from({ length: 400 }, () =>
      connect(Number(port), '127.0.0.1').on('error', () => undefined),
    );
    await until(() => sockets.filter(({ closed }) => closed).length >= 400 - 256);
    for (const socket of sockets) socket.destroy();
    await until(() => sockets.every(({ closed }) => closed));
    const abort = new AbortController();
    const statuses: number[] = [];
    for (let at = 0; at < 80; at++) {
      const response = await post(server, JSON.stringify(INITIALIZE));
      await response.text();
      const id = response.headers.get('mcp-session-id');
      statuses.push(response.status);
      if (id === null) continue;
      const headers = {
        Authorization: `Bearer ${server.token}`,
        Accept: 'text/event-stream',
        'Mcp-Session-Id': id,
      };
      expect((await fetch(server.url, { headers, signal: abort.signal })).status).toBe(200);
    }
    expect(statuses).toEqual([...Array<number>(64).fill(200), ...Array<number>(16).fill(503)]);
    abort.abort();
    await expectAnswers(server);
  });
});

test('ends on SIGTERM in the middle of a call, whose request it cancels', async () => {
  let cancelled: () => void = () => undefined;
  const isCancelled = new Promise<void>((resolve) => (cancelled = resolve));
  const service = await serve(onCalls((_request, response) => response.once('close', cancelled)));
  const server = await startHttpProcess({ ...env, QR_SERVICE_BASE_URL: service.url });
  const client = await connectClient(server);
  const call = client.callTool({ name: 'find_qr_codes', arguments: {} }).catch(() => 'failed');
  await until(() => service.requests.some(({ url }) => url.includes('/qr')));
  server.child.kill('SIGTERM');
  expect(await server.ended).toBe(0);
  await isCancelled;
  await client.close();
  expect(await call).toBe('failed');
});

test('ends at once on a second signal', async () => {
  const service = await serve(onCalls(() => undefined));
  const server = await startHttpProcess({ ...env, QR_SERVICE_BASE_URL: service.url });
  const client = await connectClient(server);
  const call = client.callTool({ name: 'find_qr_codes', arguments: {} }).catch(() => 'failed');
  await until(() => service.requests.some(({ url }) => url.includes('/qr')));
  server.child.kill('SIGINT');
  // It stops listening first.
  for (let isListening = true; isListening;)
    isListening = await fetch(server.url).then(
      () => true,
      () => false,
    );
  server.child.kill('SIGINT');
  expect(await server.ended).toBe('SIGINT');
  await client.close();
  await call;
});
