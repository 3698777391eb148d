import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { QrServiceClient } from '@qr-service/core';
import { undiciTransport } from '@qr-service/core/undici';
import { startEmulatorProcess, type EmulatorProcess } from '../../engines/emulator/process.ts';
import { createN8nEngine, type N8nEngine } from '../../engines/n8n/index.ts';
import { action, CREATE, CREATE_LIVE, NODE } from './support/workflows.ts';
import { PACKAGE_DIR } from './support/world.ts';

/** Set so that the rate limit doesn't affect these tests. */
const NO_LIMIT = { limit: 1_000_000, windowSeconds: 10 };

let folder: string;
let service: EmulatorProcess;
let engine: N8nEngine;
let client: QrServiceClient;

beforeEach(async () => {
  // No waits between the attempts of a call.
  jest.spyOn(Math, 'random').mockReturnValue(0);
  folder = mkdtempSync(join(tmpdir(), 'qr-bulk-'));
  service = await startService(4500);
  const { url: baseUrl, apiKey } = service;
  engine = await createN8nEngine({
    packageDir: PACKAGE_DIR,
    credentials: { qrServiceApi: { baseUrl, apiKey } },
  });
  client = new QrServiceClient({ baseUrl, apiKey, transport: undiciTransport() });
});

afterEach(async () => {
  jest.restoreAllMocks();
  await service.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** The service in its own process, with its data in a file. */
function startService(port: number): Promise<EmulatorProcess> {
  return startEmulatorProcess({ port, db: join(folder, 'service.db'), rateLimit: NO_LIMIT });
}

/** Kills the service at any point of its work. */
async function kill(): Promise<void> {
  process.kill(service.pid, 'SIGKILL');
  await service.lost.catch(() => undefined);
}

/** Restarts the service with the same URL, data and keys. */
async function bringBack(): Promise<void> {
  const { url } = service;
  service = await startService(Number(new URL(url).port));
  expect(service.url).toBe(url);
}

async function codeNames(): Promise<string[]> {
  const names: string[] = [];
  for await (const { name } of client.qr.list()) names.push(name);
  return names.sort();
}

async function countReaches(count: number): Promise<void> {
  while ((await service.control.requestCount()) < count) await pause(5);
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** The node's concurrency. */
const CONCURRENCY = 10;
const LOOKS = 100;

const nameOf = (index: number) => `Row ${String(index).padStart(5, '0')}`;
const names = (count: number) => Array.from({ length: count }, (_, index) => nameOf(index));
const rows = (count: number) => names(count).map((name) => ({ name, targetUrl: 'https://example.com/' }));

test('retrying an execution of 2,000 rows creates each code once after the service crashed at 800', async () => {
  const COUNT = 2000;
  const workflow = action(CREATE, rows(COUNT));
  const running = engine.runWorkflow(workflow);
  await countReaches(800);
  await kill();
  const failed = await running;
  expect(failed.error?.message).toMatch(/could not be reached/);

  await bringBack();
  const before = (await codeNames()).length;
  expect(before).toBeGreaterThanOrEqual(700);
  expect(before).toBeLessThan(COUNT);
  const { data, error } = await engine.retryRun(workflow, failed);
  expect(error).toBeUndefined();
  expect(data[NODE]!.map(({ json, pairedItem }) => [json['name'], pairedItem])).toEqual(
    names(COUNT).map((name, item) => [name, { item }]),
  );
  expect(await codeNames()).toEqual(names(COUNT));

  const all = await engine.runWorkflow(action({ operation: 'getAll', returnAll: true }));
  expect(new Set(all.data[NODE]!.map(({ json }) => json['id'])).size).toBe(COUNT);
});

test('Retry On Fail creates and publishes each of 600 codes once after the service crashed in between', async () => {
  const COUNT = 600;
  const settings = { retryOnFail: true, maxTries: 2, waitBetweenTries: 4999 };
  // n8n starts the second try once the service is back.
  let retry: () => void = () => undefined;
  const isBack = new Promise<void>((resolve) => (retry = resolve));
  const { setTimeout: wait } = globalThis;
  jest
    .spyOn(globalThis, 'setTimeout')
    .mockImplementation(((end: () => void, ms?: number) =>
      ms === settings.waitBetweenTries ? isBack.then(end) : wait(end, ms)) as typeof setTimeout);
  const running = engine.runWorkflow(action(CREATE_LIVE, rows(COUNT), settings));
  await countReaches(400);
  await kill();
  await bringBack();
  retry();
  const { data, error } = await running;
  expect(error).toBeUndefined();
  expect(data[NODE]!.map(({ json }) => [json['name'], json['status']])).toEqual(
    names(COUNT).map((name) => [name, 'published']),
  );
  // All rows were sent again, to create and to publish.
  expect(await service.control.requestCount()).toBeGreaterThanOrEqual(2 * COUNT);
  expect(await codeNames()).toEqual(names(COUNT));
});

test('Create or Update creates the codes of 500 rows once, even if the service crashed, and then sends nothing', async () => {
  const COUNT = 500;
  const upsert = { ...CREATE_LIVE, operation: 'upsert', matchByName: true };
  // Each name comes twice.
  const twice = [...rows(COUNT / 2), ...rows(COUNT / 2)];
  const running = engine.runWorkflow(action(upsert, twice));
  await countReaches(200);
  await kill();
  expect((await running).error?.message).toMatch(/could not be reached/);
  await bringBack();
  const again = await engine.runWorkflow(action(upsert, twice));
  expect(again.error).toBeUndefined();
  expect(again.data[NODE]!.map(({ json }) => [json['name'], json['status']])).toEqual(
    twice.map(({ name }) => [name, 'published']),
  );
  expect(await codeNames()).toEqual(names(COUNT / 2));

  const before = await service.control.requestCount();
  const last = await engine.runWorkflow(action(upsert, twice));
  expect(new Set(last.data[NODE]!.map(({ json }) => json['outcome']))).toEqual(new Set(['unchanged']));
  // The pages of the list.
  expect((await service.control.requestCount()) - before).toBe(Math.ceil(COUNT / 2 / 100));
});

test.each([undefined, 'continueRegularOutput' as const])(
  'cancelling mid-run ends the execution and sends no new requests (On Error: %s)',
  async (onError) => {
    const cancel = new AbortController();
    const settings = onError === undefined ? {} : { onError };
    const running = engine.runWorkflow(action(CREATE_LIVE, rows(5000), settings), { signal: cancel.signal });
    await countReaches(500);
    cancel.abort();
    expect((await running).status).toBe('canceled');
    // Requests in flight still arrive. If the node continued, it would send far more while these get their responses.
    const count = await service.control.requestCount();
    for (let look = 0; look < LOOKS; look++) await client.me();
    expect((await service.control.requestCount()) - LOOKS).toBeLessThanOrEqual(count + CONCURRENCY);
    expect(count).toBeLessThan(2000);
  },
);
