import type { QrCode, Scope } from '@qr-service/core';
import { startEmulator, type EmulatorOptions } from 'qr-service-emulator';
import { fc } from '../../../test/support/fastCheck.ts';
import { runs, some } from '../../../test/support/seed.ts';
import { WALK_LIFETIME_MS } from '../src/store/codes.ts';
import { codeInput, type Service, startService, startSubscribed } from './support/service.ts';

describe('settings', () => {
  const START = '2026-01-15T12:00:00.250Z';
  /** With the order of codes of which A to C share one `updatedAt`, and D and E a later one. */
  const ORDERS = [
    ['ascending', 'CBAED'],
    ['descending', 'DEABC'],
    ['id', undefined],
  ] as const;

  /** An emulator whose clock moves only when a test moves it. */
  const start = (options: EmulatorOptions): Promise<Service> =>
    startService({ ...options, now: () => Date.parse(START) });

  const list = async ({ call }: Service, query = '') =>
    (await call('GET', `/qr${query}`)).json['data'] as QrCode[];
  const names = async (service: Service, query = '') => (await list(service, query)).map(({ name }) => name);

  test.each(
    some(
      [
        ['ascending', ({ updatedAt }: QrCode) => updatedAt, ['Renamed first', 'Third', 'Second']],
        ['descending', ({ updatedAt }: QrCode) => updatedAt, ['Second', 'Third', 'Renamed first']],
        ['id', ({ id }: QrCode) => id, undefined],
      ] as const,
      1,
    ),
  )('lists codes with listOrder: %s', async (listOrder, key, expected) => {
    const service = await start({ listOrder });
    const first = await service.createCode('First');
    const second = await service.createCode('Second');
    service.emulator.control.rename(first.id, 'Renamed first');
    await service.createCode('Third');
    service.emulator.control.rename(second.id, 'Second again');
    service.emulator.control.rename(second.id, 'Second');
    if (expected !== undefined) expect(await names(service)).toEqual(expected);
    for (let nth = 0; nth < 6; nth++) await service.createCode(`Code ${nth}`);
    const keys = (await list(service)).map(key);
    expect(listOrder === 'descending' ? keys.toReversed() : keys).toEqual(keys.toSorted());
  });

  test.each([
    ['inclusive', 2],
    ['exclusive', 1],
  ] as const)('applies listSince: %s to codes and scans', async (listSince, count) => {
    const service = await start({ listSince, redirectUrl: 'https://qr.example' });
    const first = await service.createCode('First');
    await service.createCode('Second');
    expect(await names(service, `?updatedSince=${first.updatedAt}`)).toHaveLength(count);
    const code = { name: 'Scanned', targetUrl: 'https://example.com/' };
    const scans = [{ scannedAt: START }, { scannedAt: '2026-01-15T12:00:01.000Z' }];
    const scanned = await start({ listSince, seed: { codes: [{ ...code, scans }] } });
    expect((await scanned.call('GET', `/scans?since=${START}`)).json['data']).toHaveLength(count);
  });

  test.each(some(ORDERS, 1))(
    'updatedAtStepMs gives codes changed within it the same updatedAt, with listOrder: %s',
    async (listOrder, expected) => {
      const service = await start({ updatedAtStepMs: 1000, listOrder });
      for (const name of ['A', 'B', 'C']) await service.createCode(name);
      service.emulator.control.clock.advance(1000);
      for (const name of ['D', 'E']) await service.createCode(name);
      const times = new Map((await list(service)).map(({ name, updatedAt }) => [name, updatedAt]));
      const first = '2026-01-15T12:00:00.000Z';
      const second = '2026-01-15T12:00:01.000Z';
      expect(Object.fromEntries(times)).toEqual({ A: first, B: first, C: first, D: second, E: second });
      if (expected !== undefined) expect((await names(service)).join('')).toBe(expected);
      const since = async (time: string) =>
        (await names(service, `?updatedSince=${time}`)).toSorted().join('');
      expect(await since('2026-01-15T12:00:00.001Z')).toBe('DE');
      expect(await since('2026-01-15T12:00:01.001Z')).toBe('');
    },
  );

  test.each(some(ORDERS, 1))(
    'visibleAfterMs delays changes in lists with listOrder: %s, but not in reads by ID',
    async (listOrder) => {
      const service = await start({ visibleAfterMs: 2000, listOrder });
      const { control } = service.emulator;
      const { id } = await service.createCode('Old');
      const listed = async () => [await names(service), await names(service, `?updatedSince=${START}`)];
      control.clock.advance(1999);
      expect(await listed()).toEqual([[], []]);
      expect((await service.call('GET', `/qr/${id}`)).json['name']).toBe('Old');
      control.clock.advance(1);
      expect(await listed()).toEqual([['Old'], ['Old']]);
      control.rename(id, 'New');
      expect(await listed()).toEqual([['Old'], ['Old']]);
      control.clock.advance(2000);
      expect(await listed()).toEqual([['New'], ['New']]);
    },
  );

  test('visibleAfterMs delays scans in their list', async () => {
    const service = await start({ visibleAfterMs: 2000 });
    const { id, publicUrl } = await service.createCode();
    await service.call('POST', `/qr/${id}/publish`);
    const count = async () => ((await service.call('GET', '/scans')).json['data'] as object[]).length;
    await fetch(publicUrl, { redirect: 'manual' });
    service.emulator.control.clock.advance(1999);
    expect(await count()).toBe(0);
    service.emulator.control.clock.advance(1);
    expect(await count()).toBe(1);
  });

  test('readLagMs makes reads by ID return 404 after a creation and old values after a change, but not lists or writes', async () => {
    const service = await start({ readLagMs: 1000 });
    const { control } = service.emulator;
    const { id } = await service.createCode('Old');
    const read = async () => {
      const { status, json } = await service.call('GET', `/qr/${id}`);
      return status === 200 ? json['name'] : json['code'];
    };
    control.clock.advance(999);
    expect([await read(), await names(service)]).toEqual(['not_found', ['Old']]);
    control.clock.advance(1);
    expect(await read()).toBe('Old');
    control.rename(id, 'New');
    expect([await read(), await names(service)]).toEqual(['Old', ['New']]);
    control.clock.advance(1000);
    expect(await read()).toBe('New');
    const late = await service.createCode('Late');
    expect((await service.call('POST', `/qr/${late.id}/publish`)).json).toMatchObject({
      status: 'published',
    });
  });

  test.each([
    [204, ''],
    [200, '"removed":true'],
    [404, '"code":"not_found"'],
    [405, '"code":"method_not_allowed"'],
    [410, '"code":"gone"'],
    [501, '"code":"not_implemented"'],
  ] as const)(
    'unsubscribe: %s is the status of DELETE, which removes the subscription only if it is a success',
    async (status, text) => {
      const { emulator, call } = await start({ unsubscribe: status });
      const body = { url: 'https://hooks.example.com/', eventTypes: ['qr.created'] };
      const { json } = await call('POST', '/webhooks', { body });
      const response = await call('DELETE', `/webhooks/${String(json['id'])}`, { offContract: true });
      expect(response.status).toBe(status);
      expect(response.bytes.toString()).toContain(text);
      expect(emulator.control.subscriptions()).toHaveLength(status < 300 ? 0 : 1);
    },
  );

  test('changeSettings removes scan dimensions while the emulator runs', async () => {
    const { call, createCode, emulator } = await startService();
    const { id, publicUrl } = await createCode();
    await call('POST', `/qr/${id}/publish`);
    await fetch(publicUrl, { redirect: 'manual' });
    emulator.control.changeSettings({ allowedDimensions: ['device'] });
    const { json } = await call('GET', '/scans');
    expect(json['allowedDimensions']).toEqual(['device']);
    expect(Object.keys((json['data'] as object[])[0]!)).toEqual(['id', 'qrId', 'scannedAt', 'device']);
  });

  test.each([
    [true, ['feedback.response_received', 'feedback.low_score_received']],
    [false, ['feedback.response_received']],
  ])('changeSettings sets whether low scores fire a notice: %s', async (lowScoreNotices, expected) => {
    const service = await startSubscribed(undefined, { lowScoreNotices: !lowScoreNotices });
    const { control } = service.emulator;
    control.changeSettings({ lowScoreNotices });
    control.answerFeedback((await service.createCode()).id, 3);
    const fired = control.deliveries().map(({ eventType }) => eventType);
    expect(fired.filter((type) => type.startsWith('feedback.'))).toEqual(expected);
  });

  test.each([
    [{ visibleAfterMs: -1 }, 'visibleAfterMs must be a whole number from 0 to 3600000.'],
    [
      { allowedDimensions: ['contry'] },
      'allowedDimensions[0] must be one of: country, device, os, browser, ',
    ],
    [{ listOrder: 'random' }, 'listOrder must be one of: ascending, descending, id.'],
    [{ color: 'red' }, "color isn't a known field; use one of: allowedDimensions, "],
  ])('rejects the setting %j at the start and in changeSettings', async (given, sentence) => {
    await expect(startEmulator(given as EmulatorOptions)).rejects.toThrow(sentence);
    const { control } = (await startService()).emulator;
    const before = control.settings();
    expect(() => control.changeSettings(given as object)).toThrow(sentence);
    expect(control.settings()).toEqual(before);
  });

  test('rewriteResponse changes any response, errors included, cuts the connection, or leaves the response as it is', async () => {
    const { call, emulator } = await startService({
      rewriteResponse: (draft, { method, path, query, body }) => {
        if (path === '/scans') return undefined;
        if (path === '/me') return { ...draft, json: undefined, bytes: Buffer.from('<html>') };
        if (method === 'POST') return { ...draft, status: 0 };
        const headers = { 'x-seen': JSON.stringify([method, path, query.toString(), body]) };
        return { ...draft, status: draft.status + 1, headers, json: [draft.json] };
      },
    });
    const rewritten = await call('GET', '/qr/none?a=b', { offContract: true });
    expect([rewritten.status, rewritten.headers.get('x-seen')]).toEqual([405, '["GET","/qr/none","a=b",""]']);
    expect(JSON.parse(rewritten.bytes.toString())).toMatchObject([{ code: 'not_found' }]);
    expect(emulator.control.requests().at(-1)?.response.body).toBe(rewritten.bytes.toString());
    expect(await (await fetch(`${emulator.url}/v1/public-api/me`)).text()).toBe('<html>');
    await expect(call('POST', '/qr', { body: codeInput('Cut') })).rejects.toThrow();
    expect((await call('GET', '/scans')).json).toMatchObject({ data: [], pagination: { nextCursor: null } });
  });
});

