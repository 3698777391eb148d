import { SCOPES, type Scope } from '@qr-service/core';
import { startEmulator } from 'qr-service-emulator';
import { startService, stopServices } from './support/service.ts';

afterEach(stopServices);

test('accepts a key in either header', async () => {
  const { call, emulator } = await startService();
  expect((await call('GET', '/me')).status).toBe(200);
  const header = { 'X-Service-API-Key': emulator.apiKey };
  expect((await call('GET', '/me', { apiKey: null, headers: header })).status).toBe(200);
});

test.each([
  ['no key', null],
  ['an unknown key', 'qrs_nobody'],
])('returns 401 invalid_api_key for %s', async (_what, apiKey) => {
  const { call } = await startService();
  expect(await call('GET', '/me', { apiKey })).toMatchObject({
    status: 401,
    json: { code: 'invalid_api_key' },
  });
});

test('refuses a revoked key', async () => {
  const { call, emulator } = await startService();
  const { id, apiKey } = emulator.control.createKey();
  expect((await call('GET', '/me', { apiKey })).status).toBe(200);
  emulator.control.revokeKey(id);
  expect((await call('GET', '/me', { apiKey })).json).toMatchObject({ code: 'invalid_api_key' });
  expect(() => {
    emulator.control.revokeKey(id);
  }).toThrow(`No active API key with ID ${id} was found.`);
});

test('accepts a key until just before its expiry', async () => {
  let now = Date.parse('2026-01-15T09:00:00Z');
  const { call, emulator } = await startService({ now: () => now });
  const { apiKey } = emulator.control.createKey({ expiresAt: '2026-01-15T10:00:00Z' });
  now = Date.parse('2026-01-15T09:59:59.999Z');
  expect((await call('GET', '/me', { apiKey })).status).toBe(200);
  now += 1;
  expect(await call('GET', '/me', { apiKey })).toMatchObject({
    status: 401,
    json: { code: 'invalid_api_key' },
  });
});

test.each([
  [['127.0.0.1'], 200],
  [['10.0.0.0/8', '127.0.0.0/8'], 200],
  [['203.0.113.7'], 403],
  [['2001:db8::/32'], 403],
  [[], 403],
])('restricts a key to addresses: %j, used from 127.0.0.1, returns %d', async (allowedAddresses, status) => {
  const { call, emulator } = await startService();
  const { apiKey } = emulator.control.createKey({ allowedAddresses });
  const response = await call('GET', '/me', { apiKey });
  expect(response.status).toBe(status);
  if (status === 403) expect(response.json).toMatchObject({ code: 'ip_not_allowed' });
});

const NEEDS: [method: string, path: string, scope: Scope][] = [
  ['POST', '/qr', 'qr:write'],
  ['GET', '/qr', 'qr:read'],
  ['GET', '/qr/x', 'qr:read'],
  ['POST', '/qr/x/publish', 'qr:write'],
  ['POST', '/qr/x/destination', 'qr:write'],
  ['GET', '/qr/x/image', 'exports:read'],
  ['GET', '/scans', 'analytics:read'],
  ['POST', '/webhooks', 'webhooks:write'],
  ['DELETE', '/webhooks/x', 'webhooks:write'],
];

test.each(NEEDS)('names the missing scope: %s %s needs %s', async (method, path, scope) => {
  const { call, emulator } = await startService();
  const without = SCOPES.filter((other) => other !== scope);
  const response = await call(method, path, {
    apiKey: emulator.control.createKey({ scopes: without }).apiKey,
  });
  expect(response.status).toBe(403);
  expect(response.json).toMatchObject({
    code: 'insufficient_scope',
    details: { required: scope, granted: without },
  });
  expect(response.json['error']).toBe(response.json['message']);
  const enough = await call(method, path, { apiKey: emulator.control.createKey({ scopes: [scope] }).apiKey });
  expect(enough.status).not.toBe(403);
});

test('requires no scope for GET /me', async () => {
  const { call, emulator } = await startService();
  const { apiKey } = emulator.control.createKey({ scopes: [], name: 'Bare' });
  expect((await call('GET', '/me', { apiKey })).json).toMatchObject({ scopes: [], key: { name: 'Bare' } });
});

test('accepts keys given at the start', async () => {
  const { call } = await startService({
    apiKey: 'my-own-key',
    keys: [{ apiKey: 'read-only', scopes: ['qr:read'] }],
  });
  expect((await call('POST', '/qr', { apiKey: 'my-own-key' })).status).toBe(422);
  expect((await call('POST', '/qr', { apiKey: 'read-only' })).status).toBe(403);
});

test.each([
  [{ scopes: ['qr:everything' as Scope] }, 'keys[0].scopes[0] must be one of: '],
  [
    { allowedAddresses: ['10.0.0.0/64'] },
    'keys[0].allowedAddresses[0] must be an IP address or a CIDR range',
  ],
  [{ allowedAddresses: ['home'] }, 'keys[0].allowedAddresses[0] must be an IP address or a CIDR range'],
  [{ expiresAt: 'soon' }, 'keys[0].expiresAt must be a time, in ISO 8601'],
  [{ apiKey: 'with space' }, 'keys[0].apiKey can contain only printable ASCII characters'],
])('refuses to create the key %j', async (key, message) => {
  await expect(startEmulator({ keys: [key] })).rejects.toThrow(message);
});
