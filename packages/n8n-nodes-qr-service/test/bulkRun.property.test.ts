import type { INodeExecutionData } from 'n8n-workflow';
import { fc } from '../../../harness/fastCheck.ts';
import { startSimulatedTime } from '../../../harness/jest/simulatedTime.ts';
import { randomIntegers, runs } from '../../../harness/seed.ts';
import { modelService, type Fault } from './support/modelService.ts';
import { runNode } from './support/runNode.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;

/** Parameters of each operation on a row; every tenth row is one that the service refuses where `bad` says so. */
const OPERATIONS = {
  create: (name: (index: number) => string) => ({
    name,
    mode: 'dynamic',
    contentType: 'url',
    targetUrl: 'https://example.com/',
    publish: false,
  }),
  publish: (id: (index: number) => string) => ({ qrCodeId: id }),
  retarget: (id: (index: number) => string) => ({ qrCodeId: id, url: 'https://example.com/' }),
  render: (id: (index: number) => string) => ({
    qrCodeId: id,
    format: 'png',
    size: 0,
    binaryPropertyName: 'data',
  }),
  get: (id: (index: number) => string) => ({ qrCodeId: id }),
  getAll: () => ({ returnAll: false, limit: 2, filters: {} }),
};
type Operation = keyof typeof OPERATIONS;
const NAMES_ROWS: readonly Operation[] = ['create', 'publish', 'retarget', 'render', 'get'];

const KINDS = ['hang', 'reset', 'lost', '503', 'refused', 'stored refusal'] as const;
type Kind = (typeof KINDS)[number];
const FAULTS: Record<Kind, Fault> = {
  hang: { hang: true },
  reset: { reset: true },
  lost: { reset: true, afterWork: true },
  '503': { status: 503 },
  refused: { status: 403, code: 'quota_exceeded' },
  'stored refusal': { status: 403, code: 'quota_exceeded', isStored: true },
};

const trouble = fc.record({
  kind: fc.constantFrom(...KINDS),
  from: fc.integer({ min: 0, max: 20 * SECOND }),
  /** Of requests, in percent, while it lasts. */
  share: fc.constantFrom(2, 20, 100),
  lasts: fc.oneof(fc.integer({ min: 0, max: 20 * SECOND }), fc.integer({ min: 0, max: 8 * MINUTE })),
});
const refusal = fc.record({
  from: fc.integer({ min: 0, max: 20 * SECOND }),
  count: fc.integer({ min: 1, max: 25 }),
  retryAfter: fc.constantFrom(undefined, 0, 1, 7, 60),
  /** Whether it is no limit but a service that is away and may say for how long. */
  isPause: fc.boolean(),
});
const rateWindow = fc.record({
  limit: fc.integer({ min: 10, max: 120 }),
  seconds: fc.constantFrom(1, 10, 60, 3600),
  /** Percent of the answers that carry the headers. */
  headers: fc.constantFrom(0, 30, 100),
  windows: fc.integer({ min: 1, max: 3 }),
});
/** Few requests in each of many windows, of which no header tells. */
const narrowWindow = fc.record({
  limit: fc.integer({ min: 1, max: 5 }),
  seconds: fc.constantFrom(1, 10, 60),
  headers: fc.constant(0),
  windows: fc.integer({ min: 4, max: 30 }),
});
const plan = fc.record({
  operation: fc.constantFrom(...(Object.keys(OPERATIONS) as Operation[])),
  rows: fc.integer({ min: 100, max: 400 }),
  concurrency: fc.constantFrom(1, 10, 10, 50),
  latency: fc.constantFrom(50, 400, 3000),
  bad: fc.boolean(),
  troubles: fc.array(trouble, { maxLength: 3 }),
  refusals: fc.array(refusal, { maxLength: 2 }),
  rateWindow: fc.option(fc.oneof(rateWindow, narrowWindow), { nil: undefined, freq: 3 }),
  cancelAt: fc.option(fc.integer({ min: 1, max: 2 * MINUTE }), { nil: undefined, freq: 8 }),
  seed: fc.nat(),
});
type Plan = typeof plan extends fc.Arbitrary<infer Value> ? Value : never;

