import type { QrCode } from '../../../shared/src/contract/types.ts';
import { fc } from '../../../test/support/fastCheck.ts';
import { apiError } from '../../../test/support/modelService/apiError.ts';
import { runs } from '../../../test/support/seed.ts';
import type { RowFilter } from '../nodes/QrServicePollingTrigger/settings.ts';
import { OVERLAP_MS, pollRows, type StoredWalk } from '../nodes/QrServicePollingTrigger/walk.ts';
import { LiveList, type LiveListShape } from './support/liveList.ts';

/** Small, so that walks span many ticks. */
const MAX_NEW_ROWS = 5;
const ENOUGH_TICKS = 300;

const DAY = 24 * 60 * 60_000;
/** Maximum delay until a change is visible, and maximum lag of a replica. Their sum doesn't exceed the overlap. */
const MOST_LATE = OVERLAP_MS / 2;

type Edit = { afterMs: number; lateMs: number } & (
  | { kind: 'create' }
  | { kind: 'rename' | 'publish' | 'archive'; nth: number }
);
interface PageScript {
  edits: Edit[];
  fault: 'none' | 'fails' | 'cursor expired';
}
type Step =
  | { kind: 'edits'; edits: Edit[] }
  | { kind: 'tick'; pages: PageScript[] }
  | { kind: 'idle'; ms: number }
  | { kind: 'restart' }
  | { kind: 'cursors expire' };
interface Schedule {
  shape: LiveListShape;
  before: Edit[];
  /** Whether all of these edits are visible by the activation. */
  isSettled: boolean;
  /** Edits before one of the pages that the activation reads. */
  duringActivation: { page: number; edits: Edit[] };
  steps: Step[];
}

const afterMs = fc.constantFrom(0, 0, 1, 400, 1500, 60_000, OVERLAP_MS + 1);
const lateMs = fc.constantFrom(0, 0, 0, 700, 30_000, MOST_LATE);
const edit: fc.Arbitrary<Edit> = fc.oneof(
  fc.record({ kind: fc.constant('create' as const), afterMs, lateMs }),
  fc.record({
    kind: fc.constantFrom('rename', 'publish', 'archive'),
    nth: fc.nat(50),
    afterMs,
    lateMs,
  }),
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
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('idle' as const),
      ms: fc.constantFrom(3_600_000, DAY, 400 * DAY),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom('restart', 'cursors expire') }) },
);
const schedule: fc.Arbitrary<Schedule> = fc.record({
  shape: fc.record({
    order: fc.constantFrom('ascending', 'descending', 'id'),
    since: fc.constantFrom('inclusive', 'exclusive'),
    pageSize: fc.integer({ min: 1, max: 4 }),
    lags: fc.array(fc.constantFrom(0, 900, 60_000, MOST_LATE), { minLength: 1, maxLength: 5 }),
  }),
  before: fc.array(edit, { maxLength: 20, size: '+1' }),
  isSettled: fc.boolean(),
  duringActivation: fc.record({ page: fc.nat(12), edits: fc.array(edit, { maxLength: 5 }) }),
  steps: fc.array(step, { maxLength: 25 }),
});

const stateOf = ({ id, name, updatedAt }: QrCode) => `${id}@${updatedAt} ${name}`;

/** Result of a schedule. */
interface Course {
  /** States that every replica showed when the activation began, and that were not edited during it. */
  old: Set<string>;
  /** Codes before the activation, after it, and at the end. */
  before: QrCode[];
  activated: QrCode[];
  end: QrCode[];
  emitted: QrCode[];
  ticksToQuiet: number;
  stored: StoredWalk;
}

