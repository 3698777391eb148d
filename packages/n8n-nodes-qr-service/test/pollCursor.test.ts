import { PollCursor } from '../nodes/QrServicePollingTrigger/PollCursor.ts';
import type { PolledRow } from '../nodes/QrServicePollingTrigger/rows.ts';
import { OVERLAP_MS, startAt, type StoredCursor } from '../nodes/QrServicePollingTrigger/StoredCursor.ts';
import { at, ids, seen } from './support/polledRows.ts';

const MINUTE = 60_000;

/** Takes a page, read this many milliseconds after the start. */
function take(cursor: PollCursor, rows: PolledRow[], nextCursor?: string, servedMs = 1e12): string[] {
  const readAt = Date.parse(at(servedMs));
  return ids(cursor.take({ rows, readAt, ...(nextCursor === undefined ? {} : { nextCursor }) }));
}

describe('PollCursor', () => {
  const start = () => new PollCursor(startAt(Date.parse(at(0))));
  const ago = (ms: number) => at(ms - OVERLAP_MS);
  const saved = (cursor: PollCursor) =>
    new PollCursor(JSON.parse(JSON.stringify(cursor.stored)) as StoredCursor);

  test('reads from the overlap before the highest time after a pass of one page', () => {
    const cursor = start();
    expect(take(cursor, [seen('b', 5000), seen('a', 3000)])).toEqual(['b', 'a']);
    expect(cursor.position).toMatchObject({ since: ago(5000), cursor: undefined });
  });

  test("reads from the overlap before the first page's highest time after a pass of several pages", () => {
    const cursor = start();
    take(cursor, [seen('a', 3000), seen('b', 4000)], 'page 2');
    expect(cursor.position).toMatchObject({ since: ago(0), cursor: 'page 2' });
    take(cursor, [seen('c', 9000)]);
    expect(cursor.position).toMatchObject({ since: ago(4000), cursor: undefined });
    // Rows seen before the second pass count, too.
    expect(take(cursor, [seen('a', 3000), seen('b', 4000)], 'page 2')).toEqual([]);
    expect(take(cursor, [seen('c', 9000)])).toEqual([]);
    expect(cursor.position.since).toBe(ago(9000));
  });

  test("reads from the overlap before the service's clock if it is behind the rows", () => {
    const cursor = start();
    expect(take(cursor, [seen('a', 3000), seen('ahead', 1e9)], undefined, 5000)).toEqual(['a', 'ahead']);
    expect(cursor.position.since).toBe(ago(3000));
    expect(take(cursor, [seen('a', 3000), seen('ahead', 1e9)], undefined, 9000)).toEqual([]);
    expect(cursor.position.since).toBe(ago(3000));
    expect(saved(cursor).position.since).toBe(ago(3000));
  });

  test('reads from just before the highest time once that is older than the overlap', () => {
    const cursor = start();
    take(cursor, [seen('a', 3000)], undefined, 5000);
    take(cursor, [seen('a', 3000)], undefined, 4999 + OVERLAP_MS);
    expect(cursor.position.since).toBe(ago(3000));
    take(cursor, [seen('a', 3000)], undefined, 5000 + OVERLAP_MS);
    expect(cursor.position.since).toBe(at(2000));
    expect(take(cursor, [seen('b', 6 * MINUTE)], undefined, 7 * MINUTE)).toEqual(['b']);
    expect(cursor.position.since).toBe(ago(6 * MINUTE));
  });

  test('drops rows that are read again, but not new rows with the same time', () => {
    const cursor = start();
    take(cursor, [seen('edge', 4000), seen('a', 4500), seen('b', 5000)]);
    const again = [seen('edge', 4000), seen('a', 4500), seen('b', 5000), seen('c', 5000), seen('d', 4600)];
    expect(take(cursor, again)).toEqual(['c', 'd']);
  });

  test('stays the same after a pass that finds nothing', () => {
    const cursor = start();
    take(cursor, [seen('a', 5000)]);
    const before = cursor.stored;
    expect(take(cursor, [])).toEqual([]);
    expect(cursor.stored).toEqual(before);
  });

  test('drops rows from before the overlap when the service ignores the filter', () => {
    const cursor = start();
    take(cursor, [seen('a', 5000)]);
    const rows = [seen('old', -OVERLAP_MS), seen('first', 1 - OVERLAP_MS), seen('a', 5000), seen('b', 6000)];
    expect(take(cursor, rows)).toEqual(['first', 'b']);
  });

  test('returns a row listed twice once, again in a newer version, and never in an older one', () => {
    expect(take(start(), [seen('a', 1), seen('a', 1), seen('a', 2), seen('a', 1)])).toEqual(['a', 'a']);
  });

  test('returns only new rows when a pass is restarted', () => {
    const cursor = start();
    take(cursor, [seen('a', 1000), seen('b', 2000)], 'page 2');
    cursor.restartPass();
    expect(cursor.position).toMatchObject({ since: ago(0), cursor: undefined });
    expect(take(cursor, [seen('a', 1000), seen('b', 2000), seen('c', 3000)])).toEqual(['c']);
    // Rows without times stay known if a feed's later pages are empty.
    const feed = new PollCursor();
    take(feed, [seen('a')]);
    const later = saved(feed);
    take(later, [], 'page 3');
    take(later, []);
    later.restartPass();
    expect(take(later, [seen('a'), seen('b')])).toEqual(['b']);
  });

  test('deduplicates IDs such as __proto__ and constructor', () => {
    const cursor = start();
    expect(take(cursor, [seen('__proto__', 1000), seen('constructor', 1000)])).toHaveLength(2);
    expect(take(saved(cursor), [seen('__proto__', 1000), seen('constructor', 1000)])).toEqual([]);
  });

  test('deduplicates a row without a time', () => {
    const cursor = start();
    expect(take(cursor, [seen('x'), seen('a', 2000)])).toEqual(['x', 'a']);
    expect(take(cursor, [seen('x'), seen('a', 2000)], 'page 2')).toEqual([]);
    cursor.restartPass();
    expect(take(cursor, [seen('x'), seen('y'), seen('a', 2000)])).toEqual(['y']);
  });

  test('after the activation, a row that is a little older than the newest one is old, until the clock rules that out', () => {
    const activated = () => {
      const cursor = start();
      take(cursor, [seen('newest', 10 * MINUTE)], undefined, 10 * MINUTE);
      cursor.markActivation(Date.parse(at(10 * MINUTE)));
      expect(take(cursor, [seen('late', 9 * MINUTE)], undefined, 10 * MINUTE)).toEqual([]);
      const edge = 10 * MINUTE - OVERLAP_MS;
      expect(take(cursor, [seen('edge', edge), seen('older', edge - 1)], undefined, 10 * MINUTE)).toEqual([
        'older',
      ]);
      expect(ids([...cursor.suppressed])).toEqual(['late', 'edge']);
      return cursor;
    };
    const back = activated();
    expect(take(back, [seen('set back', 8 * MINUTE)], undefined, 8 * MINUTE)).toEqual(['set back']);
    const later = activated();
    take(later, [], undefined, 10 * MINUTE + OVERLAP_MS);
    expect(take(later, [seen('dated back', 9 * MINUTE)], undefined, 16 * MINUTE)).toEqual(['dated back']);
  });

  test('returns a corrected date in the future once it lasts, and the former date not again', () => {
    let cursor = start();
    const polled = (ms: number, servedMs: number) => take(cursor, [seen('a', ms)], undefined, servedMs);
    expect([polled(1e9, 5000), polled(2000, 6000), polled(2000, 5999 + OVERLAP_MS)]).toEqual([['a'], [], []]);
    expect(polled(2000, 6000 + OVERLAP_MS)).toEqual(['a']);
    expect([polled(1e9, 7000 + OVERLAP_MS), polled(1e9 + 1, 8000 + OVERLAP_MS)]).toEqual([[], ['a']]);
    cursor = start();
    expect([polled(2000, 5000), polled(1e9, 6000), polled(2000, 7000)]).toEqual([['a'], ['a'], []]);
    expect([polled(2000, 7000 + OVERLAP_MS), polled(3000, 8000 + OVERLAP_MS)]).toEqual([[], ['a']]);
  });

  test('remembers 20,000 versions in less than 300,000 characters and returns no row twice when there are more', () => {
    const cursor = start();
    // 100 rows per second.
    const rows = Array.from({ length: 25_000 }, (_, i) => seen(`row ${i}`, 1000 + i * 10));
    const emitted: string[] = [];
    for (let from = 0; from < rows.length; from += 1000)
      emitted.push(...take(cursor, rows.slice(from, from + 1000), `page ${from}`));
    expect(JSON.stringify(cursor.stored).length).toBeLessThan(300_000);
    emitted.push(...take(cursor, []));
    expect(emitted).toEqual(ids(rows));
    expect(JSON.stringify(cursor.stored).length).toBeLessThan(300_000);
    const later = saved(cursor);
    // The overlap only covers what is remembered.
    expect(later.position.since).toBe(at(1000 + 4999 * 10 + 1));
    expect(take(later, [...rows, seen('late', 100_005), seen('too late', 1005)])).toEqual(['late']);
  });

  test('remembers 2,000 versions that are not read again, in less than 40,000 characters', () => {
    const cursor = start();
    const rows = Array.from({ length: 3000 }, (_, i) => seen(`row ${i}`, i * 1000));
    expect(take(cursor, rows, undefined, 3_000_000)).toEqual(ids(rows));
    take(cursor, [], undefined, 4_000_000);
    expect(take(cursor, [], undefined, 4_000_000)).toEqual([]);
    expect(JSON.stringify(cursor.stored).length).toBeLessThan(40_000);
    // The clock is set back to a time from which everything is remembered: all rows are read again, and new ones returned.
    const later = saved(cursor);
    expect(take(later, [], undefined, 2_500_000)).toEqual([]);
    expect(later.needsAnotherPass).toBe(true);
    expect(take(later, [...rows, seen('new', 2_500_001)], undefined, 2_500_100)).toEqual(['new']);
  });

  test('treats listed rows as old when the clock is set back to a time before the remembered rows', () => {
    const cursor = start();
    take(cursor, [seen('a', 60 * MINUTE)], undefined, 61 * MINUTE);
    expect(take(cursor, [], undefined, -60 * MINUTE)).toEqual([]);
    expect(cursor.position.since).toBe(ago(-60 * MINUTE));
    const old = [seen('x', -60 * MINUTE), seen('y', -30 * MINUTE), seen('a', 60 * MINUTE)];
    expect(take(saved(cursor), old, undefined, -59 * MINUTE)).toEqual([]);
    expect(take(cursor, [...old, seen('b', 61 * MINUTE)], undefined, -59 * MINUTE)).toEqual(['b']);
    expect(take(cursor, [...old, seen('new', -58 * MINUTE)], undefined, -57 * MINUTE)).toEqual(['new']);
  });
});
