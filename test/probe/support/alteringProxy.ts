import { once } from 'node:events';
import { createServer, request as forward, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request as a service receives it. */
export interface SeenRequest {
  method: string;
  /** Below the API, without the query. */
  path: string;
  query: URLSearchParams;
  headers: IncomingHttpHeaders;
}

/** A response that may be changed before it is sent. */
export interface Draft {
  /** 0 ends the connection without a response. */
  status: number;
  headers: IncomingHttpHeaders;
  /** Parsed JSON; undefined if the body isn't JSON. */
  json: unknown;
  /** Replaces the body if it isn't JSON. */
  bytes: Buffer;
}

/** Changes requests and responses of a service. */
export interface Alteration {
  /** Changes a request before the service gets it. */
  request?: (request: SeenRequest) => void;
  /** Changes a response, or returns another. */
  response?: (draft: Draft, request: SeenRequest) => Draft | undefined;
}

const API_PATH = '/v1/public-api';
const closers: (() => void)[] = [];

/** Starts a server in front of a service, which changes what it gets and returns. */
export async function startProxy(
  target: string,
  { request: before, response: after }: Alteration,
): Promise<string> {
  const server = createServer((incoming, outgoing) => {
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.on('end', () => {
      const url = new URL(incoming.url ?? '', target);
      const { method = '', headers } = incoming;
      const seen: SeenRequest = {
        method,
        path: url.pathname.replace(API_PATH, ''),
        query: url.searchParams,
        headers: { ...headers },
      };
      before?.(seen);
      delete seen.headers.host;
      const search = seen.query.toString();
      const to = `${target}${API_PATH}${seen.path}${search === '' ? '' : `?${search}`}`;
      const sent = forward(to, { method, headers: seen.headers }, (received) => {
        const parts: Buffer[] = [];
        received.on('data', (part: Buffer) => parts.push(part));
        received.on('end', () => {
          const bytes = Buffer.concat(parts);
          const { statusCode: status = 0 } = received;
          const draft: Draft = { status, headers: { ...received.headers }, json: parse(bytes), bytes };
          const changed = after?.(draft, seen) ?? draft;
          if (changed.status === 0) return void outgoing.destroy();
          const body = changed.json === undefined ? changed.bytes : Buffer.from(JSON.stringify(changed.json));
          delete changed.headers['content-length'];
          delete changed.headers['transfer-encoding'];
          // Node.js adds a date of its own.
          outgoing.sendDate = false;
          outgoing.writeHead(changed.status, changed.headers).end(changed.status === 204 ? undefined : body);
        });
      });
      sent.end(Buffer.concat(chunks));
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  closers.push(() => (server.closeAllConnections(), server.close()));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Closes all servers started by `startProxy`. */
export function closeProxies(): void {
  for (const close of closers.splice(0)) close();
}

function parse(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString());
  } catch {
    return undefined;
  }
}
