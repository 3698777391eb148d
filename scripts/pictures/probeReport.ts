import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startEmulator } from 'qr-service-emulator';

const COMMAND = fileURLToPath(new URL('../../packages/probe/bin/qr-service-probe.js', import.meta.url));
const HOOKS = 'hooks.example.com';

/**
 * Probes the emulator, with a proxy in front of its webhooks that changes their bodies.
 * @returns the file with the report as a page
 */
export async function probeReport(): Promise<string> {
  const port = await freePort();
  const proxy = await listen(
    createServer((incoming, outgoing) => {
      void incoming.toArray().then((chunks) => {
        const text = Buffer.concat(chunks as Buffer[]).toString();
        const { 'content-length': _length, ...headers } = incoming.headers;
        const sent = request({ port, method: incoming.method, headers, path: incoming.url }, (response) => {
          outgoing.writeHead(response.statusCode ?? 502);
          response.pipe(outgoing);
        });
        sent.on('error', () => outgoing.destroy());
        sent.end(text === '' ? text : JSON.stringify(JSON.parse(text), undefined, 1));
      });
    }),
  );
  const emulator = await startEmulator({
    seed: { codes: [{ name: 'Table 1', targetUrl: 'https://example.com/menu', status: 'published' }] },
    connectTo: { [HOOKS]: `127.0.0.1:${portOf(proxy)}` },
  });
  const file = join(tmpdir(), 'qr-service-probe-report.html');
  const files = ['--html', file, '--shape', join(tmpdir(), 'qr-service-probe-shape.json')];
  const hook = ['--webhook', `https://${HOOKS}/`, '--port', String(port)];
  const args = [COMMAND, '--base-url', emulator.url, '--write', ...hook, ...files];
  const env = { ...process.env, QR_SERVICE_API_KEY: emulator.apiKey };
  try {
    await once(spawn(process.execPath, args, { env, stdio: 'ignore' }), 'exit');
    return file;
  } finally {
    await emulator.stop();
    proxy.close();
  }
}

async function freePort(): Promise<number> {
  const server = await listen(createServer());
  const port = portOf(server);
  await once(server.close(), 'close');
  return port;
}

async function listen(server: Server): Promise<Server> {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return server;
}

const portOf = (server: Server) => (server.address() as AddressInfo).port;
