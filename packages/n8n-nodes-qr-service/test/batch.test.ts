import { pollList, readBatch, type StoredPoll } from '../nodes/QrServicePollingTrigger/batch.ts';
import { PollCursor } from '../nodes/QrServicePollingTrigger/PollCursor.ts';
import type { ReadPages } from '../nodes/QrServicePollingTrigger/rows.ts';
import { LiveList, pageError } from './support/liveList.ts';
import { ids, seen } from './support/polledRows.ts';

describe('readBatch of rows without times', () => {
  /** A history that only grows, with three rows per page. */
  function history() {
    const rows: string[] = [];
    let failure: 'invalid_cursor' | 'insufficient_scope' | undefined;
    const read: ReadPages = async function* ({ cursor }) {
      for (let from = Number(cursor ?? 0); ; from += 3) {
        if (failure !== undefined && cursor !== undefined) throw pageError(failure);
        const page = rows.slice(from, from + 3).map((id) => seen(id));
        await Promise.resolve();
        if (from + 3 >= rows.length) return yield { rows: page, readAt: 0 };
        yield { rows: page, readAt: 0, nextCursor: String(from + 3) };
      }
    };
    return { rows, read, fail: (code: typeof failure) => (failure = code) };
  }
  const LIMITS = { newRows: 5, rowsRead: 100 };

  test('returns each row once and remembers only the last page', async () => {
    const { rows, read } = history();
    const cursor = new PollCursor();
    const emitted: string[] = [];
    for (let tick = 0; tick < 60; tick++) {
      for (let row = 0; row < tick % 5; row++) rows.push(`row ${rows.length}`);
      emitted.push(...ids((await readBatch(read, cursor, LIMITS)).newRows));
      expect(JSON.stringify(cursor.stored).length).toBeLessThan(120);
    }
    expect(emitted).toEqual(rows);
  });

  test('neither loses nor duplicates rows when the cursor expires', async () => {
    const { rows, read, fail } = history();
    const cursor = new PollCursor();
    for (let row = 0; row < 8; row++) rows.push(`row ${row}`);
    const limits = { newRows: 100, rowsRead: 100 };
    const fills = { newRows: 100, rowsRead: 6 };
    expect(await readBatch(read, cursor, fills)).toMatchObject({ newRows: { length: 6 }, pages: 2 });
    expect(ids((await readBatch(read, cursor, limits)).newRows)).toEqual(rows.slice(6));
    rows.push('row 8', 'row 9');
    fail('insufficient_scope');
    const { cursor: before } = cursor.position;
    expect(await readBatch(read, cursor, limits)).toEqual({
      newRows: [],
      pages: 0,
      failure: expect.any(Error),
    });
    expect(cursor.position.cursor).toBe(before);
    fail('invalid_cursor');
    const { newRows, isStuck } = await readBatch(read, cursor, limits);
    expect([ids(newRows), isStuck]).toEqual([['row 8', 'row 9'], false]);
    fail(undefined);
    rows.push('row 10');
    expect(ids((await readBatch(read, cursor, limits)).newRows)).toEqual(['row 10']);
  });
});

test.each(['ascending', 'descending', 'id'] as const)(
  'returns every change when each cursor expires before the next poll, with the order %s',
  async (order) => {
    const list = new LiveList({ order, since: 'inclusive', pageSize: 3, stepMs: 1, lags: [0] });
    const limits = { newRows: 5, rowsRead: 9 };
    let { stored } = await pollList(list.read, undefined, {}, limits);
    for (let i = 0; i < 30; i++) list.create();
    const emitted: unknown[] = [];
    for (let tick = 0; tick < 20; tick++) {
      const outcome = await pollList(list.read, JSON.parse(JSON.stringify(stored)) as StoredPoll, {}, limits);
      expect([outcome.failure, outcome.isStuck ?? false]).toEqual([undefined, false]);
      stored = outcome.stored;
      emitted.push(...outcome.rows.map(({ id }) => id));
      list.expireCursors();
      list.advance(60_000);
    }
    expect(emitted).toHaveLength(30);
    expect(new Set(emitted).size).toBe(30);
  },
);

test.each([
  ['descending', 1, {}, 1],
  ['descending', 4, {}, 5],
  ['descending', 6, {}, 10],
  ['descending', 300, {}, 10],
  ['descending', 300, { onlyNew: true }, 301],
  ['descending', 4, { changes: true }, 12],
  ['descending', 300, { changes: true }, 27],
  ['ascending', 4, {}, 8],
  ['ascending', 300, {}, 56],
] as const)(
  'an activation on a list with the order %s and %d pages (%j) reads %d pages, and nothing old is returned later',
  async (
    order,
    pages,
    { changes = false, ...filter }: { changes?: boolean; onlyNew?: boolean },
    expected,
  ) => {
    const list = new LiveList({ order, since: 'inclusive', pageSize: 3, stepMs: 1, lags: [0] });
    for (let i = 0; i < pages * 3; i++) {
      list.create();
      list.advance(3_600_000);
    }
    let read = 0;
    list.beforePage = () => {
      read += 1;
      if (changes) list.create();
    };
    const old = list.codes.map(({ id }) => id);
    const { stored } = await pollList(list.read, undefined, filter, { newRows: 1000, rowsRead: 1000 });
    expect(read).toBe(expected);
    list.beforePage = () => undefined;
    const known = list.codes.map(({ id }) => id);
    for (let i = 0; i < 3; i++) {
      list.advance(1000);
      list.create();
    }
    const made = list.codes.slice(known.length).map(({ id }) => id);
    const { rows } = await pollList(list.read, stored, filter, { newRows: 1000, rowsRead: 1000 });
    expect(rows.map(({ id }) => id).slice(-3)).toEqual(made);
    expect(rows.filter(({ id }) => old.includes(id as string))).toEqual([]);
  },
);
