import { omitUndefined } from '@qr-service/core/connector';
import { createZapierEngine, readStepFailure } from '../../engines/zapier/index.ts';
import { fc } from '../support/fastCheck.ts';
import { startVirtualTime } from '../support/jest/virtualTime.ts';
import { runs } from '../support/seed.ts';
import { createDedupeTable } from './support/dedupeTable.ts';
import { ORDERS, startTimedService, type TimedServiceOptions, type Version } from './support/timedService.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const PAGE_SIZE = 5;

/** A step in the life of a Zap and its workspace. */
type Step =
  | { does: 'create'; count: number; unreadable: boolean }
  | { does: 'change' | 'delete'; which: number; count: number }
  | { does: 'wait'; ms: number }
  | { does: 'slow down or speed up'; latencyMs: number }
  | { does: 'poll' | 'turn on' };

const WRITE: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    does: fc.constant('create' as const),
    count: fc.constantFrom(1, 4, 60, 100),
    unreadable: fc.boolean(),
  }),
  fc.record({
    does: fc.constantFrom('change' as const, 'delete' as const),
    which: fc.nat(),
    count: fc.integer({ min: 1, max: 40 }),
  }),
);
const WAIT: fc.Arbitrary<Step> = fc.record({
  does: fc.constant('wait' as const),
  ms: fc.oneof(
    fc.constantFrom(5 * MINUTE, 15 * MINUTE),
    fc.integer({ min: 1, max: 50 }).map((h) => h * HOUR),
  ),
});
/** A page may take so long that a Zap can't read some thousand rows, or can't be turned on. */
const SPEED: fc.Arbitrary<Step> = fc.record({
  does: fc.constant('slow down or speed up' as const),
  latencyMs: fc.constantFrom(20, 400, 1000, 3000),
});
const POLL = fc.constant<Step>({ does: 'poll' });
const TURN_ON = fc.constant<Step>({ does: 'turn on' });
const some = (step: fc.Arbitrary<Step>) => fc.array(step, { maxLength: 2, size: 'max' });
const either = <Value>(usual: fc.Arbitrary<Value>, other: fc.Arbitrary<Value>): fc.Arbitrary<Value> =>
  fc.oneof({ weight: 8, arbitrary: usual }, { weight: 1, arbitrary: other });

/** A Zap that is turned on during or after a bulk job, and polls, pauses and outages after that. */
const STEPS = fc
  .tuple(
    fc.tuple(some(WRITE), WAIT, SPEED, TURN_ON),
    fc.array(
      fc.tuple(
        some(WRITE),
        WAIT,
        some(WRITE),
        either(fc.constant<Step[]>([]), fc.tuple(SPEED)),
        either(POLL, TURN_ON),
      ),
      {
        minLength: 2,
        maxLength: 6,
        size: 'max',
      },
    ),
  )
  .map(([before, after]) => [...before, ...after.flat()].flat());

const LIFE = fc.record({
  order: fc.constantFrom(...(Object.keys(ORDERS) as (keyof typeof ORDERS)[])),
  aheadMs: fc.constantFrom(0, 40 * MINUTE, -40 * MINUTE, 50 * HOUR, -50 * HOUR),
  isBusy: fc.boolean(),
  perMinute: either(fc.constant(undefined), fc.constant(40)),
  steps: STEPS,
});

afterEach(() => jest.restoreAllMocks());

test.each(['qr_changed', 'new_scan'])(
  '%s: what happened after turning a Zap on starts it once, and nothing from before',
  async (trigger) => {
    const time = startVirtualTime();
    await fc.assert(
      fc.asyncProperty(LIFE, ({ steps, perMinute, ...options }) =>
        live(trigger, (ms) => time.advance(ms), steps, { ...options, ...omitUndefined({ perMinute }) }),
      ),
      { numRuns: runs(5, 100) },
    );
  },
);

interface Written extends Version {
  /** Local time. */
  writtenAt: number;
}

