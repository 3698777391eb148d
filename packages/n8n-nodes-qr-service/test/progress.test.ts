import type { Sighting } from '../nodes/QrServicePollingTrigger/sightings.ts';
import { Progress, startAt } from '../nodes/QrServicePollingTrigger/Progress.ts';
import { at, ids, seen } from './support/sightings.ts';

const take = (progress: Progress, rows: Sighting[], nextCursor?: string) =>
  ids(progress.take({ rows, ...(nextCursor === undefined ? {} : { nextCursor }) }));

describe('Progress', () => {
  const start = () => new Progress(startAt(new Date(at(0))));

  test('reads from a second before the highest time after a walk of one page', () => {
    const progress = start();
    expect(take(progress, [seen('b', 5000), seen('a', 3000)])).toEqual(['b', 'a']);
    expect(progress.place).toEqual({ since: at(4000), cursor: undefined });
  });

  test("reads from a second before the first page's highest time after a walk of several pages", () => {
    const progress = start();
    take(progress, [seen('a', 3000), seen('b', 4000)], 'page 2');
    expect(progress.place).toEqual({ since: at(-1000), cursor: 'page 2' });
    take(progress, [seen('c', 9000)]);
    expect(progress.place).toEqual({ since: at(3000), cursor: undefined });
    // What was seen before the second walk counts too.
    expect(take(progress, [seen('a', 3000), seen('b', 4000)], 'page 2')).toEqual([]);
    expect(take(progress, [seen('c', 9000)])).toEqual([]);
    expect(progress.place.since).toBe(at(8000));
  });

  test('drops rows read again, but not new rows of the same moment', () => {
    const progress = start();
    take(progress, [seen('edge', 4000), seen('a', 4500), seen('b', 5000)]);
    const again = [seen('edge', 4000), seen('a', 4500), seen('b', 5000), seen('c', 5000), seen('d', 4600)];
    expect(take(progress, again)).toEqual(['c', 'd']);
  });

  test('stays the same after a walk that finds nothing', () => {
    const progress = start();
    take(progress, [seen('a', 5000)]);
    const before = progress.state;
    expect(take(progress, [])).toEqual([]);
    expect(progress.state).toEqual(before);
  });

  test('remembers only rows that the next walk lists again', () => {
    const progress = start();
    take(progress, [seen('old', 3999), seen('edge', 4000), seen('new', 5000)]);
    expect(Object.keys(progress.state.seen).sort()).toEqual(['edge', 'new']);
  });

  test('drops older rows when the service ignores the filter', () => {
    const progress = start();
    take(progress, [seen('a', 5000)]);
    expect(take(progress, [seen('old', 3000), seen('a', 5000), seen('b', 6000)])).toEqual(['b']);
  });

  test('returns a row listed twice once, and again in another state', () => {
    expect(take(start(), [seen('a', 1), seen('a', 1), seen('a', 2)])).toEqual(['a', 'a']);
  });

  test('returns only new rows when a walk is restarted', () => {
    const progress = start();
    take(progress, [seen('a', 1000), seen('b', 2000)], 'page 2');
    progress.beginAgain();
    expect(progress.place).toEqual({ since: at(-1000), cursor: undefined });
    expect(take(progress, [seen('a', 1000), seen('b', 2000), seen('c', 3000)])).toEqual(['c']);
  });

  test('deduplicates IDs such as __proto__ and constructor', () => {
    const progress = start();
    expect(take(progress, [seen('__proto__', 1000), seen('constructor', 1000)])).toHaveLength(2);
    const kept = new Progress(JSON.parse(JSON.stringify(progress.state)) as typeof progress.state);
    expect(take(kept, [seen('__proto__', 1000), seen('constructor', 1000)])).toEqual([]);
  });

  test('deduplicates a row without a time', () => {
    const progress = start();
    expect(take(progress, [seen('x'), seen('a', 2000)])).toEqual(['x', 'a']);
    expect(take(progress, [seen('x'), seen('a', 2000)])).toEqual([]);
  });
});
