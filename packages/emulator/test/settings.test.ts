import type { QrCode } from '@qr-service/core';
import { startEmulator, type EmulatorOptions } from 'qr-service-emulator';
import { codeInput, type Service, startService, startSubscribed } from './support/service.ts';

const START = '2026-01-15T12:00:00.250Z';
const ORDERS = ['ascending', 'descending', 'id'] as const;

/** An emulator whose clock moves only when a test moves it. */
const start = (options: EmulatorOptions): Promise<Service> =>
  startService({ ...options, now: () => Date.parse(START) });

const list = async ({ call }: Service, query = '') =>
  (await call('GET', `/qr${query}`)).json['data'] as QrCode[];
const names = async (service: Service, query = '') => (await list(service, query)).map(({ name }) => name);

test.each([
  ['ascending', ({ updatedAt }: QrCode) => updatedAt, ['Renamed first', 'Third', 'Second']],
  ['descending', ({ updatedAt }: QrCode) => updatedAt, ['Second', 'Third', 'Renamed first']],
  ['id', ({ id }: QrCode) => id, undefined],
] as const)('listOrder: %s', async (listOrder, key, expected) => {
  const service = await start({ listOrder });
  const [first, second] = [await service.createCode('First'), await service.createCode('Second')];
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
] as const)('listSince is %s for codes and scans', async (listSince, count) => {
  const service = await start({ listSince, redirectUrl: 'https://qr.example' });
  const [first] = [await service.createCode('First'), await service.createCode('Second')];
  expect(await names(service, `?updatedSince=${first.updatedAt}`)).toHaveLength(count);
  const code = { name: 'Scanned', targetUrl: 'https://example.com/' };
  const scans = [{ scannedAt: START }, { scannedAt: '2026-01-15T12:00:01.000Z' }];
  const scanned = await start({ listSince, seed: { codes: [{ ...code, scans }] } });
  expect((await scanned.call('GET', `/scans?since=${START}`)).json['data']).toHaveLength(count);
});

test.each(ORDERS)('codes changed within updatedAtStepMs share a time, in %s order', async (listOrder) => {
  const service = await start({ updatedAtStepMs: 1000, listOrder });
  for (const name of ['A', 'B', 'C']) await service.createCode(name);
  service.emulator.control.clock.advance(1000);
  for (const name of ['D', 'E']) await service.createCode(name);
  const times = new Map((await list(service)).map(({ name, updatedAt }) => [name, updatedAt]));
  const [first, second] = ['2026-01-15T12:00:00.000Z', '2026-01-15T12:00:01.000Z'];
  expect(Object.fromEntries(times)).toEqual({ A: first, B: first, C: first, D: second, E: second });
  const expected = { ascending: 'CBAED', descending: 'DEABC', id: undefined }[listOrder];
  if (expected !== undefined) expect((await names(service)).join('')).toBe(expected);
  const since = async (time: string) => (await names(service, `?updatedSince=${time}`)).toSorted().join('');
  expect(await since('2026-01-15T12:00:00.001Z')).toBe('DE');
  expect(await since('2026-01-15T12:00:01.001Z')).toBe('');
});

test.each(ORDERS)('visibleAfterMs delays a change in lists, in %s order, not by ID', async (listOrder) => {
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
});

test('visibleAfterMs shows scans late', async () => {
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

test('readLagMs makes a single read 404 after a creation and old after a change, while lists and writes are up to date', async () => {
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
  expect((await service.call('POST', `/qr/${late.id}/publish`)).json).toMatchObject({ status: 'published' });
});

test.each([
  [204, ''],
  [200, '"removed":true'],
  [404, '"code":"not_found"'],
  [405, '"code":"method_not_allowed"'],
  [410, '"code":"gone"'],
  [501, '"code":"not_implemented"'],
] as const)('unsubscribe answers %s, and removes only if it succeeds', async (status, text) => {
  const { emulator, call } = await start({ unsubscribe: status });
  const body = { url: 'https://hooks.example.com/', eventTypes: ['qr.created'] };
  const { json } = await call('POST', '/webhooks', { body });
  const response = await call('DELETE', `/webhooks/${String(json['id'])}`, { offContract: true });
  expect(response.status).toBe(status);
  expect(response.bytes.toString()).toContain(text);
  expect(emulator.control.subscriptions()).toHaveLength(status < 300 ? 0 : 1);
});

test('changeSettings switches scan dimensions off while it runs', async () => {
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
])('changeSettings makes low scores fire a notice or not: %s', async (lowScoreNotices, expected) => {
  const service = await startSubscribed(undefined, { lowScoreNotices: !lowScoreNotices });
  const { control } = service.emulator;
  control.changeSettings({ lowScoreNotices });
  control.answerFeedback((await service.createCode()).id, 3);
  const fired = control.deliveries().map(({ eventType }) => eventType);
  expect(fired.filter((type) => type.startsWith('feedback.'))).toEqual(expected);
});

test.each([
  [{ visibleAfterMs: -1 }, 'visibleAfterMs must be a whole number from 0 to 3600000.'],
  [{ allowedDimensions: ['contry'] }, 'allowedDimensions[0] must be one of: country, device, os, browser, '],
  [{ listOrder: 'random' }, 'listOrder must be one of: ascending, descending, id.'],
  [{ color: 'red' }, "color isn't a known field; use one of: allowedDimensions, "],
])('refuses %j at the start and while it runs', async (given, sentence) => {
  await expect(startEmulator(given as EmulatorOptions)).rejects.toThrow(sentence);
  const { control } = (await startService()).emulator;
  const before = control.settings();
  expect(() => control.changeSettings(given as object)).toThrow(sentence);
  expect(control.settings()).toEqual(before);
});

test('rewriteResponse changes any response, of errors too, cuts connections, or leaves the response', async () => {
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