/** Runs the steps and checks each poll. */
async function live(
  trigger: string,
  advance: (ms: number) => void,
  steps: readonly Step[],
  { isBusy, ...options }: TimedServiceOptions & { isBusy: boolean },
): Promise<void> {
  const service = await startTimedService(advance, { ...options, pageSize: PAGE_SIZE });
  const engine = await createZapierEngine({ auth: { apiKey: 'key_of_a_test', baseUrl: service.url } });
  const isScan = trigger === 'new_scan';
  const primary = isScan ? ['id'] : ['changeId'];
  const keyOf = ({ id, at, unreadable }: Version) =>
    isScan ? id : `${id} ${unreadable ?? new Date(at).toISOString()}`;
  const written = new Map<string, Written>();
  let ids = 0;
  const write = (id: string, fields: Partial<Version> = {}) => {
    // Two changes of a code never have the same millisecond.
    advance(1);
    const version = { ...service.write(id, fields), writtenAt: Date.now() };
    if (!written.has(keyOf(version))) written.set(keyOf(version), version);
  };
  const create = (unreadable = false) => {
    const id = `${(ids * 7919) % 10_007}-${ids++}`;
    write(id, unreadable ? { unreadable: `time ${id}` } : {});
  };
  service.whileReading = () => {
    if (isBusy && ids < 300) create();
  };

  let zap: { onAt: number; fresh: ReturnType<typeof createDedupeTable>; fired: Set<string> } | undefined;
  /** Maximum time to read everything, in milliseconds. */
  const readMs = () =>
    options.perMinute === undefined
      ? (Math.ceil(written.size / PAGE_SIZE) + 4) * service.latencyMs
      : Infinity;
  const poll = async (meta = {}) => {
    try {
      return await engine.poll(trigger, {}, meta);
    } catch (error) {
      const { name, code } = readStepFailure(error);
      expect([name, code]).toEqual(
        name === 'ThrottledError' ? [name, code] : ['AppError', expect.stringMatching(/^too_many_/)],
      );
      return undefined;
    }
  };

  try {
    for (const step of steps) {
      if (step.does === 'create') for (let i = 0; i < step.count; i++) create(step.unreadable && i === 0);
      if (step.does === 'wait') advance(step.ms);
      if (step.does === 'slow down or speed up') service.latencyMs = step.latencyMs;
      if (step.does === 'change' || step.does === 'delete') {
        const rows = service.rows();
        const chosen = rows.slice(step.which % Math.max(rows.length, 1)).slice(0, step.count);
        for (const { id } of chosen)
          if (step.does === 'delete') service.delete(id);
          // Scans don't change.
          else if (!isScan) write(id);
      }
      if (step.does === 'turn on') {
        const isReadable = readMs() < 20 * SECOND;
        const onAt = Date.now();
        const rows = await poll({ isPopulatingDedupe: true });
        if (isReadable) expect(rows).toBeDefined();
        zap = rows && { onAt, fresh: createDedupeTable(primary), fired: new Set() };
        zap?.fresh(rows ?? []);
        if (zap !== undefined) zap.onAt = onAt;
      }
      if (step.does === 'poll' && zap !== undefined) {
        const isReadable = readMs() < 9 * SECOND;
        const startedAt = Date.now();
        const before = new Set(service.rows().map(keyOf));
        const rows = await poll();
        if (isReadable) expect(rows).toBeDefined();
        if (rows === undefined) continue;
        for (const row of zap.fresh(rows)) {
          const key = isScan ? String(row['id']) : `${String(row['id'])} ${String(row['updatedAt'])}`;
          expect(zap.fired).not.toContain(key);
          expect(written.get(key)!.writtenAt).toBeGreaterThan(zap.onAt);
          zap.fired.add(key);
        }
        const from = Math.max(zap.onAt + 30 * SECOND, startedAt - (isReadable ? 70 * HOUR : 29 * MINUTE));
        const missed = service
          .rows()
          .map(keyOf)
          .filter((key) => before.has(key) && written.get(key)!.writtenAt > from && !zap!.fired.has(key));
        expect(missed).toEqual([]);
      }
    }
  } finally {
    await engine.close();
    await service.close();
  }
}
