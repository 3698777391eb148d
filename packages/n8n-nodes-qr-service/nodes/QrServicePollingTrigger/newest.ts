import { startOf, type PolledPage, type PolledRow, type ReadPages } from './rows.ts';

/** Reads the first page of the rows since a time, or of all rows. It is empty only if there are none. */
type ReadPage = (since: string | undefined) => Promise<PolledPage>;

/** Milliseconds within which the search for the newest row ends. */
const MINUTE = 60_000;

/** A `Date` header has whole seconds. */
const SECOND = 1000;

const LATEST = Date.UTC(9999, 0);

/** How many rows a manual run shows, and how far before the newest one it looks for them first. */
const MAX_RECENT_ROWS = 10;
const RECENT_MS = 7 * 24 * 60 * 60 * 1000;

/** Most pages that a manual run reads of a narrowed window, of a list at first, and while it narrows a window. */
const MAX_WINDOW_PAGES = 10;
const MAX_LIST_PAGES = 40;
const MAX_SEARCH_PAGES = 100;

/**
 * The latest rows that are wanted, newest first: something to build a workflow with. As the API promises no order, only
 * a window that was read completely is sure to contain the newest rows: one with too many rows is narrowed. If nothing
 * recent is wanted, older rows are shown. Rows ahead of the service's clock come last.
 * @param signal ends the search; what was found by then is returned
 */
export async function recentRows(
  read: ReadPages,
  isWanted: (row: PolledRow) => boolean,
  signal?: AbortSignal,
): Promise<PolledRow['row'][]> {
  const found = new Map<string, PolledRow & { isAhead: boolean }>();
  const newest = await findNewest((since) => readFirstPage(read, since));
  await collect().catch((error: unknown) => {
    if (found.size === 0 || signal?.aborted !== true) throw error;
  });
  return [...found.values()]
    .sort((a, b) => Number(a.isAhead) - Number(b.isAhead) || (b.time ?? 0) - (a.time ?? 0))
    .slice(0, MAX_RECENT_ROWS)
    .map(({ row }) => row);

  async function collect(): Promise<void> {
    if (newest === undefined) {
      await readWindow(undefined, MAX_LIST_PAGES);
      return;
    }
    const recent = newest - RECENT_MS;
    await search(recent, newest + MINUTE);
    if (found.size === 0) await search(undefined, recent);
  }

  /** Looks for the widest window since a time that can be read completely, by bisection up to the end. */
  async function search(since: number | undefined, end: number): Promise<void> {
    // Few wanted rows among many are found at once by reading all of them.
    let { isComplete, pages, wanted } = await readWindow(since, MAX_LIST_PAGES);
    if (isComplete) return;
    let low = since ?? 0;
    let high = end;
    for (let left = MAX_SEARCH_PAGES; high - low > 1 && left > 0; left -= pages) {
      const middle = low + Math.floor((high - low) / 2);
      ({ isComplete, pages, wanted } = await readWindow(middle, MAX_WINDOW_PAGES));
      if (!isComplete) low = middle;
      else if (wanted < MAX_RECENT_ROWS) high = middle;
      else return;
    }
  }

  /** Collects what is wanted in the window since a time, or in the whole list. */
  async function readWindow(
    since: number | undefined,
    maxPages: number,
  ): Promise<{ isComplete: boolean; pages: number; wanted: number }> {
    let [pages, wanted] = [0, 0];
    const from = since === undefined ? undefined : new Date(since).toISOString();
    for await (const { rows, nextCursor, servedAt, readAt } of read(startOf(from))) {
      pages += 1;
      const clock = servedAt ?? readAt;
      for (const row of rows.filter(isWanted)) {
        const isAhead = !isPast(row.time ?? 0, clock);
        if (!isAhead) wanted += 1;
        found.set(row.id, { ...row, isAhead });
      }
      if (nextCursor === undefined) break;
      // The second page may be empty: a feed has a cursor on each page.
      if (pages === maxPages || (pages > 1 && wanted >= MAX_RECENT_ROWS))
        return { isComplete: false, pages, wanted };
    }
    return { isComplete: true, pages, wanted };
  }
}

/**
 * Finds a time at most a minute before the newest row's without reading the whole list: checks whether there are rows
 * since later and later times, then bisects. Takes two requests if the service lists the newest rows first, and some
 * forty over ten years otherwise. Rows ahead of the service's clock don't count.
 * @returns undefined if there are no rows, if they have no times, or if the service ignores the time filter
 */
export async function findNewest(readPage: ReadPage): Promise<number | undefined> {
  const firstPage = await readPage(undefined);
  const clock = firstPage.servedAt ?? firstPage.readAt;
  let newest = highestTime(firstPage.rows, clock);
  let low = newest ?? Infinity;
  let high = Infinity;
  let step = MINUTE;
  while (high - low > MINUTE) {
    const probe = high === Infinity ? low + step : low + Math.floor((high - low) / 2);
    if (probe > LATEST) return undefined;
    const { rows } = await readPage(new Date(probe).toISOString());
    const found = highestTime(rows, clock);
    if (found === undefined) high = probe;
    else {
      low = Math.max(probe, found);
      newest = found;
    }
    step *= 2;
  }
  return newest;
}

/** The first page of the rows since a time, or of all rows. It is empty only if there are none. */
export async function readFirstPage(read: ReadPages, since: string | undefined): Promise<PolledPage> {
  let last: PolledPage = { rows: [], readAt: Infinity };
  for await (last of read(startOf(since))) if (last.rows.length > 0) break;
  return last;
}

function highestTime(rows: readonly PolledRow[], clock: number): number | undefined {
  const times = rows.map(({ time = NaN }) => time).filter((time) => isPast(time, clock));
  return times.length === 0 ? undefined : times.reduce((a, b) => Math.max(a, b));
}

const isPast = (time: number, clock: number) => time < clock + SECOND;
