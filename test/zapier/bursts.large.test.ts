import type { QrCode } from '@qr-service/core';
import type { ZObject } from 'zapier-platform-core';
import { createZapierEngine, readStepFailure, type Row } from '../../engines/zapier/index.ts';
import { noteDraft, takeDraft } from '../../packages/zapier-qr-service/src/creates/draftNotes.ts';
import { fc } from '../support/fastCheck.ts';
import { serve, type RequestHandler } from '../support/faultyService/faultyService.ts';
import { startVirtualTime, type VirtualTime } from '../support/jest/virtualTime.ts';
import { runs } from '../support/seed.ts';
import { failureOf, MAPPED, startWorld, type World } from './support/world.ts';

let time: VirtualTime;
let world: World;
beforeEach(async () => {
  time = startVirtualTime();
  world = await startWorld({ rateLimit: { limit: 30, windowSeconds: 60 } });
});
afterEach(async () => {
  jest.restoreAllMocks();
  await world.close();
});

type Code = Record<'id' | 'name' | 'status', string>;

const STEPS = ['create_qr_code', 'upsert_qr_code'];
const row = (name: string) => ({
  name,
  targetUrl: `https://example.com/${encodeURIComponent(name)}`,
});

/** All codes of the workspace, once its rate limit allows to read them. */
async function codes(): Promise<Code[]> {
  time.advance(120_000);
  const headers = { Authorization: `Bearer ${world.emulator.apiKey}` };
  const response = await fetch(`${world.emulator.url}/v1/public-api/qr?limit=100`, { headers });
  return ((await response.json()) as { data: Code[] }).data;
}

/** Runs a step for rows that come at once, and each throttled run again after its delay, as Zapier does. */
async function runBurst(step: string, rows: Row[]): Promise<{ results: Row[]; attempts: number[] }> {
  const started = Date.now();
  const queue = rows.map((input) => ({ input, at: started, attempts: 0 }));
  const results: Row[] = [];
  const attempts: number[] = [];
  const take = async (run: (typeof queue)[number]) => {
    const count = run.attempts + 1;
    try {
      results.push(await world.engine.create(step, { ...run.input, matchBy: 'id' }, {}, MAPPED));
      attempts.push(count);
    } catch (error) {
      const { name, delay = 0, message } = readStepFailure(error);
      if (name !== 'ThrottledError') throw new Error(message);
      queue.push({ ...run, at: Date.now() + delay * 1000, attempts: count });
    }
  };
  await Promise.all(queue.splice(0).map(take));
  while (queue.length > 0) {
    queue.sort((a, b) => a.at - b.at);
    const next = queue.shift()!;
    time.advance(Math.max(0, next.at - Date.now()));
    await take(next);
  }
  return { results, attempts };
}

test.each(STEPS)(
  '12 rows at 10 requests a minute, without a Deduplication Key, all get one published code with %s',
  async (step) => {
    await world.close();
    world = await startWorld({ rateLimit: { limit: 10, windowSeconds: 60 } });
    const names = Array.from({ length: 12 }, (_, index) => `Row ${index}`);
    const { results, attempts } = await runBurst(step, names.map(row));
    expect(results.map(({ status }) => status)).toEqual(names.map(() => 'published'));
    expect(new Set(results.map(({ id }) => id)).size).toBe(12);
    const made = await codes();
    expect(made.map(({ name }) => name).sort()).toEqual(names.sort());
    expect(made.filter(({ status }) => status !== 'published')).toEqual([]);
    expect(attempts.filter((count) => count <= 2).length).toBeGreaterThan(6);
  },
);

/** Creates a code that isn't published, as the rate limit is used up by then. */
async function throttled(step: string, input: Row, engine = world.engine) {
  const match = { method: 'POST', path: '/qr/*/publish' };
  world.emulator.control.failNext({
    code: 'rate_limited',
    retryAfter: 120,
    match,
  });
  return failureOf(engine.create(step, input));
}