async function run(schedule: Schedule, filter: RowFilter): Promise<Course> {
  const { shape, before, duringActivation, steps } = schedule;
  const list = new LiveList(shape);
  const read = list.reader('changedCodes');
  const course: Course = {
    old: new Set(),
    before: [],
    activated: [],
    end: [],
    emitted: [],
    ticksToQuiet: 0,
    stored: { since: 0, newest: 0, seen: {} },
  };
  /** Static data in n8n's memory, and in its database. */
  let memory: string;
  let saved: string;

  async function tick(): Promise<void> {
    const { stored, rows } = await pollRows(read, JSON.parse(memory) as StoredWalk, filter, MAX_NEW_ROWS);
    memory = JSON.stringify(stored);
    if (rows.length > 0) saved = memory;
    course.emitted.push(...(rows as QrCode[]));
  }

  async function wholeWalk(): Promise<void> {
    let ticks = 0;
    do await tick();
    while ((JSON.parse(memory) as StoredWalk).cursor !== undefined && ticks++ < ENOUGH_TICKS);
  }

  makeEdits(list, before);
  // An old code that is first seen when it is edited can't be recognized by its time.
  if (schedule.isSettled || filter.onlyNew === true) list.settle();
  course.before = list.codes;
  // The `Date` header has whole seconds.
  list.advance(1000);
  // A walk over lagging replicas may miss a code that is edited meanwhile. Later, nothing shows that it isn't new.
  const isUnclear = filter.onlyNew === true && shape.lags.some((lag) => lag > 0);
  const visible = new Set((list.visible as QrCode[]).map(stateOf));
  let pagesLeft = duringActivation.page;
  list.beforePage = () => {
    if (pagesLeft-- === 0 && !isUnclear) makeEdits(list, duringActivation.edits);
  };
  saved = JSON.stringify((await pollRows(read, undefined, filter, MAX_NEW_ROWS)).stored);
  memory = saved;
  list.beforePage = () => undefined;
  course.activated = list.codes;
  course.old = new Set(course.activated.map(stateOf).filter((state) => visible.has(state)));

  for (const step of steps) {
    if (step.kind === 'edits') makeEdits(list, step.edits);
    else if (step.kind === 'cursors expire') list.expireCursors();
    else if (step.kind === 'restart') memory = saved;
    else if (step.kind === 'idle') list.advance(step.ms);
    else {
      const pages = [...step.pages];
      list.beforePage = () => playPage(list, pages.shift());
      await tick();
      list.beforePage = () => undefined;
    }
  }
  // Until no row was emitted for longer than the maximum delay.
  for (let quiet = 0; quiet < 6 && course.ticksToQuiet < ENOUGH_TICKS; course.ticksToQuiet++) {
    const emitted = course.emitted.length;
    await wholeWalk();
    quiet = course.emitted.length === emitted ? quiet + 1 : 0;
    list.advance(OVERLAP_MS / 2);
  }
  course.end = list.codes;
  course.stored = JSON.parse(memory) as StoredWalk;
  return course;
}

function makeEdits(list: LiveList, edits: Edit[]): void {
  for (const edit of edits) {
    const { afterMs, lateMs } = edit;
    list.advance(afterMs);
    if (edit.kind === 'create') list.addCode(lateMs);
    else {
      const status = { rename: undefined, publish: 'published', archive: 'archived' } as const;
      list.edit(edit.nth, status[edit.kind], lateMs);
    }
  }
}

function playPage(list: LiveList, script: PageScript | undefined): void {
  if (script === undefined) return;
  makeEdits(list, script.edits);
  if (script.fault === 'fails') throw apiError(403, 'insufficient_scope');
  if (script.fault === 'cursor expired') list.expireCursors();
}

/** Checks what holds for every schedule. `check` adds what holds for the filter. */
function property(filter: RowFilter, check: (course: Course) => void): Promise<void> {
  return fc.assert(
    fc.asyncProperty(schedule, async (random) => {
      const course = await run(random, filter);
      const emitted = course.emitted.map(stateOf);
      expect(new Set(emitted).size).toBe(emitted.length);
      expect(emitted.filter((state) => course.old.has(state))).toEqual([]);
      expect(course.ticksToQuiet).toBeLessThan(ENOUGH_TICKS);
      expect(JSON.stringify(course.stored).length).toBeLessThan(600 + 60 * course.end.length);
      check(course);
    }),
    { numRuns: runs(25, 400) },
  );
}

/** Codes whose final state differs from the one after the activation. */
function changed({ activated, end }: Course): QrCode[] {
  const known = new Set(activated.map(stateOf));
  return end.filter((code) => !known.has(stateOf(code)));
}

/** States of codes that were not emitted. */
function unsent(codes: QrCode[], emitted: QrCode[]): string[] {
  const sent = new Set(emitted.map(stateOf));
  return codes.map(stateOf).filter((state) => !sent.has(state));
}

const ids = (codes: QrCode[]) => codes.map(({ id }) => id).sort();
const without = (codes: QrCode[], others: QrCode[]) =>
  codes.filter(({ id }) => !others.some((other) => other.id === id));

describe('polling with random edits, late changes, lagging replicas, idle times, failures and restarts', () => {
  test('emits each changed code in its final version, and no version twice', async () => {
    await property({}, (course) => {
      expect(unsent(changed(course), course.emitted)).toEqual([]);
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

  test('emits each changed code in its final version with Only Published, if that is published', async () => {
    await property({ onlyPublished: true }, (course) => {
      const { emitted } = course;
      expect(emitted.every(({ status }) => status === 'published')).toBe(true);
      const live = changed(course).filter(({ status }) => status === 'published');
      expect(unsent(live, emitted)).toEqual([]);
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
