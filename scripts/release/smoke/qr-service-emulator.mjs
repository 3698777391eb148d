// Starts the installed emulator as a library, sends it a request, and runs its command.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { startEmulator } from 'qr-service-emulator';

const emulator = await startEmulator();
const response = await globalThis.fetch(`${emulator.url}/v1/public-api/me`, {
  headers: { authorization: `Bearer ${emulator.apiKey}` },
});
await emulator.stop();
assert.equal(response.status, 200, `${response.url} responded with ${response.status}`);

const folder = new URL('node_modules/qr-service-emulator/', import.meta.url);
const { bin } = JSON.parse(readFileSync(new URL('package.json', folder), 'utf8'));
const command = fileURLToPath(new URL(bin['qr-service-emulator'], folder));
assert.match(execFileSync(process.execPath, [command, '--help'], { encoding: 'utf8' }), /--port/);
