import type { Page } from '../contract/types.ts';
import { isQrServiceError, QrServiceError } from './QrServiceError.ts';

/**
 * A list that is walked page by page, row by row; the next page is fetched while the present one is used.
 * Each iteration begins anew. When a walk fails, the error's `cursor` says where to go on.
 */
export interface Walk<Row, P extends Page<Row> = Page<Row>> extends AsyncIterable<Row> {
  /** The same walk, a page at a time. */
  pages(): AsyncIterable<P>;
}

/** Gets the page at a cursor; the signal ends a request that nobody waits for any more. */
export type FetchPage<P> = (cursor: string | undefined, signal: AbortSignal) => Promise<P>;

/** A walk over pages; a cursor seen before is an error, not an endless loop. */
export function walk<Row, P extends Page<Row>>(
  fetchPage: FetchPage<P>,
  options: { cursor?: string | undefined; signal?: AbortSignal | undefined },
): Walk<Row, P> {
  const pages = () => walkPages<Row, P>(fetchPage, options);
  return {
    pages,
    async *[Symbol.asyncIterator]() {
      for await (const page of pages()) yield* page.rows;
    },
  };
}

async function* walkPages<Row, P extends Page<Row>>(
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
  try {
    let coming = fetchOnce(cursor);
    for (;;) {
      const page = await coming;
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

function repeatedCursor(): QrServiceError {
  return new QrServiceError(
    'The service gave the same place in the list twice, so the walk would never end.',
    {
      code: 'repeated_cursor',
    },
  );
}
