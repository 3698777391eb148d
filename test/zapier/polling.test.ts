import type { QrCode, QrServiceClient } from '@qr-service/core';
import { SAMPLE_QR_CODE, SAMPLE_SCAN } from '@qr-service/core/connector';
import type { Bundle, ZObject } from 'zapier-platform-core';
import { createZapierEngine, type LogLine, type Row, type ZapierEngine } from '../../engines/zapier/index.ts';
import { pollRows } from '../../packages/zapier-qr-service/src/triggers/pollRows.ts';
import { startVirtualTime, type VirtualTime } from '../support/jest/virtualTime.ts';
import { type ListService, startListService } from '../support/modelService/listService.ts';
import { some } from '../support/seed.ts';
import { createDedupeTable, failureOf, startWorld, type World } from './support/world.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

describe('polling', () => {
  const TURN_ON = { isPopulatingDedupe: true };
  const EDITOR = { isLoadingSample: true };

  describe('a workspace', () => {
    let world: World;
    const start = async (options = {}) => {
      world = await startWorld(options);
    };
    afterEach(() => world.close());

    const create = (name: string, publishNow = false) =>
      world.engine.create('create_qr_code', { name, targetUrl: 'https://example.com', publishNow });
    const names = (rows: Row[]) => rows.map(({ name }) => name);
    const rename = ({ id }: Row, name: string) => world.emulator.control.rename(String(id), name);

    test('returns each change of a code once, newest first', async () => {
      await start();
      const fresh = createDedupeTable(['id', 'updatedAt']);
      const changes = async (meta = {}) => names(fresh(await world.engine.poll('qr_changed', {}, meta)));
      const one = await create('One');
      const two = await create('Two');
      expect(await changes(TURN_ON)).toEqual(['Two', 'One']);
      expect(await changes()).toEqual([]);
      rename(one, 'One, changed');
      await create('Three');
      expect(await changes()).toEqual(['Three', 'One, changed']);
      rename(two, 'Two, changed');
      expect(await changes()).toEqual(['Two, changed']);
    });

    test.each(['any code', 'one code'])(
      'with a status filter, starts when %s gets the status after the Zap was turned on',
      async (which) => {
        await start();
        const fresh = createDedupeTable(['id', 'updatedAt']);
        const draft = await create('Draft');
        await create('Published before', true);
        const input = { status: 'published', ...(which === 'one code' && { qrCodeId: draft['id'] }) };
        const published = async (meta = {}) =>
          names(fresh(await world.engine.poll('qr_changed', input, meta)));
        expect(await published(TURN_ON)).toEqual(which === 'one code' ? [] : ['Published before']);
        rename(draft, 'Still a draft');
        expect(await published()).toEqual([]);
        await world.engine.create('publish_qr_code', { qrCodeId: draft['id'] });
        expect(await published()).toEqual(['Still a draft']);
        expect(await published()).toEqual([]);
      },
    );

    test('returns each scan once, newest first', async () => {
      await start();
      const fresh = createDedupeTable(['id']);
      const { id: qrId, publicUrl } = await create('Scanned', true);
      const scan = async () => (await fetch(String(publicUrl), { redirect: 'manual' })).text();
      const poll = (meta = {}) => world.engine.poll('new_scan', {}, meta);
      expect(await poll(EDITOR)).toEqual([]);
      await scan();
      await scan();
      const rows = fresh(await poll());
      expect(rows).toMatchObject([{ qrId }, { qrId }]);
      expect(String(rows[0]?.['scannedAt']) >= String(rows[1]?.['scannedAt'])).toBe(true);
      expect(fresh(await poll())).toEqual([]);
      await scan();
      expect(fresh(await poll())).toHaveLength(1);
    });

    const code = { name: 'Code', targetUrl: 'https://example.com' };
    const scansAt = (times: number[]) => times.map((at) => ({ scannedAt: new Date(at).toISOString() }));

    test('shows the most recently changed codes in the editor, however they are listed', async () => {
      await start({
        seed: { codes: Array.from({ length: 230 }, (_, index) => ({ id: `qr_${index}`, ...code })) },
      });
      const { control } = world.emulator;
      control.clock.advance(2 * HOUR);
      for (const index of [7, 120, 229]) {
        control.clock.advance(SECOND);
        rename({ id: `qr_${index}` }, `Changed ${index}`);
      }
      for (const listOrder of ['ascending', 'descending', 'id'] as const) {
        control.changeSettings({ listOrder });
        const rows = await world.engine.poll('qr_changed', {}, EDITOR);
        expect(names(rows).slice(0, 3)).toEqual(['Changed 229', 'Changed 120', 'Changed 7']);
        expect(rows).toHaveLength(10);
        expect(await world.engine.performList('qr_updated')).toHaveLength(10);
      }
    });

    test('shows the latest scans in the editor, of all codes or of one', async () => {
      const at = (index: number) => Date.now() + (index - 170) * HOUR;
      const many = scansAt(Array.from({ length: 170 }, (_, index) => at(index)));
      const few = scansAt([at(155.5)]);
      await start({
        seed: {
          codes: [
            { id: 'qr_old', ...code, scans: many },
            { id: 'qr_few', ...code, scans: few },
          ],
        },
      });
      const shown = async (qrCodeId?: string) =>
        (await world.engine.poll('new_scan', { qrCodeId }, EDITOR)).map(({ scannedAt }) => ({ scannedAt }));
      const latest = many.slice(-10).reverse();
      expect([await shown(), await shown('qr_old'), await shown('qr_few')]).toEqual([latest, latest, few]);
    });

    test('with 2,000 scans in three days takes few requests', async () => {
      const times = Array.from(
        { length: 2000 },
        (_, index) => Date.now() - ((1999 - index) * 72 * HOUR) / 2000,
      );
      await start({ seed: { codes: [{ ...code, scans: scansAt(times) }] } });
      expect((await world.engine.poll('new_scan')).length).toBeGreaterThan(160);
      expect(world.emulator.control.requestCount()).toBe(4);
    });
  });

  // Most of what a poll reads is tested by its property.
  describe('a busy workspace', () => {
    let time: VirtualTime;
    let service: ListService;
    let engine: ZapierEngine;
    let logged: string[];
    let ids = 0;
    beforeEach(() => {
      time = startVirtualTime();
    });
    afterEach(async () => {
      await engine.close();
      jest.restoreAllMocks();
    });

    /** Starts a service with small pages. */
    async function start(options: Partial<ListService> = {}, latencyMs = 0) {
      const responds = () => time.advance(latencyMs);
      service = await startListService({ pageSize: 10, responds, ...options });
      logged = [];
      const log = ({ type, message }: LogLine) => {
        if (type === 'console') logged.push(message);
      };
      engine = await createZapierEngine({ auth: { apiKey: 'key_of_a_test', baseUrl: service.url }, log });
    }
    /** Writes codes at an interval. */
    function write(count: number, apartMs = 1) {
      for (let i = 0; i < count; i++) {
        service.write(`${ids++}`);
        time.advance(apartMs);
      }
    }
    const poll = (meta: Row = {}) => engine.poll('qr_changed', {}, meta);
    const nextMinute = () => time.advance(MINUTE - (Date.now() % MINUTE));

    test('is polled for the last six hours', async () => {
      await start();
      write(30, HOUR / 2);
      expect(await poll()).toHaveLength(12);
      // Turning on reads two minutes further back.
      time.advance(MINUTE);
      expect(await poll(TURN_ON)).toHaveLength(12);
      expect(logged).toEqual([]);
    });

    test("starts nothing for old rows if the next machine's clock is a minute behind", async () => {
      await start();
      write(40, 100 * SECOND);
      const fresh = createDedupeTable(['id', 'updatedAt']);
      expect(fresh(await poll(TURN_ON)).length).toBeGreaterThan(0);
      time.advance(-MINUTE);
      expect(fresh(await poll())).toEqual([]);
    });

    test('with 20 requests a minute: polls leave some for other steps, and read what they can', async () => {
      await start({ perMinute: 20 }, 100);
      write(300, 50 * SECOND);
      for (let count = 0; count < 2; count++) {
        nextMinute();
        const before = service.requests.length;
        expect((await poll()).length).toBeGreaterThan(30);
        expect(service.requests.length - before).toBeLessThan(20);
      }
    });

    test('whose rate limit others use: turning on reads what it can, and a poll fails without any request left', async () => {
      await start({ perMinute: 20 }, 100);
      write(300, 50 * SECOND);
      const rowsWith = async (used: number, meta: Row) => {
        nextMinute();
        for (let count = 0; count < used; count++) await (await fetch(`${service.url}/scans`)).text();
        return (await poll(meta)).length;
      };
      expect(await rowsWith(0, TURN_ON)).toBeGreaterThan(100);
      expect(await rowsWith(19, TURN_ON)).toBe(10);
      for (const meta of [TURN_ON, {}])
        expect(await failureOf(rowsWith(20, meta))).toMatchObject({ name: 'ThrottledError' });
    });

    test('whose rate limit is used up at the second page: turning on returns the first, and a poll fails', async () => {
      await start();
      write(30, MINUTE);
      service.refusal = (query) => (query.has('cursor') ? 'rate_limited' : undefined);
      expect(await poll(TURN_ON)).toHaveLength(10);
      expect(await failureOf(poll())).toMatchObject({ name: 'ThrottledError' });
    });

    test('whose rate limit resets soon is waited for', async () => {
      await start({ perMinute: 20 }, 10);
      time.advance(54 * SECOND - (Date.now() % MINUTE));
      write(250);
      time.advance(MINUTE - 250);
      expect(await poll()).toHaveLength(250);
    });

    test('at a second a page is read in a narrower window, which the log says', async () => {
      await start({}, SECOND);
      write(300, 50 * SECOND);
      const fresh = createDedupeTable(['id', 'updatedAt']);
      expect(fresh(await poll(TURN_ON)).length).toBeGreaterThan(100);
      const rows = await poll();
      expect(fresh(rows)).toEqual([]);
      expect(rows[0]).toMatchObject({ id: `${ids - 1}` });
      const halfAnHour = (30 * MINUTE) / (50 * SECOND);
      expect(Math.abs(rows.length - halfAnHour)).toBeLessThan(2);
      const line = 'The last 6 hours have too many rows to read in one check.';
      expect(logged).toEqual([line, line]);
    });

    test('whose last minutes take too long returns what it can read of them', async () => {
      await start({}, SECOND);
      write(300);
      expect((await poll()).length).toBeGreaterThan(20);
      expect(logged).toHaveLength(3);
    });

    test.each(some([1, 3, 5, 7], 1))(
      'at %i seconds a page ends in time for Zapier, with rows',
      async (seconds) => {
        await start({}, seconds * SECOND);
        write(300, 50 * SECOND);
        for (const meta of [TURN_ON, {}]) {
          const startedAt = Date.now();
          expect((await poll(meta)).length).toBeGreaterThan(3);
          const most = (meta === TURN_ON ? 22 : 18) * SECOND + seconds * SECOND;
          expect(Date.now() - startedAt).toBeLessThan(most);
        }
      },
    );

    test('fails if the API key becomes invalid while it is read', async () => {
      await start({}, SECOND);
      write(30);
      service.refusal = (query) => (query.has('cursor') ? 'invalid_api_key' : undefined);
      expect(await failureOf(poll(TURN_ON))).toMatchObject({ name: 'ExpiredAuthError' });
    });

    test.each<[string, Partial<ListService>, number]>(
      some(
        [
          ['whose clock is 40 minutes ahead', { now: () => Date.now() + 40 * MINUTE }, 400],
          ['that sends no time', { tellsTime: false }, 360],
        ],
        1,
      ),
    )('is polled completely at a service %s', async (_what, options, rows) => {
      await start(options);
      nextMinute();
      write(1000, MINUTE);
      expect(await poll()).toHaveLength(rows);
    });
  });

  test("a poll that never ends returns less than Zapier's 20 MB", async () => {
    const page = { rows: Array.from({ length: 5000 }, () => SAMPLE_QR_CODE), nextCursor: 'more' };
    async function* pages() {
      for (;;) yield await Promise.resolve(page);
    }
    const z = { console: { log: () => undefined } } as unknown as ZObject;
    const bundle = { meta: { isPopulatingDedupe: true } } as Bundle;
    const client: object = {};
    let id = 0;
    const rows = await pollRows(z, bundle, client as QrServiceClient, {
      listSince: () => ({ pages }) as never,
      toOutput: (codes: QrCode[]) => codes.map((code) => ({ ...code, id: `qr_${id++}` })),
      keyOf: (code) => code.id,
    });
    expect(rows.length).toBeGreaterThan(20_000);
    expect(JSON.stringify(rows).length).toBeLessThan(20_000_000);
  });
});

