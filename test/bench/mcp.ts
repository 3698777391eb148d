import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { startEmulator } from 'qr-service-emulator';
import { installToolOrExit } from '../../scripts/tools/install.ts';
import { compare } from './compare.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const STARTS = 3;

const REQUESTS = [
  {
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'bench', version: '1' } },
  },
  { method: 'notifications/initialized' },
  { id: 2, method: 'tools/list' },
];

/** How long does the MCP server take from its start to its list of tools? */
export async function mcp(): Promise<void> {
  const folder = join(
    await installToolOrExit('bench'),
    'node_modules/@modelcontextprotocol/server-everything',
  );
  const emulator = await startEmulator();
  const { url, apiKey } = emulator;
  const env = { ...process.env, QR_SERVICE_API_KEY: apiKey, QR_SERVICE_BASE_URL: url };
  const servers = {
    'our server': join(ROOT, 'packages/mcp-server/bin/qr-service-mcp.js'),
    "the protocol's example server (everything)": join(folder, 'dist/index.js'),
  };
  const contenders = Object.entries(servers).map(([name, path]) => ({
    name,
    operations: STARTS,
    async run() {
      for (let start = 0; start < STARTS; start++) await listTools(path, env);
    },
  }));
  await compare('Starting an MCP server and listing its tools', contenders);
  await emulator.stop();
}

async function listTools(path: string, env: NodeJS.ProcessEnv): Promise<void> {
  const server = spawn(process.execPath, [path], { env, stdio: ['pipe', 'pipe', 'ignore'] });
  for (const request of REQUESTS) server.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...request })}\n`);
  for await (const line of createInterface(server.stdout)) {
    const { id, result } = JSON.parse(line) as { id?: number; result?: { tools?: unknown[] } };
    if (id === 2 && result?.tools !== undefined) break;
  }
  server.kill();
  await once(server, 'exit');
}
