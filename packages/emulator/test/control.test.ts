import type { Control } from 'qr-service-emulator';
import { until } from '../../../test/support/jest/until.ts';
import { readAs } from './support/inspector.ts';
import { type Service, startService, startSubscribed } from './support/service.ts';

interface ControlResponse {
  status: number;
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- each test knows what it requested
  json: any;
}

/** Calls a method of the control over HTTP, without a key. */
function rpcOf({ emulator }: Service) {
  return async (method: string, ...args: unknown[]): Promise<ControlResponse> => {
    const body = args.length === 0 ? {} : { body: JSON.stringify(args) };
    const response = await fetch(`${emulator.url}/_emulator/${method}`, { method: 'POST', ...body });
    return { status: response.status, json: await response.json() };
  };
}

test('lists every method of control with its arguments', async () => {
  const { emulator } = await startService();
  const listed = (await (await fetch(`${emulator.url}/_emulator`)).json()) as Record<string, string[]>;
  const { clock, ...control } = emulator.control;
  const clockMethods = Object.keys(clock).map((name) => `clock.${name}`);
  expect(Object.keys(listed).toSorted()).toEqual([...Object.keys(control), ...clockMethods].toSorted());
  expect(listed['rename']).toEqual(['qrId', 'name']);
});

test('changes codes, keys, faults and settings', async () => {
  const service = await startSubscribed();
  const rpc = rpcOf(service);
  const { id } = await service.createCode();
  const { control } = service.emulator;
  const requests = control.requestCount();
  for (const [method, ...args] of [['rename', 'Renamed'], ['archive'], ['unarchive']])
    expect(await rpc(method!, id, ...args)).toEqual({ status: 200, json: null });
  expect((await service.call('GET', `/qr/${id}`)).json).toMatchObject({ name: 'Renamed', status: 'draft' });
  expect((await rpc('answerFeedback', id, 3)).json).toMatch(/^resp_/);
  await rpc('delete', id);
  // The service's requests only.
  expect(control.requestCount()).toBe(requests + 1);
  expect(await rpc('delete', id)).toEqual({
    status: 404,
    json: { error: `No QR code with ID ${id} was found.` },
  });

  const key = (await rpc('createKey', { scopes: ['qr:read'] })).json as ReturnType<Control['createKey']>;
  const withKey = async () => (await service.call('GET', '/qr', { apiKey: key.apiKey })).status;
  expect(await withKey()).toBe(200);
  await rpc('revokeKey', key.id);
  expect(await withKey()).toBe(401);

  await rpc('failNext', { code: 'quota_exceeded', match: { path: '/me' }, times: null });
  for (let nth = 0; nth < 2; nth++) expect((await service.call('GET', '/me')).status).toBe(403);
  await rpc('clearFaults');
  expect((await service.call('GET', '/me')).status).toBe(200);
  await rpc('changeSettings', { maxLimit: 7 });
  expect((await rpc('settings')).json).toMatchObject({ maxLimit: 7, listOrder: 'ascending' });
});

test('sends events and redelivers deliveries', async () => {
  const service = await startSubscribed();
  const rpc = rpcOf(service);
  const event = (await rpc('emit', 'export.ready', { exportId: 'e1' })).json;
  expect(event).toMatchObject({ type: 'export.ready', data: { exportId: 'e1' } });
  expect((await rpc('settled')).json).toEqual([]);
  const [delivery] = (await rpc('deliveries')).json;
  expect(delivery).toMatchObject({ eventId: event.id, status: 'delivered', attempts: [{ status: 204 }] });
  expect((await rpc('redeliver', delivery.id)).json).toBe(delivery.id);
  await rpc('settled');
  expect((await rpc('redeliver', delivery.id, { newDeliveryId: true })).json).not.toBe(delivery.id);
  await rpc('settled');
  expect(service.receiver.received).toHaveLength(3);
  expect((await rpc('subscriptions')).json).toMatchObject([{ secret: service.secret }]);
});

