import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

/** One request that reached a front door. */
export interface ReceivedRequest {
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  /** The bytes as they came. */
  rawBody: Buffer;
}

/** What a front door answers. */
export interface ReceiverAnswer {
  status: number;
  headers?: Record<string, string>;
  body?: Buffer | string;
}

/** Hands a request to a platform's engine and gives that platform's answer. */
export type FrontDoor = (request: ReceivedRequest) => Promise<ReceiverAnswer>;

/** Stands in for the platforms' front doors. */
export interface Receiver {
  port: number;
  /** Sends what comes in for this host to a platform. */
  open(host: string, frontDoor: FrontDoor): void;
  close(): Promise<void>;
}

/** Listens on a free port of this machine and tells the platforms apart by the host that was asked for. */
export async function startReceiver(): Promise<Receiver> {
  const frontDoors = new Map<string, FrontDoor>();
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { method = 'GET', url: path = '/', headers } = request;
      const frontDoor = frontDoors.get(headers.host ?? '');
      const received = { method, path, headers, rawBody: Buffer.concat(chunks) };
      const answered = frontDoor?.(received) ?? Promise.resolve({ status: 404 });
      answered
        .catch((): ReceiverAnswer => ({ status: 500 }))
        .then((answer) => response.writeHead(answer.status, answer.headers).end(answer.body ?? ''));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    open: (host, frontDoor) => void frontDoors.set(host, frontDoor),
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
