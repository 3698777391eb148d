// Answers with a code's summary, or with a page of 100 of them, in a process of its own, so that it takes no
// time of the client's.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { SAMPLE_QR_CODE } from '@qr-service/core/connector';

const PAGE_ROWS = 100;
const LIST_ROWS = 10_000;

/** A bare server in a process of its own. */
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