test('names the deliveries that it still waits for when the timeout is over', async () => {
  const service = await startSubscribed(() => 500, { retryBaseMs: 3_600_000 });
  const { control } = service.emulator;
  await service.createCode();
  await until(() => control.deliveries()[0]?.tries === 1);
  const { id, subscriptionId, url, nextAttemptAt } = control.deliveries()[0]!;
  const pending = {
    id,
    subscriptionId,
    url,
    nextAttemptAt,
    eventType: 'qr.created',
    status: 'pending',
    tries: 1,
  };
  expect((await rpcOf(service)('settled', { timeoutMs: 1 })).json).toEqual([pending]);
  const waiting = control.settled({ timeoutMs: 600_000 });
  await service.call('DELETE', `/webhooks/${subscriptionId}`);
  control.clock.advance(1);
  expect(await waiting).toEqual([]);
});

const DEEP = `${'['.repeat(9e4)}${']'.repeat(9e4)}`;
test.each<[method: string, body: string, status: number, sentence: string]>([
  ['failNext', '[{"code":"gremlins"}]', 400, 'fault.code must be one of: invalid_api_key, '],
  ['failNext', '[{"times":0}]', 400, 'fault.times must be a whole number from 1 to 1000000000.'],
  ['failNext', '[{"match":{"a":1}}]', 400, "fault.match.a isn't a known field; use one of: method,"],
  ['failDeliveries', '[{"kind":"lost"}]', 400, 'fault.kind must be one of: wrong secret, '],
  ['emit', '["qr.eaten"]', 400, 'type must be one of: qr.created, '],
  ['emit', `["qr.created",{"a":${DEEP}}]`, 400, 'data can be nested at most 100 levels'],
  ['emit', '{}', 400, 'The body must be a JSON array of the arguments: [type, data].'],
  ['clock.set', '["+275760-09-13T00:00:00Z"]', 400, 'to a time between 1970 and 9998'],
  ['createKey', '[{"allowedAddresses":["a"]}]', 400, 'options.allowedAddresses[0] must be an IP address or'],
  ['settled', '[{"timeoutMs":600001}]', 400, 'options.timeoutMs must be a whole number from 0 to 600000.'],
  ['reset', '[{"hard":true}]', 400, 'The body must be a JSON array of the arguments: [].'],
  ['restore', '[{"id":"none"}]', 404, 'No snapshot with ID none was found;'],
  ['gremlins', '', 404, 'Unknown method gremlins. Use one of: createKey, '],
  ['constructor', '', 404, 'Unknown method constructor. Use one of: createKey, '],
])('refuses %s with the body %.40s', async (method, body, status, sentence) => {
  const { emulator } = await startService();
  const response = await fetch(`${emulator.url}/_emulator/${method}`, { method: 'POST', body });
  const error = expect.stringContaining(sentence) as string;
  expect([response.status, await response.json()]).toEqual([status, { error }]);
});

test.each([
  [403, 'a foreign host name that resolves to this machine', { Host: 'attacker.example.com' }],
  [403, 'a page of another site', { Origin: 'https://attacker.example.com' }],
  [403, 'a page of another local server', { Origin: 'http://127.0.0.1:1' }],
  [403, 'a sandboxed page', { Origin: 'null' }],
  [403, 'a cross-site request without an origin', { 'Sec-Fetch-Site': 'cross-site' }],
  [200, 'localhost', { Host: 'localhost:4010' }],
  [200, 'an IP address', { Host: '127.0.0.1:4010' }],
  [200, 'its own pages', { Host: 'localhost', Origin: 'http://localhost', 'Sec-Fetch-Site': 'same-origin' }],
] as [number, string, Record<string, string>][])('returns %s for %s', async (status, _what, headers) => {
  const { emulator } = await startService();
  expect((await readAs(`${emulator.url}/_emulator/reset`, headers, 'POST')).status).toBe(status);
});
