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
  { trigger: 'qr_changed', primary: ['changeId'] },
  { trigger: 'new_scan', primary: ['id'] },
])('$trigger', ({ trigger, primary }) => {
  const poll = (lookBack?: string, meta: Row = {}) => engine.poll(trigger, { lookBack }, meta);

  test.each([
    ['30_minutes', 1],
    ['6 hours', 12],
    [undefined, 12],
    ['3_days', 144],
  ])('reads as far back as Look Back says (%s)', async (lookBack, count) => {
    await start();
    write(150, HOUR / 2);
    expect(await poll(lookBack)).toHaveLength(count);
    // Turning on reads two minutes further back.
    time.advance(MINUTE);
    expect(await poll(lookBack, TURN_ON)).toHaveLength(count);
    expect(logged).toEqual([]);
  });

  test.each([
    ['50 seconds behind, and the first one was 50 ahead', 50 * SECOND, 100 * SECOND],
    ['right, but the first one was a day ahead', 24 * HOUR, 24 * HOUR],
  ])("does not start for old rows if the next machine's clock is %s", async (_clock, firstMs, backMs) => {
    await start({ aheadMs: -firstMs });
    write(400, 10 * SECOND);
    const fresh = createDedupeTable(primary);
    expect(fresh(await poll('30_minutes', TURN_ON)).length).toBeGreaterThan(0);
    time.advance(-backMs);
    service.aheadMs += backMs;
    expect(fresh(await poll('30_minutes'))).toEqual([]);
  });

  describe('with 20 requests a minute', () => {
    beforeEach(async () => {
      await start({ perMinute: 20 });
      service.latencyMs = 100;
    });
    const nextMinute = () => time.advance(MINUTE - (Date.now() % MINUTE));

    test('polls leave some for other steps, and read what they can', async () => {
      write(3000, MINUTE);
      for (let count = 0; count < 2; count++) {
        nextMinute();
        const before = service.pagesServed;
        expect((await poll('3_days')).length).toBeGreaterThan(350);
        expect(service.pagesServed - before).toBeLessThan(20);
      }
    });

    test('turning on returns what it can read, and a poll fails if others used up the limit', async () => {
      write(3000, MINUTE);
      const rowsWith = async (used: number, meta: Row) => {
        nextMinute();
        for (let count = 0; count < used; count++) await (await fetch(`${service.url}/scans`)).text();
        return (await poll('3_days', meta)).length;
      };
      expect(await rowsWith(0, TURN_ON)).toBeGreaterThan(1500);
      expect(await rowsWith(19, TURN_ON)).toBe(100);
      expect(logged.at(-1)).toMatch('not even the last 5 minutes');
      for (const meta of [TURN_ON, {}])
        expect(await failureOf(rowsWith(meta === TURN_ON ? 20 : 19, meta))).toMatchObject({
          name: 'ThrottledError',
        });
    });

    test.each([
      [0, 1],
      [30 * 24, 0],
    ])(
      'turning on for the short link of a code changed %i h ago succeeds if it uses up the limit',
      async (hours, rows) => {
        const publicUrl = 'https://qr.example/first';
        service.write(`${ids}`, { publicUrl, qrId: `${ids++}` });
        time.advance(hours * HOUR);
        write(3000, MINUTE);
        nextMinute();
        expect(await engine.poll(trigger, { qrCodeId: publicUrl, lookBack: '3_days' }, TURN_ON)).toHaveLength(
          rows,
        );
        expect(service.pagesServed).toBeGreaterThan(19);
      },
    );

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

    test.each([
      [MINUTE, '6 hours', 359],
      [15 * SECOND, '30 minutes', 118],
    ])(
      'reads a narrower window if the whole one takes too long (a row each %i ms)',
      async (apart, read, count) => {
        write(3000, apart);
        const fresh = createDedupeTable(primary);
        const turnedOn = await poll('3_days', TURN_ON);
        expect(fresh(turnedOn).length).toBeGreaterThan(1600);
        const rows = await poll('3_days');
        expect(fresh(rows)).toEqual([]);
        expect(rows[0]).toMatchObject({ id: `${ids - 1}` });
        expect(rows).toHaveLength(count);
        const line = expect.stringContaining(`only the last ${read} could be read completely`);
        expect(logged).toEqual([line, line]);
      },
    );

    test.each([1, 3, 5, 7])('ends in time for Zapier, with rows, at %i seconds a page', async (seconds) => {
      service.latencyMs = seconds * SECOND;
      write(3000, MINUTE);
      for (const meta of [TURN_ON, {}]) {
        const startedAt = Date.now();
        expect((await poll('3_days', meta)).length).toBeGreaterThan(3);
        expect(Date.now() - startedAt).toBeLessThan(
          (meta === TURN_ON ? 22 : 18) * SECOND + service.latencyMs,
        );
      }
    });

    test.each([1, 2, 3, 4])(
      'turning on for the short link of an old code ends in time for Zapier, at %i seconds a page',
      async (seconds) => {
        const publicUrl = 'https://qr.example/first';
        service.write(`${ids++}`, { publicUrl });
        time.advance(30 * 24 * HOUR);
        write(3000, MINUTE);
        service.latencyMs = seconds * SECOND;
        const startedAt = Date.now();
        const fields = { qrCodeId: publicUrl, lookBack: '3_days' };
        expect(await engine.poll(trigger, fields, TURN_ON)).toEqual([]);
        expect(Date.now() - startedAt).toBeLessThanOrEqual(23 * SECOND + service.latencyMs);
      },
    );

    test('reads nothing from before Look Back if the service becomes faster', async () => {
      write(3000, SECOND);
      service.whileReading = () => {
        if (service.pagesServed > 11) service.latencyMs = 0;
      };
      expect(await poll('30_minutes')).toHaveLength(299);
    });

    test('fails if the API key becomes invalid while it reads', async () => {
      write(300);
      service.whileReading = () => (service.isRevoked = true);
      expect(await failureOf(poll('6_hours', TURN_ON))).toMatchObject({ name: 'ExpiredAuthError' });
    });

    test('takes less time for rows if it looks up a short link first', async () => {
      write(1500, MINUTE);
      const publicUrl = 'https://qr.example/last';
      service.write(`${ids++}`, { publicUrl, qrId: `${ids - 1}` });
      expect(await engine.poll(trigger, { qrCodeId: publicUrl, lookBack: '3_days' })).toHaveLength(1);
    });

    test('returns what it can read of the last minutes if even those take too long', async () => {
      write(3000);
      expect((await poll()).length).toBeGreaterThan(300);
      expect(logged).toEqual([expect.stringContaining('not even the last 5 minutes')]);
    });
  });
});

