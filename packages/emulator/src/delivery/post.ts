import http from 'node:http';
import https from 'node:https';
import type { LookupFunction } from 'node:net';
import type { ConnectTo } from './connectTo.ts';
import { publicLookup, refusePrivateHost } from './publicLookup.ts';

/** Outcome of a POST: the response's status, or why there was no response. */
export type PostResult = { status: number; error: null } | { status: null; error: string };

/** A POST to a receiver. */
export interface PostRequest {
  url: string;
  headers: Record<string, string>;
  body: string;
  /** Treats the POST as timed out as soon as it is sent, without waiting for a response. */
  timeOutOnceSent?: boolean;
}

/** Sends deliveries over kept-alive connections. */
export interface Poster {
  /** Never rejects. A redirect counts as the response and isn't followed. */
  post(request: PostRequest): Promise<PostResult>;
  /** Aborts the requests in flight. */
  abort(): void;
  /** Aborts the requests in flight and closes all connections. */
  close(): void;
}

/**
 * Creates a poster that sends to public hosts over HTTPS, and to the hosts in `connectTo` over plain HTTP, like a tunnel
 * that terminates TLS.
 * @param timeoutMs timeout of one POST as a whole
 * @param lookup resolves the names of public hosts
 */
export function createPoster(
  connectTo: ConnectTo,
  timeoutMs: number,
  lookup: LookupFunction = publicLookup,
): Poster {
  const plain = new http.Agent({ keepAlive: true });
  const secure = new https.Agent({ keepAlive: true });
  const open = new Set<http.ClientRequest>();

  function start(url: URL, headers: Record<string, string>): http.ClientRequest {
    const endpoint = connectTo(url);
    if (endpoint !== undefined)
      return http.request({
        agent: plain,
        host: endpoint.host,
        port: endpoint.port,
        path: url.pathname + url.search,
        method: 'POST',
        headers: { ...headers, Host: url.host, 'X-Forwarded-Host': url.host, 'X-Forwarded-Proto': 'https' },
      });
    refusePrivateHost(url);
    return https.request(url, { agent: secure, method: 'POST', headers, lookup });
  }

  function abort(): void {
    for (const request of open) request.destroy();
  }

  return {
    post: ({ url, headers, body, timeOutOnceSent = false }) =>
      new Promise((resolve) => {
        const fail = (error: unknown) => resolve({ status: null, error: describeError(error) });
        let request: http.ClientRequest;
        try {
          request = start(new URL(url), { ...headers, 'Content-Length': String(Buffer.byteLength(body)) });
        } catch (error) {
          fail(error);
          return;
        }
        open.add(request);
        const timer = setTimeout(
          () => request.destroy(new Error(`no response within ${timeoutMs / 1000} s`)),
          timeoutMs,
        );
        request.on('close', () => {
          clearTimeout(timer);
          open.delete(request);
          fail(new Error('the connection was closed'));
        });
        request.on('error', fail);
        if (timeOutOnceSent) request.on('finish', () => fail(new Error('no response in time')));
        request.on('response', (response) => {
          const status = response.statusCode ?? 0;
          response.on('error', fail);
          response.on('end', () => resolve({ status, error: null }));
          response.resume();
        });
        request.end(body);
      }),
    abort,
    close() {
      abort();
      plain.destroy();
      secure.destroy();
    },
  };
}

function describeError(error: unknown): string {
  const { message, code } = error as { message?: string; code?: string };
  return message || code || 'the connection failed';
}
