import { closeServices, serve, type RequestHandler } from '../support/faultyService/faultyService.ts';
import { startWorld, type World } from './support/world.ts';
import { action, NODE } from './support/workflows.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterEach(closeServices);
afterAll(() => world.close());

const CODE = { id: 'qr_1', name: 'Door', slug: 'door-7hk2', publicUrl: 'https://r.example/door-7hk2' };

describe('the code picker', () => {
  async function search(filter: string | undefined, ...codes: object[]) {
    const service = await serve((_request, response) =>
      response.end(JSON.stringify({ data: codes, pagination: { nextCursor: null } })),
    );
    const engine = await world.engineWith({ baseUrl: service.url });
    const method = { nodeType: 'n8n-nodes-qr-service.qrService', method: 'searchQrCodes' };
    const { results } = await engine.search({ ...method, ...(filter === undefined ? {} : { filter }) });
    return results;
  }

  test.each<[string, object, object]>([
    ['all fields', {}, { name: 'Door (door-7hk2)', value: 'qr_1', url: CODE.publicUrl }],
    ['no name', { name: null }, { name: 'door-7hk2', value: 'qr_1', url: CODE.publicUrl }],
    ['no slug', { slug: null }, { name: 'Door (qr_1)', value: 'qr_1', url: CODE.publicUrl }],
    ['no link', { publicUrl: null }, { name: 'Door (door-7hk2)', value: 'qr_1' }],
    ['only an ID', { name: null, slug: null, publicUrl: null }, { name: 'qr_1', value: 'qr_1' }],
    ['numbers', { id: 1, name: 4, slug: 7, publicUrl: 9 }, { name: '4 (7)', value: '1', url: '9' }],
    ['fields missing', { name: undefined, slug: undefined }, { name: CODE.publicUrl }],
  ])('shows a code with %s, with and without a filter', async (_what, fields, shown) => {
    for (const filter of [undefined, '1'])
      expect(await search(filter, { ...CODE, ...fields })).toEqual([expect.objectContaining(shown)]);
  });
});

const page =
  (scans: object[], nextCursor?: string): RequestHandler =>
  (_request, response) =>
    response.end(JSON.stringify({ scans, pagination: { nextCursor }, allowedDimensions: ['country'] }));

async function getMany(parameters: object, ...pages: RequestHandler[]) {
  const { url } = await serve(...pages);
  const engine = await world.engineWith({ baseUrl: url });
  const { data } = await engine.runWorkflow(
    action({ resource: 'scan', operation: 'getAll', returnAll: true, ...parameters }),
  );
  return data[NODE]!.map(({ json }) => json);
}

const derived = expect.stringMatching(/^scan-[0-9a-f]{32}$/) as string;
const alike = { qrId: 'qr_1', scannedAt: '2026-01-15T10:02:11.000Z', country: 'CH' };

test('Scan: Get Many returns scans without IDs that are alike in every field once, across pages too', async () => {
  const german = { ...alike, country: 'DE' };
  const rows = await getMany({}, page([alike, alike], 'c1'), page([alike, german]));
  expect(rows).toEqual([alike, german].map((scan) => ({ id: derived, ...scan })));
  expect(new Set(rows.map(({ id }) => id)).size).toBe(2);
});

test('Scan: Get Many returns a scan with a repeated ID once, and Limit counts it once', async () => {
  const scan = (id: string) => ({ id, ...alike });
  const rows = await getMany(
    { returnAll: false, limit: 3 },
    page([scan('s1'), scan('s1')], 'c1'),
    page([scan('s2'), scan('s3'), scan('s4')]),
  );
  expect(rows).toEqual(['s1', 's2', 's3'].map((id) => ({ id, ...alike })));
});
