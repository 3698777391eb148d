import { codeInput, startService, type ApiResponse } from './support/service.ts';

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
  ['an unknown mode', { ...codeInput('x'), mode: 'static' }, ['mode']],
  ['an unknown type', { ...codeInput('x'), contentType: 'vcard' }, ['contentType']],
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

test('refuses half of a surrogate pair everywhere', async () => {
  const { call, createCode, emulator } = await startService();
  const { control } = emulator;
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
  const sentence = 'must be valid Unicode, without half of a surrogate pair';
  expect(() => control.rename(id, '\ud800')).toThrow(sentence);
  expect(() => control.createKey({ name: '\ud800' })).toThrow(sentence);
  for (const seed of [
    { codes: [{ name: '\ud800', targetUrl: 'https://a.example' }] },
    { codes: [{ name: 'a', targetUrl: url }] },
    { subscriptions: [{ url: 'https://hooks.example.com/', secret: '\ud800' }] },
  ])
    await expect(startService({ seed })).rejects.toThrow(sentence);
});

test.each([
  ...['2026-02-29', '2026-02-31', '2100-02-29', '2026-00-10', '2026-13-01', '2026-01-32'].map(
    (day) => `${day}T10:00:00Z`,
  ),
  '2026-01-15T25:00:00Z',
  '2026-01-15T10:60:00Z',
])('refuses the time %s, which does not exist, everywhere', async (time) => {
  const { call, emulator } = await startService();
  expect(fields(await call('GET', `/qr?updatedSince=${time}`))).toEqual(['updatedSince']);
  expect(fields(await call('GET', `/scans?since=${time}`))).toEqual(['since']);
  expect(() => emulator.control.clock.set(time)).toThrow(TypeError);
  expect(() => emulator.control.createKey({ expiresAt: time })).toThrow('must be a time, in ISO 8601');
});

test.each([
  '2024-02-29T10:00:00Z',
  '2000-02-29T23:59:59.999Z',
  '2026-01-15T09:30Z',
  '2026-01-15T09:30:00.123456Z',
  '2026-01-15T09:30:00+00:00',
])('accepts the time %s', async (time) => {
  const { call, emulator } = await startService();
  // More lenient than the contract's format of a time.
  const lenient = { offContract: true };
  expect((await call('GET', `/qr?updatedSince=${time}`, lenient)).status).toBe(200);
  expect((await call('GET', `/scans?since=${time}`, lenient)).status).toBe(200);
  emulator.control.clock.set(time);
  expect(emulator.control.clock.now()).toBeGreaterThanOrEqual(Date.parse(time));
});

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
  ['/qr/{id}/image?format=gif', 'format'],
  ['/qr/{id}/image?format=PNG', 'format'],
  ['/qr/{id}/image?size=63', 'size'],
  ['/qr/{id}/image?size=4097', 'size'],
  ['/qr/{id}/image?size=big', 'size'],
])('names the invalid parameter: GET %s, %s', async (path, field) => {
  const { call, createCode } = await startService();
  const { id } = await createCode();
  expect(fields(await call('GET', path.replace('{id}', id)))).toEqual([field]);
});

test.each([
  ['url', 'http://hooks.example.com/'],
  ['url', 'https://127.0.0.1/'],
  ['url', 'https://[::1]/'],
  ['url', 'not a url'],
  ['url', 7],
  ['eventTypes', []],
  ['eventTypes', 'qr.created'],
  ['eventTypes', ['qr.exploded']],
  ['eventTypes', [1]],
  ['eventTypes', undefined],
])('refuses a subscription with the %s %j', async (field, value) => {
  const { call, emulator } = await startService();
  const body = { url: 'https://hooks.example.com/', eventTypes: ['qr.created'], [field]: value };
  expect(fields(await call('POST', '/webhooks', { body }))).toEqual([field]);
  expect(emulator.control.subscriptions()).toEqual([]);
});
