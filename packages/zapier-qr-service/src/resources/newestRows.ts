import { newestFirst, readTime } from '@qr-service/core/connector';
import { isQrServiceError, type Page } from '@qr-service/core';

/** Number of rows for the editor's test of a poll, which offers three at a time. */
export const SAMPLE_ROWS = 10;

/** Maximum requests and milliseconds of a search, as the editor waits for it. */
const MAX_REQUESTS = 40;
const SEARCH_MS = 8_000;
const MINUTE = 60_000;

/** Reads the first page of the rows since a time, or of all rows. */
type ReadPage<Row> = (since?: string) => Promise<Page<Row>>;

/** What a search for the newest rows has found. */
interface NewestRows<Row> {
  /** The first page of the whole list. */
  first: Page<Row>;
  /** The newest rows found, newest first. */
  rows: Row[];
  /** `rows` contains all rows since this time, in milliseconds; undefined if that isn't certain for any time. */
  since: number | undefined;
}

/** Finds the newest rows of a list, newest first, for the editor: see `searchNewest`. */
export async function newestRows<Row extends { id: string }>(
  readPage: ReadPage<Row>,
  timeOf: (row: Row) => unknown,
  count: number,
): Promise<Row[]> {
  return (await searchNewest(readPage, timeOf, count, MAX_REQUESTS)).rows.slice(0, count);
}

/**
 * Finds the newest rows of a list. As the API promises no order, only a window that fits on one page is certain to
 * contain them. A bisection finds a window with enough rows. It takes one request if the list is short, and two if the
 * list starts with the newest rows. If it takes too long, or fails after the first page, it returns the newest rows
 * found so far.
 */
export async function searchNewest<Row extends { id: string }>(
  readPage: ReadPage<Row>,
  timeOf: (row: Row) => unknown,
  count: number,
  maxRequests: number,
): Promise<NewestRows<Row>> {
  const startedAt = Date.now();
  const found = new Map<string, Row>();
  const newest = () => newestFirst([...found.values()], timeOf);
  const read = async (since?: number) => {
    const page = await readPage(since === undefined ? undefined : new Date(since).toISOString());
    for (const row of page.rows) found.set(row.id, row);
    return page;
  };
  /** A time since which there are at least `count` rows. */
  const lastFound = () => readTime(timeOf(newest().slice(0, count).at(-1) as Row)) ?? 0;

  const first = await read();
  if (first.nextCursor === undefined || first.rows.length === 0)
    return { first, rows: newest(), since: undefined };
  // A page may have fewer rows than requested.
  const enough = Math.min(count, first.rows.length);
  const now = first.servedAt ?? startedAt;
  let high = now;
  let low = lastFound();
  let since = low;
  let complete: number | undefined;
  for (let requests = 1; requests < maxRequests && Date.now() < startedAt + SEARCH_MS; requests++) {
    let page: Page<Row>;
    try {
      page = await read(since);
    } catch (error) {
      // The rows found so far are enough to build a Zap.
      if (isQrServiceError(error)) break;
      throw error;
    }
    const { rows, nextCursor } = page;
    // A feed has a cursor on every page.
    const isWhole = nextCursor === undefined || rows.length < first.rows.length;
    if (isWhole) complete = since;
    if (isWhole && rows.length >= enough) break;
    if (isWhole) high = since;
    else low = Math.max(since, lastFound());
    // Halfway between their ages on a logarithmic scale: the newest rows may be seconds or years old.
    const youngest = high === now ? Math.min(MINUTE, (now - low) / 60) : now - high;
    since = Math.floor(now - Math.sqrt((now - low) * Math.max(youngest, 1)));
    if (!(since > low && since < high)) break;
  }
  return { first, rows: newest(), since: complete };
}
