import { CODE, closeServices, serve } from '../support/faultyService/faultyService.ts';
import { closeWorlds, startServer, startWorld, type World } from './support/world.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
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

const row = (number: number) => ({
  name: `Table ${number}`,
  targetUrl: `https://example.com/${testNumber}/${number}`,
});
const rows = (count: number) => Array.from({ length: count }, (_, index) => row(index + 1));
const create = (args: Record<string, unknown>, settings = {}) =>
  world.server.call('create_qr_codes', args, settings);
const codeCount = async () => (await world.server.call('find_qr_codes', { limit: 100 })).data.qrCodes.length;

test('creates 100 rows, of which a bad one fails alone, and reports progress that only increases', async () => {
  const bad = { name: 'Table 42', targetUrl: 'example/42' };
  const { data, isError, text } = await create(
    { rows: rows(100).with(41, bad) },
    { onprogress: () => undefined },
  );
  expect(isError).toBe(false);
  expect(data).toMatchObject({ succeeded: 99, failed: 1 });
  expect(data.results.map((result: { row: number }) => result.row)).toEqual(
    rows(100).map((_, index) => index + 1),
  );
  expect(data.results[99].qrCode).toMatchObject({ name: 'Table 100', status: 'published' });
  expect(data.results[41]).toEqual({
    row: 42,
    outcome: 'failed',
    error: {
      code: 'validation_failed',
      retryable: false,
      message:
        "targetUrl isn't a valid web address: 'example/42'. Use a full web address, for example https://example.com/menu. Try again: with corrected arguments only.",
    },
  });
  expect(text.split('\n')).toHaveLength(101);
  expect(text.length).toBeLessThan(20_000);
  expect(await codeCount()).toBe(99);

  const progress = world.server.progress();
  const steps = progress.map((step) => step.progress);
  expect(steps).toEqual([...steps].sort((a, b) => a - b));
  expect(new Set(steps).size).toBe(steps.length);
  expect(progress.at(-1)).toMatchObject({ progress: 100, total: 100 });
});

test("a row that the service refuses has the service's reason", async () => {
  const { data } = await create({ rows: [row(1), { ...row(2), name: 'x'.repeat(300) }] });
  expect(data.results.map((result: { outcome: string }) => result.outcome)).toEqual(['published', 'failed']);
  expect(data.results[1].error.message).toMatch(
    /^The service rejected the input\. name must have at most 200 characters\./,
  );
});

test('repeated rows return the same code, and copy makes another one', async () => {
  const first = await create({ rows: [row(1), row(2), row(1)] });
  const [one, two, again] = first.data.results;
  expect(again).toMatchObject({ repeated: true, qrCode: { id: one.qrCode.id } });
  expect(one.repeated).toBeUndefined();

  const second = await create({ rows: [row(1), { ...row(1), copy: 2 }, { ...row(1), copy: '2' }] });
  const [same, copy, sameCopy] = second.data.results;
  expect(same).toMatchObject({ repeated: true, qrCode: { id: one.qrCode.id } });
  expect(copy.qrCode.id).not.toBe(one.qrCode.id);
  expect(sameCopy).toMatchObject({ repeated: true, qrCode: { id: copy.qrCode.id } });
  expect(second.text).toContain('set copy to create another');
  expect(await codeCount()).toBe(3);
  expect(two.qrCode.name).toBe('Table 2');
});

describe.each([
  ['all scopes', undefined],
  ['a key that may only write', ['qr:write']],
] as const)('a repeated row, with %s', (_name, scopes) => {
  const start = async () => {
    const { control, apiKey } = world.emulator;
    const key = scopes === undefined ? apiKey : control.createKey({ scopes: [...scopes] }).apiKey;
    const server = await startServer({ ...world.emulator, apiKey: key });
    const call = (args: object) => server.call('create_qr_codes', { rows: [row(1)], ...args });
    const [{ qrCode }] = (await call({ publish: false })).data.results;
    return { server, id: qrCode.id as string, call };
  };

  test('returns its code as it is now', async () => {
    const { server, id, call } = await start();
    await server.call('publish_qr_code', { code: id });
    await server.call('retarget_qr_code', { code: id, url: 'https://example.org/new' });
    for (const publish of [true, false]) {
      const { data, text } = await call({ publish });
      expect(data.results).toMatchObject([{ repeated: true, qrCode: { id, name: 'Table 1' } }]);
      expect(data.results[0].qrCode.status).not.toBe('draft');
      // Whether somebody else has changed it, only a key that reads can tell.
      const target = scopes === undefined ? 'https://example.org/new' : undefined;
      expect(data.results[0].qrCode.targetUrl).toBe(target);
      expect(text.includes('points to https://example.org/new')).toBe(scopes === undefined);
    }
  });

  test('creates no duplicate after the service has forgotten its Idempotency-Key', async () => {
    const { id, call } = await start();
    world.emulator.control.clock.advance(25 * 60 * 60 * 1000);
    const { data } = await call({});
    expect(data.results).toMatchObject([{ outcome: 'published', repeated: true, qrCode: { id } }]);
    expect(await codeCount()).toBe(1);
  });
});

