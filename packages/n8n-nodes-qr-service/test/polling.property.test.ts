import { fc } from '../../../harness/fastCheck.ts';
import { runs } from '../../../harness/seed.ts';
import { pollChanges, type Kept, type Wanted } from '../nodes/QrServicePollingTrigger/pollChanges.ts';
import type { ReadPages } from '../nodes/QrServicePollingTrigger/sightings.ts';
import { LiveList, refusal, type LiveCode, type LiveListShape } from './support/liveList.ts';

/** Small, so that walks go over many ticks. */
const BATCH = { fresh: 5, read: 9 };
const ENOUGH_TICKS = 300;

type Edit = { afterMs: number } & (
  { kind: 'create' } | { kind: 'rename' | 'publish' | 'archive'; nth: number }
);
interface PageScript {
  edits: Edit[];
  fault: 'none' | 'fails' | 'cursor expired';
}
type Step =
  | { kind: 'edits'; edits: Edit[] }
  | { kind: 'tick'; pages: PageScript[] }
  | { kind: 'restart' }
  | { kind: 'cursors expire' };
interface Schedule {
  shape: LiveListShape;
  before: Edit[];
  /** Happens before one of the pages that the activation reads. */
  duringActivation: { page: number; edits: Edit[] };
  steps: Step[];
}

const afterMs = fc.constantFrom(0, 0, 1, 400, 1500, 60_000);
const edit: fc.Arbitrary<Edit> = fc.oneof(
  fc.record({ kind: fc.constant('create' as const), afterMs }),
  fc.record({ kind: fc.constantFrom('rename', 'publish', 'archive'), nth: fc.nat(50), afterMs }),
);
const page: fc.Arbitrary<PageScript> = fc.record({
  edits: fc.array(edit, { maxLength: 4 }),
  fault: fc.constantFrom('none', 'none', 'none', 'fails', 'cursor expired'),
});
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constant('tick' as const), pages: fc.array(page, { maxLength: 8 }) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('edits' as const), edits: fc.array(edit, { maxLength: 15 }) }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom('restart', 'cursors expire') }) },
);
const schedule: fc.Arbitrary<Schedule> = fc.record({
  shape: fc.record({
    order: fc.constantFrom('ascending', 'descending', 'id'),
    since: fc.constantFrom('inclusive', 'exclusive'),
    pageSize: fc.integer({ min: 1, max: 4 }),
  }),
  before: fc.array(edit, { maxLength: 20 }),
  duringActivation: fc.record({ page: fc.nat(12), edits: fc.array(edit, { maxLength: 5 }) }),
  steps: fc.array(step, { maxLength: 25 }),
});

const stateOf = ({ id, updatedAt }: LiveCode) => `${id}@${updatedAt}`;

/** What came of a schedule. */
interface Course {
  /** Codes before the activation, after it, and at the end. */
  before: LiveCode[];
  activated: LiveCode[];
  end: LiveCode[];
  emitted: LiveCode[];
  largestTick: number;
  ticksToQuiet: number;
  kept: Kept;
}

async function run({ shape, before, duringActivation, steps }: Schedule, wanted: Wanted): Promise<Course> {
  const list = new LiveList(shape);
  const read: ReadPages = async function* ({ since, cursor }) {
    for await (const { rows, ...rest } of list.walk(since, cursor).pages())
      yield {
        ...rest,
        rows: rows.map((row) => ({
          row,
          id: row.id,
          version: row.updatedAt,
          time: Date.parse(row.updatedAt),
        })),
      };
  };
  const course: Course = {
    before: [],
    activated: [],
    end: [],
    emitted: [],
    largestTick: 0,
    ticksToQuiet: 0,
    kept: { seen: {} },
  };
  /** As n8n keeps it: in memory, and in its database. */
  let memory: string;
  let saved: string;

  async function tick(): Promise<void> {
    const { kept, rows } = await pollChanges(read, JSON.parse(memory) as Kept, wanted, BATCH);
    memory = JSON.stringify(kept);
    if (rows.length > 0) saved = memory;
    course.emitted.push(...(rows as LiveCode[]));
    course.largestTick = Math.max(course.largestTick, rows.length);
  }

  makeEdits(list, before);
  course.before = list.codes;
  let pagesLeft = duringActivation.page;
  list.beforePage = () => {
    if (pagesLeft-- === 0) makeEdits(list, duringActivation.edits);
  };
  memory = saved = JSON.stringify((await pollChanges(read, undefined, wanted, BATCH)).kept);
  list.beforePage = () => undefined;
  course.activated = list.codes;

  for (const step of steps) {
    if (step.kind === 'edits') makeEdits(list, step.edits);
    else if (step.kind === 'cursors expire') list.expireCursors();
    else if (step.kind === 'restart') memory = saved;
    else {
      const pages = [...step.pages];
      list.beforePage = () => playPage(list, pages.shift());
      await tick();
      list.beforePage = () => undefined;
    }
  }
  // Until two whole walks in a row have changed nothing.
  for (let last = ''; course.ticksToQuiet < ENOUGH_TICKS; course.ticksToQuiet++) {
    await tick();
    if ((JSON.parse(memory) as Kept).cursor !== undefined) continue;
    if (last === memory) break;
    last = memory;
  }
  course.end = list.codes;
  course.kept = JSON.parse(memory) as Kept;
  return course;
}

