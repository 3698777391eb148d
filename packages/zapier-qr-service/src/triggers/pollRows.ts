import { TransportError, type Page, type Paginated } from '@qr-service/core';
import type { PlatformClient } from '@qr-service/core/connector';
import type { Bundle, ZObject } from 'zapier-platform-core';
import { rerunDelay } from '../errors/zapierErrors.ts';

const MINUTE = 60_000;

/**
 * How far back a poll reads: the first window that it can read completely. `share` is how much of the time, the rows
 * and the rate limit may be used up by then, so that something is left for the next one.
 */
const WINDOWS = [
  { label: '6 hours', ms: 360 * MINUTE, share: 0.6 },
  { label: '30 minutes', ms: 30 * MINUTE, share: 0.85 },
  { label: '5 minutes', ms: 5 * MINUTE, share: 1 },
];
/** Time for all windows, in milliseconds: Zapier's 30 s for turning on include a connection test. */
const MAX_MS = 22_000;
/** Rows of all windows: Zapier accepts 20 MB from a poll. */
const MAX_ROWS = 30_000;
/** Polls use less than turning on, so that they rarely read what it couldn't. */
const POLL_SHARE = 0.8;
/** How much further turning on reads, in milliseconds: the machine of a later poll may have a slower clock. */
const MARGIN_MS = 2 * MINUTE;

/** How to read a list, and to convert its rows to the trigger's. */
interface PolledList<Row, Output> {
  listSince: (since: string) => Paginated<Row, Page<Row>>;
  toOutput: (rows: Row[]) => Output[];
  /** Zapier accepts each key only once in a poll. */
  keyOf: (row: Output) => string;
}

/**
 * Reads the rows of a poll: those of the last six hours. A poll can't remember anything, as its bundle doesn't identify
 * the Zap. If a window is too much, reads a narrower one: as the API promises no order, part of a window would lose
 * rows. Turning a Zap on returns all rows that were read, as those that Zapier doesn't know by then would start the Zap
 * if a later poll can read them.
 */
export async function pollRows<Row, Output>(
  z: ZObject,
  { meta: { isPopulatingDedupe: isTurningOn } }: Bundle,
  client: PlatformClient,
  { listSince, toOutput, keyOf }: PolledList<Row, Output>,
): Promise<Output[]> {
  const startedAt = Date.now();
  /** The service's time, once it is known: its clock may differ by more than a narrow window. */
  let now = startedAt;
  let pages = 0;
  let rowCount = 0;

  /** The share of the time, the rows or the rate limit that is used. */
  function used(): number {
    const { limit = 0, remaining = 0, resetAt = 0 } = client.rateLimit ?? {};
    const own = Math.min(pages, limit - remaining);
    const ofRateLimit = resetAt > startedAt + MAX_MS ? own / (own + remaining) : 0;
    return Math.max((Date.now() - startedAt) / MAX_MS, rowCount / MAX_ROWS, ofRateLimit);
  }

  /** Reads a window, completely unless it is too much; `error` is why it ended. */
  async function readWindow(ms: number, maxShare: number) {
    const since = new Date(now - ms - (isTurningOn ? MARGIN_MS : 0)).toISOString();
    const rows: Row[] = [];
    try {
      for await (const page of listSince(since).pages()) {
        now = page.servedAt ?? now;
        pages += 1;
        rowCount += page.rows.length;
        for (const row of page.rows) rows.push(row);
        if (page.nextCursor !== undefined && used() > maxShare) return { rows, isComplete: false };
      }
    } catch (error) {
      // Out of time, or over the rate limit.
      if (rerunDelay(error) === undefined) throw error;
      return { rows, isComplete: false, error: error as Error };
    }
    return { rows, isComplete: true };
  }

  const read: Row[] = [];
  const mostShare = isTurningOn ? 1 : POLL_SHARE;
  for (const { label, ms, share } of WINDOWS) {
    const { rows, isComplete, error } = await readWindow(ms, share * mostShare);
    if (!isTurningOn) read.length = 0;
    for (const row of rows) read.push(row);
    if (isComplete) break;
    if (read.length === 0)
      throw error ?? new TransportError('The service is too slow right now.', { code: 'deadline' });
    z.console.log(`The last ${label} have too many rows to read in one check.`);
    if (used() > mostShare) break;
  }
  return [...new Map(toOutput(read).map((row) => [keyOf(row), row])).values()];
}
