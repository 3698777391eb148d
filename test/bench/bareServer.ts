// Returns a code, or a page of 100 codes. Runs in its own process, so that it takes no CPU time from the client.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { SAMPLE_QR_CODE } from '@qr-service/core/connector';

const PAGE_ROWS = 100;
const LIST_ROWS = 10_000;

/** A bare server in its own process. */
export interface BareServer {
  url: string;
  stop: () => void;
}

export async function startBareServer(): Promise<BareServer> {
  const child = fork(fileURLToPath(import.meta.url));
  const [port] = (await once(child, 'message')) as [number];
  return { url: `http://127.0.0.1:${port}`, stop: () => child.disconnect() };
}

function serve(): void {
  const code = JSON.stringify(SAMPLE_QR_CODE);
  const rows = JSON.stringify(Array.from({ length: PAGE_ROWS }, () => SAMPLE_QR_CODE));
  const headers = {
    'Content-Type': 'application/json',
    'X-RateLimit-Limit': '1000000',
    'X-RateLimit-Remaining': '999999',
    'X-RateLimit-Reset': '1',
  };
  const server = createServer((request, response) => {
    response.writeHead(200, headers);
    if (!request.url?.includes('/qr?')) return response.end(code);
    const next = Number(new URL(request.url, 'http://x').searchParams.get('cursor') ?? 0) + PAGE_ROWS;
    return response.end(
      `{"data":${rows},"pagination":{"nextCursor":${next < LIST_ROWS ? `"${next}"` : 'null'}}}`,
    );
  });
  server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
  process.on('disconnect', () => process.exit(0));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) serve();
