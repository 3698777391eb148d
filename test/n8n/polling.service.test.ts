import { createN8nEngine, type N8nEngine, type PollOptions } from '../../engines/n8n/index.ts';
import { closeServices } from '../support/faultyService/faultyService.ts';
import { until } from '../support/jest/until.ts';
import { startVirtualTime } from '../support/jest/virtualTime.ts';
import { startListService, type ListService } from './support/listService.ts';
import { NODE, onPoll } from './support/workflows.ts';
import { PACKAGE_DIR } from './support/world.ts';

const MINUTE = 60_000;
const NOON = Date.UTC(2026, 0, 15, 12);

let service: ListService;
let engine: N8nEngine;
const engineFor = (baseUrl: string, apiKey = 'key') =>
  createN8nEngine({ packageDir: PACKAGE_DIR, credentials: { qrServiceApi: { baseUrl, apiKey } } });
beforeEach(async () => {
  service = await startListService();
  service.clock = NOON;
  engine = await engineFor(service.url);
});
afterEach(() => {
  closeServices();
  jest.restoreAllMocks();
});

/** A code that changed this many minutes after noon. */
const code = (id: string, minutes: number) => ({ id, updatedAt: timeAt(minutes) });
const timeAt = (minutes: number) => new Date(NOON + minutes * MINUTE).toISOString();

/** A trigger whose polls return the IDs of the emitted rows. */
function watch(
  what: 'changedCodes' | 'scans' = 'changedCodes',
  from = {},
  options: PollOptions = {},
  on = engine,
) {
  const trigger = on.pollTrigger(onPoll(what), NODE, from, options);
  const ids = (items: { json: Record<string, unknown> }[]) => items.map(({ json }) => json['id']);
  const at = (minutes: number) => (service.clock = NOON + minutes * MINUTE);
  return {
    trigger,
    activate: async () => ids((await trigger.activate()).items),
    /** Polls this many minutes after noon. */
    poll: async (minutes: number) => {
      at(minutes);
      return ids((await trigger.tick()).items);
    },
  };
}

/** Starts a poll, and lets the service respond only once it is released. */
async function startHeld<T>(start: () => Promise<T>): Promise<{ poll: Promise<T>; release: () => void }> {
  let respond: () => void = () => undefined;
  service.responds = () => new Promise((resolve) => (respond = () => resolve(true)));
  const asked = service.requests.length;
  const poll = start();
  await until(() => service.requests.length > asked);
  const release = () => {
    service.responds = () => true;
    respond();
  };
  return { poll, release };
}

test("emits a change once whose date is far ahead of the service's clock", async () => {
  const { activate, poll } = watch();
  await activate();
  service.rows = [code('a', 1), code('ahead', 10 * 365 * 24 * 60)];
  expect(await poll(2)).toEqual(['a', 'ahead']);
  service.rows.splice(1, 0, code('b', 3));
  expect(await poll(4)).toEqual(['b']);
  service.rows.splice(1, 0, code('c', 60));
  expect(await poll(61)).toEqual(['c']);
  expect(await poll(90)).toEqual([]);
});

test.each([true, false])(
  'reads a feed of scans to its end and resumes there; rows have times: %s',
  async (isTimed) => {
    const row = (n: number) => ({ id: `scan ${n}`, ...(isTimed ? { scannedAt: timeAt(n) } : {}) });
    service.isFeed = true;
    service.pageSize = 2;
    service.rows = [row(-3), row(-2), row(-1)];
    const { activate, poll } = watch('scans');
    expect(await activate()).toEqual([]);
    expect(await poll(1)).toEqual([]);
    service.rows.push(row(2), row(3), row(4));
    expect(await poll(5)).toEqual(['scan 2', 'scan 3', 'scan 4']);
    expect(await poll(6)).toEqual([]);
  },
);

test('a first poll during which the workflow is published again emits the changes made in between', async () => {
  const old = watch();
  const again = watch();
  const { poll: first, release } = await startHeld(old.activate);
  const second = again.activate();
  release();
  expect(await Promise.all([first, second])).toEqual([[], []]);
  service.rows = [code('in between', 1)];
  expect(await again.poll(2)).toEqual(['in between']);
  expect(await again.poll(3)).toEqual([]);
});

