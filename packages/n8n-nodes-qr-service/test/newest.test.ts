import { randomIntegers } from '../../../harness/seed.ts';
import { findNewest } from '../nodes/QrServicePollingTrigger/newest.ts';
import { seen } from './support/polledRows.ts';

interface ServiceOptions {
  pageSize?: number;
  ignoresSince?: boolean;
  servedAt?: number;
}

describe('findNewest', () => {
  const random = randomIntegers();

  /** A service with rows at these times that lists them in this order, some a page. */
  function service(
    times: readonly number[],
    { pageSize = 100, ignoresSince = false, servedAt }: ServiceOptions = {},
  ) {
    const asked = { count: 0 };
    const readPage = (since: string | undefined) => {
      asked.count++;
      const from = since === undefined || ignoresSince ? -Infinity : Date.parse(since);
      const rows = times.filter((time) => time >= from).slice(0, pageSize);
      const page = { rows: rows.map((time) => ({ row: {}, id: String(time), time })) };
      return Promise.resolve(servedAt === undefined ? page : { ...page, servedAt });
    };
    return { readPage, asked };
  }

  const orders: Record<string, (a: number, b: number) => number> = {
    'oldest first': (a, b) => a - b,
    'newest first': (a, b) => b - a,
    'in no order': (a, b) => ((a * 31) % 97) - ((b * 31) % 97),
  };
  test.each(Object.keys(orders))(
    'finds a time within the minute before the newest row, listed %s',
    async (order) => {
      for (let round = 0; round < 200; round++) {
        const span = 1 + random(10 ** (1 + random(9)));
        const start = Date.UTC(2015 + random(20), random(12));
        const times = Array.from({ length: 1 + random(300) }, () => start + random(span) * 300);
        const { readPage, asked } = service(times.sort(orders[order]), { pageSize: 1 + random(50) });
        const newest = Math.max(...times);
        const found = (await findNewest(readPage))!;
        expect(newest - found).toBeGreaterThanOrEqual(0);
        expect(newest - found).toBeLessThanOrEqual(60_000);
        expect(asked.count).toBeLessThan(60);
      }
    },
  );

  test('takes two requests when the newest row comes first', async () => {
    const { readPage, asked } = service([Date.UTC(2026, 5), Date.UTC(2016, 1)], { pageSize: 1 });
    expect(await findNewest(readPage)).toBe(Date.UTC(2026, 5));
    expect(asked.count).toBe(2);
  });

  test.each([100, 1])(
    "finds the newest row that isn't ahead of the service's clock, %d a page",
    async (pageSize) => {
      const servedAt = Date.UTC(2026, 5);
      const times = [Date.UTC(2026, 4), Date.UTC(2036, 5)];
      expect(await findNewest(service(times, { pageSize, servedAt }).readPage)).toBe(times[0]);
    },
  );

  test('gives up if there are no rows, no times, or the time filter is ignored', async () => {
    expect(await findNewest(service([]).readPage)).toBeUndefined();
    expect(await findNewest(service([Date.UTC(2026, 5)], { ignoresSince: true }).readPage)).toBeUndefined();
    expect(await findNewest(() => Promise.resolve({ rows: [seen('timeless')] }))).toBeUndefined();
  });
});
