import { request } from 'node:http';
import {
  BEHAVIOR_CHOICES,
  DELIVERY_FAULTS,
  FAULT_PRESETS,
  WIRE_CHOICES,
  type Control,
} from 'qr-service-emulator';
import { CONTROL_ROUTES } from '../src/http/control/routes.ts';
import { until } from '../../../test/support/jest/until.ts';
import { stopReceivers } from './support/receiver.ts';
import { startService, stopServices, type Service } from './support/service.ts';
import { startSubscribed } from './support/subscribed.ts';

afterEach(async () => {
  await stopServices();
  await stopReceivers();
});

interface ControlResponse {
  status: number;
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- each test knows what it requested
  json: any;
}

/** Calls the control API, without a key. */
function controlOf({ emulator }: Service) {
  return async (method: string, path: string, body?: unknown): Promise<ControlResponse> => {
    const response = await fetch(`${emulator.url}/_emulator${path}`, {
      method,
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, json: text === '' ? undefined : JSON.parse(text) };
  };
}

/** Sends headers that `fetch` doesn't allow to set. */
function askAs(url: string, headers: Record<string, string>, method = 'GET'): Promise<ControlResponse> {
  return new Promise((resolve, reject) => {
    const asked = request(url, { method, headers }, (response) => {
      let text = '';
      response.on('data', (chunk: Buffer) => (text += chunk.toString()));
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, json: text === '' ? undefined : JSON.parse(text) }),
      );
    });
    asked.on('error', reject).end();
  });
}

test('has a route for every method of control', async () => {
  const service = await startService();
  const called = new Set<string>();
  const spy = new Proxy(service.emulator.control, {
    get(control, name: keyof Control) {
      called.add(name);
      return name === 'clock' ? control.clock : () => [];
    },
  });
  for (const { run } of CONTROL_ROUTES) {
    const body = { set: 0, score: 1 };
    await run(spy, { id: '1', body });
  }
  expect([...called].toSorted()).toEqual(Object.keys(service.emulator.control).toSorted());
});

test('lists its routes at GET /_emulator', async () => {
  const { status, json } = await controlOf(await startService())('GET', '');
  expect(status).toBe(200);
  expect(json.routes).toHaveLength(CONTROL_ROUTES.length);
  expect(json.routes).toContainEqual({ method: 'POST', path: '/_emulator/reset', does: expect.any(String) });
  expect(json.wireShape.reset).toEqual(['seconds', 'epoch seconds', 'epoch milliseconds']);
  expect(json.wireShape).not.toHaveProperty('error');
  expect(json.faults.contradictions).toContainEqual({
    point: 'reset',
    forms: ['HTTP date'],
    description: expect.stringMatching(/\.$/),
  });
});

test('needs no key, has no rate limit and is left out of the request log', async () => {
  const service = await startService({ rateLimit: { limit: 1, windowSeconds: 60 } });
  const control = controlOf(service);
  for (let nth = 0; nth < 3; nth++) expect((await control('GET', '/requests')).json.count).toBe(0);
  expect((await service.call('GET', '/me')).status).toBe(200);
  expect((await control('GET', '/requests')).json).toMatchObject({ count: 1, requests: [{ status: 200 }] });
});

test('changes codes, feedback and keys', async () => {
  const service = await startSubscribed();
  const control = controlOf(service);
  const { id } = await service.createCode();
  expect((await control('PATCH', `/codes/${id}`, { name: 'Renamed' })).status).toBe(204);
  for (const action of ['approve', 'reject', 'archive', 'unarchive'])
    expect((await control('POST', `/codes/${id}/${action}`)).status).toBe(204);
  expect((await service.call('GET', `/qr/${id}`)).json).toMatchObject({
    name: 'Renamed',
    status: 'draft',
    approvalState: 'rejected',
  });
  const response = await control('POST', `/codes/${id}/feedback`, { score: 3 });
  expect((await control('POST', `/feedback/${String(response.json.id)}/resolve`)).status).toBe(204);
  expect((await control('DELETE', `/codes/${id}`)).status).toBe(204);
  expect((await control('DELETE', `/codes/${id}`)).json).toEqual({
    error: `No QR code with ID ${id} was found.`,
  });

  const key = (await control('POST', '/keys', { scopes: ['qr:read'] })).json;
  expect((await service.call('GET', '/qr', { apiKey: key.apiKey })).status).toBe(200);
  expect((await control('DELETE', `/keys/${String(key.id)}`)).status).toBe(204);
  expect((await service.call('GET', '/qr', { apiKey: key.apiKey })).status).toBe(401);
});

