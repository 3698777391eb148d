import type { INodeExecutionData } from 'n8n-workflow';
import { fc } from '../../../test/support/fastCheck.ts';
import { startSimulatedTime } from '../../../test/support/jest/virtualTime.ts';
import { n8nService, type Fault } from '../../../test/support/modelService/n8nService.ts';
import { randomIntegers, runs } from '../../../test/support/seed.ts';
import { runNode } from './support/runNode.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
/** Items that the node processes at once. */
const CONCURRENCY = 10;

/** Parameters of each operation on a row. With `bad`, the service rejects every tenth row. */
const OPERATIONS = {
  create: (name: (index: number) => string) => ({
    name,
    targetUrl: 'https://example.com/',
    publish: false,
  }),
  publish: (id: (index: number) => string) => ({ qrCodeId: id }),
  retarget: (id: (index: number) => string) => ({ qrCodeId: id, url: 'https://example.com/' }),
  render: (id: (index: number) => string) => ({
    qrCodeId: id,
    format: 'png',
    binaryPropertyName: 'data',
  }),
  get: (id: (index: number) => string) => ({ qrCodeId: id }),
  getAll: () => ({ returnAll: false, limit: 2, filters: {} }),
};
type Operation = keyof typeof OPERATIONS;
const OPERATIONS_WITH_ROW_NAMES: readonly Operation[] = ['create', 'publish', 'retarget', 'render', 'get'];

const STORED_REFUSAL: Fault = { status: 403, code: 'quota_exceeded', isStored: true };

const trouble = fc.record({
  fault: fc.constantFrom<Fault[]>(
    ...(['hang', 'silent', 'reset', 'lost', { status: 503 }] as const),
    { status: 403, code: 'quota_exceeded' },
    STORED_REFUSAL,
  ),
  from: fc.integer({ min: 0, max: 20 * SECOND }),
  /** Percentage of affected requests, and how many there are at most. */
  share: fc.constantFrom(2, 20, 100),
  most: fc.constantFrom(3, 30, Infinity),
  lasts: fc.oneof(fc.integer({ min: 0, max: 20 * SECOND }), fc.integer({ min: 0, max: 8 * MINUTE })),
});
const refusal = fc.record({
  from: fc.integer({ min: 0, max: 20 * SECOND }),
  count: fc.integer({ min: 1, max: 25 }),
  retryAfter: fc.constantFrom(undefined, 0, 1, 7, 60),
  /** Whether these are 503s of an unavailable service, possibly with Retry-After, instead of 429s. */
  isPause: fc.boolean(),
});
const rateWindow = fc.record({
  limit: fc.integer({ min: 10, max: 120 }),
  seconds: fc.constantFrom(1, 10, 60, 3600),
  /** Percentage of responses with the rate limit headers. */
  headers: fc.constantFrom(0, 30, 100),
  windows: fc.integer({ min: 1, max: 3 }),
});
/** Many windows of few requests each, without headers. */
const narrowWindow = fc.record({
  limit: fc.integer({ min: 1, max: 5 }),
  seconds: fc.constantFrom(1, 10, 60),
  headers: fc.constant(0),
  windows: fc.integer({ min: 4, max: 30 }),
});
const plan = fc.record({
  operation: fc.constantFrom(...(Object.keys(OPERATIONS) as Operation[])),
  rows: fc.integer({ min: 80, max: 250 }),
  latency: fc.constantFrom(50, 400, 3000),
  bad: fc.boolean(),
  /** Whether creations also publish. */
  publish: fc.boolean(),
  troubles: fc.array(trouble, { maxLength: 3 }),
  refusals: fc.array(refusal, { maxLength: 2 }),
  rateWindow: fc.option(fc.oneof(rateWindow, narrowWindow), { nil: undefined, freq: 3 }),
  cancelAt: fc.option(fc.integer({ min: 1, max: 2 * MINUTE }), { nil: undefined, freq: 8 }),
  seed: fc.nat(),
});
type Plan = typeof plan extends fc.Arbitrary<infer Value> ? Value : never;

