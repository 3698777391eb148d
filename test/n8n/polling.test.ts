import { PollContext } from 'n8n-core';
import {
  createN8nEngine,
  type N8nEngine,
  type PollOptions,
  type PollTrigger,
} from '../../engines/n8n/index.ts';
import { until } from '../support/jest/until.ts';
import { startVirtualTime } from '../support/jest/virtualTime.ts';
import { type ListService, startListService } from '../support/modelService/listService.ts';
import { some } from '../support/seed.ts';
import { action, besidePolling, codeBy, CREATE, NODE, onEvents, onPoll } from './support/workflows.ts';
import { PACKAGE_DIR, startWorld, type World } from './support/world.ts';

describe('with the emulator', () => {
  let world: World;
  let clock: number;
  beforeEach(async () => {
    clock = Date.now();
    world = await startWorld({ now: () => clock });
  });
  afterEach(() => world.close());

  async function create(...names: string[]): Promise<{ id: string; publicUrl: string }[]> {
    const rows = names.map((name) => ({ name, targetUrl: 'https://example.com/' }));
    const { data } = await world.engine.runWorkflow(action(CREATE, rows));
    return data[NODE]!.map(({ json }) => json as { id: string; publicUrl: string });
  }
  const publish = (id: string) =>
    world.engine.runWorkflow(action({ operation: 'publish', qrCodeId: codeBy('id', id) }));
  const names = async (trigger: PollTrigger) => (await trigger.tick()).items.map(({ json }) => json['name']);

  test('emits nothing on activation, then each change once, oldest first, in one execution per poll', async () => {
    await create('Before');
    clock += 60_000;
    const trigger = world.engine.pollTrigger(onPoll('changedCodes'), NODE);
    expect((await trigger.activate()).items).toEqual([]);
    expect(await names(trigger)).toEqual([]);

    clock += 5000;
    const [one] = await create('One');
    clock += 5000;
    await create('Two');
    const { items, execution } = await trigger.tick();
    expect(items.map(({ json }) => json['name'])).toEqual(['One', 'Two']);
    expect((await execution)?.data['Rows']).toHaveLength(2);
    expect(await names(trigger)).toEqual([]);

    clock += 5000;
    await publish(one!.id);
    expect(await names(trigger)).toEqual(['One']);
    expect(await trigger.tick()).toEqual({ items: [] });
  });

  describe('beside an instant trigger', () => {
    const json = besidePolling(onEvents(['qr.created']));
    const polls = (workflow = json, staticData = {}) =>
      world.engine.pollTrigger(workflow, 'Polls', staticData);

    test('refuses to be published, and says what to do, but can be tested', async () => {
      await create('Before');
      await expect(polls().activate()).rejects.toThrow(
        `This trigger can't share a workflow with the trigger "${NODE}": n8n would refuse all events. Move one of the two triggers to a workflow of its own.`,
      );
      expect(await polls().test()).toHaveLength(1);
    });

    test('polls on if it was published before, or if the instant trigger is deactivated', async () => {
      const deactivated = {
        ...json,
        nodes: json.nodes.map((node) => ({ ...node, disabled: node.name === NODE })),
      };
      const trigger = polls(deactivated);
      await trigger.activate();
      await create('One');
      expect((await polls(json, trigger.staticData).tick()).items).toHaveLength(1);
    });
  });

  test('a copy of the trigger starts with its first poll', async () => {
    const trigger = world.engine.pollTrigger(onPoll('changedCodes'), NODE);
    await trigger.activate();
    await create('Before the copy');
    const copied = onPoll('changedCodes');
    copied.nodes.push({ ...copied.nodes[0]!, id: 'copy', name: 'Copy' });
    const copy = world.engine.pollTrigger(copied, 'Copy', trigger.staticData);
    expect((await copy.activate()).items).toEqual([]);
  });

  test.each([1, 2])(
    'emits a change once when a poll ends while the next one waits for read %d of the credential',
    async (slowRead) => {
      const trigger = world.engine.pollTrigger(onPoll('changedCodes'), NODE);
      await trigger.activate();
      clock += 120_000;
      await create('Once');
      const getCredentials = Reflect.get(PollContext.prototype, 'getCredentials') as () => Promise<never>;
      const readers: unknown[] = [];
      const read = jest.spyOn(PollContext.prototype, 'getCredentials');
      read.mockImplementation(async function (this: PollContext, type) {
        readers.push(this);
        const [, next] = new Set(readers);
        if (this === next && readers.filter((reader) => reader === next).length === slowRead) await first;
        return Reflect.apply(getCredentials, this, [type]) as Promise<never>;
      });
      const first = names(trigger);
      expect((await Promise.all([first, names(trigger)])).flat()).toEqual(['Once']);
      read.mockRestore();
    },
  );

  describe('options', () => {
    const activate = async (options: object, from = {}) => {
      const trigger = world.engine.pollTrigger(onPoll('changedCodes', { ...options }), NODE, from);
      await trigger.activate();
      return trigger;
    };
    const rename = (id: string, name: string) => world.emulator.control.rename(id, name);

    test('both options emit a new code once, when it is published, and an existing draft never', async () => {
      const [draft] = await create('Old draft');
      const trigger = await activate({ onlyNew: true, onlyPublished: true });
      const [code] = await create('New');
      expect(await names(trigger)).toEqual([]);
      clock += 60_000;
      await publish(draft!.id);
      await publish(code!.id);
      expect(await names(trigger)).toEqual(['New']);
      rename(code!.id, 'Edited');
      expect(await names(trigger)).toEqual([]);
    });

    test('changing Only New later does not emit earlier changes', async () => {
      const all = await activate({});
      const [code] = await create('One');
      expect(await names(all)).toEqual(['One']);
      await create('Not polled yet');
      const onlyNew = await activate({ onlyNew: true }, all.staticData);
      clock += 60_000;
      rename(code!.id, 'One, edited');
      await create('Two');
      expect(await names(onlyNew)).toEqual(['Two']);
      const allAgain = await activate({}, onlyNew.staticData);
      expect(await names(allAgain)).toEqual([]);
      rename(code!.id, 'One, edited again');
      expect(await names(allAgain)).toEqual(['One, edited again']);
      const onlyNewAgain = await activate({ onlyNew: true }, allAgain.staticData);
      rename(code!.id, 'One, edited once more');
      expect(await names(onlyNewAgain)).toEqual([]);
    });
  });

  test('emits each new scan once with an ID, and none from before activation', async () => {
    const [code] = await create('Scanned');
    await publish(code!.id);
    const scan = () => fetch(code!.publicUrl, { redirect: 'manual' });
    await scan();
    clock += 120_000;
    const trigger = world.engine.pollTrigger(onPoll(' Scans' as 'scans', { onlyPublished: true }), NODE);
    expect((await trigger.activate()).items).toEqual([]);
    for (let i = 0; i < 3; i++) await scan();
    const { items } = await trigger.tick();
    expect(items).toHaveLength(3);
    expect(new Set(items.map(({ json }) => json['id'])).size).toBe(3);
    expect(items[0]!.json).toMatchObject({ qrId: code!.id });
    for (const { json } of items) {
      expect(new Date(json['scannedAt'] as string).toISOString()).toBe(json['scannedAt']);
    }
    await scan();
    expect((await trigger.tick()).items).toHaveLength(1);
    expect((await trigger.tick()).items).toEqual([]);
    expect(await trigger.test()).toHaveLength(5);
  });
});

