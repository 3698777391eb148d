import { codeInput, startService, stopServices, type ApiResponse } from './support/service.ts';

afterEach(stopServices);

function fields(response: ApiResponse): string[] {
  expect(response).toMatchObject({ status: 422, json: { code: 'validation_failed' } });
  const details = response.json['details'] as { fields: Record<string, string> };
  for (const name of Object.keys(details.fields)) expect(response.json['message']).toContain(name);
  return Object.keys(details.fields);
}

test.each([
  ['no body', '', ['body']],
  ['invalid JSON', '{"name":', ['body']],
  ['an array', '[]', ['body']],
  ['an empty object', '{}', ['name', 'mode', 'contentType', 'content.targetUrl']],
  ['a blank name', { ...codeInput(' ') }, ['name']],
  ['half of a surrogate pair', codeInput('\ud83d'), ['name']],
  [
    'a target with half of a surrogate pair',
    codeInput('x', 'https://a.example/\ud83d'),
    ['content.targetUrl'],
  ],
  ['a name that is too long', codeInput('x'.repeat(201)), ['name']],
  ['a number for a name', { ...codeInput('x'), name: 4 }, ['name']],
  ['an unknown mode', { ...codeInput('x'), mode: 'static' }, ['mode']],
  ['an unknown type', { ...codeInput('x'), contentType: 'vcard' }, ['contentType']],
  ['a relative target', codeInput('x', '/menu'), ['content.targetUrl']],
  ['a javascript: target', codeInput('x', 'javascript:alert(1)'), ['content.targetUrl']],
  ['content that is a string', { ...codeInput('x'), content: 'https://a.example' }, ['content.targetUrl']],
  [
    'inherited properties only',
    '{"__proto__":{"name":"x"}}',
    ['name', 'mode', 'contentType', 'content.targetUrl'],
  ],
])('names the invalid fields when a code is created with %s', async (_what, body, expected) => {
  const { call } = await startService();
  const rawBody = typeof body === 'string' ? body : JSON.stringify(body);
  expect(fields(await call('POST', '/qr', { rawBody }))).toEqual(expected);
  expect((await call('GET', '/qr')).json['data']).toEqual([]);
});

test('refuses a body over 1 MiB and keeps the connection', async () => {
  const { call } = await startService();
  expect(fields(await call('POST', '/qr', { rawBody: `"${'x'.repeat(1024 * 1024)}"` }))).toEqual(['body']);
  expect((await call('GET', '/me')).status).toBe(200);
});

test.each(['', 'example.com', '/a', 'ftp://example.com/'])('refuses the destination %j', async (url) => {
  const { call, createCode } = await startService();
  const { id } = await createCode();
  expect(fields(await call('POST', `/qr/${id}/destination`, { body: { url } }))).toEqual(['url']);
});

test.each(['😀', 'a\0b', '\ufeffDoor', '\ufffd', 'x\u0301\u200d\u202e'])(
  'returns the name %j as it came',
  async (name) => {
    const { call, createCode, emulator } = await startService();
    const { id } = await createCode(name);
    expect((await call('GET', `/qr/${id}`)).json['name']).toBe(name);
    emulator.control.rename(id, `${name}2`);
    expect((await call('GET', '/qr')).json['data']).toMatchObject([{ name: `${name}2` }]);
  },
);

test.each([
  ['a name', { codes: [{ name: '\ud800', targetUrl: 'https://a.example' }] }],
  ['a target', { codes: [{ name: 'a', targetUrl: 'https://a.example/\udfff' }] }],
  ['a folder', { codes: [{ name: 'a', targetUrl: 'https://a.example', folderId: '\ud800' }] }],
  [
    'a dimension',
    { codes: [{ name: 'a', targetUrl: 'https://a.example', scans: [{ scannedAt: 0, country: '\ud800' }] }] },
  ],
  ['a key', { keys: [{ name: '\ud800' }] }],
  ['a subscription', { subscriptions: [{ url: 'https://hooks.example.com/\ud800' }] }],
  ['a secret', { subscriptions: [{ url: 'https://hooks.example.com/', secret: '\ud800' }] }],
])('refuses a seed with half of a surrogate pair in %s', async (_what, seed) => {
  await expect(startService({ seed })).rejects.toThrow(
    'must be valid Unicode, without half of a surrogate pair',
  );
});

test('refuses half of a surrogate pair everywhere else', async () => {
  const { call, createCode, emulator } = await startService();
  const { id } = await createCode();
  const url = 'https://a.example/\ud800';
  expect(fields(await call('POST', `/qr/${id}/destination`, { body: { url } }))).toEqual(['url']);
  const subscription = { url, eventTypes: ['qr.created'] };
  expect(fields(await call('POST', '/webhooks', { body: subscription }))).toEqual(['url']);
  const renamed = await fetch(`${emulator.url}/_emulator/rename`, {
    method: 'POST',
    body: `["${id}","\\ud800"]`,
  });
  expect(renamed.status).toBe(400);
  expect(() => emulator.control.rename(id, '\ud800')).toThrow(TypeError);
  expect(() => emulator.control.createKey({ name: '\ud800' })).toThrow(TypeError);
});

