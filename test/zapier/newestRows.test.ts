import { newestRows } from '../../packages/zapier-qr-service/src/resources/newestRows.ts';
import { QrServiceError } from '@qr-service/core';
import { randomIntegers, runs } from '../support/seed.ts';

interface Row {
  id: string;
  at: string;
}

/** A list of rows with these times, in this order, that counts its requests. */
function list(times: readonly number[], { pageSize = 100, isFeed = false, ignoresSince = false } = {}) {
  const rows = times.map((time, index) => ({ id: `${index}`, at: new Date(time).toISOString() }));
  const asked = { count: 0 };
  const readPage = (since?: string) => {
    asked.count++;
    const found = rows.filter(({ at }) => since === undefined || ignoresSince || at >= since);
    const cursor = isFeed || found.length > pageSize ? { nextCursor: 'next' } : {};
    return Promise.resolve({ rows: found.slice(0, pageSize), servedAt: NOW, ...cursor });
  };
  return { readPage, asked };
}

const NOW = Date.UTC(2026, 5, 15, 12);
const HOUR = 3_600_000;
const random = randomIntegers();
const ORDERS: Record<string, (a: number, b: number) => number> = {
  'oldest first': (a, b) => a - b,
  'newest first': (a, b) => b - a,
  'in no order': (a, b) => ((a * 31) % 97) - ((b * 31) % 97),
};
const timesOf = (rows: readonly Row[]) => rows.map(({ at }) => Date.parse(at));
const newestOf = (times: readonly number[], count: number) =>
  [...times].sort((a, b) => b - a).slice(0, count);

test.each(Object.entries(ORDERS))('finds the newest rows of any list, listed %s', async (_name, order) => {
  for (let round = 0; round < runs(25, 200); round++) {
    const newest = NOW - random(10 ** (2 + random(10)));
    const span = 1000 + random(10 ** (3 + random(7)));
    const times = Array.from({ length: 1 + random(1000) }, () => newest - random(span) * 10).sort(order);
    const { readPage, asked } = list(times, { pageSize: 20 + random(80), isFeed: random(2) === 0 });
    expect(timesOf(await newestRows(readPage, ({ at }) => at, 3))).toEqual(newestOf(times, 3));
    expect(asked.count).toBeLessThanOrEqual(40);
  }
});

test.each(Object.entries(ORDERS))(
  'finds the newest rows if a page has fewer than wanted, listed %s',
  async (_name, order) => {
    const times = Array.from({ length: 500 }, (_, index) => NOW - index * HOUR).sort(order);
    const found = await newestRows(list(times, { pageSize: 20 }).readPage, ({ at }) => at, 30);
    expect(timesOf(found).slice(0, 20)).toEqual(newestOf(times, 20));
  },
);

test('returns what it has found if a later request fails, and fails if the first one does', async () => {
  const times = Array.from({ length: 500 }, (_, index) => NOW - index * HOUR).reverse();
  const failure = new QrServiceError('The service failed.', { code: 'server_error' });
  for (const after of [0, 1, 2]) {
    const { readPage, asked } = list(times);
    const found = newestRows(
      (since) => (asked.count < after ? readPage(since) : Promise.reject(failure)),
      ({ at }) => at,
      3,
    );
    if (after === 0) await expect(found).rejects.toBe(failure);
    else expect(await found).toHaveLength(3);
  }
});

test('takes two requests if the list starts with the newest rows, and one if it has one page', async () => {
  const times = Array.from({ length: 500 }, (_, index) => NOW - index * HOUR);
  const long = list(times);
  expect(timesOf(await newestRows(long.readPage, ({ at }) => at, 3))).toEqual(times.slice(0, 3));
  expect(long.asked.count).toBe(2);
  const short = list(times.slice(0, 100));
  await newestRows(short.readPage, ({ at }) => at, 3);
  expect(short.asked.count).toBe(1);
});

test.each([
  ['ignores the time filter', Array.from({ length: 500 }, (_, index) => NOW - index), { ignoresSince: true }],
  ['has more than a page of rows with the same time', Array.from({ length: 500 }, () => NOW - HOUR), {}],
])('ends for a service that %s', async (_what, times, options) => {
  const { readPage, asked } = list(times, options);
  expect(await newestRows(readPage, ({ at }) => at, 3)).toHaveLength(3);
  expect(asked.count).toBeLessThanOrEqual(40);
});