/** What happened in one run. */
async function simulate(given: Plan) {
  const { operation, rows, latency, publish, cancelAt } = given;
  const time = startSimulatedTime();
  try {
    const below = randomIntegers(given.seed);
    jest.spyOn(Math, 'random').mockImplementation(() => below(1000) / 1000);
    const troubles = given.troubles.map((one) => ({ ...one, left: one.most }));
    const limited = given.refusals.map((one) => ({ ...one, left: one.count }));
    /** Time of the last fault, total wait requested by the service, and number of faults. */
    const service = { faultyUntil: 0, requestedWaitMs: 0, hits: 0 };
    const hit = (fault: Fault) => {
      service.hits++;
      service.faultyUntil = time.elapsed();
      return fault;
    };
    /** Start of the current run, to which faults are relative. Undefined in a run without faults. */
    let began: number | undefined = 0;
    const limit = given.rateWindow;
    const limits = { used: 0, endsAt: 0, window: 0 };
    const model = n8nService(time, {
      latencyMs: () => 1 + below(latency),
      fault({ at: now }) {
        if (began === undefined) return undefined;
        const at = now - began;
        for (const one of troubles)
          if (at >= one.from && at < one.from + one.lasts && one.left > 0 && below(100) < one.share) {
            one.left--;
            return hit(one.fault);
          }
        const one = limited.find(({ from, left }) => at >= from && left > 0);
        if (one !== undefined) {
          one.left--;
          service.requestedWaitMs += (one.retryAfter ?? 20) * SECOND;
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
    const existing = 'qrCodeId' in OPERATIONS[operation](nameOf) ? rows : 3;
    for (let index = 0; index < existing; index++) if (!isBad(index)) model.codes.add({ id: nameOf(index) });
    model.codes.isInvalid = (nameOrId) => nameOrId.startsWith('bad-');
    const silences: number[] = [];
    const lastResponse = () =>
      Math.max(
        0,
        ...model.requests.map(({ status = 599, respondedAt = 0 }) => (status < 500 ? respondedAt : 0)),
      );
    const memory = {};
    const log: string[] = [];
    const run = (signal?: AbortSignal) =>
      time
        .run(
          runNode(model, {
            operation,
            parameters: { ...OPERATIONS[operation](nameOf), publish },
            rows,
            memory,
            ...(signal && { signal }),
            onLog: (line) => void log.push(line),
            onFailure: () => cancel.signal.aborted || silences.push(time.elapsed() - lastResponse()),
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
      requests: model.requests.map((request) => ({ ...request })),
      codes: [...model.codes.codes],
      log: log.join('\n'),
      silences: [...silences],
      elapsed: time.elapsed(),
    };
    // The execution is retried twice: with the same faults, and without any.
    began = time.elapsed();
    await run();
    began = undefined;
    // A stop can lose a refusal that the service stores, which the next run gets.
    if ('error' in outcome && troubles.some(({ fault }) => fault === STORED_REFUSAL)) await run();
    const last = await run();
    return { first, last, codes: model.codes, isBad, nameOf, limit };
  } finally {
    jest.restoreAllMocks();
  }
}

/** A day without faults. The retries must still send the first run's keys. */
const NO_FAULTS = { bad: false, troubles: [], refusals: [], rateWindow: undefined, cancelAt: undefined };
const QUIET_DAY: Plan = { operation: 'create', rows: 80, latency: 50, publish: false, seed: 0, ...NO_FAULTS };

const REASONS = /^(quota_exceeded|timeout|network|http_503|rate_limited|idempotency_in_progress)$/;

function codeOf({ json }: INodeExecutionData): string | undefined {
  return (json['details'] as { code: string } | undefined)?.code;
}

test('every row ends with its result or its own error, no write takes effect twice, and no time is wasted', async () => {
  await fc.assert(
    fc.asyncProperty(plan, async (given) => {
      const { operation, rows, publish, cancelAt } = given;
      const { first: result, last, codes, isBad, nameOf, limit } = await simulate(given);
      const isOf = (index: number) => (text: string) => text.includes(nameOf(index));

      // No creation takes effect twice, and each run sends a change once. After the retries every valid row has succeeded.
      const { effects } = codes;
      const most = (write: string) => (write.startsWith('create') ? 1 : 4);
      expect([...effects].filter(([write, count]) => count > most(write))).toEqual([]);
      const left =
        'items' in last ? last.items.flatMap((item, index) => (codeOf(item) ? [index] : [])) : rows;
      const refused = [...Array(rows).keys()].filter(isBad);
      expect(left).toEqual(operation === 'getAll' ? [] : refused);
      const isPublishing = operation === 'create' && publish;
      if (isPublishing) expect(codes.codes.filter(({ status }) => status === 'draft')).toEqual([]);

      // Each code that may exist is done, or named by its row's error or, after a stop, in the log, which may name more.
      const isTold = (index: number) => {
        const sent = result.requests.filter(({ body }) => isOf(index)(body));
        const code = result.codes.find(({ name }) => name === nameOf(index));
        const mayExist = sent.some(({ status }) => ![403, 422, 429].includes(status ?? 0));
        if (publish ? code?.status === 'published' : sent.some(({ status }) => status === 200)) return true;
        const told = 'error' in result ? result.log : JSON.stringify(result.items[index]!.json);
        const isNamed = told.includes(nameOf(index)) || told.includes(`${code?.id} was created`);
        return isNamed === mayExist || ('error' in result && isNamed);
      };
      const untold = operation === 'create' ? [...Array(rows).keys()].filter((index) => !isTold(index)) : [];
      expect(untold).toEqual([]);

      if ('error' in result) {
        // A refusal may arrive at the very moment of the cancelation.
        expect(result.error.message).toMatch(given.bad ? /canceled|rejected the input/ : /canceled/);
        const lastMs = isPublishing ? 30 * SECOND : 0;
        expect(result.elapsed).toBeLessThanOrEqual(cancelAt! + lastMs);
        return;
      }
      const { items } = result;

      // Every row has its result or its own error.
      const byRow = new Map(items.map((item) => [(item.pairedItem as { item: number }).item, item]));
      expect(byRow.size).toBe(rows);
      let unsent = 0;
      let unsentForLimit = 0;
      for (const [index, item] of byRow) {
        const failedWith = codeOf(item);
        if (failedWith === undefined) {
          if (operation === 'create') expect(item.json['name']).toBe(nameOf(index));
          if (isPublishing)
            expect(result.codes.find(({ id }) => id === item.json['id'])?.status).toBe('published');
          if (['create', 'publish', 'retarget'].includes(operation))
            expect([...effects.keys()].filter(isOf(index))).toHaveLength(1);
          continue;
        }
        expect(item.pairedItem).toEqual({ item: index });
        if (isBad(index) && !REASONS.test(failedWith))
          expect(failedWith).toMatch(/validation_failed|not_found/);
        else expect(failedWith).toMatch(REASONS);
        const wasSent = result.requests.some(({ path, body }) => isOf(index)(path) || isOf(index)(body));
        if (!OPERATIONS_WITH_ROW_NAMES.includes(operation) || wasSent) continue;
        if (failedWith === 'rate_limited') unsentForLimit++;
        else unsent++;
      }

      // No row fails without being sent while the service responds to others.
      expect(result.silences.filter((ms) => ms >= MINUTE).length).toBeGreaterThanOrEqual(unsent);

      const windows = (limit?.seconds ?? 0) * SECOND * (limit?.windows ?? 0);
      // The limit also includes the requests between the waits, which take less than a minute.
      if (windows + result.requestedWaitMs <= 69 * MINUTE) expect(unsentForLimit).toBe(0);

      // The run takes no longer than the requested waits and the time budgets.
      const outages = given.troubles.reduce((sum, { lasts }) => sum + lasts, 0);
      const work = (rows * 4 * given.latency) / CONCURRENCY + rows * 10;
      expect(result.elapsed).toBeLessThanOrEqual(
        work + windows + 2 * result.requestedWaitMs + outages + 6 * MINUTE + given.latency * 10,
      );

      // After the last fault, the run resumes full concurrency.
      const calm = Math.max(result.faultyUntil, windows);
      const after = result.requests.filter(({ at }) => at > calm);
      // Except for calls that wait to retry after a lost response. The others don't wait for them.
      const lost = result.requests.filter(({ at, status = 599 }) => at <= calm && status >= 500);
      const retried = after.filter(({ path, body }) =>
        lost.some((before) => before.path === path && before.body === body),
      );
      if (after.length >= 6 * CONCURRENCY)
        expect(Math.max(...after.map(({ inFlight }) => inFlight))).toBeGreaterThanOrEqual(
          Math.max(1, CONCURRENCY - retried.length),
        );
    }),
    { numRuns: runs(6, 24), examples: [[QUIET_DAY]] },
  );
});
