import type { Page, Paginated } from '@qr-service/core';

/**
 * How far back a poll looks, in hours. Zapier remembers which rows it has seen but gives a poll no place to
 * keep a mark, so each poll reads a window: wide enough to bridge a weekend's outage, narrower when so much
 * changed that it can't be read in Zapier's 30 s.
 */
const WINDOWS_HOURS = [72, 6, 0.5] as const;
/** Pages of a window that a poll reads. */
const MOST_PAGES = 40;
const HOUR = 60 * 60 * 1000;

/**
 * All rows since as far back as can be read whole: part of a window would lose rows, as the API promises no
 * order. Windows end now by the service's clock, where its first page tells it. Undefined when even the narrowest window
 * is too full.
 */
export async function recentRows<Row>(
  walkSince: (since: string) => Paginated<Row, Page<Row>>,
  now = Date.now(),
): Promise<Row[] | undefined> {
  let clock = now;
  for (const hours of WINDOWS_HOURS) {
    const from = (time: number) => walkSince(new Date(time - hours * HOUR).toISOString());
    const { rows, servedAt = clock } = await readWhole(from(clock));
    // Where this machine's clock is ahead, the first window begins late. One that is too full is so all the more.
    const isShort = rows !== undefined && servedAt < clock - HOUR;
    const whole = isShort ? (await readWhole(from(servedAt))).rows : rows;
    clock = servedAt;
    if (whole !== undefined) return whole;
  }
  return undefined;
}

interface Read<Row> {
  /** Undefined where there are too many. */
  rows?: Row[];
  /** When the first page was served, by its `Date` header. */
  servedAt?: number;
}

async function readWhole<Row>(walk: Paginated<Row, Page<Row>>): Promise<Read<Row>> {
  const read: Read<Row> = {};
  const rows: Row[] = [];
  let pages = 0;
  for await (const page of walk.pages()) {
    if (pages === 0 && page.servedAt !== undefined) read.servedAt = page.servedAt;
    pages += 1;
    if (pages > MOST_PAGES) return read;
    rows.push(...page.rows);
  }
  return { ...read, rows };
}
