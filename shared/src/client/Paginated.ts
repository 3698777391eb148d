import type { Page } from '../contract/types.ts';
import { isQrServiceError } from '../errors/guards.ts';
import { QrServiceError } from '../errors/QrServiceError.ts';
import type { CallOptions } from './RequestExecutor.ts';

/**
 * A list to iterate over with `for await`: fetches the next page while you use the current one. Each iteration starts from
 * the beginning. If one fails, the error's `cursor` says where to resume.
 */
export interface Paginated<Row, P extends Page<Row> = Page<Row>> extends AsyncIterable<Row> {
  /** The same list, one page at a time. */
  pages(): AsyncIterable<P>;
}

/** Fetches one page. The signal cancels the request when nobody reads on. */
export type FetchPage<P> = (query: { cursor?: string | undefined }, options: CallOptions) => Promise<P>;

/** A list over pages. A repeated cursor throws an error instead of looping forever. */
export function paginate<Row, P extends Page<Row>>(
  fetchPage: FetchPage<P>,
  query: { cursor?: string | undefined },
  options?: CallOptions,
): Paginated<Row, P> {
  const pages = () => pagesOf(fetchPage, query, options);
  return { pages, [Symbol.asyncIterator]: () => rowsOf<Row>(pages()) };
}

async function* pagesOf<P extends Page<unknown>>(
  fetchPage: FetchPage<P>,
  query: { cursor?: string | undefined },
  options: CallOptions = {},
): AsyncGenerator<P, void, undefined> {
  const left = new AbortController();
  const signal = options.signal ? AbortSignal.any([left.signal, options.signal]) : left.signal;
  const fetchAt = (at: string) => fetchPage({ ...query, cursor: at }, { ...options, signal });
  let { cursor } = query;
  const seen = new Set([cursor]);
  try {
    let nextPage = fetchPage(query, { ...options, signal });
    for (;;) {
      const page = await nextPage;
      if (page.nextCursor === undefined) {
        yield page;
        return;
      }
      cursor = page.nextCursor;
      nextPage = seen.has(cursor) ? Promise.reject(repeatedCursor()) : fetchAt(cursor);
      seen.add(cursor);
      // It may fail before the loop awaits it.
      nextPage.catch(() => undefined);
      yield page;
    }
  } catch (error) {
    if (cursor !== undefined && isQrServiceError(error)) error.cursor = cursor;
    throw error;
  } finally {
    left.abort();
  }
}

/** Faster than a generator. Calls of `next` at once get each row once, but not always in order. */
function rowsOf<Row>(pages: AsyncGenerator<Page<Row>, void, undefined>): AsyncIterator<Row> {
  let rows = new Array<Row>().values();
  return {
    async next() {
      for (;;) {
        const row = rows.next();
        if (row.done !== true) return row;
        const { value: page } = await pages.next();
        if (page === undefined) return rows.next();
        rows = [...rows, ...page.rows].values();
      }
    },
    async return() {
      rows = new Array<Row>().values();
      await pages.return();
      return { done: true, value: undefined };
    },
  };
}

/** Ends a feed, whose cursors never end: an empty page that repeats its cursor is the last for now, to resume from later. */
export function endFeed<P extends Page<unknown>>(page: P, cursor: string | undefined): P {
  if (page.nextCursor === undefined || page.nextCursor !== cursor || page.rows.length > 0) return page;
  const { nextCursor, ...last } = page;
  return { ...last, resumeCursor: nextCursor } as unknown as P;
}

function repeatedCursor(): QrServiceError {
  return new QrServiceError('The service returned the same cursor twice, so the list was stopped.', {
    code: 'repeated_cursor',
    detail: 'Otherwise it would never end.',
  });
}
