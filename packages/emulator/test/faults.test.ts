import { FAULT_PRESETS, type FaultPreset } from 'qr-service-emulator';
import { codeInput, startService, stopServices } from './support/service.ts';
import { holdSlowRequests } from './support/slowRequests.ts';
import { until } from '../../../test/support/jest/until.ts';

afterEach(stopServices);

/** The response's head, and its body on request. */
async function fetchRaw(
  url: string,
  apiKey: string,
): Promise<{ status: number; read: () => Promise<string> }> {
  const response = await fetch(url, { headers: { Authorization: `Bearer ${apiKey}` } });
  return { status: response.status, read: () => response.text() };
}

test('fails the given number of requests with 503', async () => {
  const { call, emulator } = await startService();
  emulator.control.failNext({ times: 2 });
  expect((await call('GET', '/me')).status).toBe(503);
  expect((await call('POST', '/qr', { body: codeInput('Lost') })).status).toBe(503);
  expect((await call('GET', '/qr')).json['data']).toEqual([]);
});

test('drops the connection before or after it processes the request', async () => {
  const { call, emulator } = await startService();
  emulator.control.failNext({ drop: 'before' });
  await expect(call('POST', '/qr', { body: codeInput('Before') })).rejects.toThrow();
  emulator.control.failNext({ drop: 'after' });
  await expect(call('POST', '/qr', { body: codeInput('After') })).rejects.toThrow();
  expect((await call('GET', '/qr')).json['data']).toMatchObject([{ name: 'After' }]);
  expect(emulator.control.requests().map(({ status }) => status)).toEqual([0, 0, 200]);
});

test.each(['length', 'chunked'] as const)('cuts a body short that is framed by %s', async (cut) => {
  const { call, emulator } = await startService();
  emulator.control.failNext({ cut });
  const { status, read } = await fetchRaw(`${emulator.url}/v1/public-api/me`, emulator.apiKey);
  expect(status).toBe(200);
  await expect(read()).rejects.toThrow();
  expect((await call('GET', '/me')).status).toBe(200);
});

test("returns a proxy's HTML error page", async () => {
  const { call, emulator } = await startService();
  emulator.control.failNext({ preset: 'proxy error' });
  const { status, headers, bytes } = await call('GET', '/me', { offContract: true });
  expect([status, headers.get('Content-Type')]).toEqual([502, 'text/html']);
  expect(bytes.toString()).toContain('<h1>Bad Gateway</h1>');
});

test.each([
  ['rate limited, seconds', '2'],
  ['rate limited, epoch seconds', '1767225602'],
  ['rate limited, epoch milliseconds', '1767225602000'],
  ['rate limited, HTTP date', 'Thu, 01 Jan 2026 00:00:02 GMT'],
] as const)('returns Retry-After and X-RateLimit-Reset for the preset %s: %s', async (preset, value) => {
  const now = () => Date.parse('2026-01-01T00:00:00Z');
  const { call, emulator } = await startService({ now });
  emulator.control.failNext({ preset });
  const { status, headers } = await call('GET', '/me', { offContract: true });
  expect([status, headers.get('Retry-After'), headers.get('X-RateLimit-Reset')]).toEqual([429, value, value]);
});

test.each(Object.entries(FAULT_PRESETS))('applies the preset %s to a request', async (name, { fault }) => {
  const { call, emulator } = await startService();
  const { method = 'GET', query } = fault.match ?? {};
  const ask = () =>
    call(
      method,
      query === undefined ? '/qr' : `/qr?${query}=x`,
      method === 'POST' ? { body: codeInput('One') } : {},
    );
  emulator.control.failNext({
    preset: name as FaultPreset,
    ...(fault.delayMs === undefined ? {} : { delayMs: 1 }),
  });
  const { control } = emulator;
  expect(control.faults()).toHaveLength(1);
  await ask().catch(() => undefined);
  expect(control.faults()).toEqual([]);
  expect(control.requests().at(-1)).toMatchObject({ fault: name });
});

test('applies a fault only to matching requests', async () => {
  const { call, createCode, emulator } = await startService();
  const { id } = await createCode();
  emulator.control.failNext({ match: { method: 'POST', path: '/qr/*/publish' }, code: 'approval_required' });
  expect((await call('GET', `/qr/${id}`)).status).toBe(200);
  expect(
    (await call('POST', `/qr/${id}/destination`, { body: { url: 'https://example.com/' } })).status,
  ).toBe(200);
  expect((await call('POST', `/qr/${id}/publish`)).json['code']).toBe('approval_required');
  expect((await call('POST', `/qr/${id}/publish`)).status).toBe(200);
});

