import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

/** A delivery as it was received. */
export interface Delivery {
  /** In their order. A header that was sent twice is listed twice. */
  headers: readonly (readonly [name: string, value: string])[];
  /** The bytes of the body. */
  body: Uint8Array;
  /** Set if a capture has the body as JSON values, so that its bytes are unknown. */
  isRebuilt?: true;
}

/** A server on this machine that keeps deliveries as they are received. */
export interface Receiver {
  port: number;
  /** Grows as deliveries arrive. */
  deliveries: readonly Delivery[];
  /** Grows with each request of the probe itself. */
  knocks: readonly true[];
  close: () => Promise<void>;
}

/** Header of the probe's own request through the tunnel. */
export const KNOCK_HEADER = 'x-probe-knock';
/** Anyone can send something through the tunnel. */
const DELIVERY_HEADER = /^x-.{1,60}-(?:signature|timestamp|delivery|event)\b/i;

/** Starts a receiver on a port of this machine; 0 for any free one. @throws Error, with a sentence, if the port is in use */
export async function startReceiver(port: number): Promise<Receiver> {
  const deliveries: Delivery[] = [];
  const knocks: true[] = [];
  const server = createServer((request, response) => {
    if (request.headers[KNOCK_HEADER] !== undefined) knocks.push(true);
    void buffer(request)
      .then((body) => {
        const { rawHeaders: raw } = request;
        const headers = raw.flatMap((name, at): [string, string][] =>
          at % 2 === 0 ? [[name, raw[at + 1] ?? '']] : [],
        );
        const isDelivery =
          headers.some(([name]) => DELIVERY_HEADER.test(name)) || body.includes('"occurredAt"');
        if (isDelivery) deliveries.push({ headers, body });
        // Otherwise the service would repeat it for hours.
        response.writeHead(204).end();
      })
      .catch(() => response.destroy());
  });
  // Only this machine: the tunnel runs here.
  server.listen(port, '127.0.0.1');
  await once(server, 'listening').catch((error: unknown) => {
    const { code = String(error) } = error as NodeJS.ErrnoException;
    const problem = code === 'EADDRINUSE' ? 'is in use by another program' : `can't be used (${code})`;
    throw new Error(`Port ${port} ${problem}. Choose another with --port, and point the tunnel to it.`);
  });
  return {
    port: (server.address() as AddressInfo).port,
    deliveries,
    knocks,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
