import { newestRows } from '../../packages/zapier-qr-service/src/resources/newestRows.ts';
import { startVirtualTime } from '../support/jest/virtualTime.ts';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const PAGE_SIZE = 20;
const ORDERS: Record<string, (a: number, b: number) => number> = {
  'oldest first': (a, b) => a - b,
  'newest first': (a, b) => b - a,
  'in no order': (a, b) => ((a * 31) % 97) - ((b * 31) % 97),
};

let now: number;
beforeEach(() => {
  startVirtualTime();
  now = Date.now();
});
afterEach(() => jest.restoreAllMocks());

/** A list of rows with these ages, in this order, that counts its requests. */
function list(ages: readonly number[]) {
  const rows = ages.map((age, index) => ({ id: `${index}`, at: new Date(now - age).toISOString() }));
  const asked = { count: 0 };
  const readPage = (since = '') => {
    asked.count++;
    const found = rows.filter(({ at }) => at >= since);
    const nextCursor = found.length > PAGE_SIZE ? { nextCursor: 'next' } : {};
    return Promise.resolve({ rows: found.slice(0, PAGE_SIZE), ...nextCursor });
  };
  const newest = async () =>
    (await newestRows(readPage, ({ at }) => at)).rows.map(({ at }) => now - Date.parse(at));
  return { newest, asked };
}

describe.each(Object.entries(ORDERS))('a list that is listed %s', (_name, order) => {
  test.each([
    ['minutes', 5 * MINUTE],
    ['hours', 120 * MINUTE],
    ['days', 2 * DAY],
  ])('with a row every few %s: shows the newest first, in a few requests', async (_what, apart) => {
    const ages = Array.from({ length: 500 }, (_, index) => index * apart);
    const { newest, asked } = list([...ages].sort((a, b) => -order(a, b)));
    expect((await newest()).slice(0, 3)).toEqual(ages.slice(0, 3));
    expect(asked.count).toBeLessThanOrEqual(4);
  });

  test('takes one request if it has one page', async () => {
    const { newest, asked } = list([3, 1, 2].map((days) => days * DAY).sort(order));
    expect(await newest()).toEqual([DAY, 2 * DAY, 3 * DAY]);
    expect(asked.count).toBe(1);
  });
});

test('of a list without recent rows, shows its first page', async () => {
  const { newest } = list(Array.from({ length: 50 }, (_, index) => (100 + index) * DAY));
  expect(await newest()).toHaveLength(PAGE_SIZE);
});