test('a repeated row whose code no read shows may have been deleted, and creates no other', async () => {
  const first = await create({ rows: [row(1)] });
  const { id } = first.data.results[0].qrCode;
  world.emulator.control.delete(id);
  const { data, text } = await create({ rows: [row(1), { ...row(1), copy: 2 }] });
  expect(data.results).toMatchObject([
    { outcome: 'failed', error: { code: 'not_visible', retryable: true } },
    { outcome: 'published' },
  ]);
  expect(text).toContain(`The service doesn't find the new QR code "Table 1" (ID ${id})`);
});

test('another session makes its own codes', async () => {
  const other = await startServer(world.emulator);
  const ids = [await create({ rows: [row(1)] }), await other.call('create_qr_codes', { rows: [row(1)] })].map(
    ({ data }) => data.results[0].qrCode.id,
  );
  expect(new Set(ids).size).toBe(2);
});

test('a row whose responses are all lost may have its code, and repeating it returns that code', async () => {
  const match = { method: 'POST', path: '/qr' };
  world.emulator.control.failNext({ times: Infinity, drop: 'after', match });
  const server = await startServer(world.emulator);
  const createRow = () => server.call('create_qr_codes', { rows: [row(1)] });
  const { data } = await createRow();
  expect(data.results[0]).toMatchObject({ outcome: 'failed', error: { retryable: true } });
  expect(data.results[0].error.message).toContain("won't create a duplicate");
  world.emulator.control.clearFaults();
  const { data: found } = await server.call('find_qr_codes');
  const { id: code, publicUrl } = found.qrCodes[0];
  await world.server.call('retarget_qr_code', { code, url: 'https://example.org/elsewhere' });
  world.emulator.control.clock.advance(5000);
  const again = await createRow();
  expect(again.data.results).toMatchObject([{ outcome: 'published', qrCode: { id: code } }]);
  // Nobody tells this server that the code was changed since.
  expect(again.text).not.toContain('points to');
  const upserted = await server.call('upsert_qr_codes', { rows: [{ code, ...row(1) }] });
  expect(upserted.data.results).toMatchObject([{ outcome: 'updated' }]);
  const { headers } = await fetch(publicUrl, { redirect: 'manual' });
  expect(headers.get('location')).toBe(row(1).targetUrl);
  expect(await codeCount()).toBe(1);
});

test('a code that is created but not published is named, and repeating the row publishes it', async () => {
  const { control } = world.emulator;
  control.failNext({ code: 'approval_required', match: { path: '/qr/*/publish' } });
  const { data, isError } = await create({ rows: [row(1)] });
  const [result] = data.results;
  expect(isError).toBe(false);
  expect(data).toMatchObject({ succeeded: 0, failed: 1 });
  expect(result).toMatchObject({ outcome: 'not_published', error: { code: 'not_published' } });
  expect(result.error.message).toContain(`The QR code ${result.qrCode.id} was created but not published`);
  expect(result.error.message).toContain('publish it with publish_qr_code.');

  const again = await create({ rows: [row(1)] });
  expect(again.data.results[0]).toMatchObject({ outcome: 'published', qrCode: { id: result.qrCode.id } });
  expect(await codeCount()).toBe(1);
});

test('a failure that concerns all rows stops the call', async () => {
  const { control, apiKey } = world.emulator;
  control.failNext({ code: 'quota_exceeded', times: Infinity, match: { method: 'POST' } });
  const before = control.requestCount();
  const { data, isError, text } = await create({ rows: rows(100) });
  expect(isError).toBe(true);
  expect(data).toMatchObject({ succeeded: 0, failed: 100 });
  expect(control.requestCount() - before).toBeLessThanOrEqual(10);
  expect(text).toContain('90 rows not sent after that.');
  expect(text).not.toContain(apiKey);
});

test('a row that a firewall refuses fails alone', async () => {
  const service = await serve((request, response, body) => {
    const isRefused = body.includes('Table 1"');
    const { url = '' } = request;
    response.writeHead(
      isRefused ? 403 : 200,
      isRefused ? { 'Content-Type': 'text/html', Server: 'waf' } : {},
    );
    response.end(isRefused ? '<h1>Blocked</h1>' : JSON.stringify(url.endsWith('/me') ? {} : CODE));
  });
  const server = await startServer({ url: service.url, apiKey: 'key' });
  const { data } = await server.call('create_qr_codes', { rows: rows(30) });
  expect(data).toMatchObject({ succeeded: 29, failed: 1 });
  expect(data.results[0]).toMatchObject({ outcome: 'failed' });
});