describe('the note of a draft', () => {
  test('is only for runs of the same step with the same inputs and connection', async () => {
    await throttled('create_qr_code', row('A'));
    const [draft] = await codes();
    const other = await world.connect(world.emulator.control.createKey().apiKey);
    const others = [
      await world.engine.create('upsert_qr_code', { ...row('A'), matchBy: 'id' }, {}, MAPPED),
      await world.engine.create('create_qr_code', row('B')),
      await world.engine.create('create_qr_code', { ...row('A'), targetUrl: 'https://example.com/B' }),
      await world.engine.create('create_qr_code', { ...row('A'), publishNow: false }),
      await world.engine.create('create_qr_code', { ...row('A'), deduplicationKey: 'k' }),
      await other.create('create_qr_code', row('A')),
    ];
    expect(others.map(({ id }) => id)).not.toContain(draft?.id);
    const resumed = await world.engine.create('create_qr_code', row('A'));
    expect(resumed).toMatchObject({ id: draft?.id, status: 'published', ...row('A') });
  });

  test.each([
    ['publishes it within a day', 23, 1],
    ['creates a code of its own after a day', 25, 2],
  ])(
    'is for a later row with the same inputs if there was no rerun: this row %s',
    async (_what, hours, count) => {
      await throttled('create_qr_code', row('A'));
      time.advance(hours * 3_600_000);
      expect(await world.engine.create('create_qr_code', row('A'))).toMatchObject({ status: 'published' });
      expect(await codes()).toHaveLength(count);
    },
  );

  test("that can't be checked without the scope for codes fails the rerun, which names it", async () => {
    const key = world.emulator.control.createKey({ scopes: ['qr:write'] }).apiKey;
    const own = await world.connect(key);
    await throttled('create_qr_code', row('A'), own);
    const [draft] = await codes();
    const failure = await failureOf(own.create('create_qr_code', row('A')));
    expect(failure).toMatchObject({ name: 'AppError', code: 'not_published' });
    expect(failure.message).toContain(draft!.id);
  });

  /** Zapier's cache, if it responds like this. */
  const FAULTS: [what: string, respond: RequestHandler, requests: number][] = [
    ['is down', (_request, response) => response.writeHead(503).end(), 3],
    [
      'forgets',
      (_request, response, body) =>
        response.end(JSON.stringify({ ...(JSON.parse(body) as object), result: null })),
      1,
    ],
    ['never responds', () => time.advance(5000), 1],
  ];
  test.each(FAULTS)('is not relied on if the cache %s', async (_what, respond, requests) => {
    const cache = await serve(respond);
    const auth = { apiKey: world.emulator.apiKey, baseUrl: world.emulator.url };
    const platform = { rpcUrl: `${cache.url}/rpc`, file: () => undefined, close: () => Promise.resolve() };
    const engine = await createZapierEngine({ auth, platform });
    expect(await engine.create('create_qr_code', row('A'))).toMatchObject({ status: 'published' });
    // One short look at the cache, which Zapier's own client tries three times.
    expect(cache.requests).toHaveLength(requests);
    const failure = await throttled('create_qr_code', row('B'), engine);
    expect(failure).toMatchObject({ name: 'AppError', code: 'not_published' });
    expect(failure.message).toMatch(/draft: "B" \(.* Don't replay this run: it could create a duplicate/);
  });

  test('is not removed by a run that has read an earlier note of another draft', async () => {
    const stored = new Map<string, unknown>();
    const get = (key: string) => Promise.resolve(stored.get(key) ?? null);
    const set = (key: string, value: unknown) => Promise.resolve(void stored.set(key, value));
    const remove = (key: string) => Promise.resolve(stored.delete(key));
    const z = { cache: { get, set, delete: remove } } as unknown as ZObject;
    const gate = Promise.withResolvers();
    const late = { cache: { ...z.cache, delete: (key: string) => gate.promise.then(() => remove(key)) } };
    const [a, b] = ['qr_a', 'qr_b'].map((id) => ({ id }) as QrCode);
    await noteDraft(z, [], a!);
    const lateRun = takeDraft(late as unknown as ZObject, []);
    expect(await takeDraft(z, [])).toEqual(a);
    expect(await noteDraft(z, [], b!)).toBe(true);
    expect(await noteDraft(z, [], a!)).toBe(false);
    gate.resolve(undefined);
    expect(await lateRun).toBeUndefined();
    expect(await takeDraft(z, [])).toEqual(b);
  });

  test('is taken at most once, however runs with the same inputs overlap, and no draft is forgotten', async () => {
    const failures = fc.array(fc.array(fc.constant(true), { maxLength: 2 }), { minLength: 2, maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), failures, async (scheduler, runs) => {
        const stored = new Map<string, unknown>();
        const cache = {
          get: scheduler.scheduleFunction((key: string) => Promise.resolve(stored.get(key) ?? null)),
          set: scheduler.scheduleFunction((key: string, value: unknown, ...options: unknown[]) => {
            const [_ttl, _scope, nx] = options;
            if (nx !== true || !stored.has(key)) stored.set(key, value);
            return Promise.resolve(null);
          }),
          delete: scheduler.scheduleFunction((key: string) => Promise.resolve(stored.delete(key))),
        };
        const z = { cache } as unknown as ZObject;
        const inputs = ['create_qr_code', 'A', 'https://example.com'];
        const codeOf = (id: string) => ({ id, status: 'draft', updatedAt: '' }) as QrCode;
        let created = 0;
        const published: string[] = [];
        const named: string[] = [];
        const run = async (throttles: boolean[]) => {
          // A row with the same inputs may come while there is a note.
          await scheduler.schedule(Promise.resolve());
          for (const isThrottled of [...throttles, false]) {
            const draft = (await takeDraft(z, inputs)) ?? codeOf(`qr_${++created}`);
            if (!isThrottled) published.push(draft.id);
            // Without a note, the run fails for good.
            else if (!(await noteDraft(z, inputs, draft))) return void named.push(draft.id);
          }
        };
        await scheduler.waitFor(Promise.all(runs.map(run)));
        expect(published.length + named.length).toBe(runs.length);
        // A note without its claim is nobody's.
        const kept = [...stored.values()].flatMap((value) => {
          const { draft, claim } = value as { draft: QrCode; claim: string };
          return stored.has(`draft:unclaimed:${claim}`) ? [draft.id] : [];
        });
        const taken = [...published, ...kept];
        expect(new Set(taken).size).toBe(taken.length);
        // Of a note that is taken before it is confirmed, the run fails as well.
        expect(new Set([...taken, ...named]).size).toBe(created);
      }),
      { numRuns: runs(80, 200) },
    );
  });
});
