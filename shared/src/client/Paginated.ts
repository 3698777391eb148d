import { RESPONSE_LIMITS } from '../contract/limits.ts';
import type { Page } from '../contract/types.ts';
import { isQrServiceError, QrServiceError } from '../errors/QrServiceError.ts';

/**
 * A list to iterate over with `for await`: fetches the next page while you use the current one. Each iteration starts from
 * the beginning. If one fails, the error's `cursor` says where to resume.
 * @example
 * ```ts
 * for await (const code of client.qr.list({ updatedSince: '2026-01-01T00:00:00.000Z' })) console.log(code.name);
 * for await (const { rows } of client.scans.list().pages()) console.log(rows.length);
 * ```
 */
export interface Paginated<Row, P extends Page<Row> = Page<Row>> extends AsyncIterable<Row> {
  /** The same list, one page at a time. */
  pages(): AsyncIterable<P>;
}

/** Gets the page at a cursor; the signal ends a request that nobody waits for any more. */
export type FetchPage<P> = (cursor: string | undefined, signal: AbortSignal) => Promise<P>;

/**
 * A walk over pages. It ends with a page without a cursor, or with an empty one that repeats its cursor. Any
 * other cursor seen before and ever more pages without a row are errors, not endless loops.
 */
export function paginate<Row, P extends Page<Row>>(
  fetchPage: FetchPage<P>,
  options: { cursor?: string | undefined; signal?: AbortSignal | undefined },
): Paginated<Row, P> {
  const pages = () => paginatePages<Row, P>(fetchPage, options);
  return { pages, [Symbol.asyncIterator]: () => rowsOf(pages()) };
}

/**
 * The page that was requested with a cursor. A service whose "stable cursor" has no end repeats it on a page
 * without rows: that is the last page for now, and its cursor is where to continue later.
 */
export function endFeed<P extends Page<unknown>>(page: P, cursor: string | undefined): P {
  if (page.nextCursor === undefined || page.nextCursor !== cursor || page.rows.length > 0) return page;
  const { nextCursor, ...last } = page;
  return { ...last, resumeCursor: nextCursor } as unknown as P;
}

/** The rows of pages. An async generator would cost several turns of the event loop's queue for each row. */
function rowsOf<Row>(pages: AsyncGenerator<Page<Row>, void, undefined>): AsyncIterator<Row> {
  let rows: readonly Row[] = [];
  let at = 0;
  let turning: Promise<IteratorResult<Row>> | undefined;

  async function turnPage(): Promise<IteratorResult<Row>> {
    do {
      const { done, value } = await pages.next();
      if (done === true) return { done, value: undefined };
      rows = value.rows;
      at = 0;
    } while (rows.length === 0);
    return { done: false, value: rows[at++] as Row };
  }

  function next(): Promise<IteratorResult<Row>> {
    // Who asks again before a page has come waits in line.
    if (turning !== undefined) return turning.then(next, next);
    if (at < rows.length) return Promise.resolve({ done: false, value: rows[at++] as Row });
    turning = turnPage().finally(() => {
      turning = undefined;
    });
    return turning;
  }
  return {
    next,
    async return() {
      await pages.return();
      return { done: true, value: undefined };
    },
  };
}

async function* paginatePages<Row, P extends Page<Row>>(
  fetchPage: FetchPage<P>,
  { cursor: first, signal }: { cursor?: string | undefined; signal?: AbortSignal | undefined },
): AsyncGenerator<P, void, undefined> {
  const stop = new AbortController();
  const pageSignal = signal === undefined ? stop.signal : AbortSignal.any([signal, stop.signal]);
  const seen = new Set<string>();
  const fetchOnce = (cursor: string | undefined) => {
    if (cursor !== undefined && seen.has(cursor)) return Promise.reject(repeatedCursor());
    if (cursor !== undefined) seen.add(cursor);
    return fetchPage(cursor, pageSignal);
  };

  let cursor = first;
  let emptyPages = 0;
  try {
    let coming = fetchOnce(cursor);
    for (;;) {
      const page = endFeed(await coming, cursor);
      emptyPages = page.rows.length === 0 ? emptyPages + 1 : 0;
      if (emptyPages > RESPONSE_LIMITS.emptyPages) throw onlyEmptyPages();
      if (page.nextCursor === undefined) {
        yield page;
        return;
      }
      cursor = page.nextCursor;
      coming = fetchOnce(cursor);
      // It may fail while nobody listens yet; the loop does when it comes to it.
      coming.catch(() => undefined);
      yield page;
    }
  } catch (error) {
    if (cursor !== undefined && isQrServiceError(error)) error.cursor = cursor;
    throw error;
  } finally {
    stop.abort();
  }
}

function onlyEmptyPages(): QrServiceError {
  return new QrServiceError(
    `The service gave ${RESPONSE_LIMITS.emptyPages} pages without a row, one after another, so the walk was ended. Go on from the place where it stopped, or ask for less.`,
    { code: 'endless_list' },
  );
}

function repeatedCursor(): QrServiceError {
  return new QrServiceError(
    'The service gave the same place in the list twice, so the walk would never end.',
    {
      code: 'repeated_cursor',
    },
  );
}
