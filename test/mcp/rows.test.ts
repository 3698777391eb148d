import { CODE, closeServices, serve } from '../support/faultyService/faultyService.ts';
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
afterAll(async () => {
  await closeWorlds();
  closeServices();
});

const name = (number: number) => `Table ${testNumber}.${number}`;
const url = (path: string | number) => `https://example.com/${testNumber}/${path}`;
const row = (number: number, path: string | number = number) => ({
  name: name(number),
  targetUrl: url(path),
});
const rows = (count: number) => Array.from({ length: count }, (_, index) => row(index + 1));
const [CREATE, UPSERT] = ['create_qr_codes', 'upsert_qr_codes'];
const create = (args: object) => world.server.call(CREATE, { ...args });
const upsert = (args: object) => world.server.call(UPSERT, { ...args });
const outcomes = ({ data }: CheckedResult) =>
  data.results.map(({ outcome }: { outcome: string }) => outcome) as string[];
const idsOf = ({ data }: CheckedResult) =>
  data.results.map(({ qrCode }: { qrCode?: { id: string } }) => qrCode?.id) as string[];
const codes = async () => (await world.server.call('find_qr_codes', { limit: 100 })).data.qrCodes;
const leadsTo = async (publicUrl: unknown) =>
  (await fetch(String(publicUrl), { redirect: 'manual' })).headers.get('location');
const POST_QR = { method: 'POST', path: '/qr' };

describe.each([CREATE, UPSERT])('rows of %s', (tool) => {
  const call = (args: object, settings = {}) => world.server.call(tool, { ...args }, settings);

  test('succeed or fail alone, 100 at once, with progress that only increases', async () => {
    const bad = { name: 'Table 42', targetUrl: 'example/42' };
    const { data, isError, text } = await call(
      { rows: rows(100).with(41, bad) },
      { onprogress: () => undefined },
    );
    expect(isError).toBe(false);
    expect(data).toMatchObject({ succeeded: 99, failed: 1 });
    expect(data.results.map((result: { row: number }) => result.row)).toEqual(
      rows(100).map((_, at) => at + 1),
    );
    expect(data.results[99].qrCode).toMatchObject({ name: name(100), status: 'published' });
    const error = { code: 'validation_failed', retryable: false, message: expect.any(String) as string };
    expect(data.results[41]).toEqual({ row: 42, outcome: 'failed', error });
    expect(text.split('\n')).toHaveLength(101);
    expect(text.length).toBeLessThan(20_000);
    expect(await codes()).toHaveLength(99);
    const steps = world.server.progress().map(({ progress }) => progress);
    expect(steps).toEqual([...new Set(steps)].sort((a, b) => a - b));
    expect(world.server.progress().splice(0).at(-1)).toMatchObject({ progress: 100, total: 100 });
  });

  test('that are created but not published are named, and repeating them publishes them', async () => {
    world.emulator.control.failNext({ code: 'approval_required', match: { path: '/qr/*/publish' } });
    const first = await call({ rows: [row(1)] });
    const [result] = first.data.results;
    expect(first).toMatchObject({ isError: false, data: { succeeded: 0, failed: 1 } });
    expect(result).toMatchObject({ outcome: 'not_published', error: { code: 'not_published' } });
    expect(result.error.message).toContain(`The QR code ${result.qrCode.id} was created but not published`);
    expect(result.error.message).toContain('publish it with publish_qr_code.');
    expect(result.error.message).toContain(
      `Calling ${tool} again with the same row in this session is safe too`,
    );
    const again = await call({ rows: [row(1)] });
    expect(again.data.results[0].qrCode).toMatchObject({ id: result.qrCode.id, status: 'published' });
    expect(await codes()).toHaveLength(1);
  });

  test('whose responses are all lost may have their code, and repeating them returns it', async () => {
    world.emulator.control.failNext({ times: Infinity, drop: 'after', match: POST_QR });
    const { data } = await call({ rows: [row(1)] });
    expect(data.results).toMatchObject([{ outcome: 'failed', error: { retryable: true } }]);
    expect(data.results[0].error.message).toContain("won't create a duplicate");
    world.emulator.control.clearFaults();
    const again = await call({ rows: [row(1)] });
    expect(again.data).toMatchObject({ succeeded: 1, results: [{ qrCode: { status: 'published' } }] });
    expect(await codes()).toHaveLength(1);
  });
});

