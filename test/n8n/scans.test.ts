import type { INodeParameters, ITaskData } from 'n8n-workflow';
import { startListService } from '../support/modelService/listService.ts';
import { action, codeBy, NODE, onPoll } from './support/workflows.ts';
import { startWorld, type World } from './support/world.ts';

/** On which days the first two codes were scanned. The others were scanned once. */
const DAYS = [[], [0, 1]];

let world: World;
beforeAll(async () => {
  const codes = Array.from({ length: 121 }, (_, n) => ({
    id: `qr_${n}`,
    name: `Code ${n}`,
    slug: `${n}`,
    targetUrl: 'https://example.com/',
    status: 'published' as const,
    scans: (DAYS[n] ?? [n % 2]).map((day) => ({ scannedAt: `2026-01-1${day}T20:00Z` })),
  }));
  world = await startWorld({ maxLimit: 100, seed: { codes } });
});
afterAll(() => world.close());

const COUNT = { resource: 'scan', operation: 'count' };
const LIST = { resource: 'scan', operation: 'getAll', returnAll: true };
const of = (id: string) => ({ qrCodeId: codeBy('id', id) });
const requests = () => world.emulator.control.requestCount();

async function run(parameters: INodeParameters, engine = world.engine) {
  const before = requests();
  const workflow = { ...action(parameters), settings: { timezone: 'Asia/Kolkata' } };
  const { data, error, run: record } = await engine.runWorkflow(workflow);
  const { hints } = record.data.resultData.runData[NODE]![0] as ITaskData;
  const rows = data[NODE]?.map(({ json }) => json) ?? [];
  return { rows, error: error?.message, hint: hints?.[0]?.message, sent: requests() - before };
}

// Midnight in India is at 18:30 UTC.
const BY_DAY = [61, 60].map((scans, day) => ({ day: `2026-01-${11 + day}`, scans }));
const UNTIL = '2026-01-10T18:30:00.000Z';

// A page has 50 scans or 100 codes.
test.each<[INodeParameters, count: number, first: object, sent: number]>([
  [{}, 120, { id: 'qr_1', name: 'Code 1', scans: 2, since: null, until: null }, 5],
  [{ groupBy: 'day' }, 2, BY_DAY[0]!, 3],
  [{ groupBy: 'none' }, 1, { scans: 121 }, 3],
  [{ groupBy: 'none', filters: { until: '2026-01-11' } }, 1, { scans: 0, until: UNTIL }, 2],
  [{ groupBy: 'day', filters: { since: '2027-01-01' } }, 0, {}, 1],
  [{ filters: of('qr_1') }, 1, { id: 'qr_1', name: 'Code 1', scans: 2 }, 4],
  [{ filters: of('qr_0') }, 1, { id: 'qr_0', name: 'Code 0', scans: 0 }, 4],
  [{ groupBy: 'day', filters: of('qr_0') }, 0, {}, 4],
])('counts with %j', async (parameters, count, first, sent) => {
  const { rows, hint, ...counted } = await run({ ...COUNT, ...parameters });
  expect([rows.length, counted.sent, hint]).toEqual([
    count,
    sent,
    expect.stringMatching(/^Scans read, of all QR codes: \d+\.$/),
  ]);
  expect(rows[0] ?? {}).toMatchObject(first);
  for (const { id, name } of rows) if (id !== undefined) expect(name).toBe(`Code ${(id as string).slice(3)}`);
});

test('reads the names for all items of a run from the same list', async () => {
  const before = requests();
  const filters = { since: '={{ $json.since }}' };
  await world.engine.runWorkflow(action({ ...COUNT, filters }, [{ since: '2027-01-01' }, {}]));
  expect(requests() - before).toBe(6);
});

test('lists the scans of a code in a period, with its name', async () => {
  const { rows } = await run({ ...LIST, filters: { ...of('qr_1'), until: '2026-01-11T20:00:00Z' } });
  const scannedCode = { name: 'Code 1', publicUrl: `${world.emulator.url}/r/1` };
  expect(rows).toMatchObject([{ qrId: 'qr_1', scannedAt: '2026-01-10T20:00:00.000Z', scannedCode }]);
});

test.each<[INodeParameters, says: string, sent: number]>([
  [of('qr_none'), "QR code qr_none doesn't exist", 4],
  [of(''), 'QR Code is empty', 0],
  [of('={{ $json.code }}'), 'QR Code is empty', 0],
  [{ since: '2026-02-01', until: '2026-01-01' }, 'later than Since (2026-01-31T18:30:00.000Z)', 0],
])('neither counts nor lists with %j', async (filters, says, sent) => {
  for (const operation of [COUNT, LIST]) {
    const failed = await run({ ...operation, filters });
    expect([failed.error, failed.sent]).toEqual([expect.stringContaining(says), sent]);
  }
});