describe("n8n's time limit for a poll", () => {
  /** Time limit of n8n's durable scheduler: less than a request may take, so there are no retries. */
  const BUDGET_MS = 36_000;

  /** Each response takes this many milliseconds of virtual time. */
  function respondAfter(ms: number): void {
    const time = startVirtualTime();
    service.responds = () => {
      time.advance(ms);
      return true;
    };
  }

  /** Advances time until a promise is settled. */
  async function settle<T>(time: { advance: (ms: number) => void }, promise: Promise<T>): Promise<T> {
    const state = { isOver: false };
    const end = () => (state.isOver = true);
    promise.then(end, end);
    while (!state.isOver) {
      time.advance(1000);
      await new Promise((resolve) => setImmediate(resolve));
    }
    return promise;
  }

  test.each([
    [{ budgetMs: BUDGET_MS }, 25],
    [{}, 210],
  ])(
    'a first poll with %j uses 70 %% of its time, and explains that the next one starts over',
    async (options, seconds) => {
      const json = onPoll('changedCodes', { onlyNew: true });
      const trigger = engine.pollTrigger(json, NODE, {}, options);
      service.pageSize = 1;
      service.rows = Array.from({ length: 30 }, (_, i) => code(`${i}`, i));
      respondAfter(10_000);
      await expect(trigger.activate()).rejects.toThrow(
        new RegExp(`longer than ${seconds} s to respond, .*the next one starts over`),
      );
      expect(trigger.staticData).toEqual({ [`node:${NODE}`]: {} });
    },
  );

  test.each([
    [36_000, 25],
    [undefined, 45],
  ])('ends a poll of %s ms in time when the service hangs', async (budgetMs, seconds) => {
    const { activate, poll, trigger } = watch('changedCodes', {}, budgetMs === undefined ? {} : { budgetMs });
    await activate();
    const before = JSON.stringify(trigger.staticData);
    const time = startVirtualTime();
    const start = Date.now();
    service.responds = () => false;
    const failure = await settle(
      time,
      trigger.tick().catch((error: unknown) => error),
    );
    expect(failure).toMatchObject({
      message: `The service took longer than ${seconds} s to respond, the limit for a poll. The next poll resumes where this one stopped.`,
    });
    expect(Date.now() - start).toBeLessThan(Math.min((budgetMs ?? 300_000) * 0.8, 50_000));
    expect(JSON.parse(before)).toEqual(JSON.parse(JSON.stringify(trigger.staticData)));
    jest.restoreAllMocks();
    service.responds = () => true;
    service.rows = [code('after', 1)];
    expect(await poll(2)).toEqual(['after']);
  });

  test.each(['in memory', 'durable', 'durable cursors'] as const)(
    'makes progress with two pages a poll, then reads the overlap again, with the scheduler %s',
    async (scheduler) => {
      const { activate, poll } = watch('changedCodes', {}, { budgetMs: BUDGET_MS, scheduler });
      service.pageSize = 10;
      await activate();
      service.rows = Array.from({ length: 95 }, (_, i) => code(`${i}`, 20 + i / 1000));
      respondAfter(10_000);
      const polls = async (count: number) => {
        const emitted: unknown[] = [];
        for (let tick = 0; tick < count; tick++) emitted.push(...(await poll(21)));
        return emitted;
      };
      expect(await polls(8)).toEqual(service.rows.map(({ id }) => id));
      service.rows.push(code('next', 21.5));
      expect(await polls(16)).toEqual(['next']);
    },
  );
});

test.each(['in memory', 'durable', 'durable cursors'] as const)(
  'keeps the position of the activation for the next poll, with the scheduler %s',
  async (scheduler) => {
    const { activate, poll, trigger } = watch('changedCodes', {}, { scheduler });
    await activate();
    service.rows = [code('a', 1)];
    trigger.restart();
    expect(await poll(2)).toEqual(['a']);
    trigger.restart();
    expect(await poll(3)).toEqual([]);
  },
);

