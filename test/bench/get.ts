import { QrServiceClient } from '@qr-service/core';
import { undiciTransport } from '@qr-service/core/undici';
import { request } from 'undici';
import { startBareServer } from './bareServer.ts';
import { atOnce, compare, record } from './compare.ts';
import { importOthers } from './others.ts';

type Get<Answer> = (url: string, options: { headers: Record<string, string> }) => Answer;

/** What is used of the libraries to compare with. */
interface Clients {
  axios: { default: { get: Get<Promise<unknown>> } };
  got: { default: Get<{ json: () => Promise<unknown> }> };
  ky: { default: Get<{ json: () => Promise<unknown> }> };
}

/** How fast is a code read? */
export async function run(): Promise<void> {
  const { axios, got, ky } = await importOthers<Clients>('axios', 'got', 'ky');
  const server = await startBareServer();
  const url = `${server.url}/v1/public-api/qr/qr_1`;
  const headers = { authorization: 'Bearer key' };
  const client = new QrServiceClient({ baseUrl: server.url, apiKey: 'key', transport: undiciTransport() });
  const ways: [name: string, get: () => Promise<unknown>][] = [
    ['client.qr.get', () => client.qr.get('qr_1')],
    ['bare undici.request', async () => (await request(url, { headers })).body.json()],
    ['global fetch', async () => (await fetch(url, { headers })).json()],
    ['ky', () => ky.default(url, { headers }).json()],
    ['got', () => got.default(url, { headers }).json()],
    ['axios', () => axios.default.get(url, { headers })],
  ];
  const found: Record<string, unknown> = {};
  for (const [lanes, operations] of [
    [1, 600],
    [32, 3000],
  ] as const) {
    const contenders = ways.map(([name, get]) => ({
      name,
      operations,
      run: () => atOnce(operations, lanes, get),
    }));
    const targets = lanes === 32 ? [{ of: 'bare undici.request', atLeast: 0.85 }] : [];
    found[`${lanes} at once`] = await compare(`Reading a code, ${lanes} at once`, contenders, targets);
  }
  record('get', found);
  server.stop();
}