test('repeated rows return the same code, copy makes another one, and so does another session', async () => {
  const first = await create({ rows: [row(1), row(2), row(1)] });
  const [one, two] = idsOf(first);
  expect(first.data.results).toMatchObject([{}, {}, { repeated: true, qrCode: { id: one } }]);
  expect(first.data.results[0].repeated).toBeUndefined();
  const second = await create({ rows: [row(1), { ...row(1), copy: 2 }, { ...row(1), copy: '2' }] });
  const [same, copy, sameCopy] = idsOf(second);
  expect([same, sameCopy]).toEqual([one, copy]);
  expect(second.text).toContain('set copy to create another');
  const [elsewhere] = idsOf(await other.call(CREATE, { rows: [row(1)] }));
  expect(new Set([one, two, copy, elsewhere]).size).toBe(4);
  expect(await codes()).toHaveLength(4);
});

test.each([
  ['all scopes', undefined],
  ['a key that may only write', ['qr:write'] as const],
])('a repeated row returns its code as it is now, with %s', async (_what, scopes) => {
  const { control, apiKey } = world.emulator;
  const key = scopes === undefined ? apiKey : control.createKey({ scopes: [...scopes] }).apiKey;
  const server = await startServer({ ...world.emulator, apiKey: key });
  const call = (args: object) => server.call(CREATE, { rows: [row(1)], ...args });
  const [code] = idsOf(await call({ publish: false }));
  await server.call('publish_qr_code', { code });
  await server.call('retarget_qr_code', { code, url: url('new') });
  for (const publish of [true, false]) {
    const [result] = (await call({ publish })).data.results;
    expect(result).toMatchObject({ repeated: true, qrCode: { id: code, name: name(1) } });
    expect(result.qrCode.status).not.toBe('draft');
    // Whether somebody else has changed it, only a key that reads can tell.
    expect(result.qrCode.targetUrl).toBe(scopes === undefined ? url('new') : undefined);
  }
  // The service has forgotten its Idempotency-Key.
  control.clock.advance(25 * 60 * 60 * 1000);
  expect(idsOf(await call({}))).toEqual([code]);
  expect(await codes()).toHaveLength(1);
});

test('a repeated row whose code no read shows may have been deleted, and creates no other', async () => {
  const [id] = idsOf(await create({ rows: [row(1)] }));
  world.emulator.control.delete(id!);
  const { data, text } = await create({ rows: [row(1), { ...row(1), copy: 2 }] });
  expect(data.results).toMatchObject([
    { outcome: 'failed', error: { code: 'not_visible', retryable: true } },
    { outcome: 'published' },
  ]);
  expect(text).toContain(`The service doesn't find the new QR code "${name(1)}" (ID ${id})`);
});

test('a failure that concerns all rows stops the call, and one of other rows only them', async () => {
  const { control } = world.emulator;
  const list = idsOf(await upsert({ rows: rows(20) })).map((code) => ({ code, targetUrl: url('next') }));
  const reads = () => requestsOf(world.emulator).filter((request) => request.startsWith('GET')).length;
  const readsBefore = reads();
  control.failNext({ code: 'workspace_mismatch', match: { path: '/qr/*/destination' } });
  expect((await upsert({ rows: list })).data).toMatchObject({ succeeded: 19, failed: 1 });
  // The list is read once, instead of each code.
  expect(reads() - readsBefore).toBeLessThan(5);
  control.failNext({ code: 'quota_exceeded', match: POST_QR });
  expect((await upsert({ rows: [row(99), ...list] })).data).toMatchObject({ succeeded: 20, failed: 1 });

  control.failNext({ code: 'quota_exceeded', times: Infinity, match: POST_QR });
  const before = control.requestCount();
  const { data, isError, text } = await create({ rows: rows(100).map((one) => ({ ...one, copy: 3 })) });
  expect(isError).toBe(true);
  expect(data).toMatchObject({ succeeded: 0, failed: 100 });
  expect(control.requestCount() - before).toBeLessThanOrEqual(10);
  expect(text).toContain('90 rows not sent after that.');
});

test('a row that a firewall refuses fails alone', async () => {
  const service = await serve((request, response, body) => {
    const isRefused = body.includes(`"${name(1)}"`);
    response.writeHead(isRefused ? 403 : 200, isRefused ? { 'Content-Type': 'text/html' } : {});
    response.end(isRefused ? '<h1>Blocked</h1>' : JSON.stringify(request.url?.endsWith('/me') ? {} : CODE));
  });
  const server = await startServer({ url: service.url, apiKey: 'key' });
  const { data } = await server.call(CREATE, { rows: rows(30) });
  expect(data).toMatchObject({ succeeded: 29, failed: 1 });
  expect(data.results[0].outcome).toBe('failed');
});

