import { QrServiceClient } from '@qr-service/core';
import { undiciTransport } from '@qr-service/core/undici';
import { request } from 'undici';
import { startBareServer } from './bareServer.ts';
import { runConcurrently, compare, record } from './compare.ts';

const ROWS = 10_000;
/** Lists per round. A single one is too short to measure on a shared machine. */
const LISTS = 10;

/** How fast is listing 10,000 codes? */
export async function run(): Promise<void> {
  const server = await startBareServer();
  const client = new QrServiceClient({ baseUrl: server.url, apiKey: 'key', transport: undiciTransport() });
  const listRows = async () => {
    let rows = 0;
    for await (const code of client.qr.list()) if (code.id !== '') rows++;
    check(rows);
  };
  const listPages = async () => {
    let rows = 0;
    for await (const page of client.qr.list().pages())
      for (const code of page.rows) if (code.id !== '') rows++;
    check(rows);
  };
  const pageBare = async () => {
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
    'Listing 10,000 codes, in codes',
    [
      { name: 'client.qr.list', operations: LISTS * ROWS, run: () => runConcurrently(LISTS, 1, listRows) },
      {
        name: 'client.qr.list().pages()',
        operations: LISTS * ROWS,
        run: () => runConcurrently(LISTS, 1, listPages),
      },
      { name: 'bare paging', operations: LISTS * ROWS, run: () => runConcurrently(LISTS, 1, pageBare) },
    ],
    [{ of: 'bare paging', minRatio: 0.9 }],
  );
  record('walk', found);
  server.stop();
}

function check(rows: number): void {
  if (rows !== ROWS) throw new Error(`The list returned ${rows} codes.`);
}
