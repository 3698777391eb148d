import { readFileSync } from 'node:fs';
import timers from 'node:timers/promises';
import type { EmulatorOptions } from 'qr-service-emulator';
import type { State } from '../src/store/state.ts';
import { settleAhead } from './support/settleAhead.ts';
import { stopReceivers } from './support/receiver.ts';
import { codeInput, startService, stopServices } from './support/service.ts';
import { startSubscribed } from './support/subscribed.ts';
import { removeTempFolders, tempFile } from './support/tempFolder.ts';
import { until } from '../../../test/support/jest/until.ts';

afterEach(async () => {
  await stopServices();
  await stopReceivers();
  removeTempFolders();
});

/** What a database file holds. */
function stored(file: string): State {
  return JSON.parse(readFileSync(file, 'utf8'), (_, value: { $map?: [unknown, unknown][] } | null) =>
    value?.$map === undefined ? value : new Map(value.$map),
  ) as State;
}

const HOUR = 60 * 60 * 1000;
const NOW = Date.parse('2026-01-15T09:00:00Z');

describe('clock', () => {
  test('can be moved and continues from there', async () => {
    let base = Date.parse('2026-01-15T09:00:00Z');
    const { emulator, createCode } = await startService({ now: () => base });
    const { clock } = emulator.control;
    clock.advance(HOUR);
    expect((await createCode()).updatedAt).toBe('2026-01-15T10:00:00.000Z');
    clock.set('2030-05-01T00:00:00Z');
    base += 1000;
    expect(new Date(clock.now()).toISOString()).toBe('2030-05-01T00:00:01.000Z');
  });

  test("sends a pending retry when it is moved past the retry's time", async () => {
    const { emulator, receiver } = await startSubscribed((nth) => (nth === 0 ? 500 : 204), {
      retryBaseMs: HOUR,
    });
    const { control } = emulator;
    control.emit('export.ready');
    await until(() => control.deliveries()[0]?.attempts.length === 1);
    control.clock.advance(HOUR);
    await control.settled();
    expect(receiver.received).toHaveLength(2);
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

  test('does not keep a rate-limit window open forever when it is moved back', async () => {
    const { emulator, call } = await startService({ rateLimit: { limit: 1, windowSeconds: 10 } });
    await call('GET', '/me');
    emulator.control.clock.advance(-HOUR);
    expect((await call('GET', '/me')).status).toBe(200);
  });

  test.each([0.5, NaN, Infinity, 1e20])('throws a TypeError when it is advanced by %d', async (ms) => {
    const { emulator } = await startService({ now: () => NOW });
    expect(() => emulator.control.clock.advance(ms)).toThrow(TypeError);
    expect(() => emulator.control.clock.set('tomorrow')).toThrow(TypeError);
    expect(() => emulator.control.clock.set(8.64e15)).toThrow(TypeError);
    expect(() => emulator.control.clock.set('1969-12-31T23:59:59Z')).toThrow(TypeError);
    expect(emulator.control.clock.now()).toBe(NOW);
  });
});

describe.each<[string, () => EmulatorOptions]>([
  ['in memory', () => ({})],
  ['in a file', () => ({ db: tempFile('emulator.db') })],
])('snapshots %s', (_where, options) => {
  test('restore data, settings, faults, clock and the sequence of IDs', async () => {
    const { emulator, call, createCode } = await startService({
      ...options(),
      idSeed: 'fixed',
      now: () => NOW,
    });
    const { control } = emulator;
    const kept = await createCode('Kept');
    const snapshot = control.snapshot();
    const requests = control.requestCount();

    const change = async () => {
      await call('POST', `/qr/${kept.id}/publish`);
      control.clock.advance(HOUR);
      control.changeSettings({ maxLimit: 5 });
      control.failNext({ match: { path: '/me' } });
      control.failDeliveries({ kind: 'unsigned' });
      control.createKey();
      return (await createCodeThrough()).id;
    };
    const createCodeThrough = async () => {
      control.clearFaults();
      return createCode('Made later');
    };
    const first = await change();
    control.restore(snapshot);

    expect((await call('GET', '/qr')).json['data']).toEqual([kept]);
    expect(control.settings().maxLimit).toBe(100);
    expect((await call('GET', '/me')).status).toBe(200);
    expect(control.requestCount()).toBe(requests + 2);
    expect(control.clock.now()).toBe(NOW);
    // Ids continue from there, too.
    expect(await change()).toBe(first);
    control.restore(snapshot);
    control.restore(snapshot);
    expect((await call('GET', `/qr/${kept.id}`)).json).toEqual(kept);
  });

  test('are not needed for a reset to the state after the start', async () => {
    const seed = { codes: [{ name: 'Seeded', targetUrl: 'https://example.com/' }] };
    const { emulator, call, createCode } = await startService({ ...options(), seed });
    const before = (await call('GET', '/qr')).json;
    const code = await createCode();
    await call('POST', `/qr/${code.id}/publish`);
    await fetch(code.publicUrl, { redirect: 'manual' });
    emulator.control.reset();
    expect(emulator.control.requestCount()).toBe(0);
    expect((await call('GET', '/qr')).json).toEqual(before);
    expect((await call('GET', '/scans')).json['data']).toEqual([]);
    expect((await createCode()).slug).toMatch(/^table-4-/);
  });

  test('are dropped after 20 newer ones', async () => {
    const { emulator } = await startService(options());
    const { control } = emulator;
    const [first, second] = Array.from({ length: 21 }, () => control.snapshot());
    expect(() => control.restore(first!)).toThrow('No snapshot with ID snapshot_1 was found;');
    control.restore(second!);
  });
});

test('forgets a delivery under way at a reset and does not wait for it', async () => {
  const { emulator, receiver, subscribe } = await startSubscribed((nth) => (nth === 0 ? null : 204));
  const { control } = emulator;
  control.emit('export.ready', { nth: 1 });
  await until(() => receiver.received.length > 0);
  control.reset();
  await control.settled();
  expect([control.deliveries(), control.subscriptions()]).toEqual([[], []]);
  await subscribe();
  control.emit('export.ready', { nth: 2 });
  await control.settled();
  expect(control.deliveries()).toMatchObject([{ status: 'delivered', tries: 1 }]);
});

test('cuts delayed requests at a reset: they do not change or hold anything afterwards', async () => {
  const { call, emulator } = await startService();
  const { control } = emulator;
  const code = { headers: { 'Idempotency-Key': 'a' }, body: codeInput('Late') };
  control.failNext({ delayMs: 3_600_000, times: 2 });
  const sleep = jest.spyOn(timers, 'setTimeout');
  const delayed = [call('POST', '/qr', code), call('GET', '/qr')].map((request) =>
    request.catch(() => 'cut'),
  );
  await until(() => sleep.mock.calls.length === 2);
  sleep.mockRestore();
  control.reset();
  expect(await Promise.all(delayed)).toEqual(['cut', 'cut']);
  expect(control.requestCount()).toBe(0);
  expect((await call('GET', '/qr')).json['data']).toEqual([]);
  expect((await call('POST', '/qr', code)).status).toBe(201);
});

test('sends a delivery again when a snapshot is restored in which it was pending', async () => {
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

describe('idSeed', () => {
  /** Everything in a run that the emulator generates. */
  async function run(options: EmulatorOptions): Promise<unknown[]> {
    const { emulator, createCode, secret, call } = await startSubscribed(undefined, options);
    const code = await createCode();
    await call('GET', '/me');
    const { requestId } = (await call('GET', '/qr/none')).json;
    const second = await createCode();
    const { control, apiKey, workspace } = emulator;
    await control.settled();
    const deliveries = control
      .deliveries()
      .slice(-2)
      .map(({ id, eventId }) => [id, eventId]);
    await stopServices();
    return [apiKey, workspace.id, secret, code.id, code.slug, second.id, second.slug, requestId, deliveries];
  }

  test('repeats IDs and secrets for the same seed and calls, and only then', async () => {
    const first = await run({ idSeed: 'one' });
    expect(await run({ idSeed: 'one' })).toEqual(first);
    const others = [await run({ idSeed: 'two' }), await run({})].flat(3);
    expect(others.filter((id) => first.flat(3).includes(id))).toEqual([]);
  });

  test('creates new IDs at the next start on a database file, the same ones for the same seed', async () => {
    const [db, other] = [tempFile('emulator.db'), tempFile('emulator.db')];
    const ids = [await run({ db, idSeed: 'one' }), await run({ db, idSeed: 'one' })];
    expect(ids[1]!.flat(3).filter((id) => ids[0]!.flat(3).includes(id))).toEqual([ids[0]![1]]);
    expect([await run({ db: other, idSeed: 'one' }), await run({ db: other, idSeed: 'one' })]).toEqual(ids);
  });
});

describe('retention', () => {
  test('drops idempotent responses and code versions after a day', async () => {
    const db = tempFile('emulator.db');
    const { emulator, call, createCode } = await startService({ db });
    const { id } = await createCode();
    const withKey = (key: string) =>
      call('POST', '/qr', { headers: { 'Idempotency-Key': key }, body: codeInput('One') });
    await withKey('a');
    emulator.control.rename(id, 'Second name');
    emulator.control.clock.advance(24 * HOUR + 60_000);
    emulator.control.rename(id, 'Third name');
    await withKey('b');
    await stopServices();

    const { history, idempotency } = stored(db);
    expect(history.map(({ name }) => name)).toEqual(['Second name']);
    expect([...idempotency.keys()]).toEqual([expect.stringMatching(/ b$/)]);
  });
});
