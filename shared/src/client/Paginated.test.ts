import { QrServiceError } from '../errors/QrServiceError.ts';
import { endFeed, paginate, type FetchPage } from './Paginated.ts';
import type { CallOptions } from './RequestExecutor.ts';

interface NumberPage {
  rows: number[];
  nextCursor?: string;
  resumeCursor?: string;
}
/** Pages: the cursor of each, its rows, and the next cursor. The first has no cursor. */
const THREE = ': 0 1 → a; a: 2 3 → b; b: 4 5';

/** A list over pages, and what it requests. A page that is missing can't be fetched. */
function listOf(text: string, query: { cursor?: string } = {}, options: CallOptions = {}) {
  const pages = new Map(
    text.split('; ').map((page) => {
      const [, cursor = '', rows = '', nextCursor] = /^(\w*): ([\d ]*)(?:→ (\w))?$/.exec(page)!;
      return [cursor, { rows: rows.split(' ').filter(Boolean).map(Number), nextCursor } as NumberPage];
    }),
  );
  const requests: { cursor: string; signal: AbortSignal }[] = [];
  const fetchPage: FetchPage<NumberPage> = async ({ cursor = '' }, { signal }) => {
    requests.push({ cursor, signal: signal! });
    const page = await Promise.resolve(pages.get(cursor));
    if (page === undefined) throw new QrServiceError('no', { code: 'network' });
    return page;
  };
  return {
    list: paginate<number, NumberPage>(fetchPage, query, options),
    cursors: () => requests.map(({ cursor }) => cursor),
    aborted: () => requests.map(({ signal }) => signal.aborted),
  };
}

it.each<[what: string, pages: string, expected: string, cursor?: string]>([
  ['returns every row once', THREE, '0 1 2 3 4 5'],
  ['starts at a cursor', THREE, '2 3 4 5', 'a'],
  ['skips empty pages', ': → a; a: → b; b: 1', '1'],
  ['fails if a page repeats its own cursor', ': 0 → a; a: 1 → a', '0 1 repeated_cursor at a'],
  ['fails if a page leads back', ': 0 → a; a: 1 → b; b: 2 → a', '0 1 2 repeated_cursor at a'],
  ['fails if a page leads back to the start', 'a: 2 → b; b: 4 → a', '2 4 repeated_cursor at a', 'a'],
  ['fails with the cursor to resume from', ': 0 1 → a; a: 2 3 → x', '0 1 2 3 network at x'],
  ['fails without a cursor if there is no first page', 'b: 4 5', 'network at undefined'],
])('a list %s, and does so again', async (_what, pages, expected, cursor = '') => {
  const { list } = listOf(pages, cursor === '' ? {} : { cursor });
  for (let iteration = 1; iteration <= 2; iteration++) {
    const all: (number | string)[] = [];
    try {
      for await (const row of list) {
        all.push(row);
        // Meanwhile the next page may fail.
        await new Promise(setImmediate);
      }
    } catch (error) {
      const { code, cursor } = error as QrServiceError;
      all.push(`${code} at ${cursor}`);
    }
    expect(all.join(' ')).toBe(expected);
  }
});

it('a list returns every row to calls of next at once', async () => {
  const rows = listOf(THREE).list[Symbol.asyncIterator]();
  const results = await Promise.all(Array.from({ length: 8 }, () => rows.next()));
  const values = results.flatMap(({ value, done }) => (done === true ? [] : [value])).sort();
  expect(values).toEqual([0, 1, 2, 3, 4, 5]);
});

it('a list returns no more rows once it is left', async () => {
  const rows = listOf(THREE).list[Symbol.asyncIterator]();
  await rows.next();
  const done = { done: true, value: undefined };
  expect([await rows.return!(), await rows.next()]).toEqual([done, done]);
});

it('a list requests one page ahead, and cancels its requests when it is left or canceled', async () => {
  const controller = new AbortController();
  const left = listOf(THREE);
  const canceled = listOf(THREE, {}, controller);
  for await (const row of left.list) if (row === 1) break;
  expect(left.cursors()).toEqual(['', 'a']);
  for await (const _row of canceled.list) {
    expect(canceled.aborted()).toEqual([false, false]);
    controller.abort();
    expect(canceled.aborted()).toEqual([true, true]);
    break;
  }
  expect(left.aborted()).toEqual([true, true]);
});

it.each<[page: NumberPage, cursor: string | undefined, expected: NumberPage]>([
  [{ rows: [], nextCursor: '3' }, '3', { rows: [], resumeCursor: '3' }],
  [{ rows: [1], nextCursor: '3' }, '3', { rows: [1], nextCursor: '3' }],
  [{ rows: [], nextCursor: '4' }, '3', { rows: [], nextCursor: '4' }],
  [{ rows: [] }, undefined, { rows: [] }],
])('a feed ends at an empty page that repeats its cursor: %j after %p', (last, cursor, expected) =>
  expect(endFeed(last, cursor)).toStrictEqual(expected),
);
