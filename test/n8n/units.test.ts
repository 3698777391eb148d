import { mapInOrder } from '../../packages/n8n-nodes-qr-service/nodes/QrService/helpers/mapInOrder.ts';
import { findNewest } from '../../packages/n8n-nodes-qr-service/nodes/QrServicePollingTrigger/findNewest.ts';
import {
  markAt,
  readFrom,
  takeNew,
  type Mark,
  type Sighting,
} from '../../packages/n8n-nodes-qr-service/nodes/QrServicePollingTrigger/pollChanges.ts';
import { RecentDeliveries } from '../../packages/n8n-nodes-qr-service/nodes/QrServiceTrigger/RecentDeliveries.ts';

describe('mapInOrder', () => {
  test('gives results in order and runs at most as many at once as it is told', async () => {
    let running = 0;
    let most = 0;
    const results = await mapInOrder(40, 5, async (index) => {
      most = Math.max(most, ++running);
      await new Promise((resolve) => setTimeout(resolve, (index * 7) % 5));
      running--;
      return index;
    });
    expect(results).toEqual(Array.from({ length: 40 }, (_, index) => index));
    expect(most).toBe(5);
  });

  test('throws what the lowest failing index threw, after those under way have ended, and begins nothing new', async () => {
    const ended: number[] = [];
    const run = mapInOrder(100, 3, async (index) => {
      await new Promise((resolve) => setTimeout(resolve, index === 0 ? 10 : 1));
      ended.push(index);
      if (index < 2) throw new Error(`failed ${index}`);
    });
    await expect(run).rejects.toThrow('failed 0');
    expect(ended.length).toBeLessThan(6);
    expect(ended).toContain(2);
  });
});

describe('recent deliveries', () => {
  test('are known by any of their keys, each of which is then known too', () => {
    const recent = new RecentDeliveries();
    expect(recent.seenBefore(['event/1', 'delivery/1'])).toBe(false);
    expect(recent.seenBefore(['event/1', 'delivery/2'])).toBe(true);
    expect(recent.seenBefore(['event/9', 'delivery/2'])).toBe(true);
    expect(recent.seenBefore(['event/9', 'delivery/9'])).toBe(true);
    expect(recent.seenBefore(['event/2', 'delivery/3'])).toBe(false);
  });

  test('are forgotten after a day, and not before', () => {
    const recent = new RecentDeliveries();
    const hour = 3_600_000;
    expect(recent.seenBefore(['event/1'], 0)).toBe(false);
    expect(recent.seenBefore(['event/1'], 23 * hour)).toBe(true);
    expect(recent.seenBefore(['event/1'], 25 * hour)).toBe(false);
  });

  test('are bounded in number: the oldest go first', () => {
    const recent = new RecentDeliveries();
    for (let i = 0; i < 25_000; i++) recent.seenBefore([`event/${i}`], 0);
    expect(recent.seenBefore(['event/24999'], 0)).toBe(true);
    expect(recent.seenBefore(['event/10000'], 0)).toBe(true);
    expect(recent.seenBefore(['event/0'], 0)).toBe(false);
  });
});

describe('poll marks', () => {
  const at = (ms: number) => new Date(Date.UTC(2026, 0, 1) + ms).toISOString();
  const seen = (key: string, ms?: number): Sighting<string> => ({
    row: key,
    key,
    time: ms === undefined ? undefined : at(ms),
  });
  const start: Mark = markAt(new Date(at(0)));

  test('the next poll reads from a second before the highest time seen', () => {
    const { next } = takeNew([seen('b', 5000), seen('a', 3000)], start);
    expect(next.time).toBe(at(5000));
    expect(readFrom(next)).toBe(at(4000));
  });

  test('what is read again is dropped, what is new at the same moment is not', () => {
    const { next } = takeNew([seen('a', 4500), seen('b', 5000)], start);
    const { fresh } = takeNew([seen('a', 4500), seen('b', 5000), seen('c', 5000), seen('d', 4600)], next);
    expect(fresh).toEqual(['d', 'c']);
  });

  test('a poll that finds nothing keeps the mark and what it has seen', () => {
    const { next } = takeNew([seen('a', 5000)], start);
    expect(takeNew([], next).next).toEqual(next);
  });

  test('only what the next poll reads again is remembered', () => {
    const { next } = takeNew([seen('old', 1000), seen('edge', 4000), seen('new', 5000)], start);
    expect(next.seen.map(([key]) => key).sort()).toEqual(['edge', 'new']);
  });

  test('rows without a time come once and never move the mark', () => {
    const { fresh, next } = takeNew([seen('x'), seen('a', 2000)], start);
    expect(fresh).toEqual(['x', 'a']);
    expect(next.time).toBe(at(2000));
    expect(takeNew([seen('x'), seen('y')], next).fresh).toEqual(['y']);
  });

  test('a row that comes twice in one walk counts once', () => {
    expect(takeNew([seen('a', 1), seen('a', 1)], start).fresh).toEqual(['a']);
  });
});

describe('the search for the newest row', () => {
  const seed = Date.now() % 2 ** 31;
  let state = seed;
  const random = (below: number) => {
    state = (state * 48_271) % 2_147_483_647;
    return state % below;
  };

  /** A service with rows at these times that lists them in this order, some a page. */
  function service(times: readonly number[], { pageSize = 100, ignoresSince = false } = {}) {
    const asked = { count: 0 };
    const readPage = (since: string | undefined) => {
      asked.count++;
      const from = since === undefined || ignoresSince ? -Infinity : Date.parse(since);
      const rows = times.filter((time) => time >= from).slice(0, pageSize);
      return Promise.resolve(
        rows.map((time) => ({ row: time, key: String(time), time: new Date(time).toISOString() })),
      );
    };
    return { readPage, asked };
  }

  const orders: Record<string, (a: number, b: number) => number> = {
    'oldest first': (a, b) => a - b,
    'newest first': (a, b) => b - a,
    'in no order': (a, b) => ((a * 31) % 97) - ((b * 31) % 97),
  };
  test.each(Object.keys(orders))(`comes within a minute of it, rows %s (seed ${seed})`, async (order) => {
    for (let round = 0; round < 200; round++) {
      const span = 1 + random(10 ** (1 + random(9)));
      const start = Date.UTC(2015 + random(20), random(12));
      const times = Array.from({ length: 1 + random(300) }, () => start + random(span) * 300);
      const { readPage, asked } = service(times.sort(orders[order]), { pageSize: 1 + random(50) });
      const newest = Math.max(...times);
      const found = (await findNewest(readPage))!.getTime();
      expect(newest - found).toBeGreaterThanOrEqual(0);
      expect(newest - found).toBeLessThanOrEqual(60_000);
      expect(asked.count).toBeLessThan(60);
    }
  });

  test('takes two requests where the newest row comes first', async () => {
    const { readPage, asked } = service([Date.UTC(2026, 5), Date.UTC(2016, 1)], { pageSize: 1 });
    expect(await findNewest(readPage)).toEqual(new Date(Date.UTC(2026, 5)));
    expect(asked.count).toBe(2);
  });

  test('gives up where there are no rows, no times, or the time is ignored', async () => {
    expect(await findNewest(service([]).readPage)).toBeUndefined();
    expect(await findNewest(service([Date.UTC(2026, 5)], { ignoresSince: true }).readPage)).toBeUndefined();
    const timeless = [{ row: 1, key: '1', time: undefined }];
    expect(await findNewest(() => Promise.resolve(timeless))).toBeUndefined();
  });
});