test('sends events and redelivers deliveries', async () => {
  const service = await startSubscribed();
  const control = controlOf(service);
  const event = (await control('POST', '/events', { type: 'export.ready', data: { exportId: 'e1' } })).json;
  expect(event).toMatchObject({ type: 'export.ready', data: { exportId: 'e1' } });
  expect((await control('GET', '/settled')).json).toEqual({ settled: true });
  const [delivery] = (await control('GET', '/deliveries')).json.deliveries;
  expect(delivery).toMatchObject({ eventId: event.id, status: 'delivered', attempts: [{ status: 204 }] });
  const path = `/deliveries/${String(delivery.id)}/redeliver`;
  expect((await control('POST', path)).json).toEqual({ id: delivery.id });
  await control('GET', '/settled');
  const other = (await control('POST', path, { newDeliveryId: true })).json;
  expect(other.id).not.toBe(delivery.id);
  await control('GET', '/settled');
  expect(service.receiver.received).toHaveLength(3);
  const { subscriptions } = (await control('GET', '/subscriptions')).json;
  expect(subscriptions).toMatchObject([{ secret: service.secret }]);
});

test('names the deliveries that it still waits for when the timeout is over', async () => {
  const service = await startSubscribed(() => 500, { retryBaseMs: 3_600_000 });
  const control = controlOf(service);
  expect((await control('GET', '/settled?timeoutMs=0')).json).toEqual({ settled: true });
  await service.createCode();
  await until(() => service.emulator.control.deliveries()[0]?.tries === 1);
  const [delivery] = service.emulator.control.deliveries();
  const expected = {
    id: delivery?.id,
    eventType: 'qr.created',
    subscriptionId: delivery?.subscriptionId,
    url: delivery?.url,
    status: 'pending',
    tries: 1,
    nextAttemptAt: delivery?.nextAttemptAt,
  };
  expect((await control('GET', '/settled?timeoutMs=1')).json).toEqual({
    settled: false,
    waitingFor: [expected],
  });
  expect(await service.emulator.control.settled({ timeoutMs: 0 })).toEqual([expected]);
  const waiting = service.emulator.control.settled({ timeoutMs: 600_000 });
  await service.call('DELETE', `/webhooks/${String(delivery?.subscriptionId)}`);
  service.emulator.control.clock.advance(1);
  expect(await waiting).toEqual([]);
});

test.each(['', '-1', '1.5', 'soon', '600001'])('refuses to wait for %j ms', async (timeoutMs) => {
  const { status, json } = await controlOf(await startService())('GET', `/settled?timeoutMs=${timeoutMs}`);
  expect({ status, field: json.field }).toEqual({ status: 400, field: 'timeoutMs' });
});

test('sets, lists and clears request faults', async () => {
  const service = await startService();
  const control = controlOf(service);
  const lasting = await control('POST', '/faults', {
    preset: 'unavailable',
    match: { path: '/me' },
    times: null,
  });
  await control('POST', '/faults', { code: 'quota_exceeded', times: 2 });
  expect((await service.call('GET', '/me')).status).toBe(403);
  const { faults, presets } = (await control('GET', '/faults')).json;
  expect(faults).toEqual([
    { id: expect.any(Number), code: 'quota_exceeded', left: 1 },
    { id: lasting.json.id, preset: 'unavailable', match: { path: '/me' }, status: 503, left: null },
  ]);
  expect(presets.map(({ name }: { name: string }) => name)).toEqual(Object.keys(FAULT_PRESETS));
  expect((await control('DELETE', `/faults/${String(lasting.json.id)}`)).status).toBe(204);
  expect((await control('DELETE', `/faults/${String(lasting.json.id)}`)).status).toBe(404);
  expect((await control('DELETE', '/faults')).status).toBe(204);
  expect((await service.call('GET', '/me')).status).toBe(200);
});

