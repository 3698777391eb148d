import { lookup as resolveHost } from 'node:dns';
import http from 'node:http';
import https from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { isPrivateAddress } from '@qr-service/core/webhook';
import type { ConnectTo, Endpoint } from '../config/options.ts';

/** Outcome of a POST. */
interface PostResult {
  /** Null if there was no response. */
  status: number | null;
  /** Why there was no response; null if there was one. */
  error: string | null;
  /** What to do if the receiver can't be reached. */
  hint?: string;
}

/** Sends deliveries over kept-alive connections. */
export type Poster = ReturnType<typeof createPoster>;

/**
 * Creates a poster that sends to public hosts over HTTPS, and to the hosts in `connectTo` over plain HTTP, like a tunnel
 * that terminates TLS.
 * @param timeoutMs timeout of one POST as a whole
 * @param lookup resolves the names of public hosts
 */
export function createPoster(connectTo: ConnectTo, timeoutMs: number, lookup: LookupFunction = publicLookup) {
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
    /** Never rejects. A redirect counts as the response and isn't followed. */
    post: ({
      url,
      headers,
      body,
    }: Record<'url' | 'body', string> & { headers: Record<string, string> }): Promise<PostResult> =>
      new Promise((resolve) => {
        const target = new URL(url);
        let isConnected = false;
        const fail = (error: unknown) => {
          const result = { status: null, error: describeError(error) };
          resolve(isConnected ? result : { ...result, hint: connectHint(target, connectTo(target)) });
        };
        let request: http.ClientRequest;
        try {
          request = start(target, { ...headers, 'Content-Length': String(Buffer.byteLength(body)) });
        } catch (error) {
          fail(error);
          return;
        }
        open.add(request);
        request.on('socket', (socket) => {
          if (socket.connecting) socket.once('connect', () => (isConnected = true));
          else isConnected = true;
        });
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
        request.on('response', (response) => {
          const status = response.statusCode ?? 0;
          response.on('error', fail);
          response.on('end', () => resolve({ status, error: null }));
          response.resume();
        });
        request.end(body);
      }),
    /** Aborts the requests in flight. */
    abort,
    /** Aborts the requests in flight and closes all connections. */
    close(): void {
      abort();
      plain.destroy();
      secure.destroy();
    },
  };
}

/** How to reach a receiver that couldn't be reached. @param endpoint where `connectTo` sends its deliveries */
function connectHint({ host }: URL, endpoint: Endpoint | undefined): string {
  if (endpoint !== undefined)
    return `--connect-to sends deliveries for ${host} to ${endpoint.host}:${endpoint.port}: start the receiver there.`;
  return `If ${host} runs on this machine, restart the emulator with --connect-to ${host}=127.0.0.1:<port>.`;
}

function describeError(error: unknown): string {
  const { message, code } = error as { message?: string; code?: string };
  return message || code || 'the connection failed';
}

/**
 * Resolves a host name for a delivery, and rejects it if any of its addresses is local or private. A name that was public
 * when the subscription was created may point elsewhere later.
 */
const publicLookup: LookupFunction = (hostname, options, callback) => {
  resolveHost(hostname, { ...options, all: true }, (error, addresses) => {
    if (error !== null) {
      callback(error, '', 0);
      return;
    }
    const refused = addresses.find(({ address }) => isPrivateAddress(address));
    const [first] = addresses;
    if (refused !== undefined) callback(privateAddressError(hostname, refused.address), '', 0);
    else if (options.all === true || first === undefined) callback(null, addresses);
    else callback(null, first.address, first.family);
  });
};

/** The same check for a URL whose host is an IP address, which needs no lookup. */
function refusePrivateHost({ hostname }: URL): void {
  const address = hostname.replace(/^\[|\]$/g, '');
  if (isIP(address) !== 0 && isPrivateAddress(address)) throw privateAddressError(hostname, address);
}

function privateAddressError(host: string, address: string): Error {
  return new Error(`${host} is at the local or private address ${address}`);
}
