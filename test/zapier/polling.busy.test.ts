import { createZapierEngine, type LogLine, type Row, type ZapierEngine } from '../../engines/zapier/index.ts';
import { startVirtualTime, type VirtualTime } from '../support/jest/virtualTime.ts';
import { createDedupeTable } from './support/dedupeTable.ts';
import { startTimedService, type TimedService, type TimedServiceOptions } from './support/timedService.ts';
import { failureOf } from './support/world.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const TURN_ON = { isPopulatingDedupe: true };

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

describe.each([
  { trigger: 'qr_changed', primary: ['id', 'updatedAt'] },
  { trigger: 'new_scan', primary: ['id'] },
])('$trigger', ({ trigger, primary }) => {
  const poll = (meta: Row = {}) => engine.poll(trigger, {}, meta);

  test('reads six hours back', async () => {
    await start();
    write(150, HOUR / 2);
    expect(await poll()).toHaveLength(12);
    // Turning on reads two minutes further back.
    time.advance(MINUTE);
    expect(await poll(TURN_ON)).toHaveLength(12);
    expect(logged).toEqual([]);
  });

  test("does not start for old rows if the next machine's clock is a minute behind", async () => {
    await start();
    write(400, 10 * SECOND);
    const fresh = createDedupeTable(primary);
    expect(fresh(await poll(TURN_ON)).length).toBeGreaterThan(0);
    time.advance(-MINUTE);
    expect(fresh(await poll())).toEqual([]);
  });

  describe('with 20 requests a minute', () => {
    beforeEach(async () => {
      await start({ perMinute: 20 });
      service.latencyMs = 100;
    });
    const nextMinute = () => time.advance(MINUTE - (Date.now() % MINUTE));

    test('polls leave some for other steps, and read what they can', async () => {
      write(3000, 5 * SECOND);
      for (let count = 0; count < 2; count++) {
        nextMinute();
        const before = service.pagesServed;
        expect((await poll()).length).toBeGreaterThan(300);
        expect(service.pagesServed - before).toBeLessThan(20);
      }
    });

    test('turning on returns what it can read, and a poll fails if others used up the limit', async () => {
      write(3000, 5 * SECOND);
      const rowsWith = async (used: number, meta: Row) => {
        nextMinute();
        for (let count = 0; count < used; count++) await (await fetch(`${service.url}/scans`)).text();
        return (await poll(meta)).length;
      };
      expect(await rowsWith(0, TURN_ON)).toBeGreaterThan(1000);
      expect(await rowsWith(19, TURN_ON)).toBe(100);
      expect(await failureOf(rowsWith(20, TURN_ON))).toMatchObject({ name: 'ThrottledError' });
      expect(await failureOf(rowsWith(20, {}))).toMatchObject({ name: 'ThrottledError' });
    });

    test('waits if the limit resets soon', async () => {
      time.advance(54 * SECOND - (Date.now() % MINUTE));
      write(2500);
      time.advance(MINUTE - 2500);
      service.latencyMs = 10;
      expect(await poll()).toHaveLength(2500);
    });
  });

  describe('at a second a page', () => {
    beforeEach(async () => {
      await start();
      service.latencyMs = SECOND;
    });

    test('reads a narrower window if the whole one takes too long', async () => {
      write(3000, 5 * SECOND);
      const fresh = createDedupeTable(primary);
      expect(fresh(await poll(TURN_ON)).length).toBeGreaterThan(1000);
      const rows = await poll();
      expect(fresh(rows)).toEqual([]);
      expect(rows[0]).toMatchObject({ id: `${ids - 1}` });
      const halfAnHour = (30 * MINUTE) / (5 * SECOND);
      expect(Math.abs(rows.length - halfAnHour)).toBeLessThan(10);
      const line = 'The last 6 hours have too many rows to read in one check.';
      expect(logged).toEqual([line, line]);
    });

    test.each([1, 3, 5, 7])('ends in time for Zapier, with rows, at %i seconds a page', async (seconds) => {
      service.latencyMs = seconds * SECOND;
      write(3000, 5 * SECOND);
      for (const meta of [TURN_ON, {}]) {
        const startedAt = Date.now();
        expect((await poll(meta)).length).toBeGreaterThan(3);
        const most = (meta === TURN_ON ? 22 : 18) * SECOND + service.latencyMs;
        expect(Date.now() - startedAt).toBeLessThan(most);
      }
    });

    test('fails if the API key becomes invalid while it reads', async () => {
      write(300);
      service.whileReading = () => (service.isRevoked = true);
      expect(await failureOf(poll(TURN_ON))).toMatchObject({ name: 'ExpiredAuthError' });
    });

    test('returns what it can read of the last minutes if even those take too long', async () => {
      write(3000);
      expect((await poll()).length).toBeGreaterThan(200);
      expect(logged).toHaveLength(3);
    });
  });

  test("returns less than Zapier's 20 MB", async () => {
    await start({ pageSize: 10_000 });
    write(70_000, 0);
    const turnedOn = await poll(TURN_ON);
    expect(turnedOn.length).toBeGreaterThan(10_000);
    expect(JSON.stringify(turnedOn).length).toBeLessThan(20_000_000);
  });
});

test.each<[string, TimedServiceOptions, number]>([
  ['whose clock is 40 minutes ahead', { aheadMs: 40 * MINUTE }, 400],
  ['that sends no time', { tellsTime: false }, 360],
])('reads the rows of a service %s', async (_what, options, rows) => {
  await start(options);
  time.advance(MINUTE - (Date.now() % MINUTE));
  write(1000, MINUTE);
  expect(await engine.poll('qr_changed')).toHaveLength(rows);
});
