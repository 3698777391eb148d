import {
  closeWorlds,
  requestsOf,
  startServer,
  startWorld,
  type CheckedResult,
  type McpServerUnderTest,
  type World,
} from './support/world.ts';

let world: World;
/** Another process, which doesn't know what the first one has done. */
let other: McpServerUnderTest;
beforeAll(async () => {
  world = await startWorld();
  other = await startServer(world.emulator);
});
/** The server remembers its rows: each test has its own. */
let testNumber = 0;
beforeEach(() => {
  world.emulator.control.reset();
  testNumber += 1;
});
afterAll(closeWorlds);

const name = (number: number) => `Table ${testNumber}.${number}`;
const url = (path: string | number) => `https://example.com/${testNumber}/${path}`;
const row = (number: number, path: string | number = number) => ({
  name: name(number),
  targetUrl: url(path),
});
const rows = (count: number) => Array.from({ length: count }, (_, index) => row(index + 1));
const upsert = (args: Record<string, unknown>, settings = {}) =>
  world.server.call('upsert_qr_codes', args, settings);
const outcomes = ({ data }: CheckedResult) =>
  data.results.map(({ outcome }: { outcome: string }) => outcome) as string[];
const idsOf = ({ data }: CheckedResult) =>
  data.results.map(({ qrCode }: { qrCode?: { id: string } }) => qrCode?.id) as string[];
const codes = async () => (await world.server.call('find_qr_codes', { limit: 100 })).data.qrCodes;
const writes = () => requestsOf(world.emulator).filter((request) => request.startsWith('POST'));
const leadsTo = async (publicUrl: unknown) =>
  (await fetch(String(publicUrl), { redirect: 'manual' })).headers.get('location');

test('a list is kept in step with its codes: created, updated, unchanged', async () => {
  const first = await upsert({ rows: rows(3) });
  expect(outcomes(first)).toEqual(['created', 'created', 'created']);
  const [one, two, three] = first.data.results.map(({ qrCode }: { qrCode: object }) => qrCode);
  expect(one).toMatchObject({ name: name(1), status: 'published', targetUrl: url(1) });

  const list = [
    { code: one.id, targetUrl: url('new') },
    { code: two.publicUrl, name: 'Renamed in the list', targetUrl: url(2) },
    { code: three.publicUrl, targetUrl: url('third') },
    row(4),
  ];
  const second = await upsert({ rows: list });
  expect(outcomes(second)).toEqual(['updated', 'unchanged', 'updated', 'created']);
  expect(idsOf(second).slice(0, 3)).toEqual([one.id, two.id, three.id]);
  expect(second.data).toMatchObject({ succeeded: 4, failed: 0 });
  expect(second.data.results[1].qrCode.name).toBe(name(2));
  const previous = second.data.results.map(({ previousUrl }: { previousUrl?: string }) => previousUrl);
  expect(previous).toEqual([url(1), undefined, url(3), undefined]);
  expect(second.text).toContain(`(pointed to ${url(1)} before)`);
  expect(await leadsTo(one.publicUrl)).toBe(url('new'));
  expect(await leadsTo(two.publicUrl)).toBe(url(2));
  expect(await leadsTo(three.publicUrl)).toBe(url('third'));

  const before = writes().length;
  expect(outcomes(await upsert({ rows: list.slice(0, 3) }))).toEqual(Array(3).fill('unchanged'));
  expect(writes()).toHaveLength(before);
  expect(await codes()).toHaveLength(4);
});

test('codes are matched by name where chosen', async () => {
  const first = await upsert({ rows: [row(1), row(1), row(2)], matchBy: 'name' });
  const [id, same] = idsOf(first);
  expect(outcomes(first)).toEqual(['created', 'unchanged', 'created']);
  expect(same).toBe(id);
  const again = await other.call('upsert_qr_codes', { rows: [row(1, 'B')], matchBy: 'name' });
  expect(again.data.results).toMatchObject([{ outcome: 'updated', qrCode: { id } }]);
  expect(await leadsTo(again.data.results[0].qrCode.publicUrl)).toBe(url('B'));
  expect(await codes()).toHaveLength(2);
});

test('rows with one name and different targets fail, and nothing is sent for them', async () => {
  const { data } = await upsert({ rows: [row(1), row(2), row(1, 'later')], matchBy: 'name' });
  expect(data.results.map(({ outcome }: { outcome: string }) => outcome)).toEqual([
    'failed',
    'created',
    'failed',
  ]);
  expect(data.results[2].error).toMatchObject({
    code: 'conflicting_rows',
    message: expect.stringContaining('in row 1 and'),
  });
  expect(await codes()).toHaveLength(1);
});

test('100 rows succeed or fail alone, report progress, and need few requests to look codes up', async () => {
  const created = await upsert({ rows: rows(100) });
  expect(created.data).toMatchObject({ succeeded: 100, failed: 0 });
  const list = idsOf(created).map((code, index) => ({ code, targetUrl: url(`next/${index}`) }));
  const before = requestsOf(world.emulator).length;
  const { data, text, isError } = await upsert(
    { rows: list.with(41, { code: list[41]!.code, targetUrl: 'example' }) },
    { onprogress: () => undefined },
  );
  expect(isError).toBe(false);
  expect(data).toMatchObject({ succeeded: 99, failed: 1 });
  expect(data.results[41]).toEqual({
    row: 42,
    outcome: 'failed',
    error: expect.objectContaining({ code: 'validation_failed' }),
  });
  expect(text.split('\n')).toHaveLength(101);
  expect(text).toMatch(/^Created 0, updated 99 and left 0 unchanged of 100\. 1 row failed\.\n/);
  const reads = requestsOf(world.emulator)
    .slice(before)
    .filter((request) => request.startsWith('GET'));
  expect(reads.length).toBeLessThan(10);
  const steps = world.server.progress().map(({ progress }) => progress);
  expect(steps.at(-1)).toBe(100);
});

