import type { PlatformClient } from '../client/PlatformClient.ts';
import type { Page } from '../contract/types.ts';
import { omitUndefined } from '../json/json.ts';
import { readTime } from '../wire/time.ts';

/** Number of rows to build a workflow with. */
export const SAMPLE_ROWS = 10;

const DAY = 24 * 60 * 60_000;
/** How far back to look for the newest rows of a long list, in milliseconds. */
const WINDOWS_MS = [DAY / 144, DAY, 7 * DAY, 30 * DAY];

/**
 * Recent rows for a manual run or a dropdown, newest first, and where the list continues. The API promises no order, so of a
 * long list this also reads wider and wider windows, at most `maxPages` of each, until there are a few recent rows.
 */
export async function recentRows<Row extends { id: string }>(
  read: (since?: string) => Iterable<Promise<Page<Row>>> | AsyncIterable<Page<Row>>,
  timeOf: (row: Row) => unknown,
  { isWanted = () => true, maxPages = 1 }: { isWanted?: (row: Row) => boolean; maxPages?: number } = {},
): Promise<{ rows: Row[]; nextCursor: string | undefined }> {
  const found = new Map<string, Row>();
  const { nextCursor, servedAt = Date.now() } = await collect();
  for (const ms of nextCursor === undefined ? [] : WINDOWS_MS) {
    const recent = await collect(new Date(servedAt - ms).toISOString());
    // One page of a feed always has a cursor.
    const isCut = maxPages > 1 && recent.nextCursor !== undefined;
    if (recent.wanted >= SAMPLE_ROWS || isCut) break;
  }
  return { rows: newestFirst([...found.values()], timeOf), nextCursor };

  async function collect(since?: string) {
    let pages = 0;
    let wanted = 0;
    let last: Partial<Page<Row>> = {};
    for await (const page of read(since)) {
      last = page;
      const matching = page.rows.filter(isWanted);
      for (const row of matching) found.set(row.id, row);
      wanted += matching.length;
      pages += 1;
      if (pages === maxPages) break;
    }
    return { ...last, wanted };
  }
}

/** Recent codes, newest first, and where the list continues. Once the time is up, those that were read by then. */
export async function recentCodes({ qr }: Pick<PlatformClient, 'qr'>, totalTimeoutMs: number) {
  const deadline = Date.now() + totalTimeoutMs;
  return recentRows(read, ({ updatedAt }) => updatedAt);

  async function* read(updatedSince?: string) {
    const leftMs = deadline - Date.now();
    if (leftMs <= 0) return;
    try {
      yield await qr.listPage(omitUndefined({ updatedSince }), { totalTimeoutMs: leftMs });
    } catch (error) {
      if (updatedSince === undefined || Date.now() < deadline) throw error;
    }
  }
}

/** Sorts rows by a time of the service, newest first. Rows without a time come last. */
export function newestFirst<Row>(rows: readonly Row[], timeOf: (row: Row) => unknown): Row[] {
  const time = (row: Row) => readTime(timeOf(row)) ?? Number.MIN_SAFE_INTEGER;
  return [...rows].sort((a, b) => time(b) - time(a));
}
