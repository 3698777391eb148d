import { readFileSync, writeFileSync } from 'node:fs';
import { startEmulator, type EmulatorOptions } from 'qr-service-emulator';
import { codeInput, startService, startSubscribed, tempFile } from './support/service.ts';
import { settleAhead } from './support/time.ts';

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

  test('throws a TypeError for a time that is none, and stays', async () => {
    const { clock } = (await startService({ now: () => NOW })).emulator.control;
    for (const ms of [0.5, NaN, 1e20]) expect(() => clock.advance(ms)).toThrow(TypeError);
    for (const time of ['tomorrow', 8.64e15, '1969-12-31T23:59:59Z'])
      expect(() => clock.set(time)).toThrow(TypeError);
    expect(clock.now()).toBe(NOW);
  });
});

describe('snapshots', () => {
  test('restore data, settings, faults, clock and the sequence of IDs, as often as wanted', async () => {
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

  test('are not needed for a reset to the state after the start', async () => {
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

  test('bring back a pending delivery, which is sent again', async () => {
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
  for (let nth = 0; nth < 505; nth++) await (await fetch(`${emulator.url}/r/${nth}`)).body?.cancel();
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
    const [code, second] = [await createCode(), await createCode()];
    const { requestId } = (await call('GET', '/qr/none')).json;
    const { control, apiKey, workspace } = emulator;
    await control.settled();
    const deliveries = control.deliveries().slice(-2);
    await emulator.stop();
    return [
      workspace.id,
      ...[apiKey, secret, code.id, code.slug, second.id, second.slug, String(requestId)],
      ...deliveries.flatMap(({ id, eventId }) => [id, eventId]),
    ];
  }

  test('repeats IDs and secrets for the same seed and calls, and only then', async () => {
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
