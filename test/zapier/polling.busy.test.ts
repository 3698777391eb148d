import { createZapierEngine, type LogLine, type ZapierEngine } from '../../engines/zapier/index.ts';
import { startVirtualTime, type VirtualTime } from '../support/jest/virtualTime.ts';
import { createDedupeTable } from './support/dedupeTable.ts';
import { startTimedService, type TimedService, type TimedServiceOptions } from './support/timedService.ts';
import { failureOf } from './support/world.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

let time: VirtualTime;
let service: TimedService;
let engine: ZapierEngine;
let logged: string[];

beforeEach(() => {
  time = startVirtualTime();
});
afterEach(async () => {
  await engine.close();
  await service.close();
  jest.restoreAllMocks();
});

async function start(options: TimedServiceOptions = {}) {
  service = await startTimedService((ms) => time.advance(ms), options);
  logged = [];
  const log = ({ type, message }: LogLine) => {
    if (type === 'console') logged.push(message);
  };
  engine = await createZapierEngine({ auth: { apiKey: 'key_of_a_test', baseUrl: service.url }, log });
}

let ids = 0;
/** Writes codes or scans at an interval. */
function write(count: number, apartMs = 1) {
  for (let i = 0; i < count; i++) {
    service.write(`${ids++}`);
    time.advance(apartMs);
  }
}

const CASES = [
  { trigger: 'qr_changed', primary: ['changeId'], old: [100, 900], pageSize: 25 },
  { trigger: 'new_scan', primary: ['id'], old: [100, 900], pageSize: 25 },
];

test.each(CASES)(
  '$trigger: a Zap turned on after a bulk job never starts for existing rows',
  async ({ trigger, primary, old, pageSize }) => {
    await start({ pageSize });
    for (const count of old) {
      write(count);
      time.advance(HOUR);
    }
    const fresh = createDedupeTable(primary);
    fresh(await engine.poll(trigger, {}, { isPopulatingDedupe: true }));
    for (const hours of [0, 69.5, 1, 1, 1]) {
      time.advance(hours * HOUR);
      expect(fresh(await engine.poll(trigger))).toEqual([]);
    }
    const { id } = service.write('new');
    expect(fresh(await engine.poll(trigger))).toMatchObject([{ id }]);
  },
);

test.each(
  CASES.flatMap((row) => [
    {
      ...row,
      clock: "30 minutes behind the first one's, which is 40 ahead",
      firstMs: 40 * MINUTE,
      backMs: 30 * MINUTE,
    },
    { ...row, clock: "right, but the first one's is a day ahead", firstMs: 24 * HOUR, backMs: 24 * HOUR },
  ]),
)(
  "$trigger: does not start for old rows if the next machine's clock is $clock",
  async ({ trigger, primary, firstMs, backMs }) => {
    await start({ aheadMs: -firstMs });
    write(400, 20 * MINUTE);
    const fresh = createDedupeTable(primary);
    expect(fresh(await engine.poll(trigger, {}, { isPopulatingDedupe: true })).length).toBeGreaterThan(0);
    time.advance(-backMs);
    service.aheadMs += backMs;
    expect(fresh(await engine.poll(trigger))).toEqual([]);
  },
);

test.each([
  ['40 minutes ahead', 40 * MINUTE, 20],
  ['400 days ahead', 400 * 24 * HOUR, 1000],
  ['a day behind', -24 * HOUR, 1000],
])('reads the latest rows of a service whose clock is %s', async (_clock, aheadMs, count) => {
  await start({ aheadMs });
  service.latencyMs = SECOND;
  write(count, 7 * SECOND);
  const rows = await engine.poll('qr_changed');
  expect(rows[0]).toMatchObject({ id: `${ids - 1}` });
  expect(rows.length).toBeGreaterThanOrEqual(Math.min(count, 250));
});

test('uses the local clock if the service sends no time, and reads a whole window once', async () => {
  await start({ tellsTime: false });
  write(20, HOUR);
  expect(await engine.poll('qr_changed')).toHaveLength(20);
  expect(service.pagesServed).toBe(1);
});

