import { ERROR_CODES, type ErrorCode } from '@qr-service/core';
import { codeInput, startService, stopServices } from './support/service.ts';

afterEach(stopServices);

test('the next requests fail with 503, as many as were asked for', async () => {
  const { call, emulator } = await startService();
  emulator.control.failNext({ times: 2 });
  expect((await call('GET', '/me')).status).toBe(503);
  expect((await call('POST', '/qr', { body: codeInput('Lost') })).status).toBe(503);
  expect((await call('GET', '/qr')).json['data']).toEqual([]);
});

test.each(Object.keys(ERROR_CODES) as ErrorCode[])('the error %s can be had on demand', async (code) => {
  const { call, emulator } = await startService();
  emulator.control.failNext({ code });
  const { status, json, headers } = await call('GET', '/me');
  expect({ status, json }).toMatchObject({ status: ERROR_CODES[code].status, json: { code } });
  expect(headers.get('X-RateLimit-Limit')).toBe('2000');
  expect(headers.get('Retry-After')).toBe(status === 429 ? '1' : null);
});

test('a connection is cut before the work is done, or after', async () => {
  const { call, emulator } = await startService();
  emulator.control.failNext({ drop: 'before' });
  await expect(call('POST', '/qr', { body: codeInput('Before') })).rejects.toThrow();
  emulator.control.failNext({ drop: 'after' });
  await expect(call('POST', '/qr', { body: codeInput('After') })).rejects.toThrow();
  expect((await call('GET', '/qr')).json['data']).toMatchObject([{ name: 'After' }]);
  expect(emulator.control.requests().map(({ status }) => status)).toEqual([0, 0, 200]);
});

test('a request can be slow', async () => {
  const { call, emulator } = await startService();
  emulator.control.failNext({ delayMs: 150 });
  const began = Date.now();
  expect((await call('GET', '/me')).status).toBe(200);
  expect(Date.now() - began).toBeGreaterThanOrEqual(145);
});

test('the latest requests are kept, and all are counted', async () => {
  const { call, emulator } = await startService();
  for (let nth = 0; nth < 505; nth++) await call('GET', `/qr/${nth}`);
  const requests = emulator.control.requests();
  expect(requests).toHaveLength(500);
  expect(requests[0]).toMatchObject({ method: 'GET', path: '/v1/public-api/qr/5', status: 404 });
  expect(requests.at(-1)).toMatchObject({ path: '/v1/public-api/qr/504' });
  expect(emulator.control.requestCount()).toBe(505);
});

test('a failure of the emulator itself is 500 in the form of every failure, logged without the key', async () => {
  const lines: string[] = [];
  const { call, emulator } = await startService({
    log: (line) => lines.push(line),
    now: () => {
      if (lines.length === 1) {
        lines.push('the clock breaks');
        throw new Error('broken clock');
      }
      return Date.now();
    },
  });
  expect((await call('GET', '/me')).status).toBe(200);
  const { status, json } = await call('GET', '/me');
  expect(status).toBe(500);
  expect(json).toMatchObject({ error: 'Internal Server Error', code: 'internal_error' });
  expect(json['message']).not.toContain('broken clock');
  expect(lines.join('\n')).toContain('broken clock');
  expect(lines.join('\n')).not.toContain(emulator.apiKey);
});
