// Starts the installed emulator as a library and sends it a request.
import assert from 'node:assert/strict';
import { startEmulator } from 'qr-service-emulator';

const emulator = await startEmulator();
const response = await globalThis.fetch(`${emulator.url}/v1/public-api/me`, {
  headers: { authorization: `Bearer ${emulator.apiKey}` },
});
await emulator.stop();
assert.equal(response.status, 200, `${response.url} responded with ${response.status}`);
