import type { ScanRow } from '../../../shared/src/contract/types.ts';
import { fc } from '../../../test/support/fastCheck.ts';
import { apiError } from '../../../test/support/modelService/apiError.ts';
import { runs } from '../../../test/support/seed.ts';
import { OVERLAP_MS, pollRows, type StoredWalk } from '../nodes/QrServicePollingTrigger/walk.ts';
import { LiveList, type LiveListShape } from './support/liveList.ts';

/** Small, so that walks span many ticks. */
const MAX_NEW_ROWS = 5;
/** Maximum delay until a scan is visible, and maximum lag of a replica. Their sum doesn't exceed the overlap. */
const MOST_LATE = OVERLAP_MS / 2;

interface Scans {
  afterMs: number;
  lateMs: number;
  qrId: string;
  count: number;
}
type Step =
  | { kind: 'scans'; scans: Scans[] }
  | { kind: 'tick'; pages: { scans: Scans[]; fails: boolean }[] }
  | { kind: 'restart' }
  | { kind: 'cursors expire' };
interface Schedule {
  shape: Pick<LiveListShape, 'pageSize' | 'lags'> & {
    isFeed: boolean;
    times: 'in order' | 'by arrival' | 'none';
  };
  before: Scans[];
  steps: Step[];
}

const scans: fc.Arbitrary<Scans> = fc.record({
  afterMs: fc.constantFrom(0, 0, 0, 400, 60_000, OVERLAP_MS + 1),
  lateMs: fc.constantFrom(0, 0, 0, 700, 30_000, MOST_LATE),
  qrId: fc.constantFrom('a', 'b'),
  count: fc.constantFrom(1, 1, 2, 5),
});
const page = fc.record({
  scans: fc.array(scans, { maxLength: 2 }),
  fails: fc.constantFrom(false, false, false, true),
});
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constant('tick' as const), pages: fc.array(page, { maxLength: 8 }) }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('scans' as const), scans: fc.array(scans, { maxLength: 6 }) }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom('restart', 'cursors expire') }) },
);
const schedule: fc.Arbitrary<Schedule> = fc.record({
  shape: fc.record({
    times: fc.constantFrom('in order', 'by arrival', 'none'),
    isFeed: fc.boolean(),
    pageSize: fc.integer({ min: 1, max: 4 }),
    lags: fc.array(fc.constantFrom(0, 900, 60_000, MOST_LATE), { minLength: 1, maxLength: 5 }),
  }),
  before: fc.array(scans, { maxLength: 8 }),
  steps: fc.array(step, { maxLength: 20, size: '+1' }),
});

const contentOf = (row: ScanRow) =>
  `${row['qrId'] as string} ${(row['scannedAt'] ?? row['visit']) as string}`;

test('emits each scan once, and those that are alike as one, from histories and feeds, with and without times', async () => {
  await fc.assert(
    fc.asyncProperty(schedule, async ({ shape, before, steps }) => {
      const order = shape.times === 'in order' ? 'ascending' : 'by arrival';
      const isUntimed = shape.times === 'none';
      // Rows without a time are visible at once.
      const lags = isUntimed ? [0] : shape.lags;
      const history = new LiveList({ ...shape, lags, order, since: 'inclusive' });
      const read = history.reader('scans');
      const emitted: ScanRow[] = [];
      const make = (all: Scans[]) => {
        for (const { afterMs, lateMs, qrId, count } of all) {
          history.advance(afterMs);
          const scannedAt = new Date(history.now()).toISOString();
          for (let i = 0; i < count; i++)
            if (isUntimed) history.put({ qrId, visit: history.rows.length }, 0);
            else history.put({ qrId, scannedAt }, lateMs);
        }
      };

      make(before);
      const old = history.rows.length;
      // The `Date` header has whole seconds.
      history.advance(1000);
      const shown = new Set(history.visible.map(contentOf));
      const hidden = history.rows.map(contentOf).filter((scan) => !shown.has(scan));
      // Static data in n8n's memory, and in its database.
      let memory = JSON.stringify((await pollRows(read, undefined, {}, MAX_NEW_ROWS)).stored);
      let saved = memory;
      const tick = async () => {
        const { stored, rows } = await pollRows(read, JSON.parse(memory) as StoredWalk, {}, MAX_NEW_ROWS);
        memory = JSON.stringify(stored);
        if (rows.length > 0) saved = memory;
        emitted.push(...rows);
      };
      for (const step of steps) {
        if (step.kind === 'scans') make(step.scans);
        else if (step.kind === 'restart') memory = saved;
        else if (step.kind === 'cursors expire') history.expireCursors();
        else {
          const pages = [...step.pages];
          history.beforePage = () => {
            const script = pages.shift();
            make(script?.scans ?? []);
            if (script?.fails === true) throw apiError(403, 'insufficient_scope');
          };
          await tick();
          history.beforePage = () => undefined;
        }
      }
      for (let quiet = 0; quiet < 30;) {
        const count = emitted.length;
        await tick();
        quiet = emitted.length > count ? 0 : quiet + 1;
        if (quiet % 5 === 0) history.advance(OVERLAP_MS / 2);
      }

      expect(new Set(emitted.map((row) => row['id'])).size).toBe(emitted.length);
      const made = new Set(history.rows.slice(old).map(contentOf));
      const found = emitted.map(contentOf);
      expect([...made].filter((scan) => !found.includes(scan))).toEqual([]);
      // Scans from before the activation that become visible after it may be emitted.
      expect(found.filter((scan) => !made.has(scan) && !hidden.includes(scan))).toEqual([]);
      expect(memory.length).toBeLessThan(600 + 60 * history.rows.length);
    }),
    { numRuns: runs(15, 150) },
  );
});
