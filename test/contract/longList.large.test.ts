import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { QrServiceClient } from '@qr-service/core';
import { undiciTransport } from '@qr-service/core/undici';
import { closeServices, CODE, serve } from '../support/faultyService/faultyService.ts';

afterEach(closeServices);

test('reads a list of 100,000 rows in constant memory', async () => {
  const pageRows = 100;
  const { url } = await serve((request, response) => {
    const at = Number(new URL(request.url!, 'http://x').searchParams.get('cursor') ?? 0);
    const data = Array.from({ length: pageRows }, (_, index) => ({ ...CODE, id: `qr_${at + index}` }));
    const next = at + pageRows;
    response.end(JSON.stringify({ data, pagination: { nextCursor: next < 100_000 ? String(next) : null } }));
  });
  const transport = undiciTransport();
  const client = new QrServiceClient({ baseUrl: url, apiKey: 'qrs_a_key', transport });
  setFlagsFromString('--expose-gc');
  const collectGarbage = runInNewContext('gc') as () => void;
  const heap = () => (collectGarbage(), process.memoryUsage().heapUsed / 2 ** 20);

  let rows = 0;
  let early = 0;
  let inOrder = 0;
  for await (const row of client.qr.list()) {
    if (row.id === `qr_${rows}`) inOrder++;
    rows++;
    if (rows === 10_000) early = heap();
  }
  expect({ rows, inOrder }).toEqual({ rows: 100_000, inOrder: 100_000 });
  expect(heap() - early).toBeLessThan(10);
});
