import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { promisify } from 'node:util';

/** A request to a host that is stood in for. */
interface ThirdPartyRequest {
  host: string;
  method: string;
  url: URL;
  /** Body, byte for byte. */
  body: Buffer;
}

/** A JSON response, or a file. */
interface ThirdPartyResponse {
  status?: number;
  headers?: Record<string, string>;
  body: unknown;
}

/** Answers the requests of all hosts. Returns undefined for a request that the real host would reject. */
export type Respond = (request: ThirdPartyRequest) => ThirdPartyResponse | undefined;

const UNEXPECTED: ThirdPartyResponse = { status: 400, body: { message: 'Unexpected request' } };

/**
 * Starts a proxy for HTTPS requests. It answers them in place of these hosts, so a program's own requests to fixed
 * addresses can be tested unchanged, with real TLS. Needs the program openssl. Any other host is refused.
 */
export async function startTlsProxy(hosts: readonly string[], respond: Respond) {
  const folder = mkdtempSync(join(tmpdir(), 'qr-service-tls-'));
  const key = join(folder, 'key');
  const cert = join(folder, 'cert');
  await createCertificate(key, cert, hosts);
  const server = https.createServer({ key: readFileSync(key), cert: readFileSync(cert) });
  server.on('request', (request, response) => {
    void read(request).then((received) => {
      const { status = 200, headers, body } = respond(received) ?? UNEXPECTED;
      response
        .writeHead(status, { 'Content-Type': 'application/json', ...headers })
        .end(Buffer.isBuffer(body) ? body : JSON.stringify(body));
    });
  });
  const proxy = createServer();
  proxy.on('connect', ({ url = '' }: IncomingMessage, socket) => {
    if (!hosts.includes(url.replace(/:443$/, ''))) {
      socket.end('HTTP/1.1 403 Forbidden\r\n\r\n');
      return;
    }
    socket.write('HTTP/1.1 200 Connection Established\r\n\r\n');
    server.emit('connection', socket);
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  return {
    /** Environment variables of a process that has to use the proxy and trust its certificate. */
    env: {
      HTTPS_PROXY: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
      NO_PROXY: '127.0.0.1,localhost',
      NODE_EXTRA_CA_CERTS: cert,
      // A user's settings for npm may name another file.
      npm_config_cafile: cert,
    },
    async close() {
      server.closeAllConnections();
      proxy.closeAllConnections();
      proxy.close();
      await once(proxy, 'close');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Creates a key, and a certificate that signs itself. */
async function createCertificate(key: string, cert: string, hosts: readonly string[]): Promise<void> {
  const names = `subjectAltName=${hosts.map((host) => `DNS:${host}`).join(',')}`;
  const what = ['-newkey', 'rsa:2048', '-nodes', '-subj', '/CN=Test', '-addext', names, '-days', '2'];
  await promisify(execFile)('openssl', ['req', '-x509', ...what, '-keyout', key, '-out', cert]);
}

async function read(request: IncomingMessage): Promise<ThirdPartyRequest> {
  const { host = '' } = request.headers;
  const url = new URL(request.url ?? '/', `https://${host}`);
  return { host, method: request.method ?? 'GET', url, body: await buffer(request) };
}
