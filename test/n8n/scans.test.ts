import { closeServices, serve, type Answer } from '../../harness/faultyService/faultyService.ts';
import { startWorld, type World } from './support/world.ts';
import { action, NODE } from './support/workflows.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterEach(closeServices);
afterAll(() => world.close());

const page =
  (scans: object[], nextCursor?: string): Answer =>
  (_request, response) =>
    response.end(JSON.stringify({ scans, pagination: { nextCursor }, allowedDimensions: ['country'] }));

async function getMany(parameters: object, ...pages: Answer[]) {
  const { url } = await serve(...pages);
  const engine = await world.engineWith({ baseUrl: url });
  const { data } = await engine.runWorkflow(
    action({ resource: 'scan', operation: 'getAll', returnAll: true, ...parameters }),
  );
  return data[NODE]!.map(({ json }) => json);
}

const alike = { qrId: 'qr_1', scannedAt: '2026-01-15T10:02:11.000Z', country: 'CH' };

test('Scan: Get Many gives scans that are alike and have no ID a scanId each, over pages too', async () => {
  const rows = await getMany({}, page([alike, alike], 'c1'), page([alike, { ...alike, country: 'DE' }]));
  const ids = rows.map(({ scanId }) => scanId as string);
  expect(ids).toEqual([ids[0], `${ids[0]}-2`, `${ids[0]}-3`, expect.stringMatching(/^scan-[0-9a-f]{32}$/)]);
  expect(new Set(ids).size).toBe(4);
  expect(rows.slice(0, 3)).toEqual(ids.slice(0, 3).map((scanId) => ({ scanId, ...alike })));
});

test('Scan: Get Many returns a scan with a repeated ID once, and Limit counts it once', async () => {
  const scan = (id: string) => ({ id, ...alike });
  const rows = await getMany(
    { returnAll: false, limit: 3 },
    page([scan('s1'), scan('s1')], 'c1'),
    page([scan('s2'), scan('s3'), scan('s4')]),
  );
  expect(rows).toEqual(['s1', 's2', 's3'].map((id) => ({ scanId: id, id, ...alike })));
});
