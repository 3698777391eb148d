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

describe("the service's visibility", () => {
  test('emits a change that becomes visible after the activation, unless it is older than the newest one at that time', async () => {
    service.rows = [code('known', -60)];
    const { activate, poll } = watch();
    await activate();
    service.rows.push(code('older', -61), code('hidden', -2), code('new', 1));
    expect(await poll(2)).toEqual(['hidden', 'new']);
    expect(await poll(20)).toEqual([]);
  });

  test('reads back only to the newest change once late changes are no longer possible', async () => {
    const { activate, poll, trigger } = watch();
    await activate();
    service.rows = Array.from({ length: 30 }, (_, i) => code(`${i}`, 20 + i / 30));
    expect(await poll(21)).toHaveLength(30);
    expect(await poll(22)).toEqual([]);
    // n8n's own clock has advanced as well.
    startVirtualTime().advance(6 * MINUTE);
    expect(await poll(30)).toEqual([]);
    expect(await poll(31)).toEqual([]);
    const { url } = service.requests.at(-1)!;
    const newest = Date.parse(service.rows.at(-1)!['updatedAt'] as string);
    expect(new URL(url, service.url).searchParams.get('updatedSince')).toBe(new Date(newest).toISOString());
    expect(JSON.stringify(trigger.staticData).length).toBeLessThan(1100);
  });
});

