import { ApiError, type Page } from '@qr-service/core';
import { startVirtualTime } from '../../../test/support/jest/virtualTime.ts';
import { listRows } from '../src/tools/lists.ts';

const RATE_LIMITED = { status: 429, code: 'rate_limited', message: '', retryable: true };

/** Reads ten pages, each of which takes so long. `refused` can't be read. */
async function read({ pageMs = 0, refused }: { pageMs?: number; refused?: number }) {
  const time = startVirtualTime();
  async function* open(signal: AbortSignal): AsyncGenerator<Page<number>> {
    for (let page = 0; page < 10; page++) {
      if (page === refused) throw new ApiError({ ...RATE_LIMITED, method: 'GET', path: '/scans' });
      await Promise.resolve();
      time.advance(pageMs);
      signal.throwIfAborted();
      yield { rows: [page], ...(page < 9 ? { nextCursor: String(page + 1) } : {}) };
    }
  }
  const options = { limit: 10, endsAt: Date.now() + 45_000, signal: new AbortController().signal };
  const listing = listRows(
    open,
    options,
    (row) => row,
    (_page, isFull) => !isFull,
  );
  const { rows, next } = await listing.finally(() => jest.restoreAllMocks());
  return { next, count: rows.length };
}

test.each<[string, Parameters<typeof read>[0], object]>([
  ['at its end', {}, { next: undefined, count: 10 }],
  ['during a page after 45 seconds', { pageMs: 20_000 }, { next: '2', count: 2 }],
  ['after a slow first page', { pageMs: 90_000 }, { next: '1', count: 1 }],
  ['at the rate limit', { refused: 2 }, { next: '2', count: 2 }],
])('reading a list stops %s', async (_where, options, expected) => {
  expect(await read(options)).toEqual(expected);
});

test('a list whose first page is refused fails', async () => {
  await expect(read({ refused: 0 })).rejects.toMatchObject({ status: 429 });
});
