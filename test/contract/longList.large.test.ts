import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { QrServiceClient } from '@qr-service/core';
import { undiciTransport } from '@qr-service/core/undici';
import { CODE } from '../support/faultyService/faultyService.ts';
import { startListService } from '../support/modelService/listService.ts';

test('reads a list of 100,000 rows in constant memory', async () => {
  const rows = Array.from({ length: 100_000 }, (_, at) => ({ ...CODE, id: `qr_${at}` }));
  const { url } = await startListService({ rows });
  const transport = undiciTransport();
  const client = new QrServiceClient({ baseUrl: url, apiKey: 'qrs_a_key', transport });
  setFlagsFromString('--expose-gc');
  const collectGarbage = runInNewContext('gc') as () => void;
  const heap = () => {
    collectGarbage();
    return process.memoryUsage().heapUsed / 2 ** 20;
  };

  let read = 0;
  let early = 0;
  let inOrder = 0;
  for await (const row of client.qr.list()) {
    if (row.id === `qr_${read}`) inOrder++;
    read++;
    if (read === 10_000) early = heap();
  }
  expect({ read, inOrder }).toEqual({ read: 100_000, inOrder: 100_000 });
  expect(heap() - early).toBeLessThan(10);
});
