import { execFile } from 'node:child_process';
import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { startEmulator, type Emulator } from 'qr-service-emulator';
import { startMcpServer, type McpServerProcess } from '../../../test/support/mcp/mcpServer.ts';
import { installTool } from '../../../scripts/tools/install.ts';
import { ToolInstallError } from '../../../scripts/tools/ToolInstallError.ts';
import { TOOLS } from '../src/tools/index.ts';

const COMMAND = join(__dirname, '../bin/qr-service-mcp.js');
const INSPECTOR = 'node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js';
const SUITE = 'node_modules/@modelcontextprotocol/conformance/dist/index.js';
const NAMES = TOOLS.map(({ name }) => name).sort();

/** Undefined if they can't be installed, because there is no registry. */
let inspector: string | undefined;
let suite: string | undefined;
/** Adds the token, which the suite can't send, and passes on everything else. */
let proxy: Server;
let emulator: Emulator;
let server: McpServerProcess;
beforeAll(async () => {
  try {
    inspector = join(await installTool('mcp-inspector'), INSPECTOR);
    suite = join(await installTool('mcp-conformance'), SUITE);
  } catch (error) {
    if (!(error instanceof ToolInstallError)) throw error;
    console.warn(`Tests with MCP's own tools are skipped. ${error.message}`);
  }
  emulator = await startEmulator();
  server = await startMcpServer(emulator);
  proxy = createServer((received, response) => {
    const { method, headers, url = '/' } = received;
    const authorization = `Bearer ${server.token}`;
    const sent = request(new URL(url, server.url), { method, headers: { ...headers, authorization } });
    sent.on('response', (answer) => {
      response.writeHead(answer.statusCode!, answer.headers);
      answer.pipe(response);
    });
    sent.on('error', () => response.destroy());
    response.on('close', () => sent.destroy());
    received.pipe(sent);
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
}, 600_000);
afterAll(async () => {
  proxy.close();
  await server.stop();
  await emulator.stop();
});

/** A test that is skipped without the inspector. */
const inspectorTest = (name: string, run: (inspector: string) => Promise<void>) =>
  test(name, async () => {
    if (inspector !== undefined) await run(inspector);
  });

/** The fields of results that are used here. */
interface Result {
  tools?: { name: string }[];
  structuredContent?: object;
}

const names = ({ tools }: Result) => tools?.map(({ name }) => name).sort();

/** Runs the inspector's command line. @throws Error for other exit codes than 0 */
async function inspect(command: string, ...args: string[]): Promise<{ result: Result; warnings: string }> {
  const run = promisify(execFile)(process.execPath, [command, '--cli', ...args], {
    env: { ...process.env, NODE_OPTIONS: '' },
    maxBuffer: 10_000_000,
  });
  const { stdout, stderr } = await run;
  return { result: JSON.parse(stdout) as Result, warnings: stderr };
}

const overStdio = () => [
  ...['-e', `QR_SERVICE_API_KEY=${emulator.apiKey}`, '-e', `QR_SERVICE_BASE_URL=${emulator.url}`],
  ...[process.execPath, COMMAND],
];
const overHttp = () => ['--server-url', server.url, '--header', `Authorization: Bearer ${server.token}`];

inspectorTest('the inspector lists the tools over stdio, with portable schemas', async (command) => {
  const { result, warnings } = await inspect(command, ...overStdio(), '--method', 'tools/list', '--strict');
  expect(names(result)).toEqual(NAMES);
  // Of schemas that some clients reject.
  expect(warnings).not.toContain('Warning');
});

inspectorTest('the inspector lists the tools over HTTP', async (command) => {
  const { result } = await inspect(command, ...overHttp(), '--method', 'tools/list');
  expect(names(result)).toEqual(NAMES);
});

inspectorTest('the inspector calls a tool', async (command) => {
  const args = ['--method', 'tools/call', '--tool-name', 'whoami'];
  const { result } = await inspect(command, ...overStdio(), ...args);
  expect(result.structuredContent).toMatchObject({ unavailableTools: [], missingScopes: [] });
});

const LISTS = ['tools-list', 'resources-list', 'prompts-list'];
const SESSIONS = ['server-initialize', 'server-session-lifecycle', 'ping', ...LISTS];
const CONNECTIONS = ['server-sse-multiple-streams', 'dns-rebinding-protection'];
/**
 * The scenarios for any server, by the protocol that they speak. The others need what this server doesn't have: the suite's
 * own tools, resources and prompts (`test_simple_text`, `test://static-text` and so on), log levels, subscriptions, tasks,
 * skills, or questions to the user.
 */
const SCENARIOS = {
  '2025-06-18': SESSIONS,
  '2025-11-25': [...SESSIONS, ...CONNECTIONS],
  '2026-07-28': [
    ...['server-stateless', 'caching', 'http-header-validation', 'sep-2164-resource-not-found'],
    ...['input-required-result-unsupported-methods', ...LISTS, ...CONNECTIONS],
  ],
};

const CASES = Object.entries(SCENARIOS).flatMap(([version, names]) => names.map((name) => [version, name]));

test.each(CASES)('the official suite passes over HTTP: %s, %s', async (version, scenario) => {
  if (suite === undefined) return;
  const url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}/mcp`;
  const args = [suite, 'server', '--url', url, '--spec-version', version, '--scenario', scenario];
  const run = promisify(execFile)(process.execPath, args, { env: { ...process.env, NODE_OPTIONS: '' } });
  // It ends with status 1 if any check failed.
  const { stdout } = await run.catch((error: unknown) => error as { stdout: string });
  const errors = [...stdout.matchAll(/^ +Error: (.*)/gm)].map(([, error]) => error!);
  // Some checks of a scenario need the suite's own tools.
  expect(errors.filter((error) => !error.startsWith('Not testable'))).toEqual([]);
  expect(stdout).toMatch(new RegExp(`Passed: [1-9]\\d*/\\d+, ${errors.length} failed, 0 warnings`));
});