test.each([
  ['/qr/*', '/qr/one', true],
  ['/qr/*', '/qr/one/image', false],
  ['/qr/**', '/qr/one/image', true],
  ['/v1/public-api/qr/one', '/qr/one', true],
  ['/qr', '/qr?limit=1', true],
  ['/q.', '/qr', false],
])('matches the path %s against a request for %s: %s', async (path, requested, isHit) => {
  const { call, emulator } = await startService();
  emulator.control.failNext({ match: { path }, status: 418 });
  expect((await call('GET', requested)).status === 418).toBe(isHit);
});

test('expires every cursor while first pages still work', async () => {
  const { call, createCode, emulator } = await startService();
  for (let nth = 0; nth < 3; nth++) await createCode();
  emulator.control.failNext({ preset: 'expired cursors', times: Infinity });
  const first = await call('GET', '/qr?limit=1');
  const { nextCursor } = first.json['pagination'] as { nextCursor: string };
  for (let nth = 0; nth < 2; nth++)
    expect(await call('GET', `/qr?limit=1&cursor=${nextCursor}`)).toMatchObject({
      status: 422,
      json: { code: 'invalid_cursor' },
    });
  emulator.control.clearFaults();
  expect((await call('GET', `/qr?limit=1&cursor=${nextCursor}`)).status).toBe(200);
});

test('lists and clears faults, and applies limited faults before lasting ones', async () => {
  const { call, emulator } = await startService();
  const { control } = emulator;
  const lasting = control.failNext({ preset: 'unavailable', times: Infinity });
  const counted = control.failNext({ times: 2, code: 'quota_exceeded' });
  expect((await call('GET', '/me')).json['code']).toBe('quota_exceeded');
  expect(control.faults()).toEqual([
    { id: counted, left: 1, fault: { times: 2, code: 'quota_exceeded' } },
    { id: lasting, left: Infinity, fault: { preset: 'unavailable', times: Infinity, status: 503 } },
  ]);
  control.clearFaults(counted);
  expect((await call('GET', '/me')).status).toBe(503);
  control.clearFaults(lasting);
  expect((await call('GET', '/me')).status).toBe(200);
  expect(control.faults()).toEqual([]);
  expect(() => control.clearFaults(lasting)).toThrow(`No fault with ID ${lasting} was found.`);
});

test.each([
  [{ times: 0 }, 'times must be a positive whole number or Infinity.'],
  [{ times: 1.5 }, 'times must be a positive whole number or Infinity.'],
  [{ preset: 'gremlins' as FaultPreset }, 'Unknown fault preset gremlins. Use one of: slow, '],
])('refuses the fault %j', async (fault, sentence) => {
  const { emulator } = await startService();
  expect(() => emulator.control.failNext(fault)).toThrow(sentence);
});

test('delays a request without holding up others', async () => {
  const { call, emulator } = await startService();
  const slow = holdSlowRequests();
  emulator.control.failNext({ delayMs: 150 });
  let isAnswered = false;
  const first = call('GET', '/me').finally(() => (isAnswered = true));
  await until(() => slow.delays.length > 0);
  // While it waits, another request gets its response.
  expect((await call('GET', '/qr')).status).toBe(200);
  expect({ isAnswered, delays: slow.delays }).toEqual({ isAnswered: false, delays: [150] });
  slow.release();
  expect((await first).status).toBe(200);
});

test('keeps the latest 500 requests and counts all', async () => {
  const { emulator } = await startService();
  for (let nth = 0; nth < 505; nth++) await (await fetch(`${emulator.url}/r/${nth}`)).body?.cancel();
  const requests = emulator.control.requests();
  expect(requests).toHaveLength(500);
  expect(requests[0]).toMatchObject({ method: 'GET', path: '/r/5', status: 404 });
  expect(requests.at(-1)).toMatchObject({ path: '/r/504' });
  expect(emulator.control.requestCount()).toBe(505);
});

test('returns its own failure as a 500 in the usual form and logs it without the key', async () => {
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
  const { status, json } = await call('GET', '/me', { offContract: true });
  expect(status).toBe(500);
  expect(json).toMatchObject({ error: 'Internal Server Error', code: 'internal_error' });
  expect(json['message']).not.toContain('broken clock');
  expect(lines.join('\n')).toContain('broken clock');
  expect(lines.join('\n')).not.toContain(emulator.apiKey);
});
