import { randomIntegers } from '../../../test/support/seed.ts';
import { findNewest, readFirstPage, recentRows } from '../nodes/QrServicePollingTrigger/newest.ts';
import type { ReadPages } from '../nodes/QrServicePollingTrigger/rows.ts';
import { seen } from './support/polledRows.ts';

interface ServiceOptions {
  pageSize?: number;
  ignoresSince?: boolean;
  servedAt?: number;
}

describe('findNewest', () => {
  const random = randomIntegers();

  /** A service that lists rows with these times, in this order. */
  function service(
    times: readonly number[],
    { pageSize = 100, ignoresSince = false, servedAt }: ServiceOptions = {},
  ) {
    const sent = { count: 0 };
    const readPage = (since: string | undefined) => {
      sent.count++;
      const from = since === undefined || ignoresSince ? -Infinity : Date.parse(since);
      const rows = times.filter((time) => time >= from).slice(0, pageSize);
      const page = { rows: rows.map((time) => ({ row: {}, id: String(time), time })), readAt: Infinity };
      return Promise.resolve(servedAt === undefined ? page : { ...page, servedAt });
    };
    return { readPage, sent };
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
        const { readPage, sent } = service(times.sort(orders[order]), { pageSize: 1 + random(50) });
        const newest = Math.max(...times);
        const found = (await findNewest(readPage))!;
        expect(newest - found).toBeGreaterThanOrEqual(0);
        expect(newest - found).toBeLessThanOrEqual(60_000);
        expect(sent.count).toBeLessThan(60);
      }
    },
  );

  test('takes two requests when the newest row comes first', async () => {
    const { readPage, sent } = service([Date.UTC(2026, 5), Date.UTC(2016, 1)], { pageSize: 1 });
    expect(await findNewest(readPage)).toBe(Date.UTC(2026, 5));
    expect(sent.count).toBe(2);
  });

  test.each([100, 1])(
    "finds the newest row that isn't ahead of the service's clock, %d per page",
    async (pageSize) => {
      const servedAt = Date.UTC(2026, 5);
      const times = [Date.UTC(2026, 4), Date.UTC(2036, 5)];
      expect(await findNewest(service(times, { pageSize, servedAt }).readPage)).toBe(times[0]);
    },
  );

  test('gives up if there are no rows, no times, or the time filter is ignored', async () => {
    expect(await findNewest(service([]).readPage)).toBeUndefined();
    expect(await findNewest(service([Date.UTC(2026, 5)], { ignoresSince: true }).readPage)).toBeUndefined();
    expect(await findNewest(() => Promise.resolve({ rows: [seen('timeless')], readAt: 0 }))).toBeUndefined();
  });
});

