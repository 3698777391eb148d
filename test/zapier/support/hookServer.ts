import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { toZapierHeaders, type HookRequest } from '../../../engines/zapier/index.ts';

/** Zapier's front door for hooks: keeps each request as Zapier hands it on, and answers 200. */
export interface HookServer {
  /** `127.0.0.1:port`, for the emulator's `connectTo`. */
  address: string;
  /** What came in, oldest first. */
  requests: HookRequest[];
  close(): Promise<void>;
}

export async function startHookServer(): Promise<HookServer> {
  const requests: HookRequest[] = [];
  const server = createServer((request, response) => {
    void readText(request).then((rawBody) => {
      requests.push({ headers: toZapierHeaders(request.headers), rawBody });
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"status":"success"}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function readText(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}
