import type { Scope } from '@qr-service/core';
import { startEmulator } from 'qr-service-emulator';
import { startService } from './support/service.ts';

test('accepts a key in either header, and refuses others with 401 invalid_api_key', async () => {
  const { call, emulator } = await startService();
  expect((await call('GET', '/me')).status).toBe(200);
  const header = { 'X-Service-API-Key': emulator.apiKey };
  expect((await call('GET', '/me', { apiKey: null, headers: header })).status).toBe(200);
  const refused = { status: 401, json: { code: 'invalid_api_key' } };
  for (const apiKey of [null, 'qrs_nobody'])
    expect(await call('GET', '/me', { apiKey })).toMatchObject(refused);
});

test('refuses a revoked key', async () => {
  const { call, emulator } = await startService();
  const { id, apiKey } = emulator.control.createKey({ name: 'Bare', scopes: [] });
  expect((await call('GET', '/me', { apiKey })).json).toMatchObject({ scopes: [], key: { name: 'Bare' } });
  emulator.control.revokeKey(id);
  expect((await call('GET', '/me', { apiKey })).json).toMatchObject({ code: 'invalid_api_key' });
  expect(() => emulator.control.revokeKey(id)).toThrow(`No active API key with ID ${id} was found.`);
});

test.each([
  [['127.0.0.1'], 200, undefined],
  [['10.0.0.0/8', '127.0.0.0/8'], 200, undefined],
  [['203.0.113.7'], 403, 'ip_not_allowed'],
  [['2001:db8::/32'], 403, 'ip_not_allowed'],
  [[], 403, 'ip_not_allowed'],
])('a key for the addresses %j, used from 127.0.0.1, gets %d', async (allowedAddresses, status, code) => {
  const { call, emulator } = await startService();
  const { apiKey } = emulator.control.createKey({ allowedAddresses });
  const response = await call('GET', '/me', { apiKey });
  expect([response.status, response.json['code']]).toEqual([status, code]);
});

test('accepts keys given at the start', async () => {
  const keys = [{ apiKey: 'read-only', scopes: ['qr:read' as Scope] }];
  const { call } = await startService({ apiKey: 'my-own-key', keys });
  expect((await call('POST', '/qr', { apiKey: 'my-own-key' })).status).toBe(422);
  expect((await call('POST', '/qr', { apiKey: 'read-only' })).status).toBe(403);
});

test.each([
  [{ scopes: ['qr:everything' as Scope] }, 'scopes[0] must be one of: '],
  [{ allowedAddresses: ['10.0.0.0/64'] }, 'allowedAddresses[0] must be an IP address or a CIDR range'],
  [{ allowedAddresses: ['home'] }, 'allowedAddresses[0] must be an IP address or a CIDR range'],
  [{ expiresAt: 'soon' }, 'expiresAt must be a time, in ISO 8601'],
  [{ apiKey: 'with space' }, 'apiKey can contain only printable ASCII characters'],
])('refuses to create the key %j', async (key, message) => {
  await expect(startEmulator({ keys: [key] })).rejects.toThrow(`keys[0].${message}`);
});

const limits = (headers: Headers) =>
  ['Limit', 'Remaining', 'Reset'].map((name) => Number(headers.get(`X-RateLimit-${name}`) ?? NaN));

test('returns limit, remaining and seconds to the reset with every response, and 429 above the limit', async () => {
  let now = Date.parse('2026-01-15T09:00:00Z');
  const { call } = await startService({
    now: () => now,
    rateLimit: { limit: 3, windowSeconds: 10 },
  });
  expect(limits((await call('GET', '/me')).headers)).toEqual([3, 2, 10]);
  now += 3500;
  expect(limits((await call('GET', '/nothing')).headers)).toEqual([3, 1, 7]);
  expect(limits((await call('POST', '/qr', { body: {} })).headers)).toEqual([3, 0, 7]);
  const refused = await call('GET', '/me');
  expect(refused).toMatchObject({ status: 429, json: { code: 'rate_limited' } });
  expect(limits(refused.headers)).toEqual([3, 0, 7]);
  expect(refused.headers.get('Retry-After')).toBe('7');
  now += 6500;
  expect(limits((await call('GET', '/me')).headers)).toEqual([3, 2, 10]);
});

test('counts each key in its own window, and all requests without a valid key in one', async () => {
  const { call, emulator } = await startService({ rateLimit: { limit: 1, windowSeconds: 60 } });
  const { apiKey } = emulator.control.createKey();
  expect((await call('GET', '/me')).status).toBe(200);
  expect((await call('GET', '/me')).status).toBe(429);
  expect((await call('GET', '/me', { apiKey })).status).toBe(200);
  expect((await call('GET', '/me', { apiKey: 'guess-1' })).status).toBe(401);
  const second = await call('GET', '/me', { apiKey: 'guess-2' });
  expect([second.status, ...limits(second.headers).slice(0, 2)]).toEqual([429, 1, 0]);
});
