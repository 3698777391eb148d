import { createHmac } from 'node:crypto';
import { QrServiceClient, sampleEvent, signWebhook, verifyWebhook } from '@qr-service/core';
import { undiciTransport } from '@qr-service/core/undici';
import { startEmulator } from 'qr-service-emulator';
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
  const emulator = await startEmulator({ port: 0, rateLimit: { limit: 1_000_000, windowSeconds: 1 } });
  const { url: baseUrl, apiKey } = emulator;
  const client = new QrServiceClient({ baseUrl, apiKey, transport: undiciTransport() });
  const content = { targetUrl: 'https://example.com/' };
  const { id } = await client.qr.create({ name: 'Bench', mode: 'dynamic', contentType: 'url', content });
  const operations = 2000;
  await compare(
    'Reading a code from the emulator in the same process, 32 at once',
    { name: 'client.qr.get', operations, run: () => atOnce(operations, () => client.qr.get(id)) },
    {
      name: 'bare undici.request',
      operations,
      run: () =>
        atOnce(operations, async () => {
          const headers = { authorization: `Bearer ${apiKey}` };
          const { body } = await request(`${baseUrl}/v1/public-api/qr/${id}`, { headers });
          await body.json();
        }),
    },
  );
  await emulator.stop();
}

async function atOnce(operations: number, work: () => Promise<unknown>): Promise<void> {
  let left = operations;
  const lane = async () => {
    while (left-- > 0) await work();
  };
  await Promise.all(Array.from({ length: 32 }, lane));
}
