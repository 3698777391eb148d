import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** The code that a working service returns. */
export const CODE = {
  id: 'qr_1',
  name: 'Door',
  publicUrl: 'https://r.example/door',
  updatedAt: '2026-01-01T00:00:00.000Z',
};

/** Handles one request, with or without a response. */
export type RequestHandler = (request: IncomingMessage, response: ServerResponse, body: string) => unknown;

/** A service with scripted responses. */
export interface FaultyService {
  url: string;
  /** Received requests, oldest first. */
  requests: { method: string; url: string; idempotencyKey: string | undefined }[];
}

const closers: (() => void)[] = [];
afterAll(closeServices);

/** Starts a service that closes after the file's tests. Its nth request goes to the nth handler, later ones to the last. */
export async function serve(...handlers: RequestHandler[]): Promise<FaultyService> {
  const requests: FaultyService['requests'] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { method = '', url = '', headers } = request;
      requests.push({ method, url, idempotencyKey: headers['idempotency-key'] as string | undefined });
      const handler = handlers[Math.min(requests.length, handlers.length) - 1];
      handler?.(request, response, Buffer.concat(chunks).toString());
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  closers.push(() => server.close().closeAllConnections());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests };
}

/** Closes all services started by `serve`. */
export function closeServices(): void {
  for (const close of closers.splice(0)) close();
}

export const ok: RequestHandler = (_request, response) => response.end(JSON.stringify(CODE));
export const hangUp: RequestHandler = (request) => request.socket.destroy();
export const cutBody: RequestHandler = (request, response) => {
  response.writeHead(200, { 'Content-Length': '500' });
  response.write('{"id": "qr_1", "na');
  setTimeout(() => request.socket.destroy(), 10);
};
export const neverRespond: RequestHandler = () => undefined;
export const trickle: RequestHandler = (_request, response) => {
  response.writeHead(200);
  const timer = setInterval(() => response.write(' '), 5);
  response.on('close', () => clearInterval(timer));
};
export const status =
  (code: number, headers: Record<string, string> = {}, body = ''): RequestHandler =>
  (_request, response) =>
    response.writeHead(code, headers).end(body);

/** Faults after which a retry of the same request may succeed. */
export const TRANSIENT_FAULTS = {
  'the connection was reset': hangUp,
  'the connection was reset mid-response': cutBody,
  'the response was truncated JSON': (_request, response) => response.end('{"id": "qr_1", "na'),
  'the response was a web page instead of JSON': (_request, response) => response.end('<html>hello</html>'),
  'a proxy returned 503 with a web page': status(503, { 'Content-Type': 'text/html' }, '<html>down</html>'),
  'the first attempt was still running': status(409, {}, '{"code": "idempotency_in_progress"}'),
  'the rate limit was used up': status(429, { 'Retry-After': '1' }, '{"code": "rate_limited"}'),
} satisfies Record<string, RequestHandler>;

/** An error response that echoes the request's headers: a megabyte of them, with control characters. */
export const echo: RequestHandler = ({ headers }, response) => {
  const echoed = `${JSON.stringify(headers)} \u0007\u001b[31m\u202e`;
  const body = {
    message: `${'a'.repeat(990)}${echoed}${echoed.repeat(1000)}`,
    code: echoed.repeat(100),
    requestId: echoed.repeat(100),
    details: { [echoed]: echoed, list: Array.from({ length: 1000 }, () => echoed) },
  };
  response.writeHead(422, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
};

/** Headers that never end. */
const slowHeaders: RequestHandler = ({ socket }) => {
  socket.write('HTTP/1.1 200 OK\r\nX-Slow: a');
  const timer = setInterval(() => socket.write('a'), 5);
  socket.on('close', () => clearInterval(timer));
};

/** Slow responses, by the part that never ends. */
export const SLOW_RESPONSES: [what: string, handler: RequestHandler][] = [
  ['a body that trickles', trickle],
  ['a body that stalls', (_request, response) => response.writeHead(200).write('{')],
  ['headers that trickle', slowHeaders],
];
