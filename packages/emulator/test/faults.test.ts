import { isWebhookVerificationError, verifyWebhook } from '@qr-service/core/webhook';
import { DELIVERY_FAULTS, type DeliveryFaultKind, type Fault } from 'qr-service-emulator';
import { until } from '../../../test/support/jest/until.ts';
import { stopReceivers, type Received } from './support/receiver.ts';
import { codeInput, startService, stopServices } from './support/service.ts';
import { settleAhead } from './support/settleAhead.ts';
import { holdSlowRequests } from './support/slowRequests.ts';
import { startSubscribed } from './support/subscribed.ts';

afterEach(async () => {
  await stopServices();
  await stopReceivers();
});

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

test.each<[Fault, number, string | null, string]>([
  [{ status: 502, body: '<h1>Bad Gateway</h1>' }, 502, 'text/html', '<h1>Bad Gateway</h1>'],
  [{ status: 404, body: '' }, 404, null, ''],
  [{ code: 'quota_exceeded' }, 403, 'application/json', '"code":"quota_exceeded"'],
  [{ code: 'insufficient_scope' }, 403, 'application/json', '"required":"qr:write"'],
  [{ status: 418 }, 418, 'application/json', '"code":"service_unavailable"'],
])('responds as the fault %j says', async (fault, status, type, text) => {
  const { call, emulator } = await startService();
  emulator.control.failNext(fault);
  const response = await call('GET', '/me', { offContract: true });
  expect([response.status, response.headers.get('Content-Type')]).toEqual([status, type]);
  expect(response.bytes.toString()).toContain(text);
});

test.each([
  [{ code: 'rate_limited' }, '1'],
  [{ code: 'rate_limited', retryAfter: 120 }, '120'],
  [{ status: 503, retryAfter: 7 }, '7'],
  [{ status: 503 }, null],
] as const)('sends Retry-After for %j: %s', async (fault, seconds) => {
  const { call, emulator } = await startService();
  emulator.control.failNext(fault);
  expect((await call('GET', '/me', { offContract: true })).headers.get('Retry-After')).toBe(seconds);
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

test('matches a query parameter, and applies limited faults before lasting ones until all are cleared', async () => {
  const { call, emulator } = await startService();
  const { control } = emulator;
  control.failNext({ match: { query: 'cursor' }, code: 'invalid_cursor', times: Infinity });
  control.failNext({ code: 'quota_exceeded', times: 1 });
  const codes = async (...paths: string[]) => {
    const found: unknown[] = [];
    for (const path of paths) found.push((await call('GET', path, { offContract: true })).json['code']);
    return found;
  };
  expect(await codes('/qr?cursor=x', '/qr?cursor=x', '/qr', '/qr?cursor=x')).toEqual([
    'quota_exceeded',
    'invalid_cursor',
    undefined,
    'invalid_cursor',
  ]);
  control.clearFaults();
  expect(await codes('/me?cursor=x')).toEqual([undefined]);
});

test.each<[object, string]>([
  [{ times: 0 }, 'times must be a whole number from 1 to 1000000000.'],
  [{ times: 1.5 }, 'times must be a whole number from 1 to 1000000000.'],
  [{ code: 'gremlins' }, 'code must be one of: invalid_api_key, '],
  [{ match: { route: '/qr' } }, "match.route isn't a known field; use one of: method, path, query."],
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

describe('delivery faults', () => {
  /** What a receiver says of a delivery. */
  function verdict({ headers, body }: Received, secret: string, now = Date.now): string {
    try {
      verifyWebhook({ rawBody: body, headers, secret, now });
      return 'genuine';
    } catch (error) {
      if (isWebhookVerificationError(error)) return error.reason;
      throw error;
    }
  }
  const deliveryIds = (received: readonly Received[]) =>
    new Set(received.map(({ headers }) => headers['x-service-delivery'])).size;
  const eventIds = (received: readonly Received[]) =>
    new Set(received.map(({ body }) => (JSON.parse(body) as { id: string }).id)).size;

  test.each([
    ['wrong secret', 'signature_mismatch'],
    ['stale timestamp', 'timestamp_out_of_tolerance'],
    ['V0 only', 'deprecated_scheme'],
    ['unsigned', 'missing_header'],
    ['re-serialized body', 'signature_mismatch'],
  ] as const)('%s: receivers reject it as %s, and a valid retry follows', async (kind, reason) => {
    const verdicts: string[] = [];
    const service = await startSubscribed(() => {
      verdicts.push(verdict(service.receiver.received.at(-1)!, service.secret));
      return verdicts.at(-1) === 'genuine' ? 204 : 401;
    });
    const { control } = service.emulator;
    control.failDeliveries({ kind });
    const event = control.emit('export.ready', { exportId: 'exp_1' });
    await control.settled();
    expect(verdicts).toEqual([reason, 'genuine']);
    const [{ attempts, body } = { attempts: [], body: '' }] = control.deliveries();
    expect(attempts).toMatchObject([
      { fault: kind, status: 401 },
      { fault: null, status: 204 },
    ]);
    const [first] = service.receiver.received;
    expect(JSON.parse(first!.body)).toEqual(event);
    expect(attempts[0]!.sentBody).toBe(first!.body === body ? null : first!.body);
    if (kind === 'stale timestamp')
      expect(verdict(first!, service.secret, () => Date.now() - 60 * 60 * 1000)).toBe('genuine');
  });

  test.each([
    ['duplicate', 1],
    ['second delivery id', 2],
  ] as const)('%s: sends an event twice, both valid', async (kind, ids) => {
    const { emulator, receiver, secret } = await startSubscribed();
    emulator.control.failDeliveries({ kind, times: Infinity });
    emulator.control.emit('export.ready');
    await emulator.control.settled();
    const { received } = receiver;
    expect(received.map((delivery) => verdict(delivery, secret))).toEqual(['genuine', 'genuine']);
    expect([eventIds(received), deliveryIds(received)]).toEqual([1, ids]);
  });

  test.each(Object.keys(DELIVERY_FAULTS) as DeliveryFaultKind[])(
    '%s: settles every delivery even if it lasts',
    async (kind) => {
      const { emulator, receiver } = await startSubscribed();
      const { control } = emulator;
      control.failDeliveries({ kind, times: Infinity });
      for (let nth = 0; nth < 3; nth++) control.emit('export.ready', { nth });
      await settleAhead(control);
      expect(eventIds(receiver.received)).toBe(3);
    },
  );

  test('count attempts, not deliveries', async () => {
    const { emulator } = await startSubscribed();
    const { control } = emulator;
    control.failDeliveries({ kind: 'unsigned', times: 2 });
    for (let nth = 0; nth < 3; nth++) control.emit('export.ready', { nth });
    await control.settled();
    const faults = control.deliveries().flatMap(({ attempts }) => attempts.map(({ fault }) => fault));
    expect(faults.filter((fault) => fault !== null)).toHaveLength(2);
  });

  test('refuse an unknown kind', async () => {
    const { emulator } = await startService();
    expect(() => emulator.control.failDeliveries({ kind: 'lost' as DeliveryFaultKind })).toThrow(
      'kind must be one of: wrong secret, ',
    );
  });
});