describe('coarse times', () => {
  test.each([
    ['hours', 12.05, (n: number) => ({ id: `s${n}`, scannedAt: '2026-01-15T12:00:00Z' })],
    ['days', 0.05, (n: number) => ({ id: `s${n}`, scannedAt: '2026-01-15' })],
  ])('emits scans after the activation whose times are whole %s', async (_what, hour, row) => {
    const start = (hour - 12) * 60;
    service.clock = NOON + start * MINUTE;
    const { activate, poll } = watch('scans');
    await activate();
    const emitted: unknown[] = [];
    for (let n = 1; n <= 5; n++) {
      service.rows.push(row(n));
      emitted.push(...(await poll(start + n * 0.05)));
    }
    expect(emitted).toEqual(['s1', 's2', 's3', 's4', 's5']);
  });
});

describe('overlapping polls', () => {
  test('end without rows while the first one fails', async () => {
    const { activate, poll } = watch();
    await activate();
    service.rows = [{ broken: true }];
    const { poll: first, release } = await startHeld(() => poll(1));
    const second = poll(1);
    release();
    await expect(first).rejects.toThrow();
    expect(await second).toEqual([]);
  });
});

describe('static data that n8n did not save', () => {
  test('costs no rows: the next poll emits them', async () => {
    const { activate, trigger } = watch();
    await activate();
    const saved = JSON.stringify(trigger.staticData);
    service.rows = [code('a', 1)];
    for (const minutes of [3, 4])
      expect(await watch('changedCodes', JSON.parse(saved) as object).poll(minutes)).toEqual(['a']);
  });

  test('after an activation makes the next activation start over', async () => {
    await watch().activate();
    service.rows = [code('a', 1)];
    service.clock = NOON + 3 * MINUTE;
    const again = watch();
    expect(await again.activate()).toEqual([]);
    expect(await again.poll(4)).toEqual([]);
  });
});

describe('a credential', () => {
  test.each([
    ['base URL', '', 'key'],
    ['spelling of the base URL', '/v1/public-api', 'key'],
    ['key', '', 'other-key'],
  ])('edited to another %s of the same workspace resumes', async (what, suffix, key) => {
    const { activate, trigger } = watch();
    await activate();
    const on = what === 'base URL' ? await startListService() : service;
    on.clock = NOON + 2 * MINUTE;
    on.rows = [code('made', 1)];
    const edited = watch('changedCodes', trigger.staticData, {}, await engineFor(on.url + suffix, key));
    expect((await edited.trigger.tick()).items).toHaveLength(1);
    expect((await edited.trigger.tick()).items).toEqual([]);
  });
});

describe('a manual run', () => {
  const DAY = 24 * 60;
  /** This many codes, evenly spread over the six days before noon. */
  const codes = (count: number, status: string) =>
    Array.from({ length: count }, (_, i) => ({
      ...code(`${status} ${i}`, (-6 * DAY * (count - i)) / count),
      status,
    }));
  const shown = async (options = {}) =>
    (await engine.pollTrigger(onPoll('changedCodes', options), NODE).test()).map(({ json }) => json['id']);

  test.each([0, 101, 2500])('shows the ten newest of %d codes, newest first', async (count) => {
    service.rows = codes(count, 'draft');
    const newest = service.rows.map(({ id }) => id).reverse();
    expect(await shown()).toEqual(newest.slice(0, 10));
  });

  test.each([1, 150])(
    'with Only Published, shows published codes older than %d changed drafts',
    async (drafts) => {
      const earlier = codes(2000, 'published').map((row, i) => ({
        ...row,
        ...code(row.id, (i - 4000) * 60),
      }));
      service.rows = [...earlier, ...codes(drafts, 'draft')];
      const found = await shown({ onlyPublished: true });
      expect(found).toHaveLength(10);
      expect(found.every((id) => (id as string).startsWith('published'))).toBe(true);
    },
  );
});
