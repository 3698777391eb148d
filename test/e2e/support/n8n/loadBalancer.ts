import { once } from 'node:events';
import { createServer, request as send, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { isReachable } from '../../../support/process/managedProcess.ts';

/**
 * Starts a load balancer, which forwards requests to a process of n8n, but only while it is ready. While n8n starts, it responds with 200 and "n8n is
 * starting up" to every request, including webhooks. Only its readiness check shows whether it serves requests.
 */
export async function startLoadBalancer(url: string) {
  const server = createServer((incoming, outgoing) => void forward(incoming, outgoing, url));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    /** `127.0.0.1:port`, for the emulator's `connectTo`. */
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

async function forward(incoming: IncomingMessage, outgoing: ServerResponse, url: string): Promise<void> {
  if (!(await isReachable(`${url}/healthz/readiness`))) {
    outgoing.writeHead(503).end();
    return;
  }
  const { method, url: path = '/', headers } = incoming;
  const forwarded = send(new URL(path, url), { method, headers }, (response) => {
    outgoing.writeHead(response.statusCode ?? 502, response.headers);
    response.pipe(outgoing);
  });
  forwarded.on('error', () => {
    if (outgoing.headersSent) outgoing.destroy();
    else outgoing.writeHead(502).end();
  });
  outgoing.on('close', () => forwarded.destroy());
  incoming.pipe(forwarded);
}
