import { createZapierEngine, readStepFailure, type LogLine, type Row } from '../../engines/zapier/index.ts';
import { fc } from '../support/fastCheck.ts';
import { closeServices } from '../support/faultyService/faultyService.ts';
import { startVirtualTime } from '../support/jest/virtualTime.ts';
import { type ListService, startListService } from '../support/modelService/listService.ts';
import { runs } from '../support/seed.ts';
import { createDedupeTable } from './support/world.ts';

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
/** A page may take so long that a Zap can't read a window completely. */
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

/** Milliseconds that a poll has read completely, by the number of windows that were too much. */
const COMPLETE_MS = [6 * HOUR, 30 * MINUTE, 5 * MINUTE, 0];

const LIFE = fc.record({
  order: fc.constantFrom('by arrival', 'descending', 'id'),
  aheadMs: fc.constantFrom(0, 50 * SECOND, -50 * SECOND, 40 * MINUTE, -40 * MINUTE),
  isBusy: fc.boolean(),
  perMinute: either(fc.constant(undefined), fc.constant(40)),
  /** Milliseconds after the start of a minute, which is when the rate limit begins anew. */
  startsAt: fc.nat(MINUTE - 1),
  steps: STEPS,
});

afterEach(() => jest.restoreAllMocks());

test.each(['qr_changed', 'new_scan'])(
  '%s: what happened after turning a Zap on starts it once, and nothing from before, as far as it can read',
  async (trigger) => {
    const time = startVirtualTime();
    await fc.assert(
      fc.asyncProperty(LIFE, ({ steps, ...options }) =>
        live(trigger, (ms) => time.advance(ms), steps, options),
      ),
      // A life takes too long to look for a shorter one.
      { numRuns: runs(5, 30), endOnFailure: true },
    );
  },
);

/** Runs the steps and checks each poll. */
async function live(
  trigger: string,
  advance: (ms: number) => void,
  steps: readonly Step[],
  {
    isBusy,
    aheadMs,
    startsAt,
    ...options
  }: Pick<ListService, 'order' | 'perMinute'> & { isBusy: boolean; aheadMs: number; startsAt: number },
): Promise<void> {
  let latencyMs = 0;
  advance(MINUTE - (Date.now() % MINUTE) + startsAt);
  const service = await startListService({
    ...options,
    pageSize: PAGE_SIZE,
    now: () => Date.now() + aheadMs,
    responds(query) {
      advance(latencyMs);
      if (!query.has('cursor')) windows.add(query.toString());
      if (isBusy && ids < 300 && query.has('cursor')) create();
    },
  });
  let logged: string[] = [];
  /** The windows that a poll has read. */
  const windows = new Set<string>();
  const log = ({ type, message }: LogLine) => {
    if (type === 'console') logged.push(message);
  };
  const engine = await createZapierEngine({ auth: { apiKey: 'key_of_a_test', baseUrl: service.url }, log });
  const isScan = trigger === 'new_scan';
  const primary = isScan ? ['id'] : ['id', 'updatedAt'];
  const keyOf = (row: Row) => JSON.stringify(primary.map((field) => row[field]));
  /** Local times at which the rows were written. */
  const written = new Map<string, number>();
  let ids = 0;
  const write = (id: string, fields: Row = {}) => {
    // Two changes of a code never have the same millisecond.
    advance(1);
    const key = keyOf(service.write(id, fields));
    if (!written.has(key)) written.set(key, Date.now());
  };
  const create = (isUnreadable = false) => {
    const id = `${(ids * 7919) % 10_007}-${ids++}`;
    write(id, isUnreadable ? { updatedAt: `time ${id}`, scannedAt: `time ${id}` } : {});
  };

  /** `isComplete` if turning it on read the whole window. */
  let zap: { onAt: number; isComplete: boolean; fired: Set<string> } | undefined;
  let fresh = createDedupeTable(primary);
  /** Reads the rows, and how far back they are complete. Undefined if others have used up the rate limit. */
  const poll = async (meta = {}) => {
    logged = [];
    windows.clear();
    const readMs = (Math.ceil(written.size / PAGE_SIZE) + 4) * latencyMs;
    const startedAt = Date.now();
    try {
      const rows = await engine.poll(trigger, {}, meta);
      expect(Date.now() - startedAt).toBeLessThan(27 * SECOND);
      const narrowed = logged.filter((line) => line.includes('too many rows')).length;
      if (options.perMinute === undefined && readMs < 10 * SECOND) expect(narrowed).toBe(0);
      // With no time for a narrower window, the rows are part of the last one.
      return { rows, completeMs: windows.size > narrowed ? COMPLETE_MS[narrowed]! : 0 };
    } catch (error) {
      expect([readStepFailure(error).name, options.perMinute]).toEqual([
        'ThrottledError',
        expect.any(Number),
      ]);
      return undefined;
    }
  };

  try {
    for (const step of steps) {
      if (step.does === 'create') for (let i = 0; i < step.count; i++) create(step.unreadable && i === 0);
      if (step.does === 'wait') advance(step.ms);
      if (step.does === 'slow down or speed up') latencyMs = step.latencyMs;
      if (step.does === 'change' || step.does === 'delete') {
        const rows = service.rows;
        const chosen = rows.slice(step.which % Math.max(rows.length, 1)).slice(0, step.count);
        for (const { id } of chosen)
          if (step.does === 'delete') service.remove(id!);
          // Scans don't change.
          else if (!isScan) write(id!);
      }
      if (step.does === 'turn on') {
        const onAt = Date.now();
        const read = await poll({ isPopulatingDedupe: true });
        const isComplete = read?.completeMs === 6 * HOUR;
        zap = read && { onAt, isComplete, fired: new Set() };
        fresh = createDedupeTable(primary);
        fresh(read?.rows ?? []);
      }
      if (step.does === 'poll' && zap !== undefined) {
        const { onAt, fired, isComplete } = zap;
        const startedAt = Date.now();
        const before = new Set(service.rows.map(keyOf));
        const read = await poll();
        if (read === undefined) continue;
        for (const row of fresh(read.rows)) {
          const key = keyOf(row);
          expect(fired).not.toContain(key);
          if (isComplete) expect(written.get(key)!).toBeGreaterThan(onAt);
          fired.add(key);
        }
        const from = Math.max(onAt + 30 * SECOND, startedAt - read.completeMs + MINUTE);
        const missed = service.rows
          .map(keyOf)
          .filter((key) => before.has(key) && written.get(key)! > from && !fired.has(key));
        expect(missed).toEqual([]);
      }
    }
  } finally {
    await engine.close();
    closeServices();
  }
}
