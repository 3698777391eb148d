import { startWorld, type World } from './support/world.ts';
import { action, CREATE, NODE } from './support/workflows.ts';

let world: World;
beforeEach(async () => {
  world = await startWorld();
});
afterEach(() => world.close());

const rows = (count: number) =>
  Array.from({ length: count }, (_, i) => ({ name: `Row ${i}`, targetUrl: `https://example.com/${i}` }));

async function codeNames(): Promise<unknown[]> {
  const all = action({ operation: 'getAll', returnAll: true });
  const { data } = await world.engine.runWorkflow(all);
  return data[NODE]!.map(({ json }) => json['name']).sort();
}

test('an answer lost on the way is asked for again and makes no second code', async () => {
  world.emulator.control.failNext({ drop: 'after' });
  const { status } = await world.engine.runWorkflow(action(CREATE, rows(1)));
  expect(status).toBe('success');
  expect(await codeNames()).toEqual(['Row 0']);
});

test('Retry On Fail runs all items again and makes no second code', async () => {
  world.emulator.control.failNext({ times: 1, code: 'quota_exceeded' });
  const settings = { retryOnFail: true, maxTries: 2, waitBetweenTries: 1 };
  const { status, data } = await world.engine.runWorkflow(action(CREATE, rows(4), settings));
  expect(status).toBe('success');
  expect(data[NODE]).toHaveLength(4);
  expect(await codeNames()).toEqual(['Row 0', 'Row 1', 'Row 2', 'Row 3']);
});

test('a retry of a failed execution makes no second code', async () => {
  world.emulator.control.failNext({ times: 1, code: 'quota_exceeded' });
  const workflow = action(CREATE, rows(4));
  const failed = await world.engine.runWorkflow(workflow);
  expect(failed.status).toBe('error');
  const before = await codeNames();
  expect(before).toHaveLength(3);
  const retried = await world.engine.retryRun(workflow, failed);
  expect(retried.status).toBe('success');
  expect(await codeNames()).toEqual(['Row 0', 'Row 1', 'Row 2', 'Row 3']);
});

test('equal rows are different codes, and so are the rows of another execution', async () => {
  const [row] = rows(1);
  const workflow = action(CREATE, [row!, row!]);
  await world.engine.runWorkflow(workflow);
  await world.engine.runWorkflow(workflow);
  expect(await codeNames()).toEqual(Array(4).fill('Row 0'));
});

test('too many requests are waited out', async () => {
  const slow = await startWorld({ rateLimit: { limit: 3, windowSeconds: 1 } });
  try {
    const { status, data } = await slow.engine.runWorkflow(action(CREATE, rows(8)));
    expect(status).toBe('success');
    expect(data[NODE]!.map(({ json }) => json['name'])).toEqual(rows(8).map(({ name }) => name));
  } finally {
    await slow.close();
  }
});

test('cancelling the execution ends it while requests are under way', async () => {
  world.emulator.control.failNext({ times: 50, delayMs: 30_000 });
  const cancel = new AbortController();
  const running = world.engine.runWorkflow(action(CREATE, rows(20)), { signal: cancel.signal });
  await new Promise((resolve) => setTimeout(resolve, 100));
  cancel.abort();
  const began = performance.now();
  expect((await running).status).toBe('canceled');
  expect(performance.now() - began).toBeLessThan(1000);
});
