import { QrServiceClient } from '@qr-service/core';
import { undiciTransport } from '@qr-service/core/undici';
import { request } from 'undici';
import { startBareServer } from './bareServer.ts';
import { runConcurrently, compare, record } from './compare.ts';
import { importLibraries } from './libraries.ts';

type Get<Result> = (url: string, options: { headers: Record<string, string> }) => Result;

/** The functions of the other libraries that are used here. */
interface Clients {
  axios: { default: { get: Get<Promise<unknown>> } };
  got: { default: Get<{ json: () => Promise<unknown> }> };
  ky: { default: Get<{ json: () => Promise<unknown> }> };
}

/** How fast is reading a code? */
export async function run(): Promise<void> {
  const { axios, got, ky } = await importLibraries<Clients>('axios', 'got', 'ky');
  const server = await startBareServer();
  const url = `${server.url}/v1/public-api/qr/qr_1`;
  const headers = { authorization: 'Bearer key' };
  const client = new QrServiceClient({ baseUrl: server.url, apiKey: 'key', transport: undiciTransport() });
  const clients: [name: string, get: () => Promise<unknown>][] = [
    ['client.qr.get', () => client.qr.get('qr_1')],
    ['bare undici.request', async () => (await request(url, { headers })).body.json()],
    ['global fetch', async () => (await fetch(url, { headers })).json()],
    ['ky', () => ky.default(url, { headers }).json()],
    ['got', () => got.default(url, { headers }).json()],
    ['axios', () => axios.default.get(url, { headers })],
  ];
  const found: Record<string, unknown> = {};
  for (const [concurrency, operations] of [
    [1, 600],
    [32, 3000],
  ] as const) {
    const contenders = clients.map(([name, get]) => ({
      name,
      operations,
      run: () => runConcurrently(operations, concurrency, get),
    }));
    const targets = concurrency === 32 ? [{ of: 'bare undici.request', minRatio: 0.85 }] : [];
    found[`${concurrency} at once`] = await compare(
      `Reading a code, ${concurrency} at once`,
      contenders,
      targets,
    );
  }
  record('get', found);
  server.stop();
}
