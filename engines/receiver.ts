import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request to a platform. */
export interface ReceivedRequest {
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  /** Body, byte for byte. */
  rawBody: Buffer;
}

/** Passes a request to a platform's engine and returns that platform's response. */
type FrontDoor = (request: ReceivedRequest) => Promise<{
  status: number;
  headers?: Record<string, string>;
  body?: Buffer | string;
}>;

/** A local server that stands in for the public endpoints of both platforms. */
export type Receiver = Awaited<ReturnType<typeof startReceiver>>;

/** Starts a receiver on a free local port. It routes requests by their Host header. */
export async function startReceiver() {
  const frontDoors = new Map<string, FrontDoor>();
  const notFound: FrontDoor = () => Promise.resolve({ status: 404 });
  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = 'GET', url: path = '/', headers } = request;
    const rawBody = Buffer.concat((await request.toArray()) as Buffer[]);
    const frontDoor = frontDoors.get(headers.host ?? '') ?? notFound;
    const { status, headers: sent, body = '' } = await frontDoor({ method, path, headers, rawBody });
    response.writeHead(status, sent).end(body);
  }
  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.writeHead(500).end());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    /** `127.0.0.1:port`, for the emulator's `connectTo`. */
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** Routes requests for this host to a platform. */
    open: (host: string, frontDoor: FrontDoor) => void frontDoors.set(host, frontDoor),
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
