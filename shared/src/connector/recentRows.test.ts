import { newestFirst, recentCodes, recentRows } from './recentRows.ts';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const NOW = Date.parse('2026-02-01');
const ORDERS: Record<string, (a: number, b: number) => number> = {
  'oldest first': (a, b) => b - a,
  'newest first': (a, b) => a - b,
  'in no order': (a, b) => ((a * 31) % 97) - ((b * 31) % 97),
};

/** The ages of the recent rows of a list, in pages of 20, as they are shown, and how many pages were read. */
async function recent(ages: readonly number[], options?: Parameters<typeof recentRows<{ id: string }>>[2]) {
  const rows = ages.map((age, index) => ({ id: `${index}`, at: new Date(NOW - age).toISOString() }));
  let pagesRead = 0;
  async function* read(since = '') {
    const found = rows.filter(({ at }) => at >= since);
    for (let at = 0; at === 0 || at < found.length; at += 20) {
      pagesRead += 1;
      const next = at + 20 < found.length ? { nextCursor: 'next' } : {};
      yield await Promise.resolve({ rows: found.slice(at, at + 20), servedAt: NOW, ...next });
    }
  }
  const { rows: shown, nextCursor } = await recentRows(read, ({ at }) => at, options);
  return { ages: shown.map(({ at }) => NOW - Date.parse(at)), pagesRead, nextCursor };
}

const spread = (count: number, apart: number) => Array.from({ length: count }, (_, index) => index * apart);
const OLD = spread(50, DAY).map((age) => age + 100 * DAY);

describe.each(Object.entries(ORDERS))('of a list that is listed %s', (_name, order) => {
  it.each([5 * MINUTE, 120 * MINUTE, 2 * DAY])(
    'with a row every %i ms, shows the newest first, in a few requests',
    async (apart) => {
      const shown = await recent(spread(500, apart).sort(order));
      expect([shown.ages.slice(0, 3), shown.nextCursor]).toEqual([[0, apart, 2 * apart], 'next']);
      expect(shown.pagesRead).toBeLessThanOrEqual(5);
    },
  );

  it('with one page, takes one request', async () => {
    const shown = await recent([DAY, 2 * DAY, 3 * DAY].sort(order));
    expect(shown).toEqual({ ages: [DAY, 2 * DAY, 3 * DAY], pagesRead: 1, nextCursor: undefined });
  });
});

it.each([
  ['its first page, without recent rows', OLD, {}, 20, 5],
  ['no wider time than has ten rows', [...spread(10, MINUTE), ...OLD], {}, 20, 2],
  ['more pages if requested', OLD, { maxPages: 9 }, 50, 3],
  ['no wider time than has many rows', spread(500, MINUTE), { isWanted: () => false, maxPages: 2 }, 0, 5],
  ['only wanted rows', [0, DAY, 2 * DAY], { isWanted: ({ id }: { id: string }) => id !== '1' }, 2, 1],
])('shows %s', async (_what, ages, options, count, pagesRead) =>
  expect(await recent(ages, options)).toMatchObject({ pagesRead, ages: { length: count } }),
);

it('shows the newest rows of a feed, each page of which has a cursor', async () => {
  const rows = spread(300, 60 * MINUTE).map((age) => ({
    id: `${age}`,
    at: new Date(NOW - age).toISOString(),
  }));
  const read = (since = '') => {
    const oldestFirst = rows.filter(({ at }) => at >= since).reverse();
    return [Promise.resolve({ rows: oldestFirst.slice(0, 100), servedAt: NOW, nextCursor: 'next' })];
  };
  const shown = await recentRows(read, ({ at }) => at);
  expect(shown.rows.slice(0, 2)).toEqual(rows.slice(0, 2));
});

it.each([
  [4000, 3],
  [10_000, 1],
])('shows the codes that were read in 10 s of a service that takes %i ms', async (takes, requests) => {
  let now = NOW;
  jest.spyOn(Date, 'now').mockImplementation(() => now);
  const listPage = jest.fn(async (_query: unknown, { totalTimeoutMs = 0 } = {}) => {
    now += Math.min(takes, totalTimeoutMs);
    if (totalTimeoutMs < takes) throw new Error('timeout');
    return Promise.resolve({ rows: [{ id: `${now}` }], nextCursor: 'next' });
  });
  const { rows, nextCursor } = await recentCodes({ qr: { listPage } as never }, 10_000);
  expect([listPage.mock.calls.length, nextCursor, now - NOW]).toEqual([requests, 'next', 10_000]);
  expect(rows).toHaveLength(Math.floor(10_000 / takes));
});

it('sorts rows by time, newest first, and those without one last', () => {
  const rows = [{ id: 1 }, { id: 2, at: '2026-01-01' }, { id: 3, at: '2026-01-02' }, { id: 4, at: '-' }];
  expect(newestFirst(rows, ({ at }) => at).map(({ id }) => id)).toEqual([3, 2, 1, 4]);
});
