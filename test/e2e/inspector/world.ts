import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { API_PATH } from '@qr-service/core/connector';
import { EVENT_TYPES, type QrCode } from '@qr-service/core';
import { startEmulator, type Emulator } from 'qr-service-emulator';

const HOST = 'hooks.example.com';

/** An emulator with a receiver for its deliveries. */
export interface World {
  emulator: Emulator;
  /** Calls the API. */
  call: (method: string, path: string, body?: unknown, headers?: Record<string, string>) => Promise<Response>;
  create: (name: string, targetUrl: string) => Promise<QrCode>;
  /** Makes the receiver respond to its next delivery with this status. */
  respondNextWith: (status: number) => void;
  stop(): Promise<void>;
}

/** Starts an emulator, and a receiver that is subscribed to all events. */
export async function startWorld(): Promise<World> {
  const statuses: number[] = [];
  const receiver = createServer((request, response) => {
    request.resume().on('end', () => response.writeHead(statuses.shift() ?? 204).end());
  });
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  const address = `127.0.0.1:${(receiver.address() as AddressInfo).port}`;
  const emulator = await startEmulator({
    connectTo: { [HOST]: address },
    redirectUrl: 'https://qr.example.com',
    retryBaseMs: 50,
  });

  const call: World['call'] = (method, path, body, headers = {}) =>
    fetch(`${emulator.url}${API_PATH}${path}`, {
      method,
      headers: { Authorization: `Bearer ${emulator.apiKey}`, 'Content-Type': 'application/json', ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  await call('POST', '/webhooks', { url: `https://${HOST}/in`, eventTypes: EVENT_TYPES });
  return {
    emulator,
    call,
    async create(name, targetUrl) {
      const body = { name, mode: 'dynamic', contentType: 'url', content: { targetUrl } };
      const response = await call('POST', '/qr', body, { 'Idempotency-Key': `import ${name}` });
      return (await response.json()) as QrCode;
    },
    respondNextWith: (status) => void statuses.push(status),
    async stop() {
      await emulator.stop();
      await stopServer(receiver);
    },
  };
}

async function stopServer(server: Server): Promise<void> {
  await new Promise((resolve) => {
    server.close(resolve);
    server.closeAllConnections();
  });
}