describe("the service's clock", () => {
  test('can be far behind the date of a change, which is emitted once', async () => {
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

  test.each(['missing', 'years ahead'])(
    'loses and duplicates nothing when the Date header is %s',
    async (how) => {
      const clock = how === 'missing' ? undefined : Date.UTC(2040, 0);
      jest.spyOn(Date, 'now').mockReturnValue(NOON + 31 * MINUTE);
      const { activate, trigger } = watch();
      const poll = async () => {
        service.clock = clock;
        return (await trigger.tick()).items.map(({ json }) => json['id']);
      };
      service.clock = clock;
      await activate();
      service.rows = [code('newer', 20)];
      expect(await poll()).toEqual(['newer']);
      service.rows = [code('newer', 20), code('newest', 30)];
      expect(await poll()).toEqual(['newest']);
      expect(await poll()).toEqual([]);
    },
  );
});

describe('scans', () => {
  const scan = (minutes: number) => ({ qrId: 'qr', scannedAt: timeAt(minutes) });

  test('emits scans that are alike in every field once, across pages and ticks', async () => {
    service.pageSize = 2;
    const { activate, poll } = watch('scans');
    await activate();
    service.rows = Array.from({ length: 5 }, () => scan(20));
    expect(await poll(20)).toHaveLength(1);
    service.rows.push(scan(20), scan(21));
    expect(await poll(22)).toHaveLength(1);
    expect(await poll(23)).toEqual([]);
  });

  test.each([true, false])(
    'reads a feed to its end and resumes there; rows have times: %s',
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

  test('emits scans without times once', async () => {
    const scans = (length: number) => Array.from({ length }, (_, visit) => ({ qrId: 'qr', visit }));
    service.rows = scans(3);
    service.pageSize = 2;
    const { activate, poll } = watch('scans');
    await activate();
    service.rows = scans(5);
    expect(await poll(1)).toHaveLength(2);
    expect(await poll(2)).toEqual([]);
    service.rows = scans(6);
    expect(await poll(3)).toHaveLength(1);
  });
});

describe('a first poll during which the workflow is published again', () => {
  test('stores a position for the new activation, which then emits changes made in between', async () => {
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

  test('fails together with the new activation, after which another one succeeds', async () => {
    const [old, again] = [watch(), watch()];
    service.rows = [{ broken: true }];
    const { poll: first, release } = await startHeld(old.activate);
    const second = again.activate();
    release();
    const outcomes = await Promise.allSettled([first, second]);
    expect(outcomes).toEqual([outcomes[0], outcomes[0]]);
    expect(outcomes[0]).toMatchObject({ status: 'rejected' });
    service.rows = [];
    await again.activate();
    service.rows = [code('after', 1)];
    expect(await again.poll(2)).toEqual(['after']);
  });
});

describe("n8n's time limit for a poll", () => {
  /** Time limit of n8n's durable scheduler: less than a request may take, so there are no retries. */
  const BUDGET_MS = 36_000;

  /** The error of a poll that runs out of time after this many requests. */
  async function outOfTime(poll: () => Promise<unknown>, requests: number): Promise<unknown> {
    const time = startVirtualTime();
    let left = requests;
    service.responds = () => left-- > 0;
    const failure = poll().catch((error: unknown) => error);
    await until(() => left < 0);
    return settle(time, failure);
  }

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

  test('a manual run has no more time than a poll, and says what to do', async () => {
    const { trigger } = watch('changedCodes', {}, { budgetMs: 100_000 });
    expect(await outOfTime(() => trigger.test(), 0)).toMatchObject({
      message: expect.stringMatching('longer than 45 s to respond'),
      description: expect.stringMatching('Fetch the test event again'),
    });
  });

  test('a poll that waits for another one that hangs ends in its own time', async () => {
    const [slow, next] = [100_000, BUDGET_MS].map((budgetMs) => watch('changedCodes', {}, { budgetMs }));
    for (const start of ['activate', 'poll'] as const) {
      const time = startVirtualTime();
      const asked = service.requests.length;
      service.responds = () => false;
      const first = slow!.poll(1).catch((error: unknown) => error);
      await until(() => service.requests.length > asked);
      const startedAt = Date.now();
      const polling = next![start](1).catch((error: unknown) => error);
      const second = await settle(time, polling);
      expect(Date.now() - startedAt).toBeLessThan(30_000);
      if (start === 'poll') expect(second).toEqual([]);
      else expect(second).toMatchObject({ message: expect.stringMatching('longer than 25 s to respond') });
      await settle(time, first);
      jest.restoreAllMocks();
      service.responds = () => true;
      for (const trigger of [slow!, next!]) await trigger.activate();
    }
    service.rows = [code('after', 1)];
    expect(await next!.poll(2)).toEqual(['after']);
  });

  test.each([
    [36_000, 25],
    [undefined, 45],
  ])('ends a poll of %s ms in time when the service hangs', async (budgetMs, seconds) => {
    const { activate, poll, trigger } = watch('changedCodes', {}, budgetMs === undefined ? {} : { budgetMs });
    await activate();
    const before = JSON.stringify(trigger.staticData);
    const time = startVirtualTime();
    service.responds = () => false;
    const start = Date.now();
    let ended = 0;
    const polling = trigger.tick().finally(() => (ended = Date.now() - start));
    polling.catch(() => undefined);
    const asked = service.requests.length;
    await until(() => service.requests.length > asked);
    for (let i = 0; i < 400 && ended === 0; i++) {
      time.advance(250);
      await new Promise(setImmediate);
    }
    await expect(polling).rejects.toThrow(
      `took longer than ${seconds} s to respond, the limit for a poll. The next poll resumes where this one stopped.`,
    );
    expect(ended).toBeLessThan(Math.min((budgetMs ?? 300_000) * 0.8, 50_000));
    expect(JSON.parse(before)).toEqual(JSON.parse(JSON.stringify(trigger.staticData)));
    jest.restoreAllMocks();
    service.responds = () => true;
    service.rows = [code('after', 1)];
    expect(await poll(2)).toEqual(['after']);
  });

  /** A trigger with 95 changes. In each poll, the service hangs after this many pages. */
  async function startSlowly(options: PollOptions, pagesEach: number) {
    const { activate, trigger } = watch('changedCodes', {}, { budgetMs: 10_000, ...options });
    service.pageSize = 10;
    await activate();
    service.rows = Array.from({ length: 95 }, (_, i) => code(`${i}`, 20 + i / 1000));
    service.clock = NOON + 21 * MINUTE;
    const time = startVirtualTime();
    return { poll };

    async function poll(ticks: number): Promise<unknown[]> {
      const emitted: unknown[] = [];
      for (let tick = 0; tick < ticks; tick++) emitted.push(...(await pollOnce()));
      return emitted;
    }

    async function pollOnce(): Promise<unknown[]> {
      const emitted: unknown[] = [];
      let left = pagesEach;
      service.responds = () => left-- > 0;
      const state = { isOver: false };
      const polling = trigger
        .tick()
        .then(({ items }) => emitted.push(...items.map(({ json }) => json['id'])))
        .finally(() => (state.isOver = true));
      await until(() => state.isOver || left < 0);
      // The pages are processed before time runs out.
      for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
      await settle(time, polling);
      service.clock = (service.clock ?? 0) + MINUTE / 10;
      return emitted;
    }
  }

  test.each(['in memory', 'durable', 'durable cursors'] as const)(
    'makes progress with two pages a poll, then reads the overlap again, with the scheduler %s',
    async (scheduler) => {
      const slow = await startSlowly({ scheduler }, 2);
      const rows = Array.from({ length: 95 }, (_, i) => `${i}`);
      expect(await slow.poll(8)).toEqual(rows);
      service.rows.push(code('next', 21.5));
      expect(await slow.poll(16)).toEqual(['next']);
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

  test('of two workflows emit the rows to each', async () => {
    const triggers = ['one', 'other'].map((id) =>
      engine.pollTrigger({ ...onPoll('changedCodes'), id }, NODE),
    );
    for (const trigger of triggers) await trigger.activate();
    service.rows = [code('a', 1)];
    service.clock = NOON + 3 * MINUTE;
    const polls = await Promise.all(triggers.map((trigger) => trigger.tick()));
    expect(polls.map(({ items }) => items.length)).toEqual([1, 1]);
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
    ['with no codes', []],
    ['idle for a month', [code('a', -30 * 24 * 60)]],
  ])('edited to another workspace, after one %s, starts no run for existing codes', async (_what, rows) => {
    service.rows = rows;
    const { activate, poll, trigger } = watch();
    await activate();
    expect(await poll(10)).toEqual([]);
    expect(await poll(20)).toEqual([]);
    // The same workflow continues with a key of another workspace.
    const other = await startListService(
      Array.from({ length: 50 }, (_, i) => code(`other ${i}`, i - 24 * 60)),
    );
    other.clock = NOON + 30 * MINUTE;
    const edited = watch('changedCodes', trigger.staticData, {}, await engineFor(other.url));
    expect((await edited.trigger.tick()).items).toEqual([]);
  });

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
