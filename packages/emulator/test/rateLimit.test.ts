import { startService, stopServices } from './support/service.ts';

afterEach(stopServices);

const limits = (headers: Headers) =>
  ['Limit', 'Remaining', 'Reset'].map((name) => Number(headers.get(`X-RateLimit-${name}`) ?? NaN));

test('returns limit, remaining and seconds to the reset with every response, and 429 above the limit', async () => {
  let now = Date.parse('2026-01-15T09:00:00Z');
  const { call } = await startService({ now: () => now, rateLimit: { limit: 3, windowSeconds: 10 } });
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
  expect(second.status).toBe(429);
  expect(limits(second.headers).slice(0, 2)).toEqual([1, 0]);
});
