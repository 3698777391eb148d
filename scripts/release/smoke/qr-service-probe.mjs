// Runs the installed probe's command without a service: it says so and ends with status 2.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

const folder = new URL('node_modules/qr-service-probe/', import.meta.url);
const { bin, version } = JSON.parse(readFileSync(new URL('package.json', folder), 'utf8'));
const command = fileURLToPath(new URL(bin['qr-service-probe'], folder));
const env = { ...process.env, QR_SERVICE_API_KEY: 'key' };
const run = (...args) =>
  spawnSync(process.execPath, [command, ...args], { env, encoding: 'utf8', timeout: 60_000 });

assert.equal(run('--version').stdout, `${version}\n`);
// Nothing responds there.
const { status, stdout, stderr } = run('--base-url', 'http://127.0.0.1:9');
assert.equal(status, 2, `it ended with ${status}: ${stderr}`);
assert.match(stdout, /127\.0\.0\.1:9/);
