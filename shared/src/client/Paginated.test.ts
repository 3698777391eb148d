import { QrServiceError } from '../errors/QrServiceError.ts';
import { endFeed, paginate, type FetchPage } from './Paginated.ts';

interface NumberPage {
  rows: number[];
  nextCursor?: string;
  resumeCursor?: string;
}
const listOf = (fetchPage: FetchPage<NumberPage>, options: Parameters<typeof paginate>[1] = {}) =>
  paginate<number, NumberPage>(fetchPage, options);

/** Pages of two numbers, the cursor being the first number of a page. */
function numbers(last: number) {
  const asked: string[] = [];
  const signals: AbortSignal[] = [];
  const fetchPage: FetchPage<NumberPage> = (cursor = '0', signal) => {
    asked.push(cursor);
    signals.push(signal);
    const next = Number(cursor) + 2;
    const rows = [Number(cursor), Number(cursor) + 1];
    return Promise.resolve(next > last ? { rows } : { rows, nextCursor: String(next) });
  };
  return { asked, signals, fetchPage };
}

/** The rows until the list ends or fails, and its error. */
async function collect<T>(rows: AsyncIterable<T>): Promise<{ all: T[]; error?: unknown }> {
  const all: T[] = [];
  try {
    for await (const row of rows) all.push(row);
    return { all };
  } catch (error) {
    return { all, error };
  }
}

describe('a paginated list', () => {
  it('returns every row once and starts over with each iteration', async () => {
    const rows = listOf(numbers(6).fetchPage);
    for (let iteration = 1; iteration <= 2; iteration++)
      expect(await collect(rows)).toEqual({ all: [0, 1, 2, 3, 4, 5, 6, 7] });
  });

  it('returns every row to calls of next at once', async () => {
    const rows = listOf(numbers(2).fetchPage)[Symbol.asyncIterator]();
    const results = await Promise.all(Array.from({ length: 6 }, () => rows.next()));
    expect(results.flatMap(({ value, done }) => (done === true ? [] : [value])).sort()).toEqual([0, 1, 2, 3]);
  });

  it('starts at a cursor, and skips empty pages', async () => {
    expect(await collect(listOf(numbers(6).fetchPage, { cursor: '4' }))).toEqual({ all: [4, 5, 6, 7] });
    const emptyUntil9 = (cursor = '1') =>
      Promise.resolve(cursor === '9' ? { rows: [1] } : { rows: [], nextCursor: String(Number(cursor) + 1) });
    expect(await collect(listOf(emptyUntil9))).toEqual({ all: [1] });
  });

  it('requests one page ahead, and cancels that request when it is left early', async () => {
    const { fetchPage, asked, signals } = numbers(100);
    for await (const row of listOf(fetchPage)) if (row === 3) break;
    expect(asked).toEqual(['0', '2', '4']);
    expect(signals.every((signal) => signal.aborted)).toBe(true);
  });

  it("passes on the caller's signal", async () => {
    const { fetchPage, signals } = numbers(100);
    const controller = new AbortController();
    for await (const _row of listOf(fetchPage, controller)) {
      controller.abort();
      expect(signals[0]?.aborted).toBe(true);
      break;
    }
  });

  it.each<[how: string, next: Record<string, string>, all: string[], cursor: string]>([
    ['its own cursor', { '': 'a', a: 'a' }, ['', 'a'], 'a'],
    ['an earlier cursor', { '': 'a', a: 'b', b: 'a' }, ['', 'a', 'b'], 'a'],
  ])('fails when a page repeats %s, which would loop forever', async (_how, next, all, cursor) => {
    const fetchPage = (at = '') => Promise.resolve({ rows: [at], nextCursor: next[at]! });
    const message =
      'The service returned the same cursor twice, so the list was stopped. Otherwise it would never end.';
    const error = expect.objectContaining({ code: 'repeated_cursor', message, cursor }) as unknown;
    expect(await collect(paginate(fetchPage, {}))).toEqual({ all, error });
  });

  it('returns all rows before a failure and the cursor to resume from', async () => {
    const { fetchPage } = numbers(100);
    const failing: FetchPage<NumberPage> = (cursor, signal) =>
      cursor === '4'
        ? Promise.reject(new QrServiceError('no', { code: 'network' }))
        : fetchPage(cursor, signal);
    const error = expect.objectContaining({ code: 'network', cursor: '4' }) as unknown;
    expect(await collect(listOf(failing))).toEqual({ all: [0, 1, 2, 3], error });
  });
});

it.each<[page: NumberPage, cursor: string | undefined, expected: NumberPage]>([
  [{ rows: [], nextCursor: '3' }, '3', { rows: [], resumeCursor: '3' }],
  [{ rows: [1], nextCursor: '3' }, '3', { rows: [1], nextCursor: '3' }],
  [{ rows: [], nextCursor: '4' }, '3', { rows: [], nextCursor: '4' }],
  [{ rows: [] }, undefined, { rows: [] }],
])('a feed ends at an empty page that repeats its cursor: %j after %p', (page, cursor, expected) =>
  expect(endFeed(page, cursor)).toEqual(expected),
);