function makeEdits(list: LiveList, edits: Edit[]): void {
  for (const edit of edits) {
    list.advance(edit.afterMs);
    if (edit.kind === 'create') list.create();
    else if (edit.kind === 'rename') list.edit(edit.nth);
    else list.edit(edit.nth, edit.kind === 'publish' ? 'published' : 'archived');
  }
}

function playPage(list: LiveList, script: PageScript | undefined): void {
  if (script === undefined) return;
  makeEdits(list, script.edits);
  if (script.fault === 'fails') throw refusal('insufficient_scope');
  if (script.fault === 'cursor expired') list.expireCursors();
}

/** Holds for every schedule; what each option makes of it is told by `check`. */
function property(wanted: Wanted, check: (course: Course) => void): Promise<void> {
  return fc.assert(
    fc.asyncProperty(schedule, async (random) => {
      const course = await run(random, wanted);
      const emitted = course.emitted.map(stateOf);
      expect(new Set(emitted).size).toBe(emitted.length);
      const old = new Set(course.before.map(stateOf));
      expect(emitted.filter((state) => old.has(state))).toEqual([]);
      expect(course.largestTick).toBeLessThan(BATCH.fresh + random.shape.pageSize);
      expect(course.ticksToQuiet).toBeLessThan(ENOUGH_TICKS);
      for (const version of Object.values(course.kept.seen))
        expect(Date.parse(version)).toBeGreaterThanOrEqual(course.kept.since ?? -Infinity);
      check(course);
    }),
    { numRuns: runs(100, 1000) },
  );
}

/** Codes whose state at the end is not that after the activation. */
function changed({ activated, end }: Course): LiveCode[] {
  const known = new Set(activated.map(stateOf));
  return end.filter((code) => !known.has(stateOf(code)));
}

const ids = (codes: LiveCode[]) => codes.map(({ id }) => id).sort();
const without = (codes: LiveCode[], others: LiveCode[]) =>
  codes.filter(({ id }) => !others.some((other) => other.id === id));

describe('polling with random edits, failures, expired cursors and restarts', () => {
  test('emits each changed code in its final state, and no state twice', async () => {
    await property({}, (course) => {
      expect(course.emitted.map(stateOf)).toEqual(expect.arrayContaining(changed(course).map(stateOf)));
    });
  });

  test('emits each new code once and no old one with Only New', async () => {
    await property({ onlyNew: true }, (course) => {
      const { before, activated, end, emitted } = course;
      expect(new Set(ids(emitted)).size).toBe(emitted.length);
      expect(ids(without(emitted, activated))).toEqual(ids(without(end, activated)));
      expect(without(emitted, before)).toEqual(emitted);
    });
  });

  test('emits each changed code in its final state with Only Published, if that is published', async () => {
    await property({ onlyPublished: true }, (course) => {
      const { emitted } = course;
      expect(emitted.every(({ status }) => status === 'published')).toBe(true);
      const live = changed(course).filter(({ status }) => status === 'published');
      expect(emitted.map(stateOf)).toEqual(expect.arrayContaining(live.map(stateOf)));
    });
  });

  test('emits each new code once, when it is published, with Only New and Only Published', async () => {
    await property({ onlyNew: true, onlyPublished: true }, ({ before, activated, end, emitted }) => {
      expect(emitted.every(({ status }) => status === 'published')).toBe(true);
      expect(new Set(ids(emitted)).size).toBe(emitted.length);
      expect(without(emitted, before)).toEqual(emitted);
      const live = without(end, activated).filter(({ status }) => status === 'published');
      expect(ids(emitted)).toEqual(expect.arrayContaining(ids(live)));
    });
  });
});
