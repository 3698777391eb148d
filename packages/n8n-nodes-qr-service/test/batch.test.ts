import { pollChanges, type Kept } from '../nodes/QrServicePollingTrigger/pollChanges.ts';
import { Progress } from '../nodes/QrServicePollingTrigger/PollCursor.ts';
import { readBatch } from '../nodes/QrServicePollingTrigger/batch.ts';
import type { ReadPages } from '../nodes/QrServicePollingTrigger/sightings.ts';
import { LiveList, refusal } from './support/liveList.ts';
import { ids, seen } from './support/sightings.ts';

describe('readBatch of rows without times', () => {
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

  test('returns each row once and remembers only the last page', async () => {
    const { rows, read } = history();
    const progress = new Progress();
    const emitted: string[] = [];
    for (let tick = 0; tick < 60; tick++) {
      for (let row = 0; row < tick % 5; row++) rows.push(`row ${rows.length}`);
      emitted.push(...ids((await readBatch(read, progress, BATCH)).fresh));
      expect(JSON.stringify(progress.state).length).toBeLessThan(120);
    }
    expect(emitted).toEqual(rows);
  });

  test('neither loses nor repeats rows when the cursor expires', async () => {
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

test.each(['ascending', 'descending', 'id'] as const)(
  'returns every change when each cursor expires before the next poll, in the order %s',
  async (order) => {
    const list = new LiveList({ order, since: 'inclusive', pageSize: 3, lags: [0] });
    const batch = { fresh: 5, read: 9 };
    let { kept } = await pollChanges(list.read, undefined, {}, batch);
    for (let i = 0; i < 30; i++) list.create();
    const emitted: unknown[] = [];
    for (let tick = 0; tick < 20; tick++) {
      const outcome = await pollChanges(list.read, JSON.parse(JSON.stringify(kept)) as Kept, {}, batch);
      expect(outcome.failure).toBeUndefined();
      kept = outcome.kept;
      emitted.push(...outcome.rows.map(({ id }) => id));
      list.expireCursors();
      list.advance(60_000);
    }
    expect(emitted).toHaveLength(30);
    expect(new Set(emitted).size).toBe(30);
  },
);
