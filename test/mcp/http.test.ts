import { createServer, type AddressInfo } from 'node:net';
import { once } from 'node:events';
import { startEmulator, type Emulator } from 'qr-service-emulator';
import { connectClient, killHttpProcesses, startHttpProcess } from './support/httpProcess.ts';

let emulator: Emulator;
let env: Record<string, string>;

beforeAll(async () => {
  emulator = await startEmulator();
  env = { QR_SERVICE_API_KEY: emulator.apiKey, QR_SERVICE_BASE_URL: emulator.url };
});
afterEach(killHttpProcesses);
afterAll(() => emulator.stop());

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