test('qr_changed: returns a code once if the service lists it on two pages', async () => {
  await start({ repeats: 1 });
  write(150);
  expect(await engine.poll('qr_changed')).toHaveLength(150);
});

test.each(CASES)("$trigger: returns less than Zapier's 20 MB", async ({ trigger }) => {
  await start();
  for (let i = 0; i < 500; i++) {
    service.write(`${ids++}`, { name: 'x'.repeat(40_000) });
    time.advance(MINUTE);
  }
  expect(await engine.poll(trigger)).toHaveLength(360);
});

test.each(CASES)("$trigger: doesn't use up a low rate limit, and reads what it can", async ({ trigger }) => {
  await start({ perMinute: 20 });
  service.latencyMs = 100;
  write(3000, MINUTE);
  for (let poll = 0; poll < 2; poll++) {
    time.advance(MINUTE - (Date.now() % MINUTE));
    const before = service.pagesServed;
    expect((await engine.poll(trigger)).length).toBeGreaterThan(350);
    expect(service.pagesServed - before).toBeLessThan(20);
  }
});

test.each(CASES)("$trigger: can't be turned on if that alone uses up the rate limit", async ({ trigger }) => {
  await start({ perMinute: 20 });
  service.latencyMs = 100;
  write(3000, MINUTE);
  time.advance(MINUTE - (Date.now() % MINUTE));
  const turnOn = () => failureOf(engine.poll(trigger, {}, { isPopulatingDedupe: true }));
  expect(await turnOn()).toMatchObject({ name: 'AppError', code: expect.stringMatching(/^too_many_/) });
  // Now others have used it up.
  expect(await turnOn()).toMatchObject({ name: 'ThrottledError' });
});

test.each(CASES)('$trigger: waits for a rate limit that resets soon', async ({ trigger }) => {
  await start({ perMinute: 20 });
  time.advance(54 * SECOND - (Date.now() % MINUTE));
  write(2500);
  time.advance(MINUTE - 2500);
  service.latencyMs = 10;
  expect(await engine.poll(trigger)).toHaveLength(2500);
});

test.each(CASES)('$trigger: reads half an hour even at 8 seconds a page', async ({ trigger }) => {
  await start();
  service.latencyMs = 8 * SECOND;
  write(350, 14.5 * MINUTE);
  expect(await engine.poll(trigger)).toHaveLength(2);
  expect(logged).toEqual([expect.stringContaining('read only the last 30 minutes')]);
});

describe.each([
  { trigger: 'qr_changed', code: 'too_many_changes', advice: 'Use the QR Code Updated trigger' },
  { trigger: 'new_scan', code: 'too_many_scans', advice: /[Ee]xport (them|the scans) from the app/ },
])('$trigger at a second a page', ({ trigger, code, advice }) => {
  beforeEach(async () => {
    await start();
    service.latencyMs = SECOND;
  });

  test('reads a narrower window if three days take too long, in time for Zapier', async () => {
    write(3000, MINUTE);
    const startedAt = Date.now();
    const rows = await engine.poll(trigger);
    expect(rows[0]).toMatchObject({ id: `${ids - 1}` });
    expect(rows).toHaveLength(359);
    expect(Date.now() - startedAt).toBeLessThan(20 * SECOND);
    expect(logged).toEqual([expect.stringContaining('read only the last 6 hours')]);
  });

  test('says what to do if even half an hour takes too long', async () => {
    write(3000);
    const failure = await failureOf(engine.poll(trigger));
    expect(failure).toMatchObject({ name: 'AppError', code });
    expect(failure.message).toMatch(advice);
  });

  test('reads 2,000 rows when a Zap is turned on', async () => {
    write(2000);
    expect(await engine.poll(trigger, {}, { isPopulatingDedupe: true })).toHaveLength(2000);
  });

  test("can't be turned on if it would miss rows that a later poll can read, and tells what to do", async () => {
    write(3000, MINUTE);
    const failure = await failureOf(engine.poll(trigger, {}, { isPopulatingDedupe: true }));
    expect(failure).toMatchObject({ name: 'AppError', code });
    expect(failure.message).toMatch('in the last three days');
    expect(failure.message).toMatch(advice);
  });
});
