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
  /** `127.0.0.1:port`, for the emulator's `connectTo`. */
  address: string;
  /** Sends what comes in for this host to a platform. */
  open(host: string, frontDoor: FrontDoor): void;
  close(): Promise<void>;
}

async function respond(frontDoor: FrontDoor | undefined, request: ReceivedRequest): Promise<ReceiverAnswer> {
  try {
    return (await frontDoor?.(request)) ?? { status: 404 };
  } catch {
    return { status: 500 };
  }
}

/** Listens on a free port of this machine and tells the platforms apart by the host that was asked for. */
export async function startReceiver(): Promise<Receiver> {
  const frontDoors = new Map<string, FrontDoor>();
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { method = 'GET', url: path = '/' } = request;
      const frontDoor = frontDoors.get(request.headers.host ?? '');
      const received = { method, path, headers: request.headers, rawBody: Buffer.concat(chunks) };
      void respond(frontDoor, received).then(({ status, headers, body }) =>
        response.writeHead(status, headers).end(body ?? ''),
      );
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    port,
    address: `127.0.0.1:${port}`,
    open: (host, frontDoor) => void frontDoors.set(host, frontDoor),
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
