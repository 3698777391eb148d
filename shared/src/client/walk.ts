import type { Page } from '../contract/types.ts';
import { QrServiceError } from './QrServiceError.ts';

/** A list that is walked page by page, row by row. Each iteration begins anew. */
export interface Walk<Row, P extends Page<Row> = Page<Row>> extends AsyncIterable<Row> {
  /** The same walk, a page at a time. */
  pages(): AsyncIterable<P>;
}

/** A walk over pages that `fetchPage` gets by cursor; a cursor seen before is an error, not an endless loop. */
export function walk<Row, P extends Page<Row>>(
  fetchPage: (cursor: string | undefined) => Promise<P>,
  firstCursor?: string,
): Walk<Row, P> {
  const pages = () => walkPages(fetchPage, firstCursor);
  return {
    pages,
    async *[Symbol.asyncIterator]() {
      for await (const page of pages()) yield* page.rows;
    },
  };
}

async function* walkPages<Row, P extends Page<Row>>(
  fetchPage: (cursor: string | undefined) => Promise<P>,
  firstCursor: string | undefined,
): AsyncGenerator<P, void, undefined> {
  const seen = new Set<string>();
  let cursor = firstCursor;
  do {
    if (cursor !== undefined) {
      if (seen.has(cursor))
        throw new QrServiceError(
          'The service gave the same place in the list twice, so the walk would never end.',
          {
            code: 'repeated_cursor',
          },
        );
      seen.add(cursor);
    }
    const page = await fetchPage(cursor);
    yield page;
    cursor = page.nextCursor;
  } while (cursor !== undefined);
}