test('calls at the same time change a code in the order of the calls', async () => {
  const { data } = await upsert({ rows: [row(1)] });
  const { publicUrl } = data.results[0].qrCode;
  world.emulator.control.failNext({ status: 503, match: { path: '/qr' } });
  await Promise.all(
    ['A', 'B', 'A', 'C'].map((path) => upsert({ rows: [{ code: publicUrl, targetUrl: url(path) }] })),
  );
  expect(await leadsTo(publicUrl)).toBe(url('C'));
});

describe('a row that names no code', () => {
  test('makes one code however often it is repeated, and create_qr_codes returns the same', async () => {
    const first = await upsert({ rows: [row(1), row(1), row(2), row(1)] });
    expect(outcomes(first)).toEqual(['created', 'unchanged', 'created', 'unchanged']);
    expect(outcomes(await upsert({ rows: [row(1)] }))).toEqual(['unchanged']);
    const { data } = await world.server.call('create_qr_codes', { rows: [row(1)] });
    expect(data.results).toMatchObject([{ repeated: true, qrCode: { id: idsOf(first)[0] } }]);
    expect(await codes()).toHaveLength(2);
  });

  test('points its code to the target again after it was moved elsewhere', async () => {
    const [code] = idsOf(await upsert({ rows: [row(1)] }));
    const moved = await world.server.call('retarget_qr_code', { code, url: url('elsewhere') });
    expect(moved.data).toMatchObject({ previousUrl: url(1), qrCode: { targetUrl: url('elsewhere') } });
    const again = await upsert({ rows: [row(1)] });
    expect(again.data.results).toMatchObject([{ outcome: 'updated', qrCode: { id: code } }]);
    expect(await leadsTo(again.data.results[0].qrCode.publicUrl)).toBe(url(1));
  });
});

test('a code that create_qr_codes has created is found while no list shows it yet', async () => {
  const late = await startWorld({ visibleAfterMs: 3_600_000 });
  const call = (tool: string, args: object) => late.server.call(tool, { ...args });
  const { data } = await call('create_qr_codes', { rows: [row(1)] });
  const { id, publicUrl } = data.results[0].qrCode;
  const byName = await call('upsert_qr_codes', { rows: [row(1, 'B')], matchBy: 'name' });
  const byLink = await call('upsert_qr_codes', { rows: [{ code: publicUrl, targetUrl: url('C') }] });
  for (const result of [byName, byLink])
    expect(result.data.results).toMatchObject([{ outcome: 'updated', qrCode: { id } }]);
  expect(await leadsTo(publicUrl)).toBe(url('C'));
});

describe('a lost response', () => {
  test('of retarget_qr_code leaves an unknown destination, although reads are late', async () => {
    const { control } = world.emulator;
    const [code] = idsOf(await upsert({ rows: [row(1)] }));
    control.clock.advance(2000);
    control.changeSettings({ readLagMs: 1000 });
    control.failNext({ drop: 'after', times: Infinity, match: { path: '/qr/*/destination' } });
    const moved = await world.server.call('retarget_qr_code', { code, url: url('B') });
    expect(moved.isError).toBe(true);
    control.clearFaults();
    const { data } = await upsert({ rows: [{ code, targetUrl: url(1) }] });
    expect(data.results).toMatchObject([{ outcome: 'updated' }]);
    expect(data.results[0]).not.toHaveProperty('previousUrl');
    expect(await leadsTo(data.results[0].qrCode.publicUrl)).toBe(url(1));
  });

  test('to every try leaves a code that the same row finds', async () => {
    const call = () => other.call('upsert_qr_codes', { rows: [row(1)], matchBy: 'name' });
    const match = { method: 'POST', path: '/qr' };
    world.emulator.control.failNext({ times: Infinity, drop: 'after', match });
    const { data } = await call();
    expect(data.results).toMatchObject([{ outcome: 'failed', error: { retryable: true } }]);
    expect(data.results[0].error.message).toContain("won't create a duplicate");
    world.emulator.control.clearFaults();
    const again = await call();
    expect(again.data).toMatchObject({ succeeded: 1 });
    expect(again.data.results[0].qrCode.status).toBe('published');
    expect(await codes()).toHaveLength(1);
  });
});

test('a code that is created but not published is named, and repeating the row publishes it', async () => {
  world.emulator.control.failNext({ code: 'approval_required', match: { path: '/qr/*/publish' } });
  const first = await upsert({ rows: [row(1)] });
  const [result] = first.data.results;
  expect(result).toMatchObject({ outcome: 'not_published', error: { code: 'not_published' } });
  expect(result.error.message).toContain(
    'Calling upsert_qr_codes again with the same row in this session is safe too',
  );
  const again = await upsert({ rows: [row(1)] });
  expect(again.data).toMatchObject({ succeeded: 1 });
  expect(again.data.results[0].qrCode).toMatchObject({ id: result.qrCode.id, status: 'published' });
  expect(await codes()).toHaveLength(1);
});

test('a failure that concerns other rows stops only them', async () => {
  const { control } = world.emulator;
  const list = idsOf(await upsert({ rows: rows(20) })).map((code) => ({ code, targetUrl: url('next') }));
  control.failNext({ code: 'workspace_mismatch', match: { path: '/qr/*/destination' } });
  expect((await upsert({ rows: list })).data).toMatchObject({ succeeded: 19, failed: 1 });
  control.failNext({ code: 'quota_exceeded', match: { method: 'POST', path: '/qr' } });
  expect((await upsert({ rows: [row(99), ...list] })).data).toMatchObject({ succeeded: 20, failed: 1 });
});