/** What happened in one run. */
async function simulate(given: Plan) {
  const { operation, rows, concurrency, latency, troubles, cancelAt } = given;
  const time = startSimulatedTime();
  try {
    const below = randomIntegers(given.seed);
    jest.spyOn(Math, 'random').mockImplementation(() => below(1000) / 1000);
    const limited = given.refusals.map((one) => ({ ...one, left: one.count }));
    /** When the service last did anything but answer, and what it asked people to wait for in all. */
    const service = { faultyUntil: 0, saidMs: 0, hits: 0 };
    const hit = (fault: Fault) => {
      service.hits++;
      service.faultyUntil = time.elapsed();
      return fault;
    };
    /** When the present run began; faults are set from there. Undefined in one without faults. */
    let began: number | undefined = 0;
    const limit = given.rateWindow;
    const limits = { used: 0, endsAt: 0, window: 0 };
    const model = modelService(time, {
      latencyMs: () => 1 + below(latency),
      marksReplays: below(2) === 0,
      fault({ at: now }) {
        if (began === undefined) return undefined;
        const at = now - began;
        for (const one of troubles)
          if (at >= one.from && at < one.from + one.lasts && below(100) < one.share)
            return hit(FAULTS[one.kind]);
        const one = limited.find(({ from, left }) => at >= from && left > 0);
        if (one !== undefined) {
          one.left--;
          service.saidMs += (one.retryAfter ?? 20) * SECOND;
          const headers = one.retryAfter === undefined ? {} : { 'retry-after': String(one.retryAfter) };
          return hit(one.isPause ? { status: 503, headers } : { status: 429, code: 'rate_limited', headers });
        }
        if (limit === undefined) return undefined;
        if (now >= limits.endsAt && limits.window < limit.windows)
          Object.assign(limits, { used: 0, endsAt: now + limit.seconds * SECOND, window: limits.window + 1 });
        if (now >= limits.endsAt || ++limits.used <= limit.limit) return undefined;
        return hit({
          status: 429,
          code: 'rate_limited',
          headers: { 'retry-after': String(Math.ceil((limits.endsAt - now) / SECOND)) },
        });
      },
      headers: () =>
        limit === undefined || time.elapsed() >= limits.endsAt || below(100) >= limit.headers
          ? {}
          : {
              'x-ratelimit-limit': String(limit.limit),
              'x-ratelimit-remaining': String(Math.max(0, limit.limit - limits.used)),
              'x-ratelimit-reset': String(Math.ceil((limits.endsAt - time.elapsed()) / SECOND)),
            },
    });
    const cancel = new AbortController();
    if (cancelAt !== undefined) time.after(cancelAt, () => cancel.abort());
    const isBad = (index: number) => given.bad && index % 10 === 7;
    const nameOf = (index: number) => `${isBad(index) ? 'bad' : 'row'}-${index}-`;
    const silences: number[] = [];
    const lastAnswer = () =>
      Math.max(0, ...model.seen.map(({ status = 599, answeredAt = 0 }) => (status < 500 ? answeredAt : 0)));
    const memory = {};
    const run = (signal?: AbortSignal) =>
      time
        .run(
          runNode(model, {
            operation,
            parameters: OPERATIONS[operation](nameOf),
            rows,
            concurrency,
            memory,
            ...(signal && { signal }),
            onFailure: () => silences.push(time.elapsed() - lastAnswer()),
          }),
        )
        .then(
          (items) => ({ items }),
          (error: unknown) => ({ error: error as Error }),
        );
    const outcome = await run(cancel.signal);
    const first = {
      ...outcome,
      ...service,
      seen: [...model.seen],
      silences: [...silences],
      elapsed: time.elapsed(),
    };
    // The execution is retried twice: amid the same faults, and when all is well.
    began = time.elapsed();
    await run();
    began = undefined;
    const last = await run();
    return { first, last, acts: model.acts, isBad, nameOf, limit };
  } finally {
    jest.restoreAllMocks();
  }
}

