import { QrServiceClient } from '@qr-service/core';
import { undiciTransport } from '@qr-service/core/undici';
import { request } from 'undici';
import { startBareServer } from './bareServer.ts';
import { runConcurrently, compare, record } from './compare.ts';

const ROWS = 10_000;
/** Walks a round: one alone takes too short a time to be measured on a shared machine. */
const WALKS = 10;

/** How fast are 10,000 codes walked? */
export async function run(): Promise<void> {
  const server = await startBareServer();
  const client = new QrServiceClient({ baseUrl: server.url, apiKey: 'key', transport: undiciTransport() });
  const walk = async () => {
    let rows = 0;
    for await (const code of client.qr.list()) if (code.id !== '') rows++;
    check(rows);
  };
  const walkPages = async () => {
    let rows = 0;
    for await (const page of client.qr.list().pages())
      for (const code of page.rows) if (code.id !== '') rows++;
    check(rows);
  };
  const page = async () => {
    let rows = 0;
    let cursor: string | null = '';
    while (cursor !== null) {
      const url = `${server.url}/v1/public-api/qr?limit=100${cursor && `&cursor=${cursor}`}`;
      const { body } = await request(url, { headers: { authorization: 'Bearer key' } });
      const { data, pagination } = (await body.json()) as {
        data: { id: string }[];
        pagination: { nextCursor: string | null };
      };
      for (const code of data) if (code.id !== '') rows++;
      cursor = pagination.nextCursor;
    }
    check(rows);
  };
  const found = await compare(
    'Walking 10,000 codes, in codes',
    [
      { name: 'client.qr.list', operations: WALKS * ROWS, run: () => runConcurrently(WALKS, 1, walk) },
      {
        name: 'client.qr.list().pages()',
        operations: WALKS * ROWS,
        run: () => runConcurrently(WALKS, 1, walkPages),
      },
      { name: 'bare paging', operations: WALKS * ROWS, run: () => runConcurrently(WALKS, 1, page) },
    ],
    [{ of: 'bare paging', minRatio: 0.9 }],
  );
  record('walk', found);
  server.stop();
}

function check(rows: number): void {
  if (rows !== ROWS) throw new Error(`The walk gave ${rows} codes.`);
}