test('a list is kept in step with its codes: created, updated, unchanged', async () => {
  const first = await upsert({ rows: rows(3) });
  expect(outcomes(first)).toEqual(['created', 'created', 'created']);
  const [one, two, three] = first.data.results.map(({ qrCode }: { qrCode: object }) => qrCode);
  const list = [
    { code: one.id, targetUrl: url('new') },
    { code: two.publicUrl, name: 'Renamed in the list', targetUrl: url(2) },
    { code: three.publicUrl, targetUrl: url('third') },
    row(4),
  ];
  const second = await upsert({ rows: list });
  expect(outcomes(second)).toEqual(['updated', 'unchanged', 'updated', 'created']);
  expect(second.data.results[1].qrCode.name).toBe(name(2));
  const previous = second.data.results.map(({ previousUrl }: { previousUrl?: string }) => previousUrl);
  expect(previous).toEqual([url(1), undefined, url(3), undefined]);
  expect(second.text).toMatch(/^Created 1, updated 2 and left 1 unchanged of 4\.\n/);
  expect(second.text).toContain(`(pointed to ${url(1)} before)`);
  expect(await leadsTo(three.publicUrl)).toBe(url('third'));
  const before = requestsOf(world.emulator).length;
  expect(outcomes(await upsert({ rows: list.slice(0, 3) }))).toEqual(Array(3).fill('unchanged'));
  expect(requestsOf(world.emulator).slice(before).join()).not.toContain('POST');
});

test('codes are matched by name where chosen, and rows that contradict each other fail', async () => {
  const first = await upsert({ rows: [row(1), row(1), row(2), row(2, 'later')], matchBy: 'name' });
  expect(outcomes(first)).toEqual(['created', 'unchanged', 'failed', 'failed']);
  expect(first.data.results[3].error).toMatchObject({
    code: 'conflicting_rows',
    message: expect.stringContaining('in row 3 and') as string,
  });
  const [id] = idsOf(first);
  const again = await other.call(UPSERT, { rows: [row(1, 'B')], matchBy: 'name' });
  expect(again.data.results).toMatchObject([{ outcome: 'updated', qrCode: { id } }]);
  expect(await leadsTo(again.data.results[0].qrCode.publicUrl)).toBe(url('B'));
  expect(await codes()).toHaveLength(1);
});

test('a row without a code makes one code however often it is repeated, and points it there again', async () => {
  const first = await upsert({ rows: [row(1), row(1), row(2), row(1)] });
  expect(outcomes(first)).toEqual(['created', 'unchanged', 'created', 'unchanged']);
  const [code] = idsOf(first);
  const created = await create({ rows: [row(1)] });
  expect(created.data.results).toMatchObject([{ repeated: true, qrCode: { id: code } }]);
  await world.server.call('retarget_qr_code', { code, url: url('elsewhere') });
  const again = await upsert({ rows: [row(1)] });
  expect(again.data.results).toMatchObject([{ outcome: 'updated', qrCode: { id: code } }]);
  expect(await leadsTo(again.data.results[0].qrCode.publicUrl)).toBe(url(1));
  expect(await codes()).toHaveLength(2);
});

test('calls at the same time change a code in the order of the calls', async () => {
  const { data } = await upsert({ rows: [row(1)] });
  const { publicUrl } = data.results[0].qrCode;
  world.emulator.control.failNext({ status: 503, match: { path: '/qr' } });
  const targets = ['A', 'B', 'A', 'C'];
  await Promise.all(targets.map((path) => upsert({ rows: [{ code: publicUrl, targetUrl: url(path) }] })));
  expect(await leadsTo(publicUrl)).toBe(url('C'));
});

test('a code that create_qr_codes has created is found while no list shows it yet', async () => {
  const late = await startWorld({ visibleAfterMs: 3_600_000 });
  const { data } = await late.server.call(CREATE, { rows: [row(1)] });
  const { id, publicUrl } = data.results[0].qrCode;
  for (const args of [
    { rows: [row(1, 'B')], matchBy: 'name' },
    { rows: [{ code: publicUrl, targetUrl: url('C') }] },
  ]) {
    const { data: updated } = await late.server.call(UPSERT, args);
    expect(updated.results).toMatchObject([{ outcome: 'updated', qrCode: { id } }]);
  }
  expect(await leadsTo(publicUrl)).toBe(url('C'));
});
