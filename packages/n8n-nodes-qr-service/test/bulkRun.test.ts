import type { INodeExecutionData, NodeExecutionHint } from 'n8n-workflow';
import { startSimulatedTime, type SimulatedTime } from '../../../test/support/jest/virtualTime.ts';
import { n8nService, type Behavior } from '../../../test/support/modelService/n8nService.ts';
import { some } from '../../../test/support/seed.ts';
import { runNode, type NodeRun } from './support/runNode.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

const CREATE = {
  operation: 'create',
  parameters: {
    name: (index: number) => `Row ${index}`,
    targetUrl: 'https://example.com/',
    publish: false,
  },
};

let time: SimulatedTime;
beforeEach(() => {
  time = startSimulatedTime();
});
afterEach(() => jest.restoreAllMocks());

function start(behavior: Partial<Behavior>) {
  const service = n8nService(time, behavior);
  const run = (options: Partial<NodeRun> & { rows: number }) =>
    time.run(runNode(service, { ...CREATE, ...options }));
  return { service, run };
}
/** A rate limit of so many requests in each window. */
function rateLimit(requests: number, windowMs: number) {
  const window = { left: requests, endsAt: windowMs };
  const fault: Behavior['fault'] = ({ at }) => {
    if (at >= window.endsAt) Object.assign(window, { left: requests, endsAt: at + windowMs });
    window.left -= 1;
    const headers = { 'retry-after': String(Math.ceil((window.endsAt - at) / SECOND)) };
    return window.left < 0 ? { status: 429, code: 'rate_limited', headers } : undefined;
  };
  return { window, fault };
}
const failed = (items: INodeExecutionData[]) => items.filter(({ json }) => json['error'] !== undefined);
const errors = (items: INodeExecutionData[]) => failed(items).map(({ json }) => json['error'] as string);

test.each(some([{}, { continueOnFail: false }, { continueOnFail: false, isTool: true }], 1))(
  'a canceled run ends at once without more requests or items: %j',
  async (own) => {
    const { service, run } = start({});
    const cancel = new AbortController();
    time.after(SECOND, () => cancel.abort());
    await expect(run({ rows: 200, ...own, signal: cancel.signal })).rejects.toMatchObject({
      message: 'The execution was canceled.',
      description: expect.not.stringContaining('items are done'),
    });
    expect(time.elapsed()).toBe(SECOND);
    expect(service.requests.length).toBeLessThanOrEqual(100);
  },
);

describe('a run that is stopped while the rate limit is used up', () => {
  /** Own names for each test, as the process remembers them. */
  const creating = (test: string) => ({
    name: (index: number) => `Row ${index} of ${test}`,
    targetUrl: 'https://example.com/',
    publish: true,
    matchBy: 'name',
  });

  /** Stops a run of many rows after two seconds, in windows of 15 requests. */
  async function stop(operation: 'create' | 'upsert', windowMs: number) {
    const { service, run } = start({ fault: rateLimit(15, windowMs).fault });
    const cancel = new AbortController();
    time.after(2 * SECOND, () => cancel.abort());
    const log: string[] = [];
    const own = {
      operation,
      parameters: creating(`${operation} ${windowMs}`),
      onLog: (line: string) => void log.push(line),
    };
    await expect(run({ rows: 100, ...own, signal: cancel.signal })).rejects.toMatchObject({
      message: 'The execution was canceled.',
    });
    const drafts = service.codes.codes.filter(({ status }) => status === 'draft').map(({ id }) => id);
    return { created: service.codes.codes.length, drafts, log, elapsed: time.elapsed() };
  }

  test.each(['create', 'upsert'] as const)(
    'publishes what it has created if the window ends within 30 s: %s',
    async (operation) => {
      const { created, drafts, log } = await stop(operation, 10 * SECOND);
      expect(created).toBeGreaterThan(2);
      expect({ drafts, log }).toEqual({ drafts: [], log: [] });
    },
  );

  test.each(['create', 'upsert'] as const)('otherwise names each draft in the log: %s', async (operation) => {
    const { drafts, log, elapsed } = await stop(operation, HOUR);
    expect(drafts.length).toBeGreaterThan(2);
    expect(log).toHaveLength(drafts.length);
    for (const id of drafts) {
      const named = `An execution was stopped. The QR code ${id} was created but not published`;
      expect(log).toContainEqual(expect.stringContaining(named));
    }
    expect(elapsed).toBeLessThanOrEqual(32 * SECOND);
  });

  test('names the codes whose creation was under way', async () => {
    const { service, run } = start({});
    const cancel = new AbortController();
    time.after(150, () => cancel.abort());
    const log: string[] = [];
    const onLog = (line: string) => void log.push(line);
    await expect(run({ rows: 40, onLog, signal: cancel.signal })).rejects.toThrow('canceled');
    const lost = service.requests.filter(({ at, path }) => at === 100 && path === '/qr');
    expect(lost.length).toBeGreaterThan(0);
    const names = lost.map(({ body }) => (JSON.parse(body) as { name: string }).name);
    expect(log).toEqual(
      names.map(
        (name) =>
          `An execution was stopped. A QR code named "${name}" may have been created. It isn't published.`,
      ),
    );
  });
});

