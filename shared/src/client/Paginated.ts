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

/** Fetches the page at a cursor. The signal cancels the request if its result is no longer needed. */
export type FetchPage<P> = (cursor: string | undefined, signal: AbortSignal) => Promise<P>;

/**
 * A list over pages. It ends with a page without a cursor, or with an empty page that repeats its cursor. Any other
 * repeated cursor, and too many empty pages, throw an error instead of looping forever.
 */
export function paginate<Row, P extends Page<Row>>(
  fetchPage: FetchPage<P>,
  options: { cursor?: string | undefined; signal?: AbortSignal | undefined },
): Paginated<Row, P> {
  const pages = () => paginatePages<Row, P>(fetchPage, options);
  return { pages, [Symbol.asyncIterator]: () => rowsOf(pages()) };
}

/**
 * Recognizes the end of a feed, whose "stable cursor" never ends: an empty page that repeats the requested cursor is
 * the last page for now, and its cursor is where to resume later.
 */
export function endFeed<P extends Page<unknown>>(page: P, cursor: string | undefined): P {
  if (page.nextCursor === undefined || page.nextCursor !== cursor || page.rows.length > 0) return page;
  const { nextCursor, ...last } = page;
  return { ...last, resumeCursor: nextCursor } as unknown as P;
}

/** Iterates over the rows of pages. An async generator would cost several microtasks per row. */
function rowsOf<Row>(pages: AsyncGenerator<Page<Row>, void, undefined>): AsyncIterator<Row> {
  let rows: readonly Row[] = [];
  let index = 0;
  let nextPage: Promise<IteratorResult<Row>> | undefined;

  async function fetchRow(): Promise<IteratorResult<Row>> {
    do {
      const { done, value } = await pages.next();
      if (done === true) return { done, value: undefined };
      rows = value.rows;
      index = 0;
    } while (rows.length === 0);
    return { done: false, value: rows[index++] as Row };
  }

  function next(): Promise<IteratorResult<Row>> {
    // Keeps the rows in order for a caller that doesn't wait for the page.
    if (nextPage !== undefined) return nextPage.then(next, next);
    if (index < rows.length) return Promise.resolve({ done: false, value: rows[index++] as Row });
    nextPage = fetchRow().finally(() => {
      nextPage = undefined;
    });
    return nextPage;
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
  const controller = new AbortController();
  const pageSignal = signal === undefined ? controller.signal : AbortSignal.any([signal, controller.signal]);
  const seen = new Set<string | undefined>();
  const fetchOnce = (cursor: string | undefined) => {
    if (seen.has(cursor)) return Promise.reject(repeatedCursor());
    seen.add(cursor);
    return fetchPage(cursor, pageSignal);
  };

  let cursor = first;
  let emptyPages = 0;
  try {
    let nextPage = fetchOnce(cursor);
    for (;;) {
      const page = endFeed(await nextPage, cursor);
      emptyPages = page.rows.length === 0 ? emptyPages + 1 : 0;
      if (emptyPages > RESPONSE_LIMITS.emptyPages) throw onlyEmptyPages();
      if (page.nextCursor === undefined) {
        yield page;
        return;
      }
      cursor = page.nextCursor;
      nextPage = fetchOnce(cursor);
      // It may fail before the loop awaits it.
      nextPage.catch(() => undefined);
      yield page;
    }
  } catch (error) {
    if (cursor !== undefined && isQrServiceError(error)) error.cursor = cursor;
    throw error;
  } finally {
    controller.abort();
  }
}

function onlyEmptyPages(): QrServiceError {
  return new QrServiceError(
    `The service returned ${RESPONSE_LIMITS.emptyPages} pages without a row, so the list was stopped.`,
    { code: 'endless_list', detail: 'Narrow the query to get fewer pages.' },
  );
}

function repeatedCursor(): QrServiceError {
  return new QrServiceError('The service returned the same cursor twice, so the list was stopped.', {
    code: 'repeated_cursor',
    detail: 'Otherwise it would never end.',
  });
}
