import { codeInput, startService, stopServices, type ApiRequest } from './support/service.ts';
import { holdSlowRequests } from './support/slowRequests.ts';
import { removeTempFolders, tempFile } from './support/tempFolder.ts';
import { until } from '../../../test/support/jest/until.ts';

afterEach(async () => {
  await stopServices();
  removeTempFolders();
});

const withKey = (key: string, body?: unknown): ApiRequest => ({
  headers: { 'Idempotency-Key': key },
  ...(body === undefined ? {} : { body }),
});

test('replays the first response to a repeated request and acts once', async () => {
  const { call } = await startService();
  const first = await call('POST', '/qr', withKey('a', codeInput('Once')));
  expect(first.headers.get('Idempotency-Replayed')).toBeNull();
  const again = await call('POST', '/qr', withKey('a', codeInput('Once')));
  expect(again.headers.get('Idempotency-Replayed')).toBe('true');
  expect(again.headers.get('Content-Type')).toBe('application/json');
  expect(again.status).toBe(201);
  expect(again.bytes.equals(first.bytes)).toBe(true);
  expect((await call('GET', '/qr')).json['data']).toHaveLength(1);
});

test('returns the same secret when the same subscription is requested again', async () => {
  const { call, emulator } = await startService();
  const input = { url: 'https://hooks.example.com/', eventTypes: ['qr.created'] };
  const first = await call('POST', '/webhooks', withKey('a', input));
  const again = await call('POST', '/webhooks', withKey('a', input));
  expect(again.json['secret']).toBe(first.json['secret']);
  expect(emulator.control.subscriptions()).toHaveLength(1);
});

test('replays publish and destination as first returned, even if the code has changed', async () => {
  const { call, createCode, emulator } = await startService();
  const { id } = await createCode();
  const first = await call('POST', `/qr/${id}/publish`, withKey('a'));
  emulator.control.rename(id, 'Renamed');
  expect((await call('POST', `/qr/${id}/publish`, withKey('a'))).json).toEqual(first.json);
});

describe.each([
  ['replayed', ['replay', 'conflict'], ['replay', 'conflict']],
  ['refusals not replayed', ['replay', 'conflict'], ['new', 'new']],
  ['ignored', ['new', 'new'], ['new', 'new']],
] as const)('with the mode %s', (idempotency, afterSuccess, afterRefusal) => {
  test.each([
    ['success', codeInput('Once'), codeInput('Other'), afterSuccess],
    ['refusal', {}, { name: 4 }, afterRefusal],
  ])('handles a key that is sent again after a %s', async (_what, input, other, expected) => {
    const { call } = await startService({ idempotency });
    const first = await call('POST', '/qr', withKey('a', input));
    const outcomes: string[] = [];
    for (const body of [input, other]) {
      const again = await call('POST', '/qr', withKey('a', body));
      const isConflict = again.status === 409 && again.json['code'] === 'idempotency_conflict';
      const isReplay = again.bytes.equals(first.bytes);
      expect(again.headers.get('Idempotency-Replayed')).toBe(isReplay ? 'true' : null);
      if (!isConflict) expect(again.status).toBe(first.status);
      outcomes.push(isConflict ? 'conflict' : isReplay ? 'replay' : 'new');
    }
    expect(outcomes).toEqual(expected);
  });
});

test.each([
  ['other input', '/qr', codeInput('Two')],
  ['another route', '/webhooks', codeInput('One')],
])('returns 409 idempotency_conflict for the same key with %s', async (_what, path, body) => {
  const { call } = await startService();
  await call('POST', '/qr', withKey('a', codeInput('One')));
  expect(await call('POST', path, withKey('a', body))).toMatchObject({
    status: 409,
    json: { code: 'idempotency_conflict' },
  });
  expect((await call('GET', '/qr')).json['data']).toHaveLength(1);
});

test('keeps idempotency keys of different API keys apart', async () => {
  const { call, emulator } = await startService();
  const { apiKey } = emulator.control.createKey();
  await call('POST', '/qr', withKey('a', codeInput('One')));
  expect((await call('POST', '/qr', { ...withKey('a', codeInput('Two')), apiKey })).status).toBe(201);
});

test('while the first request runs, returns 409 in progress for the same input and 409 conflict for another', async () => {
  const { call, emulator } = await startService();
  const slow = holdSlowRequests();
  emulator.control.failNext({ delayMs: 300 });
  const first = call('POST', '/qr', withKey('a', codeInput('One')));
  await until(() => slow.delays.length > 0);
  const [same, other, free] = await Promise.all([
    call('POST', '/qr', withKey('a', codeInput('One'))),
    call('POST', '/qr', withKey('a', codeInput('Two'))),
    call('POST', '/qr', withKey('b', codeInput('Three'))),
  ]);
  expect(same).toMatchObject({ status: 409, json: { code: 'idempotency_in_progress' } });
  expect(other).toMatchObject({ status: 409, json: { code: 'idempotency_conflict' } });
  expect(free.status).toBe(201);
  slow.release();
  expect((await first).status).toBe(201);
  const after = await call('POST', '/qr', withKey('a', codeInput('One')));
  expect(after.headers.get('Idempotency-Replayed')).toBe('true');
});

test('replays a response that was lost after the work was done', async () => {
  const { call, emulator } = await startService();
  emulator.control.failNext({ drop: 'after' });
  await expect(call('POST', '/qr', withKey('a', codeInput('One')))).rejects.toThrow();
  expect((await call('POST', '/qr', withKey('a', codeInput('One')))).status).toBe(201);
  expect((await call('GET', '/qr')).json['data']).toHaveLength(1);
});

test('does not replay a 5xx', async () => {
  const { call, emulator } = await startService();
  emulator.control.failNext({ status: 503 });
  expect((await call('POST', '/qr', withKey('a', codeInput('One')))).status).toBe(503);
  const again = await call('POST', '/qr', withKey('a', codeInput('One')));
  expect(again.status).toBe(201);
  expect(again.headers.get('Idempotency-Replayed')).toBeNull();
});

test('replays responses after a restart on a database file', async () => {
  const db = tempFile('emulator.db');
  const before = await startService({ db, apiKey: 'kept' });
  const first = await before.call('POST', '/qr', withKey('a', codeInput('One')));
  await stopServices();
  const after = await startService({ db, apiKey: 'kept' });
  const again = await after.call('POST', '/qr', withKey('a', codeInput('One')));
  expect(again.headers.get('Idempotency-Replayed')).toBe('true');
  expect(again.json).toEqual(first.json);
});

test('accepts the key for another request after 24 hours', async () => {
  let now = Date.parse('2026-01-15T09:00:00Z');
  const { call } = await startService({ now: () => now });
  const first = await call('POST', '/qr', withKey('a', codeInput('One')));
  now += 24 * 60 * 60 * 1000 - 1;
  expect((await call('POST', '/qr', withKey('a', codeInput('One')))).json['id']).toBe(first.json['id']);
  now += 1;
  const fresh = await call('POST', '/qr', withKey('a', codeInput('Two')));
  expect(fresh.status).toBe(201);
  expect(fresh.json['id']).not.toBe(first.json['id']);
});

test('ignores an empty key', async () => {
  const { call } = await startService();
  const ids = [1, 2].map(async () => (await call('POST', '/qr', withKey('', codeInput('One')))).json['id']);
  expect(new Set(await Promise.all(ids)).size).toBe(2);
});