describe('lists', () => {
  type Query = Record<string, string>;

  interface Page<Row> {
    rows: Row[];
    nextCursor: string | null;
  }

  async function page<Row = QrCode>({ call }: Service, query: Query = {}, path = '/qr'): Promise<Page<Row>> {
    const { status, json } = await call('GET', `${path}?${new URLSearchParams(query).toString()}`);
    if (status !== 200) throw new Error(JSON.stringify(json));
    return { rows: json['data'] as Row[], nextCursor: (json['pagination'] as Page<Row>).nextCursor };
  }

  /** Walks every page. What `during` begins after each but the last runs while the next one is read. */
  async function walk<Row = QrCode>(
    service: Service,
    query: Query = {},
    during: (step: number) => unknown = () => undefined,
    path = '/qr',
  ): Promise<Row[]> {
    let { rows, nextCursor } = await page<Row>(service, query, path);
    for (let step = 0; nextCursor !== null; step++) {
      const edits = during(step);
      const next: Page<Row> = await page<Row>(service, { ...query, cursor: nextCursor }, path);
      await edits;
      rows = [...rows, ...next.rows];
      nextCursor = next.nextCursor;
    }
    return rows;
  }

  const ids = (rows: QrCode[]) => rows.map(({ id }) => id);

  async function createCodes(service: Service, count: number): Promise<QrCode[]> {
    const codes: QrCode[] = [];
    for (let nth = 0; nth < count; nth++) codes.push(await service.createCode(`Code ${nth}`));
    return codes;
  }

  test('returns 50 rows a page by default and 100 at most, and no cursor after the last row', async () => {
    const codes = Array.from({ length: 101 }, (_, nth) => ({
      name: `Code ${nth}`,
      targetUrl: 'https://a.example',
    }));
    const service = await startService({ seed: { codes } });
    expect((await page(service)).rows).toHaveLength(50);
    const { rows, nextCursor } = await page(service, { limit: '100' });
    expect(rows).toHaveLength(100);
    const last = { rows: [{ name: 'Code 100' }], nextCursor: null };
    expect(await page(service, { cursor: nextCursor ?? '', limit: '1' })).toMatchObject(last);
  });

  test('increases updatedAt with every write, even if the clock stands still', async () => {
    const service = await startService({ now: () => Date.parse('2026-01-15T09:00:00Z') });
    const codes = await createCodes(service, 5);
    service.emulator.control.rename(codes[0]!.id, 'Renamed');
    const rows = await walk(service);
    expect(ids(rows)).toEqual([...ids(codes.slice(1)), codes[0]!.id]);
    const times = rows.map(({ updatedAt }) => updatedAt);
    expect(times).toEqual([...new Set(times)].toSorted());
  });

  test('accepts a cursor until a day after the start of the walk', async () => {
    let now = Date.parse('2026-01-15T09:00:00Z');
    const service = await startService({ now: () => now });
    const codes = await createCodes(service, 3);
    // The lifetime counts from the start of the walk, not from the last write.
    now += 3 * WALK_LIFETIME_MS;
    const { nextCursor } = await page(service, { limit: '1' });
    now += WALK_LIFETIME_MS - 1000;
    service.emulator.control.rename(codes[1]!.id, 'Renamed late');
    const rest = await page(service, { cursor: nextCursor ?? '' });
    expect(rest.rows).toMatchObject([{ name: 'Code 1' }, { name: 'Code 2' }]);
    now += 2000;
    const expired = await service.call('GET', `/qr?cursor=${nextCursor ?? ''}`);
    expect(expired).toMatchObject({ status: 422, json: { code: 'invalid_cursor' } });
  });

  test('rejects an unknown cursor, and a cursor sent with another filter', async () => {
    const service = await startService();
    await createCodes(service, 3);
    const cursor = (await page(service, { limit: '1' })).nextCursor ?? '';
    const codeOf = async (path: string) => [path, (await service.call('GET', path)).json['code']];
    const other = Buffer.from('{"kind":"qr","snapshot":1e99,"since":0,"from":0}').toString('base64url');
    const altered = [`${cursor}x`, cursor.slice(0, -4)];
    for (const bad of ['', 'x', ...altered, other, 'eyJraW5kIjoicXIifQ', '%F0%9F%92%A9'])
      expect(await codeOf(`/qr?cursor=${bad}`)).toEqual([`/qr?cursor=${bad}`, 'invalid_cursor']);
    const ofCodes = `/scans?cursor=${cursor}`;
    expect(await codeOf(ofCodes)).toEqual([ofCodes, 'invalid_cursor']);
    const path = `/qr?cursor=${cursor}&updatedSince=2026-01-15T09:00:00Z`;
    expect((await service.call('GET', path)).json).toMatchObject({
      code: 'validation_failed',
      details: { fields: { updatedSince: expect.any(String) } },
    });
  });

  const KINDS = ['create', 'rename', 'publish', 'retarget', 'archive', 'delete'] as const;

  /** An edit of the code at a position, modulo the number of codes. */
  interface Edit {
    kind: (typeof KINDS)[number];
    place: number;
  }

  const edit = fc.record<Edit>({ kind: fc.constantFrom(...KINDS), place: fc.nat(99) });
  const edits = fc.array(edit, { maxLength: 5 });

  /** Edits codes through the API and as the app does, and remembers the deleted ones. */
  function editor({ call, createCode, emulator }: Service, codes: readonly QrCode[]) {
    const deleted = new Set<string>();
    let count = 0;
    async function apply({ kind, place }: Edit): Promise<void> {
      count += 1;
      const id = codes[place % codes.length]!.id;
      if (kind === 'create') await createCode(`New ${count}`);
      else if (deleted.has(id)) return;
      else if (kind === 'rename') emulator.control.rename(id, `Renamed ${count}`);
      else if (kind === 'archive') emulator.control.archive(id);
      else if (kind === 'publish') await call('POST', `/qr/${id}/publish`);
      else if (kind === 'retarget')
        await call('POST', `/qr/${id}/destination`, { body: { url: `https://example.com/${count}` } });
      else {
        deleted.add(id);
        emulator.control.delete(id);
      }
    }
    return { deleted, all: (some: readonly Edit[]) => Promise.all(some.map(apply)) };
  }

  test('lists each code once, in any order, despite edits during the walk', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.record({
          listOrder: fc.constantFrom('ascending', 'descending', 'id'),
          codes: fc.integer({ min: 1, max: 25 }),
          limit: fc.integer({ min: 1, max: 8 }),
          before: edits,
          since: fc.option(fc.nat(24)),
          during: fc.array(edits, { minLength: 1, maxLength: 5 }),
          updatedAtStepMs: fc.constantFrom(1, 20, 3_600_000),
        }),
        async ({ listOrder, codes: count, limit, before, since, during, updatedAtStepMs }) => {
          const service = await startService({ listOrder, updatedAtStepMs });
          const codes = await createCodes(service, count);
          const { deleted, all } = editor(service, codes);
          await all(before);
          const query = since === null ? {} : { updatedSince: codes[since % count]!.updatedAt };

          const atStart = await walk(service, { ...query, limit: '100' });
          const walked = await walk(service, { ...query, limit: String(limit) }, (step) =>
            all(during[step % during.length]!),
          );
          await service.emulator.stop();

          const lasting = (rows: QrCode[]) => rows.filter(({ id }) => !deleted.has(id));
          // A code that is deleted during the walk may have been listed before, as it was then.
          expect(lasting(walked)).toEqual(lasting(atStart));
          expect(atStart).toEqual(expect.arrayContaining(walked));
          expect(new Set(ids(walked)).size).toBe(walked.length);
        },
      ),
      { numRuns: runs(2, 75) },
    );
  });

  test('lists each scan once despite new scans during the walk', async () => {
    const visits = fc.array(fc.integer({ min: 0, max: 4 }), { minLength: 1, maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(
        fc.record({
          before: fc.integer({ min: 1, max: 20 }),
          limit: fc.integer({ min: 1, max: 6 }),
          during: visits,
        }),
        async ({ before, limit, during }) => {
          const service = await startService();
          const { id, publicUrl } = await service.createCode();
          await service.call('POST', `/qr/${id}/publish`);
          const visit = async (times: number) => {
            for (let nth = 0; nth < times; nth++) await fetch(publicUrl, { redirect: 'manual' });
          };
          await visit(before);

          // Later steps add no visits, so that the walk ends.
          const next = (step: number) => visit(during[step] ?? 0);
          const walked = await walk<object>(service, { limit: String(limit) }, next, '/scans');
          const atEnd = await walk<object>(service, { limit: '100' }, undefined, '/scans');
          await service.emulator.stop();

          // A visit after the last page was read belongs to the next walk.
          expect(walked).toEqual(atEnd.slice(0, walked.length));
          expect(walked.length).toBeGreaterThanOrEqual(before);
        },
      ),
      { numRuns: runs(3, 25) },
    );
  });
});

