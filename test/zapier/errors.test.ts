import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { failureOf, startWorld, type World } from './support/world.ts';

let world: World;
let qrCodeId: unknown;
beforeAll(async () => {
  world = await startWorld();
  qrCodeId = (await world.engine.create('create_qr_code', { name: 'A', targetUrl: 'https://example.com' }))[
    'id'
  ];
});
afterAll(() => world.close());

test('a missing scope names what is missing and held, and never asks to reconnect', async () => {
  const { apiKey } = world.emulator.control.createKey({ scopes: ['qr:read', 'exports:read'] });
  const failure = await failureOf((await world.connect(apiKey)).create('publish_qr_code', { qrCodeId }));
  expect(failure).toMatchObject({ name: 'AppError', code: 'insufficient_scope', status: 403 });
  expect(failure.message).toContain('lacks the scope qr:write. It has qr:read, exports:read.');
});

test('a file that may not be rendered fails with the scope when it is used', async () => {
  const { apiKey } = world.emulator.control.createKey({ scopes: ['qr:read'] });
  const engine = await world.connect(apiKey);
  const { file } = await engine.create('render_qr_code', { qrCodeId });
  const failure = await failureOf(engine.hydrateFile(file));
  expect(failure).toMatchObject({ name: 'AppError', code: 'insufficient_scope' });
  expect(failure.message).toContain('exports:read');
});

test('an address that the key does not allow never asks to reconnect', async () => {
  const { apiKey } = world.emulator.control.createKey({ allowedAddresses: ['203.0.113.0/24'] });
  const failure = await failureOf((await world.connect(apiKey)).create('publish_qr_code', { qrCodeId }));
  expect(failure).toMatchObject({ name: 'AppError', code: 'ip_not_allowed', status: 403 });
});

test('a code that does not exist says so', async () => {
  const failure = await failureOf(world.engine.create('publish_qr_code', { qrCodeId: 'qr_none' }));
  expect(failure).toMatchObject({ name: 'AppError', code: 'not_found', status: 404 });
  expect(failure.message).toMatch(/no such record.*Check the id/);
});

test('one deduplication key with different input says what to do', async () => {
  const run = (url: string) =>
    world.engine.create('retarget_qr_code', { qrCodeId, url, deduplicationKey: 'k' });
  await run('https://example.com/1');
  const failure = await failureOf(run('https://example.com/2'));
  expect(failure).toMatchObject({ name: 'AppError', code: 'idempotency_conflict', status: 409 });
  expect(failure.message).toMatch(/Use another deduplication key/);
});

test('input that the service refuses names the field', async () => {
  const failure = await failureOf(world.engine.create('retarget_qr_code', { qrCodeId, url: 'no address' }));
  expect(failure).toMatchObject({ name: 'AppError', code: 'validation_failed', status: 422 });
  expect(failure.message).toMatch(/\burl\b/);
});

test('an outage that is over soon is not noticed', async () => {
  world.emulator.control.failNext({ status: 503 });
  expect(await world.engine.create('publish_qr_code', { qrCodeId })).toMatchObject({ id: qrCodeId });
});

describe('a service that asks to wait', () => {
  test.each([
    ['the seconds it names', 429, { 'retry-after': '120' }, 120],
    ['the seconds it names when it is down', 503, { 'retry-after': '45' }, 45],
    ['the time it names as a date', 429, { 'retry-after': new Date(Date.now() + 1e8).toUTCString() }, 3600],
    ['no more than an hour, whatever the unit', 429, { 'retry-after': String(Date.now() + 1e10) }, 3600],
  ])('is asked again by Zapier after %s', async (_what, status, headers, delay) => {
    const service = await startAnswering(status, headers);
    const engine = await world.connect('key_of_a_test', service.address);
    const began = Date.now();
    const failure = await failureOf(engine.create('publish_qr_code', { qrCodeId: 'qr_1' }));
    expect(failure).toMatchObject({ name: 'ThrottledError', delay });
    expect(Date.now() - began).toBeLessThan(5000);
    expect(service.count()).toBe(1);
    service.close();
  });
});

/** A service that gives every request the same failure. */
async function startAnswering(status: number, headers: Record<string, string>) {
  let count = 0;
  const server = createServer((_request, response) => {
    count += 1;
    response.writeHead(status, headers).end('<html>busy</html>');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    count: () => count,
    close: () => server.close(),
  };
}