test('two executions create separate codes, even without a token', async () => {
  const { run } = start({});
  const [first] = await run({ rows: 1 });
  const [second] = await run({ rows: 1 });
  expect(first!.json['id']).not.toBe(second!.json['id']);
});

describe('an outage', () => {
  test.each(some([120, 20 * 60], 1))('with a Retry-After of %i s fails no item', async (seconds) => {
    const headers = { 'retry-after': String(seconds) };
    const { service, run } = start({
      fault: ({ at }) => (at > SECOND && at < (seconds + 1) * SECOND ? { status: 503, headers } : undefined),
    });
    expect(errors(await run({ rows: 300 }))).toEqual([]);
    expect(Math.max(...service.requests.slice(-50).map(({ inFlight }) => inFlight))).toBe(10);
  });

  test("for every other item doesn't stop the run", async () => {
    const { run } = start({
      fault: ({ body }) => (/Row \d*[02468]"/.test(body) ? 'hang' : undefined),
    });
    expect(failed(await run({ rows: 60 }))).toHaveLength(30);
  });

  test('without end fails the remaining items after 20 failures in a row, in a run of 1,000', async () => {
    const { service, run } = start({ fault: ({ at }) => (at > SECOND ? 'hang' : undefined) });
    const hints: string[] = [];
    const onHints = ({ message }: NodeExecutionHint) => void hints.push(message);
    const items = await run({ rows: 1000, onHints });
    expect(items).toHaveLength(1000);
    const notSent = failed(items).filter(({ json }) =>
      /20 items in a row failed this way, so this one was not sent/.test(JSON.stringify(json['details'])),
    );
    expect(notSent).toContain(failed(items).at(-1));
    const [failures, unsent] = [failed(items), notSent].map(({ length }) => length.toLocaleString('en-US'));
    expect(hints).toEqual([
      `${service.codes.effects.size} created. ${failures} of 1,000 items failed. Not sent, because the service stopped responding: ${unsent}. See the error field.`,
    ]);
    expect(time.elapsed()).toBeLessThan(3 * MINUTE);
    expect(service.requests.length).toBeLessThan(200);
  });

  test.each(
    some(
      [
        ['Update Destination', 'retarget', 'same'],
        ['Create or Update, by ID', 'upsert', 'same'],
        ['Create or Update, by name', 'upsert', ''],
      ],
      1,
    ),
  )('takes no longer if all items are about the same code: %s', async (_what, operation, code) => {
    // Reads work, so that the items wait for each other's writes.
    const { service, run } = start({ fault: ({ body }) => (body === '' ? undefined : 'hang') });
    service.codes.add({ id: 'same' });
    const address = () => 'https://example.com/';
    const parameters = { qrCodeId: () => code, url: address, targetUrl: address, name: () => 'Door' };
    const matchBy = code === '' ? 'name' : 'id';
    expect(failed(await run({ operation, parameters: { ...parameters, matchBy }, rows: 200 }))).toHaveLength(
      200,
    );
    expect(time.elapsed()).toBeLessThanOrEqual(22 * MINUTE);
  });
});

describe('the rate limit', () => {
  test('without headers, shared by several runs, fails no row', async () => {
    const { window, fault } = rateLimit(5, 10 * SECOND);
    const service = n8nService(time, { latencyMs: () => (window.left < 0 ? 5 : 300), fault });
    const run = (prefix: number) =>
      runNode(service, {
        ...CREATE,
        parameters: { ...CREATE.parameters, name: (index: number) => `Row ${prefix}-${index}` },
        rows: 40,
      });
    expect(errors((await time.run(Promise.all([run(1), run(2), run(3)]))).flat())).toEqual([]);
  });

  test('that resets after an hour delays the run without failing items', async () => {
    const { window, fault } = rateLimit(100, HOUR);
    const { service, run } = start({
      fault,
      headers: () => ({
        'x-ratelimit-limit': '100',
        'x-ratelimit-remaining': String(Math.max(0, window.left)),
        'x-ratelimit-reset': String(Math.ceil((window.endsAt - time.elapsed()) / 1000)),
      }),
    });
    expect(errors(await run({ rows: 250 }))).toEqual([]);
    expect(time.elapsed()).toBeLessThan(2 * HOUR + 2 * MINUTE);
    expect(service.requests.filter(({ status }) => status === 429).length).toBeLessThan(20);
  });

  test('that resets after two hours fails the remaining items immediately and tells how long to wait', async () => {
    const { service, run } = start({
      fault: ({ count }) => (count > 50 ? { status: 429, headers: { 'retry-after': '7300' } } : undefined),
    });
    const items = await run({ rows: 300 });
    expect(failed(items)).toHaveLength(250);
    expect(failed(items).at(-1)?.json).toMatchObject({
      error: 'Too many requests were sent in a short time',
      details: {
        code: 'rate_limited',
        description:
          'The rate limit is used up. This request and those after it were not sent. Wait 3 hours, then retry this item, unless its code already exists.',
      },
    });
    expect(service.requests.length).toBeLessThan(75);
    expect(time.elapsed()).toBeLessThan(MINUTE);
  });
});

describe('a rejected write', () => {
  const REFUSED = { status: 403, code: 'quota_exceeded', isStored: true };
  /** Of each test, as this process remembers refusals. */
  let tests = 0;
  const keyed = () => {
    const own = ++tests;
    return { ...CREATE.parameters, options: { deduplicationKey: (index: number) => `key ${own} ${index}` } };
  };

  test('succeeds once its cause is fixed', async () => {
    let isFull = true;
    const { service, run } = start({
      fault: ({ path }) => (isFull && path === '/qr' ? REFUSED : undefined),
    });
    const parameters = keyed();
    const first = await run({ rows: 20, parameters });
    expect(failed(first)).toHaveLength(20);
    // One request for each item.
    expect(service.requests).toHaveLength(20);
    isFull = false;
    const again = await run({ rows: 20, parameters });
    expect(errors(again)).toEqual([]);
    const third = await run({ rows: 20, parameters });
    expect(third.map(({ json }) => json['id'])).toEqual(again.map(({ json }) => json['id']));
    expect([...service.codes.effects.values()]).toEqual(Array(20).fill(1));
  });

  test('of the publication advises no other key, as that would create a duplicate', async () => {
    const { run } = start({ fault: ({ path }) => (path.endsWith('/publish') ? REFUSED : undefined) });
    const parameters = { ...CREATE.parameters, publish: true, options: keyed().options };
    const [item] = await run({ rows: 1, parameters });
    expect(item!.json).toMatchObject({
      error: expect.stringContaining('was created but not published'),
      details: { description: expect.not.stringContaining('use another Deduplication Key') },
    });
  });
});