describe('keys', () => {
  test('accepts a key in either header, and refuses others with 401 invalid_api_key', async () => {
    const { call, emulator } = await startService();
    expect((await call('GET', '/me')).status).toBe(200);
    const header = { 'X-Service-API-Key': emulator.apiKey };
    expect((await call('GET', '/me', { apiKey: null, headers: header })).status).toBe(200);
    for (const [apiKey, message] of [
      [null, 'No API key was sent.'],
      ['qrs_nobody', 'No such API key exists.'],
    ] as const) {
      const refused = { status: 401, json: { code: 'invalid_api_key', message } };
      expect(await call('GET', '/me', { apiKey })).toMatchObject(refused);
    }
  });

  test('refuses a revoked key', async () => {
    const { call, emulator } = await startService();
    const { id, apiKey } = emulator.control.createKey({ name: 'Bare', scopes: [] });
    expect((await call('GET', '/me', { apiKey })).json).toMatchObject({ scopes: [], key: { name: 'Bare' } });
    emulator.control.revokeKey(id);
    expect((await call('GET', '/me', { apiKey })).json).toMatchObject({ code: 'invalid_api_key' });
    expect(() => emulator.control.revokeKey(id)).toThrow(`No active API key with ID ${id} was found.`);
  });

  test.each([
    [['127.0.0.1'], 200, undefined],
    [['10.0.0.0/8', '127.0.0.0/8'], 200, undefined],
    [['203.0.113.7'], 403, 'ip_not_allowed'],
    [['2001:db8::/32'], 403, 'ip_not_allowed'],
    [[], 403, 'ip_not_allowed'],
  ])('a key limited to the addresses %j gets %d from 127.0.0.1', async (allowedAddresses, status, code) => {
    const { call, emulator } = await startService();
    const { apiKey } = emulator.control.createKey({ allowedAddresses });
    const response = await call('GET', '/me', { apiKey });
    expect([response.status, response.json['code']]).toEqual([status, code]);
  });

  test('accepts keys given at the start', async () => {
    const keys = [{ apiKey: 'read-only', scopes: ['qr:read' as Scope] }];
    const { call } = await startService({ apiKey: 'my-own-key', keys });
    expect((await call('POST', '/qr', { apiKey: 'my-own-key' })).status).toBe(422);
    expect((await call('POST', '/qr', { apiKey: 'read-only' })).status).toBe(403);
  });

  test.each([
    [{ scopes: ['qr:everything' as Scope] }, 'scopes[0] must be one of: '],
    [{ allowedAddresses: ['10.0.0.0/64'] }, 'allowedAddresses[0] must be an IP address or a CIDR range'],
    [{ allowedAddresses: ['home'] }, 'allowedAddresses[0] must be an IP address or a CIDR range'],
    [{ expiresAt: 'soon' }, 'expiresAt must be a time, in ISO 8601'],
    [{ apiKey: 'with space' }, 'apiKey can contain only printable ASCII characters'],
  ])('refuses to create the key %j', async (key, message) => {
    await expect(startEmulator({ keys: [key] })).rejects.toThrow(`keys[0].${message}`);
  });

  const limits = (headers: Headers) =>
    ['Limit', 'Remaining', 'Reset'].map((name) => Number(headers.get(`X-RateLimit-${name}`) ?? NaN));

  test('returns limit, remaining and seconds to the reset with every response, and 429 above the limit', async () => {
    let now = Date.parse('2026-01-15T09:00:00Z');
    const { call } = await startService({
      now: () => now,
      rateLimit: { limit: 3, windowSeconds: 10 },
    });
    expect(limits((await call('GET', '/me')).headers)).toEqual([3, 2, 10]);
    now += 3500;
    expect(limits((await call('GET', '/nothing')).headers)).toEqual([3, 1, 7]);
    expect(limits((await call('POST', '/qr', { body: {} })).headers)).toEqual([3, 0, 7]);
    const refused = await call('GET', '/me');
    expect(refused).toMatchObject({ status: 429, json: { code: 'rate_limited' } });
    expect(limits(refused.headers)).toEqual([3, 0, 7]);
    expect(refused.headers.get('Retry-After')).toBe('7');
    now += 6500;
    expect(limits((await call('GET', '/me')).headers)).toEqual([3, 2, 10]);
  });

  test('counts each key in its own window, and all requests without a valid key in one', async () => {
    const { call, emulator } = await startService({ rateLimit: { limit: 1, windowSeconds: 60 } });
    const { apiKey } = emulator.control.createKey();
    expect((await call('GET', '/me')).status).toBe(200);
    expect((await call('GET', '/me')).status).toBe(429);
    expect((await call('GET', '/me', { apiKey })).status).toBe(200);
    expect((await call('GET', '/me', { apiKey: 'guess-1' })).status).toBe(401);
    const second = await call('GET', '/me', { apiKey: 'guess-2' });
    expect([second.status, ...limits(second.headers).slice(0, 2)]).toEqual([429, 1, 0]);
  });
});