test('without the scope qr:read, leaves the names empty, and says so', async () => {
  const { apiKey } = world.emulator.control.createKey({ scopes: ['analytics:read'] });
  const engine = await world.engineWith({ apiKey });
  const empty = { name: null, publicUrl: null };
  const hint = expect.stringContaining(
    'The names of QR codes are empty. The API key lacks the scope qr:read.',
  );
  const counted = await run({ ...COUNT, filters: of('qr_none') }, engine);
  expect(counted).toMatchObject({ rows: [{ id: 'qr_none', ...empty, scans: 0 }], hint });
  const listed = await run({ ...LIST, filters: of('qr_1') }, engine);
  expect(listed).toMatchObject({ rows: [{ scannedCode: empty }, {}], hint });
  const nameless = { groupBy: 'day', includeQrCode: false, filters: of('qr_none') };
  for (const operation of [COUNT, LIST]) {
    const unchecked = await run({ ...operation, ...nameless }, engine);
    expect(unchecked.hint).toMatch('The QR code may not exist. The API key lacks the scope qr:read.');
    expect(unchecked.hint).not.toContain('names');
  }
});

test('counts scans that are alike once, and those without a code apart, but lists and polls them with any code', async () => {
  const at = { scannedAt: '2026-01-15T10:00:00.000Z', name: 'Door', publicUrl: 'https://r.example/door' };
  const rows = [{ id: 'qr_1', qrId: 'qr_1', ...at }, { id: 'qr_2', qrId: 'qr_2', ...at }, at, at];
  const { url } = await startListService({ rows, pageSize: 3 });
  const engine = await world.engineWith({ baseUrl: url });
  const all = await run(COUNT, engine);
  expect(all.rows[2]).toMatchObject({ id: null, name: '(no QR code)', publicUrl: null, scans: 1 });
  const total = await run({ ...COUNT, groupBy: 'none' }, engine);
  expect(total.rows).toMatchObject([{ scans: 3, scansWithoutQrCode: 1 }]);
  expect(total.hint).toMatch("Scans that don't name their QR code, and are counted: 1.");
  const counted = await run({ ...COUNT, filters: of('qr_1') }, engine);
  expect(counted.rows).toMatchObject([{ id: 'qr_1', scans: 1, scansWithoutQrCode: 1 }]);
  expect(counted.hint).toMatch("Scans that don't name their QR code, and weren't counted: 1.");
  const listed = await run({ ...LIST, filters: of('qr_1') }, engine);
  expect(listed.hint).toBe("Scans that don't name their QR code, and may be of another one: 1.");
  const polled = await polling('qr_1', {}, engine).test();
  for (const ids of [listed.rows, polled.map(({ json }) => json)].map((found) => found.map(({ id }) => id)))
    expect(ids).toEqual(['qr_1', expect.stringMatching(/^scan-[0-9a-f]{32}$/)]);
});

function polling(qrCodes: string, staticData = {}, engine = world.engine) {
  const json = onPoll('scans');
  json.nodes[0]!.parameters['qrCodes'] = qrCodes;
  return engine.pollTrigger(json, NODE, staticData);
}

test('the trigger returns scans of its codes, looks them up once, and has the same marks as without them', async () => {
  const link = (n: number) => `${world.emulator.url}/r/${n}`;
  const all = polling('');
  const own = polling(`qr_1, , ${link(2)},`);
  for (const trigger of [all, own]) await trigger.activate();
  for (const n of [1, 2, 3]) await fetch(link(n), { redirect: 'manual' });
  expect((await all.tick()).items).toHaveLength(3);
  own.restart();
  const before = requests();
  expect((await own.tick()).items.map(({ json }) => json['qrId'])).toEqual(['qr_1', 'qr_2']);
  expect(requests() - before).toBe(1);
  const [marks, ownMarks] = [all, own].map(
    ({ staticData }) => (staticData[`node:${NODE}`] as { scans: object }).scans,
  );
  expect(ownMarks).toEqual({ ...marks, codes: expect.anything(), since: expect.anything() });
  const says = /qr_none doesn't exist|No QR code has the short link/;
  await expect(polling(' , ,').test()).rejects.toThrow('QR Codes must be short links or IDs');
  for (const unknown of ['qr_none', 'r.example/none']) {
    await expect(polling(unknown).test()).rejects.toThrow(says);
    await expect(polling(unknown).activate()).rejects.toThrow(says);
    await expect(polling(`qr_1, ${unknown}`, own.staticData).activate()).rejects.toThrow(says);
  }
});
