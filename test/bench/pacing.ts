import { QrServiceClient } from '@qr-service/core';
import { undiciTransport } from '@qr-service/core/undici';
import { startEmulator } from 'qr-service-emulator';

const CREATES = 2000;
const PER_SECOND = 200;

/** How long do 2,000 creates take with a rate limit of 200 requests per second? */
export async function pacing(): Promise<void> {
  const emulator = await startEmulator({ rateLimit: { limit: PER_SECOND, windowSeconds: 1 } });
  const { url: baseUrl, apiKey, control } = emulator;
  const client = new QrServiceClient({ baseUrl, apiKey, transport: undiciTransport() });
  const content = { targetUrl: 'https://example.com/' };
  const startedAt = performance.now();
  await Promise.all(
    Array.from({ length: CREATES }, (_, index) =>
      client.qr.create({ name: `Row ${index}`, mode: 'dynamic', contentType: 'url', content }),
    ),
  );
  const seconds = (performance.now() - startedAt) / 1000;
  const requests = control.requestCount();
  await emulator.stop();
  // The first batch needs no waiting.
  const minSeconds = CREATES / PER_SECOND - 1;
  console.log(`\n2,000 concurrent creates with a rate limit of 200 per second
  ${(seconds / minSeconds).toFixed(3)} of the minimum time under the limit (${seconds.toFixed(2)} s of ${minSeconds} s)
  ${(100 * (1 - CREATES / requests)).toFixed(2)} % of ${requests} requests rejected with 429`);
}
