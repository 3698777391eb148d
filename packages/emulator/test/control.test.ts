import { readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { type Control, startEmulator, type EmulatorOptions } from 'qr-service-emulator';
import { until } from '../../../test/support/jest/until.ts';
import { readAs } from './support/inspector.ts';
import { type Service, startService, startSubscribed, codeInput, tempFile } from './support/service.ts';
import { settleAhead } from './support/time.ts';

describe('control', () => {
  interface ControlResponse {
    status: number;
    // oxlint-disable-next-line typescript/no-explicit-any -- each test knows what it requested
    json: any;
  }

  /** Calls a method of the control over HTTP, without a key. */
  function rpcOf({ emulator }: Service) {
    return async (method: string, ...args: unknown[]): Promise<ControlResponse> => {
      const body = args.length === 0 ? {} : { body: JSON.stringify(args) };
      const response = await fetch(`${emulator.url}/_emulator/${method}`, { method: 'POST', ...body });
      return { status: response.status, json: await response.json() };
    };
  }

  test('lists every method of control with its arguments', async () => {
    const { emulator } = await startService();
    const listed = (await (await fetch(`${emulator.url}/_emulator`)).json()) as Record<string, string[]>;
    const { clock, ...control } = emulator.control;
    const clockMethods = Object.keys(clock).map((name) => `clock.${name}`);
    expect(Object.keys(listed).toSorted()).toEqual([...Object.keys(control), ...clockMethods].toSorted());
    expect(listed['rename']).toEqual(['qrId', 'name']);
  });

  test('changes codes, keys, faults and settings', async () => {
    const service = await startSubscribed();
    const rpc = rpcOf(service);
    const { id } = await service.createCode();
    const { control } = service.emulator;
    const requests = control.requestCount();
    for (const [method, ...args] of [['rename', 'Renamed'], ['archive'], ['unarchive']])
      expect(await rpc(method!, id, ...args)).toEqual({ status: 200, json: null });
    expect((await service.call('GET', `/qr/${id}`)).json).toMatchObject({ name: 'Renamed', status: 'draft' });
    expect((await rpc('answerFeedback', id, 3)).json).toMatch(/^resp_/);
    await rpc('delete', id);
    // The service's requests only.
    expect(control.requestCount()).toBe(requests + 1);
    expect(await rpc('delete', id)).toEqual({
      status: 404,
      json: { error: `No QR code with ID ${id} was found.` },
    });

    const key = (await rpc('createKey', { scopes: ['qr:read'] })).json as ReturnType<Control['createKey']>;
    const withKey = async () => (await service.call('GET', '/qr', { apiKey: key.apiKey })).status;
    expect(await withKey()).toBe(200);
    await rpc('revokeKey', key.id);
    expect(await withKey()).toBe(401);

    await rpc('failNext', { code: 'quota_exceeded', match: { path: '/me' }, times: null });
    for (let nth = 0; nth < 2; nth++) expect((await service.call('GET', '/me')).status).toBe(403);
    await rpc('clearFaults');
    expect((await service.call('GET', '/me')).status).toBe(200);
    await rpc('changeSettings', { maxLimit: 7 });
    expect((await rpc('settings')).json).toMatchObject({ maxLimit: 7, listOrder: 'ascending' });
  });

  test('sends events and redelivers deliveries', async () => {
    const service = await startSubscribed();
    const rpc = rpcOf(service);
    const event = (await rpc('emit', 'export.ready', { exportId: 'e1' })).json;
    expect(event).toMatchObject({ type: 'export.ready', data: { exportId: 'e1' } });
    expect((await rpc('settled')).json).toEqual([]);
    const [delivery] = (await rpc('deliveries')).json;
    expect(delivery).toMatchObject({ eventId: event.id, status: 'delivered', attempts: [{ status: 204 }] });
    expect((await rpc('redeliver', delivery.id)).json).toBe(delivery.id);
    await rpc('settled');
    expect((await rpc('redeliver', delivery.id, { newDeliveryId: true })).json).not.toBe(delivery.id);
    await rpc('settled');
    expect(service.receiver.received).toHaveLength(3);
    expect((await rpc('subscriptions')).json).toMatchObject([{ secret: service.secret }]);
  });

  test('settled returns the deliveries that are still pending when its timeout ends', async () => {
    const service = await startSubscribed(() => 500, { retryBaseMs: 3_600_000 });
    const { control } = service.emulator;
    await service.createCode();
    await until(() => control.deliveries()[0]?.tries === 1);
    const pending = control.deliveries()[0]!;
    expect(pending).toMatchObject({ eventType: 'qr.created', status: 'pending', tries: 1 });
    expect((await rpcOf(service)('settled', { timeoutMs: 1 })).json).toEqual([pending]);
    const waiting = control.settled({ timeoutMs: 600_000 });
    await service.call('DELETE', `/webhooks/${pending.subscriptionId}`);
    control.clock.advance(1);
    expect(await waiting).toEqual([]);
  });

  const DEEP = `${'['.repeat(9e4)}${']'.repeat(9e4)}`;
  test.each<[method: string, status: number, sentence: string, body: string]>([
    ['failNext', 400, 'fault.code must be one of: invalid_api_key, ', '[{"code":"gremlins"}]'],
    ['failNext', 400, 'fault.times must be a whole number from 1 to 1000000000.', '[{"times":0}]'],
    ['failNext', 400, "fault.match.a isn't a known field; use one of: method,", '[{"match":{"a":1}}]'],
    ['failDeliveries', 400, 'fault.kind must be one of: wrong secret, ', '[{"kind":"lost"}]'],
    ['emit', 400, 'type must be one of: qr.created, ', '["qr.eaten"]'],
    ['emit', 400, 'data can be nested at most 100 levels', `["qr.created",{"a":${DEEP}}]`],
    ['emit', 400, 'The body must be a JSON array of the arguments: [type, data].', '{}'],
    ['clock.set', 400, 'to a time between 1970 and 9998', '["+275760-09-13T00:00:00Z"]'],
    ['createKey', 400, 'options.allowedAddresses[0] must be an IP address', '[{"allowedAddresses":["a"]}]'],
    ['settled', 400, 'options.timeoutMs must be a whole number from 0 to 600000.', '[{"timeoutMs":600001}]'],
    ['reset', 400, 'The body must be a JSON array of the arguments: [].', '[{"hard":true}]'],
    ['restore', 404, 'No snapshot with ID none was found;', '[{"id":"none"}]'],
    ['gremlins', 404, 'Unknown method gremlins. Use one of: createKey, ', ''],
    ['constructor', 404, 'Unknown method constructor. Use one of: createKey, ', ''],
  ])('rejects invalid arguments of %s: %d %s', async (method, status, sentence, body) => {
    const { emulator } = await startService();
    const response = await fetch(`${emulator.url}/_emulator/${method}`, { method: 'POST', body });
    const error = expect.stringContaining(sentence) as string;
    expect([response.status, await response.json()]).toEqual([status, { error }]);
  });

  test.each([
    [403, 'a foreign host name that resolves to this machine', { Host: 'attacker.example.com' }],
    [403, 'a page of another site', { Origin: 'https://attacker.example.com' }],
    [403, 'a page of another local server', { Origin: 'http://127.0.0.1:1' }],
    [403, 'a sandboxed page', { Origin: 'null' }],
    [403, 'a cross-site request without an origin', { 'Sec-Fetch-Site': 'cross-site' }],
    [200, 'localhost', { Host: 'localhost:4010' }],
    [200, 'an IP address', { Host: '127.0.0.1:4010' }],
    [
      200,
      'its own pages',
      { Host: 'localhost', Origin: 'http://localhost', 'Sec-Fetch-Site': 'same-origin' },
    ],
  ] as [number, string, Record<string, string>][])('returns %s for %s', async (status, _what, headers) => {
    const { emulator } = await startService();
    expect((await readAs(`${emulator.url}/_emulator/reset`, headers, 'POST')).status).toBe(status);
  });
});

describe('state', () => {
  const HOUR = 60 * 60 * 1000;
  const NOW = Date.parse('2026-01-15T09:00:00Z');

  describe('clock', () => {
    test('can be moved and continues from there', async () => {
      let base = NOW;
      const { emulator, createCode } = await startService({ now: () => base });
      const { clock } = emulator.control;
      clock.advance(HOUR);
      expect((await createCode()).updatedAt).toBe('2026-01-15T10:00:00.000Z');
      clock.set('2030-05-01T00:00:00Z');
      base += 1000;
      expect(new Date(clock.now()).toISOString()).toBe('2030-05-01T00:00:01.000Z');
    });

    test('expires keys, rate-limit windows and, after 24 hours, idempotency keys', async () => {
      const { emulator, call } = await startService({ rateLimit: { limit: 3, windowSeconds: 60 } });
      const { control } = emulator;
      const { apiKey } = control.createKey({ expiresAt: control.clock.now() + HOUR });
      expect((await call('GET', '/me', { apiKey })).status).toBe(200);
      const once = (name: string) =>
        call('POST', '/qr', { headers: { 'Idempotency-Key': 'k' }, body: codeInput(name) });
      expect((await once('One')).status).toBe(201);
      expect((await once('Two')).json['code']).toBe('idempotency_conflict');
      await call('GET', '/me');
      expect((await call('GET', '/me')).status).toBe(429);
      control.clock.advance(61_000);
      expect((await call('GET', '/me')).status).toBe(200);
      control.clock.advance(24 * HOUR);
      expect((await once('Two')).status).toBe(201);
      expect((await call('GET', '/me', { apiKey })).json['code']).toBe('invalid_api_key');
    });

    test('throws a TypeError for an invalid time and keeps its time', async () => {
      const { clock } = (await startService({ now: () => NOW })).emulator.control;
      for (const ms of [0.5, NaN, 1e20]) expect(() => clock.advance(ms)).toThrow(TypeError);
      for (const time of ['tomorrow', 8.64e15, '1969-12-31T23:59:59Z'])
        expect(() => clock.set(time)).toThrow(TypeError);
      expect(clock.now()).toBe(NOW);
    });
  });

  describe('snapshots', () => {
    test('restore data, settings, faults, clock and the sequence of IDs, any number of times', async () => {
      const { emulator, call, createCode } = await startService({ idSeed: 'fixed', now: () => NOW });
      const { control } = emulator;
      const kept = await createCode('Kept');
      const snapshot = control.snapshot();
      const requests = control.requestCount();
      const change = async () => {
        await call('POST', `/qr/${kept.id}/publish`);
        const { id } = await createCode('Made later');
        control.clock.advance(HOUR);
        control.changeSettings({ maxLimit: 5 });
        control.failNext({ match: { path: '/me' } });
        control.failDeliveries({ kind: 'unsigned' });
        return [id, control.createKey().apiKey];
      };
      const first = await change();
      control.restore(snapshot);

      expect((await call('GET', '/qr')).json['data']).toEqual([kept]);
      expect(control.settings().maxLimit).toBe(100);
      expect((await call('GET', '/me')).status).toBe(200);
      expect([control.requestCount(), control.clock.now()]).toEqual([requests + 2, NOW]);
      expect(await change()).toEqual(first);
      control.restore(snapshot);
      control.restore(snapshot);
      expect((await call('GET', `/qr/${kept.id}`)).json).toEqual(kept);
    });

    test("aren't needed to reset to the state after the start", async () => {
      const seed = { codes: [{ name: 'Seeded', targetUrl: 'https://example.com/' }] };
      const { emulator, call, createCode } = await startService({ seed, visibleAfterMs: 0, maxLimit: 50 });
      const before = (await call('GET', '/qr')).json;
      const code = await createCode();
      await call('POST', `/qr/${code.id}/publish`);
      await fetch(code.publicUrl, { redirect: 'manual' });
      emulator.control.changeSettings({ maxLimit: 5 });
      emulator.control.reset();
      expect(emulator.control.requestCount()).toBe(0);
      expect(emulator.control.settings().maxLimit).toBe(50);
      expect((await call('GET', '/qr')).json).toEqual(before);
      expect((await call('GET', '/scans')).json['data']).toEqual([]);
      expect((await createCode()).slug).toMatch(/^table-4-/);
    });

    test('restore a pending delivery, which is then sent again', async () => {
      const { emulator, receiver } = await startSubscribed((nth) => (nth === 0 ? 500 : 204), {
        retryBaseMs: HOUR,
      });
      const { control } = emulator;
      control.emit('export.ready');
      const snapshot = control.snapshot();
      await settleAhead(control);
      control.restore(snapshot);
      await settleAhead(control);
      expect(receiver.received).toHaveLength(3);
      expect(control.deliveries()).toMatchObject([{ status: 'delivered', tries: 1 }]);
    });
  });

  test('keeps the latest 500 requests and counts all', async () => {
    const { emulator } = await startService();
    const { hostname, port, host } = new URL(emulator.url);
    const socket = connect(Number(port), hostname);
    const request = (nth: number) => `GET /r/${nth} HTTP/1.1\r\nHost: ${host}\r\n\r\n`;
    socket.write(Array.from({ length: 505 }, (_, nth) => request(nth)).join(''));
    await until(() => emulator.control.requestCount() === 505);
    socket.destroy();
    const requests = emulator.control.requests();
    expect(requests).toHaveLength(500);
    expect(requests[0]).toMatchObject({ method: 'GET', path: '/r/5', status: 404 });
    expect(requests.at(-1)).toMatchObject({ path: '/r/504' });
    expect(emulator.control.requestCount()).toBe(505);
  });

  describe('idSeed', () => {
    /** Everything in a run that the emulator generates. */
    async function run(options: EmulatorOptions): Promise<string[]> {
      const { emulator, createCode, secret, call } = await startSubscribed(undefined, options);
      const first = await createCode();
      const second = await createCode();
      const { requestId } = (await call('GET', '/qr/none')).json;
      const { control, apiKey, workspace } = emulator;
      await control.settled();
      const deliveries = control.deliveries().slice(-2);
      await emulator.stop();
      const ofCodes = [first, second].flatMap(({ id, slug }) => [id, slug]);
      const ofDeliveries = deliveries.flatMap(({ id, eventId }) => [id, eventId]);
      return [workspace.id, apiKey, secret, String(requestId), ...ofCodes, ...ofDeliveries];
    }

    test('generates the same IDs and secrets for the same seed and calls, and new ones for any other seed', async () => {
      const first = await run({ idSeed: 'one' });
      expect(await run({ idSeed: 'one' })).toEqual(first);
      const others = [await run({ idSeed: 'two' }), await run({})].flat();
      expect(others.filter((id) => first.includes(id))).toEqual([]);
    });
  });

  describe('database file', () => {
    test('keeps codes, keys, scans, the workspace and idempotent responses across a restart, but no key in plain text', async () => {
      const db = tempFile('emulator.json');
      const before = await startService({ db });
      const code = await before.createCode();
      await before.call('POST', `/qr/${code.id}/publish`);
      await fetch(code.publicUrl, { redirect: 'manual' });
      const { apiKey, workspace } = before.emulator;
      const once = { apiKey, headers: { 'Idempotency-Key': 'a' }, body: codeInput('One') };
      const created = await before.call('POST', '/qr', once);
      const scans = (await before.call('GET', '/scans')).json;
      await before.emulator.stop();
      expect(readFileSync(db).includes(apiKey)).toBe(false);

      const after = await startService({ db });
      expect(after.emulator.workspace).toEqual(workspace);
      expect(after.emulator.apiKey).not.toBe(apiKey);
      expect((await after.call('GET', `/qr/${code.id}`, { apiKey })).json).toMatchObject({
        status: 'published',
      });
      expect((await after.call('GET', '/scans')).json).toEqual(scans);
      const replayed = await after.call('POST', '/qr', once);
      expect(replayed.headers.get('Idempotency-Replayed')).toBe('true');
      expect(replayed.json).toEqual(created.json);
      expect(Date.parse((await after.createCode()).updatedAt)).toBeGreaterThan(Date.parse(code.updatedAt));
    });

    const FORMAT = '"format": "qr-service-emulator"';
    test.each([
      ['JSON of another program', '{"invoices": []}', "isn't one of this emulator; choose another file, or"],
      [
        'a later version',
        `{${FORMAT}, "version": 99}`,
        'was created by another version of the emulator; choose',
      ],
    ])('with %s is refused and left unchanged', async (_what, text, sentence) => {
      const db = tempFile('other.json');
      writeFileSync(db, text);
      await expect(startEmulator({ db })).rejects.toMatchObject({
        name: 'DatabaseFileError',
        message: expect.stringContaining(`The database file ${db} ${sentence}`) as string,
      });
      expect(readFileSync(db, 'utf8')).toBe(text);
    });
  });
});

describe('the log', () => {
  async function start(options: EmulatorOptions = {}) {
    const lines: string[] = [];
    const service = await startService({ ...options, log: (line) => lines.push(line) });
    return { ...service, lines, control: service.emulator.control };
  }
  type Started = Awaited<ReturnType<typeof start>>;

  const wrong = { ...codeInput('X'), content: { targetUrl: 'x' } };
  test.each<[string, (service: Started) => Promise<unknown>, string]>([
    ['success', ({ call }) => call('GET', '/me'), 'GET /me → 200'],
    [
      'one field',
      ({ call }) => call('POST', '/qr', { body: wrong }),
      'POST /qr → 422 validation_failed (content.targetUrl)',
    ],
    ['a cursor', ({ call }) => call('GET', '/qr?cursor=x'), 'GET /qr?cursor=x → 422 invalid_cursor'],
    [
      'a missing scope',
      ({ call, control }) => {
        control.createKey({ apiKey: 'reader', scopes: ['exports:read'] });
        return call('GET', '/qr', { apiKey: 'reader' });
      },
      'GET /qr → 403 insufficient_scope (qr:read)',
    ],
    [
      'a fault',
      ({ call, control }) => {
        control.failNext({ code: 'quota_exceeded' });
        return call('GET', '/me', { offContract: true });
      },
      'GET /me → 403 quota_exceeded',
    ],
    [
      'a cut connection',
      ({ call, control }) => {
        control.failNext({ drop: 'before' });
        return call('GET', '/me').catch(() => undefined);
      },
      'GET /me → connection cut',
    ],
  ])('logs %s on one line', async (_what, work, line) => {
    const service = await start();
    await work(service);
    expect(service.lines).toEqual([line.replace(' ', ' /v1/public-api')]);
  });

  test.each<[string, EmulatorOptions, string]>([
    [
      'https://n8n.example.com/webhook',
      { connectTo: { 'n8n.example.com': '127.0.0.1:1' } },
      '--connect-to sends deliveries for n8n.example.com to 127.0.0.1:1: start the receiver there.',
    ],
    [
      'https://no-such-host.example.com:8443/in',
      {},
      'If no-such-host.example.com:8443 runs on this machine, restart the emulator with --connect-to no-such-host.example.com:8443=127.0.0.1:<port>.',
    ],
  ])('says once what to do when %s cannot be reached', async (url, options, hint) => {
    const { call, control, lines } = await start(options);
    await call('POST', '/webhooks', { body: { url, eventTypes: ['export.ready'] } });
    control.emit('export.ready');
    await settleAhead(control);
    const attempts = lines.filter((line) => line.startsWith('delivery '));
    expect(attempts).toHaveLength(7);
    expect(attempts.map((line) => line.endsWith(`. ${hint}`))).toEqual([
      true,
      ...Array<boolean>(6).fill(false),
    ]);
  });
});