/** Days that don't exist, which `Date` moves to the next month, and others that no calendar has. */
const NO_TIMES = [
  '2026-02-29',
  '2026-02-31',
  '2100-02-29',
  '2026-11-31',
  '2026-00-10',
  '2026-13-01',
  '2026-01-32',
].map((day) => `${day}T10:00:00Z`);

test('refuses times that do not exist, everywhere', async () => {
  const { call, emulator } = await startService();
  const { url, control } = emulator;
  const times = [...NO_TIMES, '2026-01-15T25:00:00Z', '2026-01-15T10:60:00Z', '2026-01-15T10:00:60Z'];
  for (const time of times) {
    expect(fields(await call('GET', `/qr?updatedSince=${time}`))).toEqual(['updatedSince']);
    expect(fields(await call('GET', `/scans?since=${time}`))).toEqual(['since']);
    expect(() => control.clock.set(time)).toThrow(TypeError);
    expect(() => control.createKey({ expiresAt: time })).toThrow(TypeError);
    const error = expect.stringContaining('must be a time, in ISO 8601') as string;
    for (const [method, argument] of Object.entries({ 'clock.set': time, createKey: { expiresAt: time } })) {
      const body = JSON.stringify([argument]);
      const response = await fetch(`${url}/_emulator/${method}`, { method: 'POST', body });
      expect([time, response.status, await response.json()]).toMatchObject([time, 400, { error }]);
    }
    const scans = [{ scannedAt: time }];
    for (const seed of [
      { codes: [{ name: 'a', targetUrl: 'https://a.example', scans }] },
      { keys: [{ expiresAt: time }] },
    ])
      await expect(startService({ seed })).rejects.toThrow('must be a time, in ISO 8601');
  }
});

test.each(['2024-02-29T10:00:00Z', '2000-02-29T23:59:59.999Z', '2026-12-31T00:00:00Z'])(
  'accepts the leap day or last day %s',
  async (time) => {
    const { call, emulator } = await startService();
    expect((await call('GET', `/qr?updatedSince=${time}`)).status).toBe(200);
    expect((await call('GET', `/scans?since=${time}`)).status).toBe(200);
    emulator.control.clock.set(time);
    expect(emulator.control.clock.now()).toBeGreaterThanOrEqual(Date.parse(time));
  },
);

test.each([
  ['/qr?limit=0', 'limit'],
  ['/qr?limit=101', 'limit'],
  ['/qr?limit=1.5', 'limit'],
  ['/qr?limit=', 'limit'],
  ['/qr?updatedSince=yesterday', 'updatedSince'],
  ['/qr?updatedSince=2026-01-15', 'updatedSince'],
  ['/qr?updatedSince=2026-13-15T00:00:00Z', 'updatedSince'],
  ['/qr?updatedSince=2026-01-15T00:00:00%2B02:00', 'updatedSince'],
  ['/scans?since=1', 'since'],
  ['/scans?limit=1000', 'limit'],
])('names the invalid parameter: GET %s, %s', async (path, field) => {
  const { call } = await startService();
  expect(fields(await call('GET', path))).toEqual([field]);
});

test.each([
  '2026-01-15T09:30Z',
  '2026-01-15T09:30:00Z',
  '2026-01-15T09:30:00.123456Z',
  '2026-01-15T09:30:00+00:00',
])('accepts the timestamp %s', async (time) => {
  const { call } = await startService();
  // More lenient than the contract's format of a time.
  const lenient = { offContract: true };
  expect((await call('GET', `/qr?updatedSince=${time}`, lenient)).status).toBe(200);
  expect((await call('GET', `/scans?since=${time}`, lenient)).status).toBe(200);
});

test.each([
  ['format=gif', 'format'],
  ['format=PNG', 'format'],
  ['size=63', 'size'],
  ['size=4097', 'size'],
  ['size=big', 'size'],
])('names the invalid parameter of an image: %s, %s', async (query, field) => {
  const { call, createCode } = await startService();
  const { id } = await createCode();
  expect(fields(await call('GET', `/qr/${id}/image?${query}`))).toEqual([field]);
});

test.each([
  ['http://hooks.example.com/'],
  ['https://localhost/'],
  ['https://127.0.0.1/'],
  ['https://[::1]/'],
  ['not a url'],
  [7],
])('refuses a subscription to %s', async (url) => {
  const { call, emulator } = await startService();
  expect(fields(await call('POST', '/webhooks', { body: { url, eventTypes: ['qr.created'] } }))).toEqual([
    'url',
  ]);
  expect(emulator.control.subscriptions()).toEqual([]);
});

test.each([[[]], ['qr.created'], [['qr.exploded']], [[1]], [undefined]])(
  'refuses a subscription to the events %j',
  async (eventTypes) => {
    const { call } = await startService();
    const body = { url: 'https://hooks.example.com/', eventTypes };
    expect(fields(await call('POST', '/webhooks', { body }))).toEqual(['eventTypes']);
  },
);
