import { SAMPLE_QR_CODE, SAMPLE_SCAN } from '@qr-service/core/connector';
import { createZapierEngine, type Row, type ZapierEngine } from '../../engines/zapier/index.ts';
import { closeServices, serve } from '../support/faultyService/faultyService.ts';
import { startVirtualTime, type VirtualTime } from '../support/jest/virtualTime.ts';
import { startTimedService, type TimedService, type TimedServiceOptions } from './support/timedService.ts';
import { failureOf, startWorld, type World } from './support/world.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

describe('the name and short link of a scanned code', () => {
  let world: World;
  beforeAll(async () => {
    world = await startWorld();
  });
  afterEach(() => closeServices());
  afterAll(() => world.close());

  const UNKNOWN = { name: null, publicUrl: null };

  test('are read once for each scan that starts a Zap, not at each poll', async () => {
    const { engine, emulator } = world;
    const input = { name: 'Door', targetUrl: 'https://example.com' };
    const { id, publicUrl } = await engine.create('create_qr_code', input);
    for (let visit = 0; visit < 3; visit++)
      await (await fetch(String(publicUrl), { redirect: 'manual' })).text();
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
      expect(await limited.search('find_scans', { qrCodeId })).toMatchObject(
        Array.from({ length: 3 }, () => ({ qrId: id, scannedCode: UNKNOWN })),
      );
    }
    expect(world.logs.map(({ message }) => message)).toContainEqual(
      expect.stringMatching(/^A scan has no name and short link of its QR code: .*qr:read/),
    );
  });

  /** A service with scans of two codes and of an unknown one. */
  const serviceWith = (status: number, body: object, headers = {}) =>
    serve((request, response) => {
      const isScans = request.url?.includes('/scans') === true;
      const scans = ['qr_1', 'qr_2', null].map((qrId, index) => ({ id: `s${index}`, qrId, qrCode: 'own' }));
      response.writeHead(isScans ? 200 : status, { 'content-type': 'application/json', ...headers });
      response.end(JSON.stringify(isScans ? { data: scans } : body));
    });

  test.each([
    ['are empty for a code that is gone', 404, 'not_found', undefined],
    ['make Zapier run again while the service is busy', 429, 'rate_limited', 'ThrottledError'],
    ['fail a run if a proxy responds in place of the service', 404, undefined, 'AppError'],
  ])('%s', async (_what, status, code, name) => {
    const { url } = await serviceWith(status, { code, message: 'No.' }, { 'retry-after': '30' });
    const engine = await world.connect('key_of_a_test', url);
    const polled = await engine.poll('new_scan', {}, { isPopulatingDedupe: true });
    const reference = polled.find(({ qrId }) => qrId === 'qr_1')?.['scannedCode'];
    const hydrated = engine.hydrate(reference);
    const found = engine.search('find_scans', {});
    if (name === undefined) {
      expect(await hydrated).toEqual(UNKNOWN);
      expect((await found).map(({ scannedCode }) => scannedCode)).toEqual([UNKNOWN, UNKNOWN, UNKNOWN]);
    } else for (const run of [hydrated, found]) expect(await failureOf(run)).toMatchObject({ name });
  });

  test('are shown in an example in the editor if a filtered code was not scanned', async () => {
    const input = { name: 'Not scanned', targetUrl: 'https://example.com' };
    const { id, publicUrl } = await world.engine.create('create_qr_code', input);
    const rows = await world.engine.poll('new_scan', { qrCodeId: id }, { isLoadingSample: true });
    expect(rows).toMatchObject([{ ...SAMPLE_SCAN, qrId: id }]);
    expect(await world.engine.hydrate(rows[0]?.['scannedCode'])).toEqual({ name: input.name, publicUrl });
  });

  test('are empty for a scan that names no code, which passes any filter', async () => {
    const { url } = await serviceWith(200, { ...SAMPLE_QR_CODE, id: 'qr_1' });
    const engine = await world.connect('key_of_a_test', url);
    const rows = await engine.poll('new_scan', { qrCodeId: 'qr_1' });
    expect(new Map(rows.map(({ id, scannedCode }) => [id, scannedCode]))).toEqual(
      new Map<unknown, unknown>([
        ['s0', expect.stringMatching(/^hydrate/)],
        ['s2', UNKNOWN],
      ]),
    );
    expect(rows).toMatchObject([{ qrCode: 'own' }, { qrCode: 'own' }]);
  });
});

describe('find_scans', () => {
  let time: VirtualTime;
  let service: TimedService;
  let engine: ZapierEngine;
  beforeEach(() => {
    time = startVirtualTime();
  });
  afterEach(async () => {
    await engine.close();
    await service.close();
    jest.restoreAllMocks();
  });

  /** A service with scans at an interval, the last one now. */
  async function start(count: number, apartMs: number, options: TimedServiceOptions = {}) {
    service = await startTimedService((ms) => time.advance(ms), { pageSize: 25, ...options });
    engine = await createZapierEngine({ auth: { apiKey: 'key_of_a_test', baseUrl: service.url } });
    for (let index = 0; index < count; index++) {
      time.advance(apartMs);
      service.write(String(index), { qrId: 'qr_0' });
    }
  }

  const idsOf = (rows: Row[]) => rows.map(({ id }) => Number(id));
  const lastOf = (count: number, limit: number) =>
    Array.from({ length: limit }, (_, index) => count - 1 - index);

  test.each<[string, number, number, TimedServiceOptions, Row, number]>([
    ['few in a feed', 12, 3.1 * HOUR, { isFeed: true }, {}, 8],
    ['200 a day, newest first', 200, 7 * MINUTE, { order: 'newest first' }, { limit: '3' }, 3],
    ['200 a day, in no order', 200, 7 * MINUTE, { order: 'by ID' }, { limit: 25 }, 25],
    ['one a day for a year', 365, 24 * HOUR, {}, { since: '2020-01-01' }, 10],
  ])(
    'returns the newest of %s, in one read of the list',
    async (_what, count, apartMs, options, input, found) => {
      await start(count, apartMs, options);
      expect(idsOf(await engine.search('find_scans', input))).toEqual(lastOf(count, found));
      expect(service.pagesServed).toBeLessThanOrEqual(Math.ceil(count / 25) + 2);
    },
  );

  test.each<[string, TimedServiceOptions]>([
    ['take too long', {}],
    ['use up the rate limit', { perMinute: 5 }],
  ])('fails for good if they %s, and says what to do', async (_what, options) => {
    await start(3000, 28 * SECOND, options);
    time.advance(MINUTE - (Date.now() % MINUTE));
    service.latencyMs = options.perMinute === undefined ? 4 * SECOND : 10;
    const began = Date.now();
    const failure = await failureOf(engine.search('find_scans', { since: '2020-01-01' }));
    expect(failure).toMatchObject({ name: 'AppError', code: 'too_many_scans' });
    expect(failure.message).toMatch(/in time\. Change Since to a more recent time\./);
    expect(Date.now() - began).toBeLessThan(30 * SECOND);
  });
});
