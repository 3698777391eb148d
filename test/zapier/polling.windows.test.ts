import { paginate } from '../../shared/src/client/Paginated.ts';
import type { Page } from '../../shared/src/contract/types.ts';
import { recentRows } from '../../packages/zapier-qr-service/src/triggers/recentRows.ts';

const HOUR = 3_600_000;
const NOW = Date.UTC(2026, 0, 15, 12);

/** Reads the rows of the six hours before the service's clock, and counts how often the list is read. */
function service(clock: number, count: number, tellsClock = true) {
  const rows = Array.from({ length: count }, (_, i) => ({ id: `${i}`, at: clock - (i * 6 * HOUR) / count }));
  const asked: string[] = [];
  const since = (text: string) => {
    asked.push(text);
    return paginate<{ id: string; at: number }, Page<{ id: string; at: number }>>(async (cursor) => {
      await Promise.resolve();
      const found = rows.filter(({ at }) => at >= Date.parse(text));
      const from = Number(cursor ?? 0);
      return {
        rows: found.slice(from, from + 100),
        ...(tellsClock ? { servedAt: clock } : {}),
        ...(from + 100 < found.length ? { nextCursor: String(from + 100) } : {}),
      };
    }, {});
  };
  return { since, asked };
}

test.each([40, 24 * 60, 400 * 24 * 60, -40, -24 * 60])(
  "reads the latest rows of a service whose clock is %d minutes behind this machine's, few or many",
  async (minutes) => {
    for (const count of [20, 5000]) {
      const found = await recentRows(service(NOW - minutes * 60_000, count).since, NOW);
      expect(found?.map(({ id }) => id)).toContain('0');
    }
  },
);

test("uses this machine's clock if the service sends no time, and reads a whole window once", async () => {
  const { since, asked } = service(NOW, 20, false);
  expect(await recentRows(since, NOW)).toHaveLength(20);
  expect(asked).toEqual([new Date(NOW - 72 * HOUR).toISOString()]);
});
