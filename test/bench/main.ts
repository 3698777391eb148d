import { fork } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { QrServiceClient, sampleEvent, signWebhook, verifyWebhook } from '@qr-service/core';
import { undiciTransport } from '@qr-service/core/undici';
import { request } from 'undici';
import { compare } from './compare.ts';

await benchVerifier();
await benchClient();

async function benchVerifier(): Promise<void> {
  const secret = 'a signing secret for the benchmark';
  const rawBody = Buffer.from(JSON.stringify(sampleEvent('qr.published')));
  const timestamp = Math.floor(Date.now() / 1000);
  const headers = { 'X-Service-Signature': signWebhook({ body: rawBody, secret, timestamp }) };
  const operations = 20_000;
  const times = (work: () => unknown) => () => {
    for (let index = 0; index < operations; index++) work();
  };
  await compare(
    `Verifying a delivery of ${rawBody.length} bytes`,
    { name: 'verifyWebhook', operations, run: times(() => verifyWebhook({ rawBody, headers, secret })) },
    {
      name: 'the HMAC alone',
      operations,
      run: times(() => createHmac('sha256', secret).update(`${timestamp}.`).update(rawBody).digest()),
    },
  );
}

async function benchClient(): Promise<void> {
  const server = fork(fileURLToPath(new URL('bareServer.ts', import.meta.url)));
  const [port] = (await once(server, 'message')) as [number];
  const baseUrl = `http://127.0.0.1:${port}`;
  const client = new QrServiceClient({ baseUrl, apiKey: 'key', transport: undiciTransport() });
  const operations = 4000;
  await compare(
    'Reading a code from a bare server, 32 at once',
    { name: 'client.qr.get', operations, run: () => atOnce(operations, () => client.qr.get('qr_1')) },
    {
      name: 'bare undici.request',
      operations,
      run: () =>
        atOnce(operations, async () => {
          const headers = { authorization: 'Bearer key' };
          const { body } = await request(`${baseUrl}/v1/public-api/qr/qr_1`, { headers });
          await body.json();
        }),
    },
  );
  server.disconnect();
}

async function atOnce(operations: number, work: () => Promise<unknown>): Promise<void> {
  let left = operations;
  const lane = async () => {
    while (left-- > 0) await work();
  };
  await Promise.all(Array.from({ length: 32 }, lane));
}
