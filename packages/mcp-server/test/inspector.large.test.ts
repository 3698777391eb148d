import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { startEmulator, type Emulator } from 'qr-service-emulator';
import { startMcpServer, type McpServerProcess } from '../../../test/support/mcp/mcpServer.ts';
import { installTool } from '../../../scripts/tools/install.ts';
import { ToolInstallError } from '../../../scripts/tools/ToolInstallError.ts';
import { TOOLS } from '../src/tools/index.ts';

const COMMAND = join(__dirname, '../bin/qr-service-mcp.js');
const INSPECTOR = 'node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js';
const NAMES = TOOLS.map(({ name }) => name).sort();

/** Undefined if it can't be installed, because there is no registry. */
let inspector: string | undefined;
let emulator: Emulator;
let server: McpServerProcess;
beforeAll(async () => {
  try {
    inspector = join(await installTool('mcp-inspector'), INSPECTOR);
  } catch (error) {
    if (!(error instanceof ToolInstallError)) throw error;
    console.warn(`The tests with the MCP inspector are skipped. ${error.message}`);
  }
  emulator = await startEmulator();
  server = await startMcpServer(emulator);
}, 600_000);
afterAll(async () => {
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
