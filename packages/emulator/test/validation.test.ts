import { codeInput, startService, type ApiResponse } from './support/service.ts';

// What the contract leaves open: bounds, text and addresses. contract.test.ts has what it rules out.

/** The fields that a refusal names. */
function fields({ status, json }: ApiResponse): string[] {
  expect([status, json['code']]).toEqual([422, 'validation_failed']);
  return Object.keys((json['details'] as { fields: object }).fields);
}

const HALF = '\ud83d';
test.each([
  ['a blank name', { ...codeInput(' ') }, ['name']],
  ['half of a surrogate pair', codeInput(HALF, `https://a.example/${HALF}`), ['name', 'content.targetUrl']],
  ['a name that is too long', codeInput('x'.repeat(201)), ['name']],
  [
    'an unknown mode and type',
    { ...codeInput('x'), mode: 'static', contentType: 'vcard' },
    ['mode', 'contentType'],
  ],
  ['a javascript: target', codeInput('x', 'javascript:alert(1)'), ['content.targetUrl']],
  ['content that is a string', { ...codeInput('x'), content: 'https://a.example' }, ['content.targetUrl']],
  ['over 1 MiB', 'x'.repeat(1024 * 1024), ['body']],
])('names the invalid fields when a code is created with %s', async (_what, body, expected) => {
  const { call } = await startService();
  expect(fields(await call('POST', '/qr', { body }))).toEqual(expected);
  expect((await call('GET', '/qr')).json['data']).toEqual([]);
});

const ODD_NAMES = ['😀', 'a\0b', '\ufeffDoor', '\ufffd', 'x\u0301\u200d\u202e'];
test.each(ODD_NAMES)('returns the name %j as it came', async (name) => {
  const { call, createCode, emulator } = await startService();
  const { id } = await createCode(name);
  expect((await call('GET', `/qr/${id}`)).json['name']).toBe(name);
  emulator.control.rename(id, `${name}2`);
  expect((await call('GET', '/qr')).json['data']).toMatchObject([{ name: `${name}2` }]);
});

const NO_DAYS = ['2026-02-29', '2100-02-29', '2026-00-10', '2026-13-01', '2026-01-32'];
test.each(NO_DAYS)('refuses the day %s, which does not exist, everywhere', async (day) => {
  const { call, emulator } = await startService();
  const time = `${day}T10:00:00Z`;
  expect(fields(await call('GET', `/qr?updatedSince=${time}`))).toEqual(['updatedSince']);
  expect(() => emulator.control.clock.set(time)).toThrow(TypeError);
  expect(() => emulator.control.createKey({ expiresAt: time })).toThrow('must be a time, in ISO 8601');
});

test.each([
  '2024-02-29T10:00:00Z',
  '2026-01-15T09:30Z',
  '2026-01-15T09:30:00.123456Z',
  '2026-01-15T09:30:00+00:00',
])('accepts the time %s', async (time) => {
  const { call } = await startService();
  // More lenient than the contract's format of a time.
  const lenient = { offContract: true };
  expect((await call('GET', `/qr?updatedSince=${time}`, lenient)).status).toBe(200);
  expect((await call('GET', `/scans?since=${time}`, lenient)).status).toBe(200);
});

test.each([
  ['/qr?limit=0', 'limit'],
  ['/qr?limit=101', 'limit'],
  ['/qr?updatedSince=2026-01-15T00:00:00%2B02:00', 'updatedSince'],
  ['/qr/{id}/image?size=63', 'size'],
  ['/qr/{id}/image?size=4097', 'size'],
])('names the parameter that is out of bounds: GET %s, %s', async (path, field) => {
  const { call, createCode } = await startService();
  const { id } = await createCode();
  expect(fields(await call('GET', path.replace('{id}', id)))).toEqual([field]);
});

test.each([
  ['url', 'http://hooks.example.com/'],
  ['url', 'https://127.0.0.1/'],
  ['url', 7],
  ['eventTypes', []],
  ['eventTypes', 'qr.created'],
  ['eventTypes', ['qr.exploded', 1]],
])('refuses a subscription with the %s %j', async (field, value) => {
  const { call, emulator } = await startService();
  const body = { url: 'https://hooks.example.com/', eventTypes: ['qr.created'], [field]: value };
  expect(fields(await call('POST', '/webhooks', { body }))).toEqual([field]);
  expect(emulator.control.subscriptions()).toEqual([]);
});
