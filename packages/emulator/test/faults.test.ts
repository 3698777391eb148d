import { isWebhookVerificationError, verifyWebhook } from '@qr-service/core/webhook';
import type { Fault } from 'qr-service-emulator';
import type { Received } from './support/receiver.ts';
import { codeInput, startService, startSubscribed } from './support/service.ts';

test('drops the connection before or after it processes the request', async () => {
  const { call, emulator } = await startService();
  emulator.control.failNext({ drop: 'before' });
  await expect(call('POST', '/qr', { body: codeInput('Before') })).rejects.toThrow();
  emulator.control.failNext({ drop: 'after' });
  await expect(call('POST', '/qr', { body: codeInput('After') })).rejects.toThrow();
  expect((await call('GET', '/qr')).json['data']).toMatchObject([{ name: 'After' }]);
  expect(emulator.control.requests().map(({ status }) => status)).toEqual([0, 0, 200]);
});

test.each<[Fault, number, string | null, string | null, string]>([
  [{ status: 502, body: '<h1>Bad Gateway</h1>' }, 502, 'text/html', null, '<h1>Bad Gateway</h1>'],
  [{ status: 404, body: '' }, 404, null, null, ''],
  [{ code: 'quota_exceeded' }, 403, 'application/json', null, '"code":"quota_exceeded"'],
  [{ code: 'insufficient_scope' }, 403, 'application/json', null, '"required":"qr:write"'],
  [{}, 503, 'application/json', null, '"code":"service_unavailable"'],
  [{ code: 'rate_limited' }, 429, 'application/json', '1', '"code":"rate_limited"'],
  [{ code: 'rate_limited', retryAfter: 120 }, 429, 'application/json', '120', ''],
  [{ status: 503, retryAfter: 7 }, 503, 'application/json', '7', ''],
])('responds as the fault %j says', async (fault, status, type, retryAfter, text) => {
  const { call, emulator } = await startService();
  emulator.control.failNext(fault);
  const { headers, bytes, ...response } = await call('GET', '/me', { offContract: true });
  expect([response.status, headers.get('Content-Type'), headers.get('Retry-After')]).toEqual([
    status,
    type,
    retryAfter,
  ]);
  expect(bytes.toString()).toContain(text);
});

test.each<[Fault['match'], string, boolean]>([
  [{ path: '/qr/*' }, '/qr/one', true],
  [{ path: '/qr/*' }, '/qr/one/image', false],
  [{ path: '/qr/**' }, '/qr/one/image', true],
  [{ path: '/v1/public-api/qr/one' }, '/qr/one', true],
  [{ path: '/qr' }, '/qr?limit=1', true],
  [{ path: '/q.' }, '/qr', false],
  [{ path: '/qr', method: 'POST' }, '/qr', false],
])('the match %j applies to GET %s: %s', async (match, requested, isHit) => {
  const { call, emulator } = await startService();
  emulator.control.failNext({ match: match!, status: 418 });
  expect((await call('GET', requested)).status === 418).toBe(isHit);
});

test('matches a query parameter, and applies limited faults before lasting ones until all are cleared', async () => {
  const { call, emulator } = await startService();
  const { control } = emulator;
  control.failNext({ match: { query: 'cursor' }, code: 'invalid_cursor', times: Infinity });
  control.failNext({ code: 'quota_exceeded', times: 1 });
  const codeOf = async (path: string) => (await call('GET', path, { offContract: true })).json['code'];
  expect(await codeOf('/qr?cursor=x')).toBe('quota_exceeded');
  expect(await codeOf('/qr?cursor=x')).toBe('invalid_cursor');
  expect(await codeOf('/qr')).toBeUndefined();
  expect(await codeOf('/qr?cursor=x')).toBe('invalid_cursor');
  control.clearFaults();
  expect(await codeOf('/me?cursor=x')).toBeUndefined();
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
});
