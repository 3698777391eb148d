// node smokeTest.mjs <name>
// Uses everything that an installed package offers: its modules, its commands, and its nodes and credentials for n8n.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import path from 'node:path';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const require = createRequire(import.meta.url);
const name = process.argv[2];
const folder = fileURLToPath(new URL(`node_modules/${name}/`, import.meta.url));
const { bin = {}, exports = {}, n8n = {}, mcpName, version } = require(path.join(folder, 'package.json'));

for (const [entry, targets] of Object.entries(exports)) {
  if (/\.(json|yaml)$/.test(entry)) continue;
  const module = name + entry.slice(1);
  const exported = Object.keys(await import(module));
  assert(exported.length > 0, `${module} exports nothing`);
  if (targets.require === undefined) continue;
  const required = require(module);
  for (const key of exported)
    if (!['default', 'module.exports'].includes(key))
      assert(key in required, `require('${module}') has no ${key}`);
}

const run = (file, args) =>
  execFileSync(process.execPath, [path.join(folder, file), ...args], {
    encoding: 'utf8',
    timeout: 30_000,
  });
for (const file of Object.values(bin)) {
  assert.notEqual(run(file, ['--help']).trim(), '', `${file} --help prints nothing`);
  assert.equal(run(file, ['--version']).trim(), version);
}

for (const file of [...(n8n.nodes ?? []), ...(n8n.credentials ?? [])]) {
  const [className = ''] = path.basename(file).split('.');
  const { description, name: credential } = new (require(path.join(folder, file))[className])();
  assert(description?.name ?? credential, `${file} has no name`);
}

if (mcpName !== undefined) {
  // Nothing responds at this URL: the server lists its tools all the same.
  const env = { ...process.env, QR_SERVICE_API_KEY: 'key', QR_SERVICE_BASE_URL: 'http://127.0.0.1:9' };
  const clientInfo = { name: 'smoke', version: '1.0.0' };
  const initialization = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo };
  const server = spawn(process.execPath, [path.join(folder, Object.values(bin)[0])], { env });
  const lines = createInterface(server.stdout);
  const request = async (id, method, params) => {
    server.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
    const [line] = await once(lines, 'line');
    return JSON.parse(line).result;
  };
  assert.equal((await request(1, 'initialize', initialization)).serverInfo.version, version);
  assert((await request(2, 'tools/list', {})).tools.length > 5);
  server.stdin.end();
  const [code] = await once(server, 'exit');
  assert.equal(code, 0, `it ended with ${code}`);
}

if (name === 'qr-service-emulator') {
  const emulator = await (await import(name)).startEmulator();
  const { status } = await globalThis.fetch(emulator.url);
  await emulator.stop();
  assert.equal(status, 200, `the inspector responds with ${status}`);
}