const REASONS = [
  'quota_exceeded',
  'timeout',
  'network',
  'http_503',
  'rate_limited',
  'idempotency_in_progress',
];

function codeOf({ json }: INodeExecutionData): string | undefined {
  return (json['details'] as { code: string } | undefined)?.code;
}

test('every row of a run ends with its result or its own reason, nothing is done twice, and no time is lost', async () => {
  await fc.assert(
    fc.asyncProperty(plan, async (given) => {
      const { operation, rows, concurrency, cancelAt } = given;
      const { first: did, last, acts, isBad, nameOf, limit } = await simulate(given);
      const isOf = (index: number) => (text: string) => text.includes(nameOf(index));

      // Nothing is done twice, and retries bring every row that can be done.
      expect([...acts.values()].filter((count) => count !== 1)).toEqual([]);
      const left =
        'items' in last ? last.items.flatMap((item, index) => (codeOf(item) ? [index] : [])) : rows;
      const refused = Array.from({ length: rows }, (_, index) => index).filter(isBad);
      expect(left).toEqual(operation === 'getAll' ? [] : refused);

      if ('error' in did) {
        expect(did.error.message).toContain('canceled');
        expect(did.elapsed).toBe(cancelAt);
        return;
      }
      const { items } = did;

      // Every row has its result or its own reason.
      const byRow = new Map(items.map((item) => [(item.pairedItem as { item: number }).item, item]));
      expect(byRow.size).toBe(rows);
      let [unsent, unsentForLimit] = [0, 0];
      for (const [index, item] of byRow) {
        const failedWith = codeOf(item);
        if (failedWith === undefined) {
          if (operation === 'create') expect(item.json['name']).toBe(nameOf(index));
          if (['create', 'publish', 'retarget'].includes(operation))
            expect([...acts.keys()].filter(isOf(index))).toHaveLength(1);
          continue;
        }
        expect(item.pairedItem).toEqual({ item: index });
        if (isBad(index) && !REASONS.includes(failedWith))
          expect(failedWith).toMatch(/validation_failed|not_found/);
        else expect(REASONS).toContain(failedWith);
        const wasSent = did.seen.some(({ path, body }) => isOf(index)(path) || isOf(index)(body));
        if (!NAMES_ROWS.includes(operation) || wasSent) continue;
        if (failedWith === 'rate_limited') unsentForLimit++;
        else unsent++;
      }

      // No row fails unsent while the service answers others.
      expect(did.silences.filter((ms) => ms >= MINUTE).length).toBeGreaterThanOrEqual(unsent);

      const windows = (limit?.seconds ?? 0) * SECOND * (limit?.windows ?? 0);
      // The requests between the waits count, too: they take less than a minute.
      if (windows + did.saidMs <= 69 * MINUTE) expect(unsentForLimit).toBe(0);

      // The time is what the service said and what the budgets allow.
      const outages = given.troubles.reduce((sum, { lasts }) => sum + lasts, 0);
      const work = (rows * 4 * given.latency) / concurrency + rows * 10;
      expect(did.elapsed).toBeLessThanOrEqual(
        work + windows + 2 * did.saidMs + outages + 6 * MINUTE + given.latency * 10,
      );

      // After the last fault the run is as parallel as before.
      const calm = Math.max(did.faultyUntil, windows);
      const after = did.seen.filter(({ at }) => at > calm);
      // But for calls that wait before they retry a lost answer, which the others don't wait for.
      const lost = did.seen.filter(({ at, status = 599 }) => at <= calm && status >= 500);
      const retried = after.filter(({ path, body }) =>
        lost.some((before) => before.path === path && before.body === body),
      );
      if (after.length >= 6 * concurrency)
        expect(Math.max(...after.map(({ inFlight }) => inFlight))).toBeGreaterThanOrEqual(
          Math.max(1, concurrency - retried.length),
        );
    }),
    { numRuns: runs(12, 200) },
  );
});