test('sets, lists and clears delivery faults', async () => {
  const control = controlOf(await startService());
  const { id } = (await control('POST', '/delivery-faults', { kind: 'unsigned', times: null })).json;
  await control('POST', '/delivery-faults', { kind: 'duplicate' });
  const { faults, kinds } = (await control('GET', '/delivery-faults')).json;
  expect(faults).toEqual([
    { id: expect.any(Number), kind: 'duplicate', left: 1 },
    { id, kind: 'unsigned', left: null },
  ]);
  expect(kinds.map(({ name }: { name: string }) => name)).toEqual(Object.keys(DELIVERY_FAULTS));
  await control('DELETE', `/delivery-faults/${String(id)}`);
  await control('DELETE', '/delivery-faults');
  expect((await control('GET', '/delivery-faults')).json.faults).toEqual([]);
});

test('reads and sets the wire shape', async () => {
  const service = await startService();
  const control = controlOf(service);
  const set = await control('PUT', '/wire-shape', { listKey: 'items', unsubscribe: 405 });
  expect(set.json.wireShape).toMatchObject({ listKey: 'items', unsubscribe: 405, error: 'flat' });
  expect((await service.call('GET', '/qr')).json['items']).toEqual([]);
  await control('PUT', '/wire-shape', {});
  expect((await control('GET', '/wire-shape')).json).toMatchObject({
    wireShape: { listKey: 'data' },
    choices: {
      ...WIRE_CHOICES,
      ...BEHAVIOR_CHOICES,
      listEnd: expect.arrayContaining(['null', 'never']) as unknown,
      unsubscribe: expect.arrayContaining([204, 410]) as unknown,
      idempotency: expect.arrayContaining(['replayed', 'refused']) as unknown,
    },
  });
});

test('sets Date from its own clock on every response', async () => {
  const service = await startService({ now: () => Date.parse('2026-01-15T12:00:00.700Z') });
  const date = async (path: string) => (await service.call('GET', path)).headers.get('Date');
  expect(await date('/qr')).toBe('Thu, 15 Jan 2026 12:00:00 GMT');
  service.emulator.control.clock.set('2030-01-01T00:00:00Z');
  expect(await date('/qr')).toBe('Tue, 01 Jan 2030 00:00:00 GMT');
  service.emulator.control.failNext({ status: 503 });
  expect(await date('/me')).toBe('Tue, 01 Jan 2030 00:00:00 GMT');
});

test('moves the clock, restores snapshots and resets everything', async () => {
  const start = '2026-01-15T09:00:00.000Z';
  const service = await startService({ now: () => Date.parse(start) });
  const control = controlOf(service);
  const { json } = await control('POST', '/clock', { set: '2030-01-01T00:00:00Z' });
  expect(json.now).toBe('2030-01-01T00:00:00.000Z');
  const { id } = (await control('POST', '/snapshots')).json;
  await control('POST', '/clock', { advanceMs: 3_600_000 });
  await service.createCode();
  expect((await control('POST', `/snapshots/${String(id)}/restore`)).status).toBe(204);
  expect((await service.call('GET', '/qr')).json['data']).toEqual([]);
  expect((await control('GET', '/clock')).json.now).toBe('2030-01-01T00:00:00.000Z');
  expect((await control('POST', '/snapshots/none/restore')).status).toBe(404);
  expect((await control('POST', '/reset')).status).toBe(204);
  expect((await control('GET', '/clock')).json.now).toBe(start);
});

