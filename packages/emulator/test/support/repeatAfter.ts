import { API_PATH } from '@qr-service/core/connector';
import { QrServiceClient, type QrCode } from '@qr-service/core';
import { undiciTransport } from '@qr-service/core/undici';
import { bannerOf, runCommand } from './command.ts';
import { codeInput } from './service.ts';
import { tempFile } from './tempFolder.ts';

/**
 * Stops the command when a quarter of `count` codes has been created, and expects that repeating every request after
 * the next start returns the same responses and creates each code once.
 */
export async function repeatAfter(signal: 'SIGTERM', count: number): Promise<void> {
  const args = ['--port', '0', '--db', tempFile('emulator.db'), '--api-key', 'kept'];
  const keys = Array.from({ length: count }, (_, nth) => `key-${nth}`);
  const create = (url: string, key: string) =>
    fetch(`${url}${API_PATH}/qr`, {
      method: 'POST',
      headers: { Authorization: 'Bearer kept', 'Idempotency-Key': key },
      body: JSON.stringify(codeInput(key)),
    });

  const first = runCommand(args);
  const { url } = await bannerOf(first);
  const returned = new Map<string, string>();
  const work = keys.map(async (key) => {
    const response = await create(url, key);
    returned.set(key, await response.text());
    if (returned.size === count / 4) first.child.kill(signal);
  });
  await Promise.allSettled(work);
  await first.ended;
  expect(returned.size).toBeGreaterThanOrEqual(count / 4);

  const again = await bannerOf(runCommand(args));
  const ids = new Set<string>();
  for (const key of keys) {
    const response = await create(again.url, key);
    const text = await response.text();
    if (returned.has(key)) {
      expect(response.headers.get('Idempotency-Replayed')).toBe('true');
      expect(text).toBe(returned.get(key));
    }
    ids.add((JSON.parse(text) as QrCode).id);
  }
  expect(ids.size).toBe(count);
  expect(await countCodes(again.url)).toBe(count);
}

async function countCodes(baseUrl: string): Promise<number> {
  const client = new QrServiceClient({ baseUrl, apiKey: 'kept', transport: undiciTransport() });
  let count = 0;
  for await (const _code of client.qr.list()) count += 1;
  return count;
}