describe('recentRows', () => {
  const DAY = 24 * 60 * 60_000;
  const NOON = Date.UTC(2026, 5, 1, 12);

  interface Row {
    time: number;
    isDraft?: boolean;
  }
  type Order = 'oldest first' | 'newest first' | 'by ID';
  interface ListOptions {
    order?: Order;
    pageSize?: number;
    isExclusive?: boolean;
    isFeed?: boolean;
    abortAfter?: number;
  }

  /** A service that lists these rows and counts the pages. */
  function service(
    rows: readonly Row[],
    {
      order = 'oldest first',
      pageSize = 100,
      isExclusive = false,
      isFeed = false,
      abortAfter,
    }: ListOptions = {},
  ) {
    const sent = { pages: 0 };
    const controller = new AbortController();
    const all = rows.map(({ time, isDraft = false }, i) => ({
      // Not in the order of the times.
      id: String((i * 7919) % 10_007).padStart(5, '0'),
      time,
      row: { index: i, isDraft },
    }));
    if (order === 'by ID') all.sort((a, b) => (a.id < b.id ? -1 : 1));
    else all.sort((a, b) => (order === 'oldest first' ? a.time - b.time : b.time - a.time));
    const read: ReadPages = async function* ({ since }) {
      const from = since === undefined ? -Infinity : Date.parse(since) + (isExclusive ? 1 : 0);
      const listed = all.filter(({ time }) => time >= from);
      for (let start = 0; start === 0 || start < listed.length || isFeed; start += pageSize) {
        sent.pages += 1;
        if (sent.pages === abortAfter) {
          controller.abort();
          throw new Error('timed out');
        }
        await Promise.resolve();
        const page = { rows: listed.slice(start, start + pageSize), readAt: NOON };
        const isLast = isFeed ? page.rows.length === 0 : start + pageSize >= listed.length;
        yield isLast ? page : { ...page, nextCursor: String(start + pageSize) };
        if (isLast) return;
      }
    };
    return { read, sent, signal: controller.signal };
  }

  /** This many rows, evenly spread over the days before noon. */
  const over = (days: number, count: number, fields: object = {}): Row[] =>
    Array.from({ length: count }, (_, i) => ({
      time: NOON - Math.floor((i * days * DAY) / count),
      ...fields,
    }));
  const at = (time: number, count: number, fields: object = {}): Row[] =>
    Array.from({ length: count }, () => ({ time, ...fields }));
  const published = ({ row }: { row: Record<string, unknown> }) => row['isDraft'] !== true;

  /** Times of the ten newest published rows. */
  const newestOf = (rows: readonly Row[]) =>
    rows
      .filter(({ isDraft }) => isDraft !== true)
      .map(({ time }) => time)
      .sort((a, b) => b - a)
      .slice(0, 10);
  const timesOf = (rows: readonly Row[], found: readonly Record<string, unknown>[]) =>
    found.map(({ index }) => rows[index as number]!.time);

  const ORDERS: Order[] = ['oldest first', 'newest first', 'by ID'];
  const PAGE_SIZES = [3, 50, 100];
  const WAYS = ORDERS.flatMap((order) =>
    PAGE_SIZES.flatMap((pageSize) =>
      [false, true].flatMap((isExclusive) =>
        [false, true].map((isFeed) => ({ order, pageSize, isExclusive, isFeed })),
      ),
    ),
  );
  const USUAL_WAYS = WAYS.filter(({ pageSize }) => pageSize >= 50);
  /** Lists, and how many requests all ways together take at most. */
  const LISTS: [what: string, rows: Row[], requests: number][] = [
    ['no row', [], 72],
    ['one row', over(1, 1), 126],
    ['a page of rows', over(6, 100), 1004],
    ['one row more than a page', over(6, 101), 1050],
    ['three pages within a week', over(6, 301), 1154],
    ['2,500 rows within a week', over(6, 2500), 1510],
    ['2,500 rows within a minute', over(1 / 1440, 2500), 2050],
    [
      '2,500 rows with the same time and a later one',
      [...at(NOON - 9000, 2500), { time: NOON - 1000 }],
      2648,
    ],
    ['every third row published', over(6, 900).map((row, i) => ({ ...row, isDraft: i % 3 !== 0 })), 1772],
  ];
  test.each(LISTS)('shows the newest of %s in any list order', async (_what, rows, requests) => {
    let count = 0;
    for (const way of WAYS) {
      const { read, sent } = service(rows, way);
      const found = await recentRows(read, published);
      expect([way, timesOf(rows, found)]).toEqual([way, newestOf(rows)]);
      count += sent.pages;
    }
    expect(count).toBeLessThanOrEqual(requests);
  });

  test.each([
    ['within a week', over(6, 2000)],
    ['with the same time', at(NOON - 9000, 2000)],
  ])('shows the few published rows among 2,000 %s', async (_when, all) => {
    const rows = all.map((row, i) => ({ ...row, isDraft: i % 700 !== 99 }));
    for (const way of USUAL_WAYS) {
      const { read, sent } = service(rows, way);
      expect([way, timesOf(rows, await recentRows(read, published))]).toEqual([way, newestOf(rows)]);
      expect(sent.pages).toBeLessThan(175);
    }
  });

  test.each([1, 20, 250])('shows %d rows ahead of the clock last, if at all', async (ahead) => {
    const past = over(6, 150);
    const rows = [...past, ...at(NOON + 400 * DAY, ahead)];
    for (const way of USUAL_WAYS) {
      const found = await recentRows(service(rows, way).read, published);
      expect([way, timesOf(rows, found)]).toEqual([way, newestOf(past)]);
    }
  });

  test('shows rows ahead of the clock after the few others', async () => {
    const rows = [...at(NOON + DAY, 20), ...over(6, 3)];
    const times = timesOf(rows, await recentRows(service(rows).read, published));
    expect(times).toEqual([...newestOf(over(6, 3)), ...Array.from({ length: 7 }, () => NOON + DAY)]);
  });

  test('shows the newest published rows if only drafts changed after them', async () => {
    const rows = [...over(6, 300, { isDraft: true }), ...at(NOON - 6.5 * DAY, 200)];
    for (const order of ORDERS) {
      const found = await recentRows(service(rows, { order }).read, published);
      expect([order, timesOf(rows, found)]).toEqual([order, newestOf(rows)]);
    }
  });

  test.each([
    ['one draft', over(1, 1, { isDraft: true })],
    ['more drafts than fit into a window', over(6, 1500, { isDraft: true })],
  ])('shows published rows from before a week of %s', async (_what, drafts) => {
    const rows = [...drafts, ...over(300, 2000).map(({ time }) => ({ time: time - 8 * DAY }))];
    for (const order of ORDERS)
      for (const isExclusive of [false, true]) {
        const found = await recentRows(service(rows, { order, isExclusive }).read, published);
        expect([order, found.length]).toEqual([order, 10]);
      }
  });

  test('limits its requests if no row matches', async () => {
    for (const order of ORDERS) {
      const { read, sent } = service(over(6, 2500, { isDraft: true }), { order, pageSize: 10 });
      expect(await recentRows(read, published)).toEqual([]);
      expect(sent.pages).toBeLessThan(310);
    }
  });

  test('returns the rows found so far when time runs out, and fails if there are none', async () => {
    const rows = over(6, 2500);
    const late = service(rows, { order: 'newest first', abortAfter: 5 });
    expect(await recentRows(late.read, published, late.signal)).toHaveLength(10);
    const early = service(rows, { order: 'newest first', abortAfter: 3 });
    await expect(recentRows(early.read, published, early.signal)).rejects.toThrow('timed out');
    const failing = service(rows, { order: 'newest first', abortAfter: 5 });
    await expect(recentRows(failing.read, published)).rejects.toThrow('timed out');
  });

  test('shows rows of a list without times', async () => {
    const read: ReadPages = async function* () {
      await Promise.resolve();
      yield { rows: [], readAt: 0, nextCursor: 'next' };
      yield { rows: [seen('a'), seen('b')], readAt: 0 };
    };
    expect(await recentRows(read, () => true)).toEqual([{ id: 'a' }, { id: 'b' }]);
    expect((await readFirstPage(read, undefined)).rows).toHaveLength(2);
  });
});
