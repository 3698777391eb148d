import type { Page, Walk } from '@qr-service/core';

/**
 * How far back a poll looks, in hours. Zapier remembers which rows it has seen but gives a poll no place to
 * keep a mark, so each poll reads a window: wide enough to bridge a weekend's outage, narrower when so much
 * changed that it can't be read in Zapier's 30 s.
 */
const WINDOWS_HOURS = [72, 6, 0.5] as const;
/** Pages of a window that a poll reads. */
const MOST_PAGES = 40;

/**
 * All rows since as far back as can be read whole: part of a window would lose rows, as the API promises no
 * order. Undefined when even the narrowest window is too full.
 */
export async function recentRows<Row>(
  walkSince: (since: string) => Walk<Row, Page<Row>>,
  now = Date.now(),
): Promise<Row[] | undefined> {
  for (const hours of WINDOWS_HOURS) {
    const since = new Date(now - hours * 60 * 60 * 1000).toISOString();
    const rows = await readWhole(walkSince(since));
    if (rows !== undefined) return rows;
  }
  return undefined;
}

async function readWhole<Row>(walk: Walk<Row, Page<Row>>): Promise<Row[] | undefined> {
  const rows: Row[] = [];
  let pages = 0;
  for await (const page of walk.pages()) {
    pages += 1;
    if (pages > MOST_PAGES) return undefined;
    rows.push(...page.rows);
  }
  return rows;
}