test.each([
  ['POST', '/faults', '{', '', 'The input must be valid JSON.'],
  ['POST', '/faults', { preset: 'gremlins' }, 'preset', 'preset must be one of: slow, '],
  ['POST', '/faults', { times: 0 }, 'times', 'times must be a whole number from 1'],
  [
    'POST',
    '/faults',
    { match: { route: '/qr' } },
    'match.route',
    "match.route isn't a known field; use one of: method, ",
  ],
  ['POST', '/faults', { retryAfter: { unit: 'seconds' } }, 'retryAfter.ms', 'retryAfter.ms is missing.'],
  ['POST', '/events', { type: 'qr.eaten' }, 'type', 'type must be one of: qr.created, '],
  ['POST', '/clock', { set: '+275760-09-13T00:00:00Z' }, '', 'to a time between 1970 and 9998'],
  [
    'POST',
    '/keys',
    { allowedAddresses: ['home'] },
    '',
    "The allowed address home isn't a valid IP address or CIDR range.",
  ],
  ['POST', '/clock', {}, '', 'The input must have either advanceMs or set.'],
  ['PUT', '/wire-shape', { listKey: 'rows' }, 'listKey', 'listKey must be one of: data, '],
  ['POST', '/reset', { hard: true }, 'hard', 'hard is not expected.'],
])('returns 400 and names the field: %s %s with %j', async (method, path, body, field, sentence) => {
  const { status, json } = await controlOf(await startService())(method, path, body);
  expect({ status, field: json.field }).toEqual({ status: 400, field });
  expect(json.error).toContain(sentence);
});

test('returns 400 for an event whose data is nested too deeply', async () => {
  const data = `{"a":${'['.repeat(50_000)}${']'.repeat(50_000)}}`;
  const sent = controlOf(await startService())('POST', '/events', `{"type":"qr.created","data":${data}}`);
  expect(await sent).toMatchObject({
    status: 400,
    json: { error: expect.stringContaining('Event data can be nested at most 100 levels deep') },
  });
});

test('returns 404 for an unknown path', async () => {
  const control = controlOf(await startService());
  expect(await control('GET', '/gremlins')).toMatchObject({
    status: 404,
    json: {
      error: expect.stringContaining(
        "GET /_emulator/gremlins doesn't exist. GET /_emulator lists the routes.",
      ),
    },
  });
});

test.each([
  ['a foreign host name that resolves to this machine', { Host: 'attacker.example.com' }],
  ['a page of another site', { Origin: 'https://attacker.example.com' }],
  ['a page of another local server', { Origin: 'http://127.0.0.1:1' }],
  ['a sandboxed page', { Origin: 'null' }],
  ['a cross-site request without an origin', { 'Sec-Fetch-Site': 'cross-site' }],
] as [string, Record<string, string>][])('returns 403 for %s', async (_what, headers) => {
  const { emulator } = await startService();
  const before = emulator.control.clock.now();
  for (const [method, path] of [
    ['GET', '/subscriptions'],
    ['POST', '/reset'],
  ] as const) {
    const { status, json } = await askAs(`${emulator.url}/_emulator${path}`, headers, method);
    expect(status).toBe(403);
    expect(json.error).toMatch(/\.$/);
  }
  expect(emulator.control.clock.now()).toBeGreaterThanOrEqual(before);
});

test("accepts requests to localhost, to an IP address and from the emulator's own pages", async () => {
  const { emulator } = await startService();
  const { host, port } = new URL(emulator.url);
  for (const headers of [
    { Host: `localhost:${port}` },
    { Host: `127.0.0.1:${port}` },
    { Origin: `http://${host}`, 'Sec-Fetch-Site': 'same-origin' },
  ] as Record<string, string>[])
    expect((await askAs(`${emulator.url}/_emulator/reset`, headers, 'POST')).status).toBe(204);
});