describe('scans', () => {
  describe('the name and short link of a scanned code', () => {
    let world: World;
    beforeAll(async () => {
      world = await startWorld();
    });
    afterEach(() => world.emulator.control.clearFaults());
    afterAll(() => world.close());

    const UNKNOWN = { name: null, publicUrl: null };

    /** A code with three scans. */
    async function scanned() {
      const input = { name: 'Door', targetUrl: 'https://example.com' };
      const { id, publicUrl } = await world.engine.create('create_qr_code', input);
      for (let visit = 0; visit < 3; visit++)
        await (await fetch(String(publicUrl), { redirect: 'manual' })).text();
      return { id, publicUrl };
    }

    test('are read once for each scan that starts a Zap, not at each poll', async () => {
      const { engine, emulator } = world;
      const { id, publicUrl } = await scanned();
      const before = emulator.control.requestCount();
      const rows = await engine.poll('new_scan');
      expect(emulator.control.requestCount()).toBe(before + 1);
      // Zapier caches the result by the reference.
      expect(new Set(rows.map(({ scannedCode }) => scannedCode)).size).toBe(1);
      expect(await engine.hydrate(rows[0]?.['scannedCode'])).toEqual({ name: 'Door', publicUrl });
      expect(emulator.control.requestCount()).toBe(before + 2);
      expect(await engine.search('find_scans', {})).toMatchObject(
        rows.map((row) => ({ ...row, scannedCode: { name: 'Door', publicUrl } })),
      );
      expect(emulator.control.requestCount()).toBe(before + 4);

      const { apiKey } = emulator.control.createKey({ scopes: ['analytics:read'] });
      const limited = await world.connect(apiKey);
      world.logs.length = 0;
      for (const qrCodeId of [id, undefined]) {
        const [row] = await limited.poll('new_scan', { qrCodeId }, { isLoadingSample: true });
        expect(await limited.hydrate(row?.['scannedCode'])).toEqual(UNKNOWN);
        expect(await limited.search('count_scans', { qrCodeId })).toMatchObject([
          { scans: 3, codes: [{ ...UNKNOWN, name: id, scans: 3, id }] },
        ]);
        expect(await limited.search('find_scans', { qrCodeId })).toMatchObject(
          Array.from({ length: 3 }, () => ({ qrId: id, scannedCode: UNKNOWN })),
        );
      }
      expect(world.logs.map(({ message }) => message)).toContainEqual(
        expect.stringMatching(/^Scans have no name and short link of their QR code: .*qr:read/),
      );
    });

    test.each([
      ['are empty for a code that is gone', { code: 'not_found' }, undefined],
      [
        'make Zapier run again while the service is busy',
        { code: 'rate_limited', retryAfter: 30 },
        'Throttled',
      ],
      ['fail a run if a proxy responds in place of the service', { status: 404, body: '<html>' }, 'App'],
    ] as const)('%s', async (_what, fault, name) => {
      const { engine, emulator } = world;
      await scanned();
      const [scan] = await engine.poll('new_scan');
      emulator.control.failNext({ match: { path: '/qr/*' }, times: Infinity, ...fault });
      const hydrated = engine.hydrate(scan?.['scannedCode']);
      const found = engine.search('find_scans', { limit: 3 });
      if (name === undefined) {
        expect(await hydrated).toEqual(UNKNOWN);
        expect((await found).map(({ scannedCode }) => scannedCode)).toEqual([UNKNOWN, UNKNOWN, UNKNOWN]);
      } else
        for (const run of [hydrated, found])
          expect(await failureOf(run)).toMatchObject({ name: `${name}Error` });
      const counted = engine.search('count_scans', {});
      if (name === 'App') expect(await failureOf(counted)).toMatchObject({ name: 'AppError' });
      // Of a count, a rerun would read all scans again, so it has the code's ID as its name.
      else {
        const code = { name: scan?.['qrId'], publicUrl: null, scans: 3, id: scan?.['qrId'] };
        expect((await counted)[0]?.['codes']).toContainEqual(code);
      }
    });

    test('are shown in an example in the editor if a filtered code was not scanned', async () => {
      const input = { name: 'Not scanned', targetUrl: 'https://example.com' };
      const { id, publicUrl } = await world.engine.create('create_qr_code', input);
      const rows = await world.engine.poll('new_scan', { qrCodeId: id }, { isLoadingSample: true });
      expect(rows).toMatchObject([{ ...SAMPLE_SCAN, qrId: id }]);
      expect(await world.engine.hydrate(rows[0]?.['scannedCode'])).toEqual({ name: input.name, publicUrl });
    });

    test('are empty for a scan that names no code, which passes any filter', async () => {
      const service = await startListService();
      const own = { qrCode: 'own', scannedAt: '2026-01-31T12:00:00.000Z' };
      for (const qrId of ['qr_1', 'qr_2', null]) service.write(qrId ?? 's2', { qrId, ...own });
      const engine = await world.connect('key_of_a_test', service.url);
      const rows = await engine.poll('new_scan', { qrCodeId: 'qr_1' });
      expect(new Map(rows.map(({ id, scannedCode }) => [id, scannedCode]))).toEqual(
        new Map<unknown, unknown>([
          ['qr_1', expect.stringMatching(/^hydrate/)],
          ['s2', UNKNOWN],
        ]),
      );
      expect(rows).toMatchObject([{ qrCode: 'own' }, { qrCode: 'own' }]);

      const all = ['qr_1', 'qr_2', null].map((id) => ({ id, scans: 1 }));
      const COUNTS: [input: Row, scans: number, codes: object[]][] = [
        [{ qrCodeId: 'qr_1' }, 1, all.slice(0, 1)],
        [{ qrCodeId: 's2' }, 0, [{ id: 's2', scans: 0 }]],
        [{}, 3, [...all.slice(0, 2), { ...all[2], name: 'Without QR Code' }]],
      ];
      for (const [input, scans, codes] of COUNTS) {
        const days = scans === 0 ? [] : [{ day: '2026-02-01', scans }];
        const counted = { scans, codes, days, scansWithoutQrCode: 1 };
        const meta = { timezone: 'Pacific/Kiritimati' };
        expect(await engine.search('count_scans', input, meta)).toMatchObject([counted]);
        expect(await engine.search('count_scans', input, { timezone: '' })).toMatchObject([{ scans }]);
        const found = await engine.search('find_scans', { ...input, since: '2020-01-01', limit: 1 });
        expect(found).toMatchObject([{ scansFound: scans, scansWithoutQrCode: 1 }]);
      }
    });
  });

  describe('find_scans', () => {
    let time: VirtualTime;
    let service: ListService;
    let engine: ZapierEngine;
    beforeEach(() => {
      time = startVirtualTime();
    });
    afterEach(async () => {
      await engine.close();
      jest.restoreAllMocks();
    });

    /** A service with scans at an interval, the last one now. */
    async function start(count: number, apartMs: number, options: Partial<ListService> = {}) {
      service = await startListService({ pageSize: 25, ...options });
      engine = await createZapierEngine({ auth: { apiKey: 'key_of_a_test', baseUrl: service.url } });
      for (let index = 0; index < count; index++) {
        time.advance(apartMs);
        service.write(String(index), { qrId: 'qr_0' });
      }
    }

    const idsOf = (rows: Row[]) => rows.map(({ id }) => Number(id));
    const lastOf = (count: number, limit: number) =>
      Array.from({ length: limit }, (_, index) => count - 1 - index);

    test.each<[string, number, number, Partial<ListService>, Row, number]>(
      some(
        [
          ['few in a feed', 12, 3.1 * HOUR, { isFeed: true }, {}, 8],
          ['200 a day, newest first', 200, 7 * MINUTE, { order: 'descending' }, { limit: '3' }, 3],
          ['200 a day, in no order', 200, 7 * MINUTE, { order: 'id' }, { limit: 25 }, 25],
          ['one a day for a year', 365, 24 * HOUR, {}, { since: '2020-01-01' }, 10],
        ],
        2,
      ),
    )(
      'returns the newest scans of %s, and reads the list once',
      async (_what, count, apartMs, options, input, found) => {
        await start(count, apartMs, options);
        expect(idsOf(await engine.search('find_scans', input))).toEqual(lastOf(count, found));
        expect(service.requests.length).toBeLessThanOrEqual(Math.ceil(count / 25) + 2);
      },
    );

    test.each<[string, string, Partial<ListService>]>([
      ['find_scans', 'take too long', {}],
      ['count_scans', 'take too long', {}],
      ['count_scans', 'use up the rate limit', { perMinute: 5 }],
    ])('%s fails for good if they %s, and says what to do', async (step, _what, options) => {
      await start(3000, 28 * SECOND, options);
      time.advance(MINUTE - (Date.now() % MINUTE));
      const latencyMs = options.perMinute === undefined ? 4 * SECOND : 10;
      service.responds = () => time.advance(latencyMs);
      const began = Date.now();
      const failure = await failureOf(engine.search(step, { since: '2020-01-01' }));
      expect(failure).toMatchObject({ name: 'AppError', code: 'too_many_scans' });
      expect(failure.message).toMatch(/in time\. Choose a shorter period: change Since to a more recent/);
      expect(Date.now() - began).toBeLessThan(30 * SECOND);
    });
  });
});
