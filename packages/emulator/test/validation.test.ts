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
  ['https://10.1.2.3/'],
  ['https://172.20.0.1/'],
  ['https://192.168.1.5:8443/'],
  ['https://169.254.169.254/latest'],
  ['https://[::1]/'],
  ['https://[fd00::1]/'],
  ['https://[fe80::1]/'],
  ['https://[::ffff:10.0.0.1]/'],
  ['https://2130706433/'],
  ['https://0x7f.1/'],
  ['https://printer.local/'],
  ['https://intranet/'],
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
