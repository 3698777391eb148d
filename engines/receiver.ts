import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request to a platform. */
export interface ReceivedRequest {
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  /** Body, byte for byte. */
  rawBody: Buffer;
}

/** A platform's response. */
interface ReceiverAnswer {
  status: number;
  headers?: Record<string, string>;
  body?: Buffer | string;
}

/** Passes a request to a platform's engine and returns that platform's response. */
type FrontDoor = (request: ReceivedRequest) => Promise<ReceiverAnswer>;

/** A local server that stands in for the public endpoints of both platforms. */
export interface Receiver {
  port: number;
  /** `127.0.0.1:port`, for the emulator's `connectTo`. */
  address: string;
  /** Routes requests for this host to a platform. */
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

/** Starts a receiver on a free local port. It routes requests by their Host header. */
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
