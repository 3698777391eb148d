import { QrServiceClient, type Transport } from '@qr-service/core';
import { undiciTransport } from '@qr-service/core/undici';
import { startEmulatorProcess } from '../../engines/emulator/process.ts';
import { atLeast, upTo } from '../support/verdict.ts';
import { record } from './compare.ts';

const CREATES = 2000;
const PER_SECOND = 200;

/** How long do 2,000 creates take with a rate limit of 200 requests per second? */
export async function run(): Promise<void> {
  const emulator = await startEmulatorProcess({
    port: 4100,
    rateLimit: { limit: PER_SECOND, windowSeconds: 1 },
  });
  const inner = undiciTransport();
  let [requests, rejected] = [0, 0];
  const counting: Transport = async (request) => {
    const response = await inner(request);
    requests++;
    if (response.status === 429) rejected++;
    return response;
  };
  const transport = Object.assign(counting, { ...(inner.sleep && { sleep: inner.sleep }) });
  const client = new QrServiceClient({ baseUrl: emulator.url, apiKey: emulator.apiKey, transport });
  const create = (_: unknown, index: number) =>
    client.qr.create({
      name: `Row ${index}`,
      mode: 'dynamic',
      contentType: 'url',
      content: { targetUrl: 'https://example.com/' },
    });

  const startedAt = performance.now();
  const created = await Promise.all(Array.from({ length: CREATES }, create));
  const seconds = (performance.now() - startedAt) / 1000;
  // The first batch needs no waiting.
  const minSeconds = CREATES / PER_SECOND - 1;
  const codes = new Set(created.map(({ id }) => id)).size;
  await emulator.stop();

  const ratio = seconds / minSeconds;
  const rejectedPercent = (100 * rejected) / requests;
  console.log(`\n${CREATES.toLocaleString('en')} concurrent creates with a rate limit of ${PER_SECOND} per second
  ${ratio.toFixed(3)} of the minimum time under the limit (${seconds.toFixed(2)} s of ${minSeconds} s)   ${upTo(1.1, ratio)}
  ${rejectedPercent.toFixed(2)} % of ${requests} requests rejected with 429   ${upTo(1, rejectedPercent, ' %')}
  ${codes} codes   ${atLeast(CREATES, codes)}`);
  record('pacing', { seconds, minSeconds, ratio, requests, rejected, codes });
}
