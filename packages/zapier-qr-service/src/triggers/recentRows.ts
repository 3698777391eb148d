import type { Page, Paginated } from '@qr-service/core';

/**
 * How far back a poll looks, in hours. Zapier remembers which rows it has seen, but a poll can't store how far it has
 * read. So each poll reads a window: wide enough for a weekend's outage, narrower when so much changed that it can't be
 * read in Zapier's 30 s.
 */
const WINDOWS_HOURS = [72, 6, 0.5] as const;
/** Pages of a window that a poll reads. */
const MAX_PAGES = 40;
const HOUR = 60 * 60 * 1000;

/**
 * All rows of the widest window that can be read completely: as the API promises no order, part of a window would lose
 * rows. Windows end now by the service's clock, where its first page has it. Undefined when even the narrowest window
 * is too full.
 */
export async function recentRows<Row>(
  listSince: (since: string) => Paginated<Row, Page<Row>>,
  now = Date.now(),
): Promise<Row[] | undefined> {
  let clock = now;
  for (const hours of WINDOWS_HOURS) {
    const from = (time: number) => listSince(new Date(time - hours * HOUR).toISOString());
    const { rows, servedAt = clock } = await readWindow(from(clock));
    // Where this machine's clock is ahead, the window was too short. One that is too full anyway isn't read again.
    const isShort = rows !== undefined && servedAt < clock - HOUR;
    const whole = isShort ? (await readWindow(from(servedAt))).rows : rows;
    clock = servedAt;
    if (whole !== undefined) return whole;
  }
  return undefined;
}

interface Read<Row> {
  /** Undefined when there are too many. */
  rows?: Row[];
  /** When the first page was served, by its `Date` header. */
  servedAt?: number;
}

async function readWindow<Row>(list: Paginated<Row, Page<Row>>): Promise<Read<Row>> {
  const read: Read<Row> = {};
  const rows: Row[] = [];
  let pages = 0;
  for await (const page of list.pages()) {
    if (pages === 0 && page.servedAt !== undefined) read.servedAt = page.servedAt;
    pages += 1;
    if (pages > MAX_PAGES) return read;
    rows.push(...page.rows);
  }
  return { ...read, rows };
}
