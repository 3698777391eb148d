import type { Sighting } from '../nodes/QrServicePollingTrigger/sightings.ts';
import { Progress, startAt } from '../nodes/QrServicePollingTrigger/Progress.ts';
import { at, ids, seen } from './support/sightings.ts';

const take = (progress: Progress, rows: Sighting[], nextCursor?: string) =>
  ids(progress.take({ rows, ...(nextCursor === undefined ? {} : { nextCursor }) }));

describe('the progress of polling', () => {
  const start = () => new Progress(startAt(new Date(at(0))));

  test('the next walk reads from a second before the highest time of a walk of one page', () => {
    const progress = start();
    expect(take(progress, [seen('b', 5000), seen('a', 3000)])).toEqual(['b', 'a']);
    expect(progress.place).toEqual({ since: at(4000), cursor: undefined });
  });

  test('after several pages it reads from a second before the highest time of the first one', () => {
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

  test('what is read again is dropped, what is new at the same moment is not', () => {
    const progress = start();
    take(progress, [seen('edge', 4000), seen('a', 4500), seen('b', 5000)]);
    const again = [seen('edge', 4000), seen('a', 4500), seen('b', 5000), seen('c', 5000), seen('d', 4600)];
    expect(take(progress, again)).toEqual(['c', 'd']);
  });

  test('a walk that finds nothing changes nothing', () => {
    const progress = start();
    take(progress, [seen('a', 5000)]);
    const before = progress.state;
    expect(take(progress, [])).toEqual([]);
    expect(progress.state).toEqual(before);
  });

  test('only what the next walk lists again is remembered', () => {
    const progress = start();
    take(progress, [seen('old', 3999), seen('edge', 4000), seen('new', 5000)]);
    expect(Object.keys(progress.state.seen).sort()).toEqual(['edge', 'new']);
  });

  test('rows from before are dropped where the service ignores the filter', () => {
    const progress = start();
    take(progress, [seen('a', 5000)]);
    expect(take(progress, [seen('old', 3000), seen('a', 5000), seen('b', 6000)])).toEqual(['b']);
  });

  test('a row that comes twice in one walk counts once, and once more in another state', () => {
    expect(take(start(), [seen('a', 1), seen('a', 1), seen('a', 2)])).toEqual(['a', 'a']);
  });

  test('a walk that begins again brings only what it had not brought', () => {
    const progress = start();
    take(progress, [seen('a', 1000), seen('b', 2000)], 'page 2');
    progress.beginAgain();
    expect(progress.place).toEqual({ since: at(-1000), cursor: undefined });
    expect(take(progress, [seen('a', 1000), seen('b', 2000), seen('c', 3000)])).toEqual(['c']);
  });

  test('an id that is a name of its own in JavaScript comes once as well', () => {
    const progress = start();
    expect(take(progress, [seen('__proto__', 1000), seen('constructor', 1000)])).toHaveLength(2);
    const kept = new Progress(JSON.parse(JSON.stringify(progress.state)) as typeof progress.state);
    expect(take(kept, [seen('__proto__', 1000), seen('constructor', 1000)])).toEqual([]);
  });

  test('a row without a time among others comes once', () => {
    const progress = start();
    expect(take(progress, [seen('x'), seen('a', 2000)])).toEqual(['x', 'a']);
    expect(take(progress, [seen('x'), seen('a', 2000)])).toEqual([]);
  });
});
