import { randomIntegers } from '../../../harness/seed.ts';
import { findNewest } from '../nodes/QrServicePollingTrigger/findNewest.ts';
import { KnownIds } from '../nodes/QrServicePollingTrigger/KnownIds.ts';
import { Progress, startAt } from '../nodes/QrServicePollingTrigger/Progress.ts';
import { readBatch } from '../nodes/QrServicePollingTrigger/readBatch.ts';
import type { ReadPages, Sighting } from '../nodes/QrServicePollingTrigger/sightings.ts';
import { refusal } from './support/liveList.ts';

const at = (ms: number) => new Date(Date.UTC(2026, 0, 1) + ms).toISOString();

/** A row that came into its state this many milliseconds after the start; at no known time where they are missing. */
function seen(id: string, ms?: number): Sighting {
  const version = ms === undefined ? '' : at(ms);
  return { row: { id }, id, version, time: ms === undefined ? undefined : Date.parse(version) };
}
const ids = (sightings: Sighting[]) => sightings.map(({ id }) => id);
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

describe('rows without times', () => {
  /** A history that only grows, three rows a page. */
  function history() {
    const rows: string[] = [];
    let expired = false;
    const read: ReadPages = async function* ({ cursor }) {
      for (let from = Number(cursor ?? 0); ; from += 3) {
        if (expired && cursor !== undefined) throw refusal('invalid_cursor');
        const page = rows.slice(from, from + 3).map((id) => seen(id));
        await Promise.resolve();
        if (from + 3 >= rows.length) return yield { rows: page };
        yield { rows: page, nextCursor: String(from + 3) };
      }
    };
    return { rows, read, expire: (now = true) => (expired = now) };
  }
  const BATCH = { fresh: 5, read: 100 };

  test('come once each, and only those of the last page are remembered', async () => {
    const { rows, read } = history();
    const progress = new Progress();
    const emitted: string[] = [];
    for (let tick = 0; tick < 60; tick++) {
      for (let row = 0; row < tick % 5; row++) rows.push(`row ${rows.length}`);
      emitted.push(...ids((await readBatch(read, progress, BATCH)).fresh));
      expect(Object.keys(progress.state.seen).length).toBeLessThanOrEqual(6);
    }
    expect(emitted).toEqual(rows);
  });

  test('are neither lost nor doubled when the cursor expires', async () => {
    const { rows, read, expire } = history();
    const progress = new Progress();
    for (let row = 0; row < 8; row++) rows.push(`row ${row}`);
    const batch = { fresh: 100, read: 100 };
    expect(ids((await readBatch(read, progress, batch)).fresh)).toEqual(rows);
    rows.push('row 8', 'row 9');
    expire();
    expect(ids((await readBatch(read, progress, batch)).fresh)).toEqual(['row 8', 'row 9']);
    expire(false);
    rows.push('row 10');
    expect(ids((await readBatch(read, progress, batch)).fresh)).toEqual(['row 10']);
  });
});

test('known ids take 11 characters each and are known after they were kept', () => {
  const known = new KnownIds();
  const all = Array.from({ length: 1000 }, (_, i) => `qr-${i}`);
  expect(all.every((id) => known.add(id))).toBe(true);
  const text = known.toString();
  expect(text).toHaveLength(11_000);
  const kept = new KnownIds(text);
  expect(all.some((id) => kept.add(id))).toBe(false);
  expect(kept.add('qr-1000')).toBe(true);
});

describe('the search for the newest row', () => {
  const random = randomIntegers();

  /** A service with rows at these times that lists them in this order, some a page. */
  function service(times: readonly number[], { pageSize = 100, ignoresSince = false } = {}) {
    const asked = { count: 0 };
    const readPage = (since: string | undefined) => {
      asked.count++;
      const from = since === undefined || ignoresSince ? -Infinity : Date.parse(since);
      const rows = times.filter((time) => time >= from).slice(0, pageSize);
      return Promise.resolve(rows.map((time) => ({ row: {}, id: String(time), version: '', time })));
    };
    return { readPage, asked };
  }

  const orders: Record<string, (a: number, b: number) => number> = {
    'oldest first': (a, b) => a - b,
    'newest first': (a, b) => b - a,
    'in no order': (a, b) => ((a * 31) % 97) - ((b * 31) % 97),
  };
  test.each(Object.keys(orders))('comes within a minute of it, rows %s', async (order) => {
    for (let round = 0; round < 200; round++) {
      const span = 1 + random(10 ** (1 + random(9)));
      const start = Date.UTC(2015 + random(20), random(12));
      const times = Array.from({ length: 1 + random(300) }, () => start + random(span) * 300);
      const { readPage, asked } = service(times.sort(orders[order]), { pageSize: 1 + random(50) });
      const newest = Math.max(...times);
      const found = (await findNewest(readPage))!.getTime();
      expect(newest - found).toBeGreaterThanOrEqual(0);
      expect(newest - found).toBeLessThanOrEqual(60_000);
      expect(asked.count).toBeLessThan(60);
    }
  });

  test('takes two requests where the newest row comes first', async () => {
    const { readPage, asked } = service([Date.UTC(2026, 5), Date.UTC(2016, 1)], { pageSize: 1 });
    expect(await findNewest(readPage)).toEqual(new Date(Date.UTC(2026, 5)));
    expect(asked.count).toBe(2);
  });

  test('gives up where there are no rows, no times, or the time is ignored', async () => {
    expect(await findNewest(service([]).readPage)).toBeUndefined();
    expect(await findNewest(service([Date.UTC(2026, 5)], { ignoresSince: true }).readPage)).toBeUndefined();
    expect(await findNewest(() => Promise.resolve([seen('timeless')]))).toBeUndefined();
  });
});