test('turning on for a short link leaves no old rows for the next poll', async () => {
  await start({ order: 'by ID' });
  const publicUrl = 'https://qr.example/last';
  service.write('z', { publicUrl });
  time.advance(HOUR);
  write(2900);
  service.latencyMs = 250;
  const fresh = createDedupeTable(['changeId']);
  const poll = (meta?: Row) => engine.poll('qr_changed', { qrCodeId: publicUrl }, meta);
  expect(fresh(await poll(TURN_ON))).toHaveLength(1);
  expect(fresh(await poll())).toEqual([]);
});

test.each<[string, TimedServiceOptions, number]>([
  // It may have requested the second page before it knew.
  ['whose clock is 40 minutes ahead', { aheadMs: 40 * MINUTE }, 6],
  ['whose clock is 400 days ahead', { aheadMs: 400 * 24 * HOUR }, 6],
  ['whose clock is a day behind', { aheadMs: -24 * HOUR }, 6],
  ['that sends no time', { tellsTime: false }, 4],
  ['with a rate limit of 0', { perMinute: 0 }, 4],
  ['that lists some rows on two pages', { repeats: 1 }, 4],
])('reads the same rows of a service %s', async (_what, options, pages) => {
  await start(options);
  time.advance(MINUTE - (Date.now() % MINUTE));
  write(1000, MINUTE);
  expect(await engine.poll('qr_changed')).toHaveLength(360);
  expect(service.pagesServed).toBeLessThanOrEqual(pages);
});

test("qr_changed: returns less than Zapier's 20 MB", async () => {
  await start();
  for (let i = 0; i < 500; i++) {
    service.write(`${ids++}`, { name: 'x'.repeat(40_000) });
    time.advance(MINUTE);
  }
  expect(await engine.poll('qr_changed')).toHaveLength(30);
  const turnedOn = await engine.poll('qr_changed', { lookBack: '6_hours' }, TURN_ON);
  expect(turnedOn.length).toBeGreaterThan(250);
  expect(JSON.stringify(turnedOn).length).toBeLessThan(20_000_000);
});

test("new_scan: returns less than Zapier's 20 MB if it adds more to rows than they have", async () => {
  await start({ pageSize: 10_000 });
  write(70_000, 0);
  const turnedOn = await engine.poll('new_scan', {}, TURN_ON);
  expect(turnedOn.length).toBeGreaterThan(40_000);
  expect(turnedOn.length).toBeLessThan(70_000);
  expect(JSON.stringify(turnedOn).length).toBeLessThan(20_000_000);
});
