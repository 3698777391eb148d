import { QrServiceClient, type Transport } from '@qr-service/core';
import { undiciTransport } from '@qr-service/core/undici';
import { startVirtualTime } from '../support/jest/virtualTime.ts';
import { startEmulator, type Emulator } from 'qr-service-emulator';

const input = (name: string) => ({
  name,
  mode: 'dynamic',
  contentType: 'url',
  content: { targetUrl: 'https://example.com/' },
});

let emulator: Emulator;
afterAll(async () => {
  jest.restoreAllMocks();
  await emulator.stop();
});

it('concurrent creates stay within the rate limit: hardly any is refused and none is lost', async () => {
  startVirtualTime();
  emulator = await startEmulator({ rateLimit: { limit: 100, windowSeconds: 1 } });
  const inner = undiciTransport();
  const statuses: number[] = [];
  const counting: Transport = Object.assign(
    async (request: Parameters<Transport>[0]) => {
      const answer = await inner(request);
      statuses.push(answer.status);
      return answer;
    },
    { sleep: inner.sleep! },
  );
  const client = new QrServiceClient({ baseUrl: emulator.url, apiKey: emulator.apiKey, transport: counting });

  const names = Array.from({ length: 300 }, (_, index) => `Row ${index}`);
  const created = await Promise.all(names.map((name) => client.qr.create(input(name))));
  expect(created.map((code) => code.name)).toEqual(names);
  expect(new Set(created.map((code) => code.id)).size).toBe(300);
  expect(statuses.filter((status) => status === 429).length).toBeLessThan(10);
  expect(client.rateLimit).toMatchObject({ limit: 100 });

  const all: string[] = [];
  for await (const code of client.qr.list()) all.push(code.id);
  expect(all).toHaveLength(300);
});
