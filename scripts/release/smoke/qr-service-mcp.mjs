// Starts the installed MCP server's command, lists its tools over stdio, and lets it end.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const folder = new URL('node_modules/qr-service-mcp/', import.meta.url);
const { bin, version } = JSON.parse(readFileSync(new URL('package.json', folder), 'utf8'));
const command = fileURLToPath(new URL(bin['qr-service-mcp'], folder));
// Nothing responds there: the server works all the same, and its tools would say so.
const env = { ...process.env, QR_SERVICE_API_KEY: 'key', QR_SERVICE_BASE_URL: 'http://127.0.0.1:9' };
const server = spawn(process.execPath, [command], { env, stdio: ['pipe', 'pipe', 'inherit'] });
const lines = createInterface(server.stdout);

async function request(id, method, params) {
  server.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
  const [line] = await once(lines, 'line');
  const response = JSON.parse(line);
  assert.equal(response.id, id, line);
  assert(response.result, line);
  return response.result;
}

const clientInfo = { name: 'smoke', version: '1.0.0' };
const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo };
const { serverInfo } = await request(1, 'initialize', params);
assert.deepEqual([serverInfo.name, serverInfo.version], ['qr-service-mcp', version]);
const { tools } = await request(2, 'tools/list', {});
assert(tools.length > 5, `it lists ${tools.length} tools`);

server.stdin.end();
const [code] = await once(server, 'exit');
assert.equal(code, 0, `it ended with ${code}`);
