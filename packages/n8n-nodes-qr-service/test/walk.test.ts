import { apiError } from '../../../test/support/modelService/apiError.ts';
import type { PolledRow, ReadPages } from '../nodes/QrServicePollingTrigger/lists.ts';
import { pollRows, type StoredWalk } from '../nodes/QrServicePollingTrigger/walk.ts';
import { LiveList } from './support/liveList.ts';

const START = Date.UTC(2026, 0, 1);
const saved = (stored: StoredWalk) => JSON.parse(JSON.stringify(stored)) as StoredWalk;
const ids = (rows: Record<string, unknown>[]) => rows.map(({ id }) => id);

/** Reads rows with these times after the start in milliseconds, 500 per page. Cursors never expire. */
function listOf(times: number[], now: number): ReadPages {
  const rows = times.map((ms, i): PolledRow => ({
    row: { id: `row ${i}` },
    id: `row ${i}`,
    time: START + ms,
  }));
  return async function* ({ since = 0, cursor = '0' }) {
    const found = rows.filter(({ time = 0 }) => time >= since);
    for (let from = Number(cursor); ; from += 500) {
      await Promise.resolve();
      const page = { rows: found.slice(from, from + 500), servedAt: START + now };
      if (from + 500 >= found.length) return yield page;
      yield { ...page, nextCursor: String(from + 500) };
    }
  };
}

test.each([11_000, 12_000])(
  'returns %d changes of the last minutes once each, in batches, and stores less than 260,000 characters',
  async (count) => {
    let { stored } = await pollRows(listOf([], 0), undefined, {});
    const times = Array.from({ length: count }, (_, i) => 1000 + i * 20);
    const emitted: unknown[] = [];
    const list = listOf(times, 250_000);
    for (let tick = 0; tick < 14; tick++) {
      const result = await pollRows(list, saved(stored), {});
      stored = result.stored;
      expect(result.rows.length).toBeLessThanOrEqual(1000);
      expect(JSON.stringify(stored).length).toBeLessThan(260_000);
      emitted.push(...ids(result.rows));
    }
    expect(emitted).toEqual(times.map((_, i) => `row ${i}`));
  },
);

test('reads only the last minutes again, and only the newest row once nothing new has come for minutes', async () => {
  let { stored } = await pollRows(listOf([], 0), undefined, {});
  const times = [-1_800_000, ...Array.from({ length: 600 }, (_, i) => 1000 + i)];
  ({ stored } = await pollRows(listOf(times, 2000), saved(stored), {}));
  expect(Object.keys(stored.seen)).toHaveLength(600);
  ({ stored } = await pollRows(listOf(times, 400_000), saved(stored), {}));
  expect(Object.keys(stored.seen)).toHaveLength(1);
});

test('returns rows from its start on, even if the service rounds it down to an earlier time', async () => {
  const { stored } = await pollRows(listOf([], 0), undefined, {});
  const list = listOf([-3_600_001, -3_600_000], 1000);
  const { rows } = await pollRows((from) => list({ ...from, since: undefined }), saved(stored), {});
  expect(ids(rows)).toEqual(['row 1']);
});

test.each(['ascending', 'descending', 'id'] as const)(
  'returns every change when each cursor expires before the next poll, with the order %s',
  async (order) => {
    const list = new LiveList({ order, since: 'inclusive', pageSize: 3, lags: [0] });
    const read = list.reader('changedCodes');
    let { stored } = await pollRows(read, undefined, {}, 5);
    for (let i = 0; i < 30; i++) list.addCode();
    const emitted: unknown[] = [];
    for (let tick = 0; tick < 20; tick++) {
      const result = await pollRows(read, saved(stored), {}, 5);
      expect(result.failure).toBeUndefined();
      stored = result.stored;
      emitted.push(...ids(result.rows));
      list.expireCursors();
      list.advance(60_000);
    }
    expect(emitted).toHaveLength(30);
    expect(new Set(emitted).size).toBe(30);
  },
);

test.each([
  { polls: 1, code: 'insufficient_scope', failing: 1, what: 'a refused page with a stored cursor' },
  {
    polls: 0,
    code: 'invalid_cursor',
    failing: 1,
    what: 'a first page that is refused as if it had a cursor',
  },
  { polls: 1, code: 'invalid_cursor', failing: 2, what: 'a cursor that expired during the poll' },
] as const)('ends a poll at $what, and the next one returns the rest', async ({ polls, code, failing }) => {
  const list = new LiveList({ order: 'ascending', since: 'inclusive', pageSize: 3, lags: [0] });
  const read = list.reader('changedCodes');
  let { stored } = await pollRows(read, undefined, {});
  for (let i = 0; i < 9; i++) list.addCode();
  const emitted: unknown[] = [];
  const poll = async (maxNewRows?: number) => {
    const result = await pollRows(read, saved(stored), {}, maxNewRows);
    stored = result.stored;
    emitted.push(...ids(result.rows));
    return result;
  };
  for (let i = 0; i < polls; i++) await poll(3);
  let pages = 0;
  list.beforePage = () => {
    if (++pages === failing) throw apiError(code === 'invalid_cursor' ? 422 : 403, code);
  };
  expect(await poll()).toMatchObject({ failure: { code } });
  expect(pages).toBe(failing);
  await poll();
  expect(emitted.sort()).toEqual(ids(list.codes).sort());
});

test('returns a change made after its page was read, even if a newer one ends the walk minutes later', async () => {
  const list = new LiveList({ order: 'id', since: 'inclusive', pageSize: 3, lags: [0] });
  let { stored } = await pollRows(list.reader('changedCodes'), undefined, {});
  for (let i = 0; i < 6; i++) list.addCode();
  ({ stored } = await pollRows(list.reader('changedCodes'), saved(stored), {}, 3));
  list.edit(0);
  list.advance(600_000);
  list.edit(5);
  const emitted: unknown[] = [];
  for (let tick = 0; tick < 2; tick++) {
    const result = await pollRows(list.reader('changedCodes'), saved(stored), {});
    stored = result.stored;
    emitted.push(...result.rows);
  }
  expect(emitted).toContainEqual(expect.objectContaining({ id: list.codes[0]?.id, name: 'State 1' }));
});

test('returns the rows of a poll from the oldest to the newest, in any list order', async () => {
  const { stored } = await pollRows(listOf([], 0), undefined, {});
  const { rows } = await pollRows(listOf([3000, 1000, 2000], 10_000), saved(stored), {});
  expect(ids(rows)).toEqual(['row 1', 'row 2', 'row 0']);
});

test('with Only New, knows the codes on all pages of the first poll', async () => {
  const list = new LiveList({ order: 'ascending', since: 'inclusive', pageSize: 3, lags: [0] });
  for (let i = 0; i < 7; i++) list.addCode();
  list.advance(2 * 60 * 60_000);
  const { stored } = await pollRows(list.reader('changedCodes'), undefined, { onlyNew: true });
  for (let i = 0; i < 7; i++) list.edit(i);
  list.addCode();
  const { rows } = await pollRows(list.reader('changedCodes'), saved(stored), { onlyNew: true });
  expect(ids(rows)).toEqual([list.codes.at(-1)!.id]);
});