describe('with any service', () => {
  const MINUTE = 60_000;
  const NOON = Date.UTC(2026, 0, 15, 12);

  let service: ListService;
  let engine: N8nEngine;
  const engineFor = (baseUrl: string, apiKey = 'key') =>
    createN8nEngine({ packageDir: PACKAGE_DIR, credentials: { qrServiceApi: { baseUrl, apiKey } } });
  beforeEach(async () => {
    service = await startListService({ now: () => NOON });
    engine = await engineFor(service.url);
  });
  afterEach(() => jest.restoreAllMocks());

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
    const at = (minutes: number) => (service.now = () => NOON + minutes * MINUTE);
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

  test('keeps all fields of a row that has a field named json, in a poll and in a test', async () => {
    const { trigger, activate } = watch();
    await activate();
    const row = { ...code('a', 1), json: '{}' };
    service.rows = [row];
    service.now = () => NOON + 2 * MINUTE;
    expect(await trigger.test()).toMatchObject([{ json: row }]);
    expect((await trigger.tick()).items).toMatchObject([{ json: row }]);
  });

  test("emits a change once whose date is far ahead of the service's clock", async () => {
    const { activate, poll } = watch();
    await activate();
    service.order = 'ascending';
    // A poll doesn't read all codes.
    service.refusal = (query) => (query.has('updatedSince') ? undefined : 'validation_failed');
    service.rows = [code('a', 1), code('ahead', 10 * 365 * 24 * 60)];
    expect(await poll(2)).toEqual(['a', 'ahead']);
    service.put(code('b', 3));
    expect(await poll(4)).toEqual(['b']);
    service.put(code('c', 60));
    expect(await poll(61)).toEqual(['c']);
    expect(await poll(90)).toEqual([]);
  });

  test('emits the pages before a failed one at once and the rest at the next poll', async () => {
    const { activate, poll, trigger } = watch();
    await activate();
    const before = JSON.stringify(trigger.staticData);
    service.rows = [code('a', 1), code('b', 1.1), code('c', 1.2)];
    service.pageSize = 2;
    service.refusal = () => 'insufficient_scope';
    await expect(poll(2)).rejects.toMatchObject({ name: 'NodeApiError', httpCode: '403' });
    expect(JSON.stringify(trigger.staticData)).toBe(before);
    service.refusal = (query) => (query.has('cursor') ? 'insufficient_scope' : undefined);
    expect(await poll(2)).toEqual(['a', 'b']);
    service.refusal = () => undefined;
    const asked = service.requests.length;
    expect(await poll(2)).toEqual(['c']);
    expect(service.requests).toHaveLength(asked + 1);
    expect(await poll(2)).toEqual([]);
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
      for (const n of [2, 3, 4]) service.put(row(n));
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
      service.responds = () => time.advance(ms);
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
      [{ budgetMs: BUDGET_MS }, 25, 'changedCodes'],
      [{}, 210, 'changedCodes'],
      [{}, 210, 'scans'],
    ] as const)(
      'a first poll with %j uses 70 %% of its time, and explains that the next one starts over (%i s, %s)',
      async (options, seconds, what) => {
        const json = onPoll(what, { onlyNew: true });
        json.nodes[0]!.parameters['qrCodes'] = 'r.example/none';
        const trigger = engine.pollTrigger(json, NODE, {}, options);
        service.pageSize = 1;
        service.rows = Array.from({ length: 30 }, (_, i) => code(`${i}`, i));
        respondAfter(10_000);
        const start = Date.now();
        await expect(trigger.activate()).rejects.toThrow(
          new RegExp(`longer than ${seconds} s to respond, .*the next one starts over`),
        );
        expect(Date.now() - start).toBeLessThan((seconds + 10) * 1000);
        expect(trigger.staticData).toEqual({ [`node:${NODE}`]: {} });
      },
    );

    test.each([
      [{ budgetMs: BUDGET_MS }, 25],
      [{}, 45],
      [{ isOld: true }, 45],
    ])('ends a poll with %j in time when the service hangs', async (options: PollOptions, seconds) => {
      const { activate, poll, trigger } = watch('changedCodes', {}, options);
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
      expect(Date.now() - start).toBeLessThan(Math.min((options.budgetMs ?? 300_000) * 0.8, 50_000));
      expect(JSON.parse(before)).toEqual(JSON.parse(JSON.stringify(trigger.staticData)));
      await expect(settle(time, trigger.test())).rejects.toMatchObject({
        description: expect.stringMatching(/^Fetch the test event again/) as string,
      });
      jest.restoreAllMocks();
      service.responds = () => true;
      service.rows = [code('after', 1)];
      expect(await poll(2)).toEqual(['after']);
    });

    test.each(some(['in memory', 'durable', 'durable cursors'] as const, 1))(
      'makes progress with two pages a poll, then reads the overlap again, with the scheduler %s',
      async (scheduler) => {
        const { activate, poll } = watch('changedCodes', {}, { budgetMs: BUDGET_MS, scheduler });
        service.pageSize = 10;
        await activate();
        service.rows = Array.from({ length: 55 }, (_, i) => code(`${i}`, 20 + i / 1000));
        respondAfter(10_000);
        const polls = async (count: number) => {
          const emitted: unknown[] = [];
          for (let tick = 0; tick < count; tick++) emitted.push(...(await poll(21)));
          return emitted;
        };
        expect(await polls(4)).toEqual(service.rows.map(({ id }) => id));
        service.put(code('next', 21.5));
        expect(await polls(8)).toEqual(['next']);
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

  test.each([
    ['hours', 12.05, (n: number) => ({ id: `s${n}`, scannedAt: '2026-01-15T12:00:00Z' })],
    ['days', 0.05, (n: number) => ({ id: `s${n}`, scannedAt: '2026-01-15' })],
  ])('emits scans after the activation whose times are whole %s', async (_what, hour, row) => {
    const start = (hour - 12) * 60;
    service.now = () => NOON + start * MINUTE;
    service.rows = [{ id: 'ahead', scannedAt: '2036-01-15' }];
    const { activate, poll } = watch('scans');
    await activate();
    const emitted: unknown[] = [];
    for (let n = 1; n <= 5; n++) {
      service.put(row(n));
      emitted.push(...(await poll(start + n * 10)));
    }
    expect(emitted).toEqual(['s1', 's2', 's3', 's4', 's5']);
  });

  test('a poll that overlaps a failing one ends without rows, while a poll of another list emits its rows', async () => {
    const { activate, poll } = watch();
    await activate();
    const scans = watch('scans');
    await scans.activate();
    const { poll: first, release } = await startHeld(() => poll(1));
    service.responds = () => true;
    service.rows = [{ id: 'scan', scannedAt: timeAt(1) }];
    expect(await scans.poll(1)).toEqual(['scan']);
    service.rows = [{ broken: true }];
    const second = poll(1);
    release();
    await expect(first).rejects.toThrow();
    expect(await second).toEqual([]);
  });

  describe('static data that n8n did not save', () => {
    test('loses no rows: the next poll emits them', async () => {
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
      service.now = () => NOON + 3 * MINUTE;
      const again = watch();
      expect(await again.activate()).toEqual([]);
      expect(await again.poll(4)).toEqual([]);
    });
  });

  test.each([
    ['base URL', '', 'key'],
    ['spelling of the base URL', '/v1/public-api', 'key'],
    ['key', '', 'other-key'],
  ])('a credential edited to another %s of the same workspace resumes', async (what, suffix, key) => {
    const { activate, trigger } = watch();
    await activate();
    const on = what === 'base URL' ? await startListService() : service;
    on.now = () => NOON + 2 * MINUTE;
    on.rows = [code('made', 1)];
    const edited = watch('changedCodes', trigger.staticData, {}, await engineFor(on.url + suffix, key));
    expect((await edited.trigger.tick()).items).toHaveLength(1);
    expect((await edited.trigger.tick()).items).toEqual([]);
  });

  describe('a manual run', () => {
    const DAY = 24 * 60;
    /** This many codes, evenly spread over the six days before noon. */
    const codes = (count: number, status: string) =>
      Array.from({ length: count }, (_, i) => ({
        ...code(`${status} ${i}`, (-6 * DAY * (count - i)) / count),
        status,
      }));
    const shown = async (options = {}) => {
      const trigger = engine.pollTrigger(onPoll('changedCodes', options), NODE);
      const items = await trigger.test();
      expect(trigger.staticData).toEqual({});
      return items.map(({ json }) => json['id']);
    };

    test.each(some([0, 11, 250], 1))(
      'shows the ten newest of %d codes, newest first, and stores nothing',
      async (count) => {
        service.pageSize = 10;
        service.rows = codes(count, 'draft');
        const newest = service.rows.map(({ id }) => id).reverse();
        expect(await shown()).toEqual(newest.slice(0, 10));
      },
    );

    test.each(some([1, 15], 1))(
      'with Only Published, shows published codes older than %d changed drafts',
      async (drafts) => {
        const earlier = codes(200, 'published').map((row, i) => ({
          ...row,
          ...code(row.id, (i - 400) * 600),
        }));
        service.pageSize = 10;
        service.rows = [...earlier, ...codes(drafts, 'draft')];
        const found = await shown({ onlyPublished: true });
        expect(found).toHaveLength(10);
        expect(found.every((id) => (id as string).startsWith('published'))).toBe(true);
      },
    );
  });
});
