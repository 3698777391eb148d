import { createZapierEngine, type ZapierEngine } from '../../engines/zapier/index.ts';
import { startVirtualTime, type VirtualTime } from '../../harness/jest/virtualTime.ts';
import { createDedupeTable } from './support/dedupeTable.ts';
import { startTimedService, type TimedService, type TimedServiceOptions } from './support/timedService.ts';
import { failureOf } from './support/world.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

let time: VirtualTime;
let service: TimedService;
let engine: ZapierEngine;

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
  engine = await createZapierEngine({ auth: { apiKey: 'key_of_a_test', baseUrl: service.url } });
}

let ids = 0;
/** Writes so many codes or scans, this much time apart. */
function write(count: number, apartMs = 1) {
  for (let i = 0; i < count; i++) {
    service.write(`${ids++}`);
    time.advance(apartMs);
  }
}

const CASES = [
  { trigger: 'qr_changed', primary: ['id', 'updatedAt'], old: [400, 3800], pageSize: 100 },
  { trigger: 'new_scan', primary: ['id'], old: [200, 900], pageSize: 25 },
];

test.each(CASES)(
  '$trigger: a Zap turned on after a bulk job starts for nothing that was there, however old it gets',
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

test.each(CASES)(
  "$trigger: starts for nothing old where Zapier's machines have different clocks",
  async ({ trigger, primary }) => {
    await start({ aheadMs: -40 * MINUTE });
    write(1);
    time.advance(71.6 * HOUR);
    const fresh = createDedupeTable(primary);
    fresh(await engine.poll(trigger, {}, { isPopulatingDedupe: true }));
    // The next machine's clock is 30 minutes behind the first one's.
    time.advance(-30 * MINUTE);
    service.aheadMs += 30 * MINUTE;
    expect(fresh(await engine.poll(trigger))).toEqual([]);
  },
);

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

  test("isn't turned on if that would leave out rows that a later poll can read, and says what to do", async () => {
    write(3000, MINUTE);
    const failure = await failureOf(engine.poll(trigger, {}, { isPopulatingDedupe: true }));
    expect(failure).toMatchObject({ name: 'AppError', code });
    expect(failure.message).toMatch('in the last three days');
    expect(failure.message).toMatch(advice);
  });
});
