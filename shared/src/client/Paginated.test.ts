import { RESPONSE_LIMITS } from '../contract/limits.ts';
import { QrServiceError } from '../errors/QrServiceError.ts';
import { paginate, type FetchPage } from './Paginated.ts';

interface NumberPage {
  rows: number[];
  nextCursor?: string;
  resumeCursor?: string;
}

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

async function collect<T>(rows: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const row of rows) all.push(row);
  return all;
}

describe('a paginated list', () => {
  it('returns every row once and starts over with each iteration', async () => {
    const { fetchPage } = numbers(6);
    const rows = paginate<number, NumberPage>(fetchPage, {});
    expect(await collect(rows)).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
    expect(await collect(rows)).toHaveLength(8);
  });

  it('returns rows in order when several are requested at once', async () => {
    const { fetchPage } = numbers(2);
    const walking = paginate<number, NumberPage>(fetchPage, {});
    const rows = walking[Symbol.asyncIterator]();
    const asked = await Promise.all(Array.from({ length: 6 }, () => rows.next()));
    expect(asked.map(({ value }) => value as unknown)).toEqual([0, 1, 2, 3, undefined, undefined]);
    expect(await rows.return?.()).toEqual({ done: true, value: undefined });
  });

  it('skips empty pages, up to a limit', async () => {
    const { emptyPages } = RESPONSE_LIMITS;
    const pagesOf = (rows: number[], pages: number, last: number[]) => {
      const fetchPage = (cursor = '1') =>
        Promise.resolve(
          Number(cursor) > pages ? { rows: last } : { rows, nextCursor: String(Number(cursor) + 1) },
        );
      return collect(paginate<number, NumberPage>(fetchPage, {}));
    };
    expect(await pagesOf([], emptyPages, [1])).toEqual([1]);
    expect(await pagesOf([1], emptyPages + 1, [])).toHaveLength(emptyPages + 1);
    await expect(pagesOf([], emptyPages + 1, [1])).rejects.toMatchObject({ code: 'endless_list' });
  });

  it('starts at a cursor', async () => {
    const { fetchPage } = numbers(6);
    expect(await collect(paginate<number, NumberPage>(fetchPage, { cursor: '4' }))).toEqual([4, 5, 6, 7]);
  });

  it('requests one page ahead', async () => {
    const { fetchPage, asked } = numbers(100);
    const walking = paginate<number, NumberPage>(fetchPage, {}).pages();
    const pages = walking[Symbol.asyncIterator]();
    await pages.next();
    expect(asked).toEqual(['0', '2']);
    await pages.next();
    expect(asked).toEqual(['0', '2', '4']);
  });

  it('aborts the request for the next page when it is left early', async () => {
    const { fetchPage, signals } = numbers(100);
    for await (const row of paginate<number, NumberPage>(fetchPage, {})) if (row === 1) break;
    expect(signals).toHaveLength(2);
    expect(signals.every((signal) => signal.aborted)).toBe(true);
  });

  it("passes on the caller's signal", async () => {
    const { fetchPage, signals } = numbers(100);
    const controller = new AbortController();
    const walking = paginate<number, NumberPage>(fetchPage, { signal: controller.signal }).pages();
    const pages = walking[Symbol.asyncIterator]();
    await pages.next();
    controller.abort();
    expect(signals[0]?.aborted).toBe(true);
  });

  it('throws when a cursor is repeated', async () => {
    const fetchPage = () => Promise.resolve({ rows: [1], nextCursor: 'again' });
    const rows: number[] = [];
    const walking = (async () => {
      for await (const row of paginate<number, NumberPage>(fetchPage, {})) rows.push(row);
    })();
    const message =
      'The service returned the same cursor twice, so the list was stopped. Otherwise it would never end.';
    await expect(walking).rejects.toMatchObject({ code: 'repeated_cursor', message });
    expect(rows).toEqual([1, 1]);
  });

  it('ends at an empty page that repeats its cursor, and keeps that cursor for later', async () => {
    const rows = [0, 1, 2];
    const asked: (string | undefined)[] = [];
    const feed = (cursor?: string) => {
      asked.push(cursor);
      const page = rows.slice(Number(cursor ?? 0), Number(cursor ?? 0) + 2);
      return Promise.resolve({ rows: page, nextCursor: String(Number(cursor ?? 0) + page.length) });
    };
    const pages = await collect(paginate<number, NumberPage>(feed, {}).pages());
    expect(pages.map((page) => page.rows)).toEqual([[0, 1], [2], []]);
    expect(pages.at(-1)).toEqual({ rows: [], resumeCursor: '3' });
    expect(asked).toEqual([undefined, '2', '3']);
    rows.push(3);
    expect(await collect(paginate<number, NumberPage>(feed, { cursor: '3' }))).toEqual([3]);
  });

  it('throws when an empty page repeats an earlier cursor, which would loop forever', async () => {
    const next: Record<string, string> = { '': 'a', a: 'b', b: 'a' };
    const fetchPage = (cursor = '') => Promise.resolve({ rows: [], nextCursor: next[cursor]! });
    await expect(collect(paginate<number, NumberPage>(fetchPage, {}))).rejects.toMatchObject({
      code: 'repeated_cursor',
    });
  });

  it('returns all rows before a failure and the cursor to resume from', async () => {
    const { fetchPage } = numbers(100);
    const failing: FetchPage<NumberPage> = (cursor, signal) =>
      cursor === '4'
        ? Promise.reject(new QrServiceError('no', { code: 'network' }))
        : fetchPage(cursor, signal);
    const rows: number[] = [];
    const walking = (async () => {
      for await (const row of paginate<number, NumberPage>(failing, {})) rows.push(row);
    })();
    await expect(walking).rejects.toMatchObject({ cursor: '4' });
    expect(rows).toEqual([0, 1, 2, 3]);
  });

  it('leaves no unhandled rejection if the next page fails before it is awaited', async () => {
    const unhandled = jest.fn();
    process.on('unhandledRejection', unhandled);
    const fetchPage: FetchPage<NumberPage> = (cursor) =>
      cursor === undefined
        ? Promise.resolve({ rows: [1], nextCursor: 'b' })
        : Promise.reject(new QrServiceError('no', { code: 'network' }));
    for await (const _row of paginate<number, NumberPage>(fetchPage, {})) break;
    await new Promise((resolve) => setImmediate(resolve));
    expect(unhandled).not.toHaveBeenCalled();
    process.off('unhandledRejection', unhandled);
  });
});
