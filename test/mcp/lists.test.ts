import { closeServices, serve } from '../support/faultyService/faultyService.ts';
import { closeWorlds, startServer, startWorld, type World } from './support/world.ts';

const HOUR_MS = 3_600_000;
const START = Date.parse('2026-01-05T00:00:00Z');
const [MONDAY, WEDNESDAY, NEXT_MONDAY] = ['2026-01-05', '2026-01-07', '2026-01-12'];
const TABLES = [3, 4, 5];
/** Every third hour, for ten days. */
const TIMES = Array.from({ length: 80 }, (_, nth) => new Date(START + 3 * nth * HOUR_MS).toISOString());
const WEEK = TIMES.filter((time) => time < NEXT_MONDAY);
const SCANS = TABLES.length * TIMES.length;
const SEED = {
  codes: Array.from({ length: 10 }, (_, nth) => ({
    id: `qr_${nth}`,
    name: `Table ${nth}`,
    slug: `table-${nth}`,
    targetUrl: 'https://example.com',
    status: 'published' as const,
    scans: TABLES.includes(nth) ? TIMES.map((scannedAt) => ({ scannedAt, country: 'DE' })) : [],
  })),
};

let world: World;
beforeAll(async () => {
  world = await startWorld({ seed: SEED });
});
afterEach(closeServices);
afterAll(closeWorlds);

const call = async (tool: string, args: Record<string, unknown>) =>
  (await world.server.call(tool, args)).data;
const sum = (counts: Record<string, number> | number[]) => Object.values(counts).reduce((a, b) => a + b, 0);

test('scans add up over windows, over the pages of a cursor, and after new ones', async () => {
  const all = await call('list_scans', {});
  expect(all).toMatchObject({ count: SCANS, complete: true, perCode: { qr_3: 80, qr_4: 80, qr_5: 80 } });
  expect(sum(all.perDay)).toBe(SCANS);
  const windows = [{ until: WEDNESDAY }, { since: WEDNESDAY, until: NEXT_MONDAY }, { since: NEXT_MONDAY }];
  const counted = await Promise.all(windows.map((window) => call('list_scans', window)));
  expect(sum(counted.map(({ count }) => count as number))).toBe(SCANS);
  const ids: string[] = [];
  for (let cursor: string | undefined, isFirst = true; isFirst || cursor; isFirst = false) {
    const { scans, nextCursor } = await call('list_scans', { since: MONDAY, code: 'qr_4', limit: 7, cursor });
    ids.push(...scans.map(({ id }: { id: string }) => id));
    cursor = nextCursor;
  }
  expect([ids.length, new Set(ids).size]).toEqual([TIMES.length, TIMES.length]);
  await fetch((await call('get_qr_code', { code: 'qr_4' })).qrCode.publicUrl, { redirect: 'manual' });
  const later = await call('list_scans', { since: TIMES.at(-1), code: 'qr_4' });
  expect(later).toMatchObject({ count: 2, complete: true, scans: [{ qrId: 'qr_4' }, { qrId: 'qr_4' }] });
});

test('scans of one code in a week are counted by its short link, per day, in one call', async () => {
  const code = `${world.emulator.url}/r/table-4`;
  const { data, text } = await world.server.call('list_scans', { code, since: MONDAY, until: NEXT_MONDAY });
  const count = WEEK.length;
  const perDay = { '2026-01-11': 8 };
  expect(data).toMatchObject({ count, perCode: { qr_4: count }, perDay, complete: true });
  const parts = [
    `${count} scans were found.`,
    'Per QR code: qr_4: ',
    '2026-01-11: 8',
    "can't filter by code",
  ];
  for (const part of parts) expect(text).toContain(part);
});

test('a code that does not exist is named instead of counted as zero', async () => {
  const { error } = await call('list_scans', { code: 'Table 4' });
  expect(error).toMatchObject({ code: 'not_found' });
});

test('a scan without a code or a time is named', async () => {
  const data = [
    { id: 's1', qrId: 'qr_1', scannedAt: '2026-01-05T01:00:00Z', os: null, browser: '' },
    { id: 's2', qrId: 'qr_1' },
    { id: 's3', scannedAt: '2026-01-05T02:00:00Z' },
  ];
  const { url } = await serve((_request, response) => response.end(JSON.stringify({ data })));
  const server = await startServer({ url, apiKey: 'key' });
  const all = await server.call('list_scans');
  const perCode = { qr_1: 2, unknown: 1 };
  expect(all.data).toMatchObject({ count: 3, perCode, perDay: { '2026-01-05': 2, unknown: 1 } });
  expect(all.text).toMatch(/^2026-01-05T01:00:00.000Z · QR code qr_1$/m);
  const one = await server.call('list_scans', { code: 'qr_1' });
  expect(one.data).toMatchObject({ count: 2, read: 3, withoutCode: 1 });
  expect(one.text).toContain("1 were left out because they don't name their code.");
});
