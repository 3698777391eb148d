import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** The code that a service in order answers with. */
export const CODE = {
  id: 'qr_1',
  name: 'Door',
  publicUrl: 'https://r.example/door',
  updatedAt: '2026-01-01T00:00:00.000Z',
};

/** Answers one request, or does not. */
export type Answer = (request: IncomingMessage, response: ServerResponse, body: string) => unknown;

/** A service that does as it is told. */
export interface FaultyService {
  url: string;
  /** What came in, oldest first. */
  requests: { method: string; url: string; idempotencyKey: string | undefined }[];
}

const open: (() => void)[] = [];

/** A service whose nth request gets the nth answer, and the last one from then on. */
export async function serve(...answers: Answer[]): Promise<FaultyService> {
  const requests: FaultyService['requests'] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { method = '', url = '', headers } = request;
      requests.push({ method, url, idempotencyKey: headers['idempotency-key'] as string | undefined });
      const answer = answers[Math.min(requests.length, answers.length) - 1];
      answer?.(request, response, Buffer.concat(chunks).toString());
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  open.push(() => (server.closeAllConnections(), server.close()));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests };
}

/** Ends every service that `serve` began. */
export function closeServices(): void {
  for (const close of open.splice(0)) close();
}

export const ok: Answer = (_request, response) => response.end(JSON.stringify(CODE));
export const hangUp: Answer = (request) => request.socket.destroy();
export const cutBody: Answer = (request, response) => {
  response.writeHead(200, { 'Content-Length': '500' });
  response.write('{"id": "qr_1", "na');
  setTimeout(() => request.socket.destroy(), 10);
};
export const silence: Answer = () => undefined;
export const trickle: Answer = (_request, response) => {
  response.writeHead(200);
  const timer = setInterval(() => response.write(' '), 5);
  response.on('close', () => clearInterval(timer));
};
export const status =
  (code: number, headers: Record<string, string> = {}, body = ''): Answer =>
  (_request, response) =>
    response.writeHead(code, headers).end(body);

/** Faults that pass: the same request may succeed later. */
export const PASSING_FAULTS = {
  'the connection was reset': hangUp,
  'the connection was reset mid-response': cutBody,
  'the response was truncated JSON': (_request, response) => response.end('{"id": "qr_1", "na'),
  'the response was a web page instead of JSON': (_request, response) => response.end('<html>hello</html>'),
  'a proxy returned 503 with a web page': status(503, { 'Content-Type': 'text/html' }, '<html>down</html>'),
  'the first attempt was still running': status(409, {}, '{"code": "idempotency_in_progress"}'),
  'the rate limit was used up': status(429, { 'Retry-After': '1' }, '{"code": "rate_limited"}'),
} satisfies Record<string, Answer>;
