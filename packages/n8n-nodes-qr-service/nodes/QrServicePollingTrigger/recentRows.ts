import type { PolledRow, ReadPages } from './lists.ts';

const DAY = 24 * 60 * 60_000;
/** The list is read since these times before now, one after the other, until there are enough rows. */
const WINDOWS = [DAY / 24, DAY, 7 * DAY, 30 * DAY];
const MAX_PAGES = 20;
const ENOUGH = 10;

/** Ten recent rows for a manual run, newest first: something to build a workflow with. Older ones if nothing is recent. */
export async function recentRows(
  read: ReadPages,
  isWanted: (row: PolledRow) => boolean,
): Promise<PolledRow['row'][]> {
  const found = new Map<string, PolledRow>();
  const { isWhole, now } = await collect();
  // A long list may start with the oldest rows.
  for (const window of isWhole ? [] : WINDOWS) {
    const recent = await collect(now - window);
    if (recent.wanted >= ENOUGH || !recent.isWhole) break;
  }
  return [...found.values()]
    .sort((a, b) => (b.time ?? 0) - (a.time ?? 0))
    .slice(0, ENOUGH)
    .map(({ row }) => row);

  async function collect(since?: number): Promise<{ isWhole: boolean; now: number; wanted: number }> {
    let [pages, wanted, now] = [0, 0, 0];
    for await (const { rows, nextCursor, servedAt } of read({ since })) {
      now = servedAt;
      const matching = rows.filter(isWanted);
      for (const row of matching) found.set(row.id, row);
      wanted += matching.length;
      if (nextCursor !== undefined && ++pages === MAX_PAGES) return { isWhole: false, now, wanted };
    }
    return { isWhole: true, now, wanted };
  }
}
