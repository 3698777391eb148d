import { QrServiceClient } from '@qr-service/core';
import { undiciTransport } from '@qr-service/core/undici';
import { action, CREATE, CREATE_LIVE, NODE } from './support/workflows.ts';
import { startWorld, type World } from './support/world.ts';

let world: World;
let client: QrServiceClient;
beforeEach(async () => {
  // No waits between the attempts of a call.
  jest.spyOn(Math, 'random').mockReturnValue(0);
  // The rate limit doesn't affect these tests.
  world = await startWorld({ rateLimit: { limit: 1_000_000, windowSeconds: 10 } });
  const { url: baseUrl, apiKey } = world.emulator;
  client = new QrServiceClient({ baseUrl, apiKey, transport: undiciTransport() });
});
afterEach(async () => {
  jest.restoreAllMocks();
  await world.close();
});

/** The node's concurrency. */
const CONCURRENCY = 10;
const LOOKS = 100;

/** Takes the service down after this many requests: the work of those under way is done, their responses are lost. */
async function goDownAfter(count: number): Promise<void> {
  await countReaches(count);
  world.emulator.control.failNext({ drop: 'after', times: CONCURRENCY });
  world.emulator.control.failNext({ drop: 'before', times: Infinity });
}

async function countReaches(count: number): Promise<void> {
  while (world.emulator.control.requestCount() < count) await new Promise((resolve) => setImmediate(resolve));
}

async function codeNames(): Promise<string[]> {
  const names: string[] = [];
  for await (const { name } of client.qr.list()) names.push(name);
  return names.sort();
}

const nameOf = (index: number) => `Row ${String(index).padStart(5, '0')}`;
const names = (count: number) => Array.from({ length: count }, (_, index) => nameOf(index));
const rows = (count: number) => names(count).map((name) => ({ name, targetUrl: 'https://example.com/' }));

test('retrying an execution of 2,000 rows creates each code once after the service went down at 800', async () => {
  const COUNT = 2000;
  const workflow = action(CREATE, rows(COUNT));
  const running = world.engine.runWorkflow(workflow);
  await goDownAfter(800);
  const failed = await running;
  expect(failed.error?.message).toMatch(/could not be reached/);

  world.emulator.control.clearFaults();
  const before = (await codeNames()).length;
  expect(before).toBeGreaterThanOrEqual(700);
  expect(before).toBeLessThan(COUNT);
  const { data, error } = await world.engine.retryRun(workflow, failed);
  expect(error).toBeUndefined();
  expect(data[NODE]!.map(({ json, pairedItem }) => [json['name'], pairedItem])).toEqual(
    names(COUNT).map((name, item) => [name, { item }]),
  );
  expect(await codeNames()).toEqual(names(COUNT));
});

test('Create or Update creates the codes of 500 rows once, even if the service went down, and then sends nothing', async () => {
  const COUNT = 500;
  const upsert = { ...CREATE_LIVE, operation: 'upsert', matchBy: 'name' };
  // Each name comes twice.
  const twice = [...rows(COUNT / 2), ...rows(COUNT / 2)];
  const running = world.engine.runWorkflow(action(upsert, twice));
  await goDownAfter(200);
  expect((await running).error?.message).toMatch(/could not be reached/);
  world.emulator.control.clearFaults();
  const again = await world.engine.runWorkflow(action(upsert, twice));
  expect(again.error).toBeUndefined();
  expect(again.data[NODE]!.map(({ json }) => [json['name'], json['status']])).toEqual(
    twice.map(({ name }) => [name, 'published']),
  );
  expect(await codeNames()).toEqual(names(COUNT / 2));

  const before = world.emulator.control.requestCount();
  const last = await world.engine.runWorkflow(action(upsert, twice));
  expect(new Set(last.data[NODE]!.map(({ json }) => json['outcome']))).toEqual(new Set(['unchanged']));
  // The pages of the list.
  expect(world.emulator.control.requestCount() - before).toBe(Math.ceil(COUNT / 2 / 100));
});

test('cancelling mid-run ends the execution and sends no new requests, even if it continues on errors', async () => {
  const cancel = new AbortController();
  const settings = { onError: 'continueRegularOutput' } as const;
  const workflow = action(CREATE_LIVE, rows(5000), settings);
  const running = world.engine.runWorkflow(workflow, { signal: cancel.signal });
  await countReaches(500);
  cancel.abort();
  expect((await running).status).toBe('canceled');
  // Requests in flight still arrive. If the node continued, it would send far more while these get their responses.
  const count = world.emulator.control.requestCount();
  for (let look = 0; look < LOOKS; look++) await client.me();
  expect(world.emulator.control.requestCount() - LOOKS).toBeLessThanOrEqual(count + CONCURRENCY);
  expect(count).toBeLessThan(2000);
});
