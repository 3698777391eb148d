import { ApiError, type Page } from '@qr-service/core';
import { startVirtualTime } from '../../../test/support/jest/virtualTime.ts';
import { readList, ShownRows } from '../src/tools/lists.ts';

/** The rate limit allows no more. */
function refuse(): never {
  const error = { status: 429, code: 'rate_limited', message: '', retryable: true };
  throw new ApiError({ ...error, method: 'GET', path: '/scans' });
}

/** Reads ten pages of two numbers, each of which takes so long. `refused` can't be read. */
async function read({ pageMs, done = 0, refused }: { pageMs: number; done?: number; refused?: number }) {
  const time = startVirtualTime();
  const shown = new ShownRows<number>(3);
  async function* pagesFrom(cursor = '0', signal: AbortSignal): AsyncGenerator<Page<number>> {
    for (let page = Number(cursor); page < 10; page++) {
      if (page === refused) refuse();
      await Promise.resolve();
      time.advance(pageMs);
      signal.throwIfAborted();
      yield { rows: [2 * page, 2 * page + 1], ...(page < 9 ? { nextCursor: String(page + 1) } : {}) };
    }
  }
  const from = { cursor: undefined, done };
  const options = { pagesFrom, from, endsAt: Date.now() + 45_000, signal: new AbortController().signal };
  const end = await readList<number, Page<number>>(options, (rows) => {
    for (const [row, place] of rows) shown.add(row, place);
    return true;
  }).finally(() => jest.restoreAllMocks());
  return { ...end, rows: shown.rows, count: shown.count, next: shown.next };
}

const next = { cursor: '1', done: 1 };
test.each<[string, Parameters<typeof read>[0], object]>([
  ['at its end', { pageMs: 0 }, { place: { cursor: '9', done: 2 }, isEnd: true, count: 20, next }],
  ['from the middle of a page', { pageMs: 0, done: 1 }, { rows: [1, 2, 3], count: 19 }],
  ['during a page after 45 seconds', { pageMs: 20_000 }, { place: { cursor: '2', done: 0 }, count: 4 }],
  [
    'after a slow first page',
    { pageMs: 90_000 },
    { place: { cursor: '1', done: 0 }, isEnd: false, count: 2 },
  ],
  ['at the rate limit', { pageMs: 0, refused: 2 }, { place: { cursor: '2', done: 0 }, isEnd: false, next }],
])('a list ends %s', async (_where, options, expected) => {
  expect(await read(options)).toMatchObject(expected);
});

test('a list whose first page is refused fails', async () => {
  await expect(read({ pageMs: 0, refused: 0 })).rejects.toMatchObject({ status: 429 });
});
