import type { INodeExecutionData, NodeExecutionHint } from 'n8n-workflow';
import { startSimulatedTime, type SimulatedTime } from '../../../test/support/jest/virtualTime.ts';
import { modelService, type Behavior } from './support/modelService.ts';
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
const isRow = (index: number, body: string) => body.includes(`"Row ${index}"`);

let time: SimulatedTime;
beforeEach(() => {
  time = startSimulatedTime();
});
afterEach(() => jest.restoreAllMocks());

function start(behavior: Partial<Behavior>) {
  const service = modelService(time, behavior);
  const run = (options: Partial<NodeRun> & { rows: number }) =>
    time.run(runNode(service, { ...CREATE, ...options }));
  return { service, run };
}
const failed = (items: INodeExecutionData[]) => items.filter(({ json }) => json['error'] !== undefined);
const errors = (items: INodeExecutionData[]) => failed(items).map(({ json }) => json['error'] as string);

describe('an outage', () => {
  test('is not assumed because one item gets no response', async () => {
    const { run } = start({
      latencyMs: () => SECOND,
      fault: ({ body }) => (isRow(3, body) ? { hang: true } : undefined),
    });
    const items = await run({ rows: 300 });
    expect(failed(items)).toMatchObject([
      { json: { error: expect.stringMatching(/did not respond within/) as string }, pairedItem: { item: 3 } },
    ]);
  });

  test('is not assumed because a response is lost after a long wait for the rate limit', async () => {
    const { service, run } = start({
      fault: ({ count }) => {
        if (count === 20) return { status: 429, headers: { 'retry-after': '600' } };
        return count === 30 ? { reset: true } : undefined;
      },
    });
    expect(errors(await run({ rows: 200 }))).toEqual([]);
    expect(service.effects.size).toBe(200);
  });

  // The random runs cover others.
  test.each([
    ['no response', { hang: true }],
    ['503 for everyone', { status: 503 }],
  ])(
    'of three minutes (%s) fails the items in progress and sends the others afterwards',
    async (_how, fault) => {
      const { service, run } = start({
        fault: ({ at }) => (at > 5 * SECOND && at < 185 * SECOND ? fault : undefined),
      });
      const items = await run({ rows: 500 });
      expect(errors(items).every((error) => !error.includes('not sent'))).toBe(true);
      expect(failed(items).length).toBeLessThan(200);
      expect(service.effects.size).toBeGreaterThan(300);
      expect(Math.max(...service.requests.slice(-200).map(({ inFlight }) => inFlight))).toBe(10);
    },
  );

  test('takes no longer if all items are about the same code', async () => {
    const { run } = start({ fault: () => ({ hang: true }) });
    const parameters = { qrCodeId: () => 'same', url: (index: number) => `https://example.com/${index}` };
    const items = await run({ operation: 'retarget', parameters, rows: 200 });
    expect(failed(items)).toHaveLength(200);
    expect(time.elapsed()).toBeLessThanOrEqual(22 * MINUTE);
  });

  test.each([120, 20 * 60])('with a Retry-After of %i s fails no item', async (seconds) => {
    const headers = { 'retry-after': String(seconds) };
    const { service, run } = start({
      fault: ({ at }) => (at > SECOND && at < (seconds + 1) * SECOND ? { status: 503, headers } : undefined),
    });
    expect(errors(await run({ rows: 300 }))).toEqual([]);
    expect(Math.max(...service.requests.slice(-50).map(({ inFlight }) => inFlight))).toBe(10);
  });

  test('with a Retry-After of almost two hours fails the items immediately and tells how long to wait', async () => {
    const { run } = start({
      fault: ({ at }) => (at > SECOND ? { status: 503, headers: { 'retry-after': '7100' } } : undefined),
    });
    const items = await run({ rows: 300 });
    expect(failed(items).length).toBeGreaterThan(100);
    expect(failed(items).at(-1)!.json['details']).toMatchObject({
      code: 'http_503',
      description: expect.stringMatching(/Wait 119 minutes/) as string,
    });
    expect(time.elapsed()).toBeLessThan(MINUTE);
  });

  test('without end fails the remaining items after 20 failures in a row, in a run of 2,000', async () => {
    const { service, run } = start({ fault: ({ at }) => (at > SECOND ? { hang: true } : undefined) });
    const hints: string[] = [];
    const onHints = ({ message }: NodeExecutionHint) => void hints.push(message);
    const items = await run({ rows: 2000, onHints });
    expect(items).toHaveLength(2000);
    const notSent = failed(items).filter(({ json }) =>
      /20 items in a row failed this way, so this one was not sent/.test(JSON.stringify(json['details'])),
    );
    expect(notSent).toContain(failed(items).at(-1));
    const [failures, unsent] = [failed(items), notSent].map(({ length }) => length.toLocaleString('en-US'));
    expect(hints).toEqual([
      `${service.effects.size} created. ${failures} of 2,000 items failed. Not sent, because the service stopped responding: ${unsent}. See the error field.`,
    ]);
    expect(time.elapsed()).toBeLessThan(3 * MINUTE);
    expect(service.requests.length).toBeLessThan(200);
  });
});

