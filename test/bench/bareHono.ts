// Returns the same code for every create. Uses the emulator's server stack, in its own process.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { createAdaptorServer } from '@hono/node-server';
import { SAMPLE_QR_CODE } from '@qr-service/core/connector';
import { Hono } from 'hono';
import type { BareServer } from './bareServer.ts';

export async function startBareHono(): Promise<BareServer> {
  const child = fork(fileURLToPath(import.meta.url));
  const [port] = (await once(child, 'message')) as [number];
  return { url: `http://127.0.0.1:${port}`, stop: () => child.disconnect() };
}

function serve(): void {
  const app = new Hono();
  app.post('/v1/public-api/qr', async (c) => {
    const { name } = await c.req.json<{ name: string }>();
    return c.json({ ...SAMPLE_QR_CODE, name }, 201);
  });
  const server = createAdaptorServer({ fetch: app.fetch, overrideGlobalObjects: false }) as Server;
  server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
  process.on('disconnect', () => process.exit(0));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) serve();