describe('the rate limit', () => {
  test.each([
    ['', { 'retry-after': '20' }],
    [' without Retry-After', {}],
  ])(
    'sends one request alone after a burst of 429s%s, then resumes full concurrency',
    async (_how, headers) => {
      let refused = 0;
      const { service, run } = start({
        fault: ({ at }) =>
          at > SECOND && refused < 10 && ++refused > 0 ? { status: 429, headers } : undefined,
      });
      expect(errors(await run({ rows: 300 }))).toEqual([]);
      const after = service.requests.slice(
        service.requests.findLastIndex(({ status }) => status === 429) + 1,
      );
      expect(after[0]?.inFlight).toBe(1);
      expect(after[1]!.at).toBeGreaterThanOrEqual(after[0]!.respondedAt!);
      expect(Math.max(...after.map(({ inFlight }) => inFlight))).toBe(10);
      expect(service.requests.filter(({ status }) => status === 429)).toHaveLength(10);
    },
  );

  /** A rate limit shown only by Retry-After. With `isFast`, 429s are faster than other responses. */
  function windows({ limit, seconds, isFast = false }: { limit: number; seconds: number; isFast?: boolean }) {
    let [used, endsAt] = [0, 0];
    let isRefused = false;
    return {
      latencyMs: () => (isRefused && isFast ? 5 : 300),
      fault({ at }: { at: number }) {
        if (at >= endsAt) [used, endsAt] = [0, at + seconds * SECOND];
        isRefused = ++used > limit;
        const left = String(Math.ceil((endsAt - at) / SECOND));
        return isRefused
          ? { status: 429, code: 'rate_limited', headers: { 'retry-after': left } }
          : undefined;
      },
    };
  }

  test('without headers, shared by several runs, fails no row', async () => {
    const service = modelService(time, windows({ limit: 5, seconds: 10, isFast: true }));
    const run = (prefix: number) =>
      runNode(service, {
        ...CREATE,
        parameters: { ...CREATE.parameters, name: (index: number) => `Row ${prefix}-${index}` },
        rows: 40,
      });
    expect(errors((await time.run(Promise.all([run(1), run(2), run(3)]))).flat())).toEqual([]);
  });

  test('of a minute with a Retry-After in the past fails no row', async () => {
    const headers = { 'retry-after': 'Wed, 21 Oct 2015 07:28:00 GMT' };
    let [used, endsAt] = [0, 0];
    const { run } = start({
      fault({ at }) {
        if (at >= endsAt) [used, endsAt] = [0, at + MINUTE];
        return ++used > 100 ? { status: 429, code: 'rate_limited', headers } : undefined;
      },
    });
    expect(errors(await run({ rows: 350 }))).toEqual([]);
    expect(time.elapsed()).toBeLessThan(5 * MINUTE);
  });

  test.each([
    ['of 0 with a reset time of 0', { limit: '0', reset: '0' }],
    ['with a reset time in the past', { limit: '100', reset: '1500000000' }],
  ])('%s and nothing remaining keeps the concurrency', async (_what, { limit, reset }) => {
    const { service, run } = start({
      headers: () => ({
        'x-ratelimit-limit': limit,
        'x-ratelimit-remaining': '0',
        'x-ratelimit-reset': reset,
      }),
    });
    await run({ rows: 100 });
    expect(Math.max(...service.requests.map(({ inFlight }) => inFlight))).toBe(10);
  });

  test('does not use up retries: a call survives a 503 after waiting 58 s', async () => {
    const { run } = start({
      fault: ({ count }) => {
        if (count === 1) return { status: 429, headers: { 'retry-after': '58' } };
        return count === 2 ? { status: 503, headers: { 'retry-after': '10' } } : undefined;
      },
    });
    expect(errors(await run({ rows: 1 }))).toEqual([]);
  });

  test('that resets after an hour delays the run without failing items', async () => {
    let left = 100;
    let endsAt = HOUR;
    const { service, run } = start({
      fault: ({ at }) => {
        if (at >= endsAt) [left, endsAt] = [100, at + HOUR];
        left--;
        return left < 0
          ? { status: 429, headers: { 'retry-after': String(Math.ceil((endsAt - at) / 1000)) } }
          : undefined;
      },
      headers: () => ({
        'x-ratelimit-limit': '100',
        'x-ratelimit-remaining': String(Math.max(0, left)),
        'x-ratelimit-reset': String(Math.ceil((endsAt - time.elapsed()) / 1000)),
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

  test('no longer delays the run once the execution is cancelled', async () => {
    const cancel = new AbortController();
    const { service, run } = start({
      fault: ({ count }) => (count > 20 ? { status: 429, headers: { 'retry-after': '3600' } } : undefined),
    });
    time.after(5 * MINUTE, () => cancel.abort());
    await expect(run({ rows: 100, signal: cancel.signal })).rejects.toThrow('canceled');
    expect(time.elapsed()).toBe(5 * MINUTE);
    expect(service.requests.length).toBeLessThan(40);
  });
});

describe('a call', () => {
  test('takes at most a minute, even if its attempts hang', async () => {
    const { service, run } = start({ fault: () => ({ hang: true }) });
    await run({ rows: 1 });
    expect(time.elapsed()).toBeLessThanOrEqual(MINUTE);
    expect(service.requests).toHaveLength(2);
  });
});

describe('short links', () => {
  test('are looked up again after a failed lookup', async () => {
    const { run } = start({ fault: ({ at }) => (at < 10 * SECOND ? { status: 503 } : undefined) });
    jest.spyOn(Math, 'random').mockReturnValue(0.5);
    const qrCodeId = { __rl: true, mode: 'url', value: 'https://r.example/qr_2' };
    const items = await run({ operation: 'get', parameters: { qrCodeId }, rows: 200 });
    // Only the items that shared a lookup during the outage.
    expect(failed(items).length).toBeLessThanOrEqual(30);
    expect(items.at(-1)?.json).toMatchObject({ id: 'qr_2' });
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
    expect([...service.effects.values()]).toEqual(Array(20).fill(1));
  });

  test('that the service did not store succeeds once its cause is fixed, without duplicates', async () => {
    let isFull = true;
    const { service, run } = start({
      fault: () => (isFull ? { ...REFUSED, isStored: false } : undefined),
    });
    const parameters = keyed();
    await run({ rows: 5, parameters });
    isFull = false;
    const again = await run({ rows: 5, parameters });
    const third = await run({ rows: 5, parameters });
    expect(third.map(({ json }) => json['id'])).toEqual(again.map(({ json }) => json['id']));
    expect([...service.effects.values()]).toEqual(Array(5).fill(1));
  });

  test('with a deduplication key advises another key if the rejection is only replayed', async () => {
    const { run } = start({ fault: () => REFUSED });
    const descriptions = [];
    for (const parameters of [
      { ...CREATE.parameters, options: { deduplicationKey: 'a' } },
      CREATE.parameters,
    ]) {
      const [item] = await run({ rows: 1, parameters });
      descriptions.push((item!.json['details'] as { description: string }).description);
    }
    expect(descriptions).toEqual([
      expect.stringContaining('use another Deduplication Key'),
      expect.not.stringContaining('Deduplication Key'),
    ]);
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

describe('a key that may write but not read', () => {
  test.each(['create', 'publish', 'retarget'])(
    'does not fail %s, which returns the known fields',
    async (operation) => {
      const { service } = start({});
      const response = (statusCode: number, body: unknown) => ({
        statusCode,
        headers: { 'content-type': 'application/json' },
        body: Object.assign([Buffer.from(JSON.stringify(body))], { destroy: () => undefined }),
      });
      const request: typeof service.request = async (sent) => {
        if (sent.method === 'GET')
          return response(403, {
            code: 'insufficient_scope',
            message: 'No.',
            details: { required: 'qr:read' },
          });
        if (/\/(publish|destination)$/.test(sent.url)) return response(200, { result: 'ok' });
        return service.request(sent);
      };
      const parameters =
        operation === 'create'
          ? { ...CREATE.parameters, publish: true }
          : { qrCodeId: 'qr_1', url: 'https://example.com/' };
      const [item] = await time.run(runNode({ ...service, request }, { operation, parameters, rows: 1 }));
      expect(item!.json).toMatchObject({
        id: 'qr_1',
        result: 'ok',
        ...(operation === 'create' && { name: 'Row 0' }),
      });
    },
  );
});
