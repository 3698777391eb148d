import { API_PATH } from '@qr-service/core/connector';
import { contradictionOf, CONTRADICTIONS } from '@qr-service/core/shape';
import { BEHAVIOR_CHOICES, WIRE_CHOICES, type WireShape } from 'qr-service-emulator';
import { checkExchange } from './support/contract.ts';
import { codeInput, startService, stopServices } from './support/service.ts';

afterEach(stopServices);

const HOOK = { url: 'https://hooks.example.com/a', eventTypes: ['qr.created'] };
const list = (rows: number) =>
  Array.from({ length: rows }, () => expect.objectContaining({ slug: expect.any(String) }));

test.each<[WireShape, unknown]>([
  [{}, { data: list(1), pagination: { nextCursor: null } }],
  [
    { listKey: 'items', listEnd: 'empty' },
    { items: list(1), pagination: { nextCursor: '' } },
  ],
  [
    { listKey: 'items', listNesting: 'rows', listEnd: 'missing' },
    { data: { items: list(1) }, pagination: {} },
  ],
  [
    { listKey: 'records', listNesting: 'page' },
    { data: { records: list(1), pagination: { nextCursor: null } } },
  ],
  [{ listKey: 'top-level array' }, list(1)],
])('returns GET /qr in the shape %j', async (wireShape, body) => {
  const service = await startService({ wireShape });
  await service.call('POST', '/qr', { body: codeInput('Door') });
  expect((await service.call('GET', '/qr')).json).toEqual(body);
});

test('returns every row in a top-level array and ignores the limit', async () => {
  const service = await startService({ wireShape: { listKey: 'top-level array' } });
  for (let nth = 0; nth < 3; nth++) await service.createCode(`Code ${nth}`);
  expect((await service.call('GET', '/qr?limit=2')).json).toHaveLength(3);
});

test.each([
  ['ascending', ['Renamed first', 'Third', 'Second']],
  ['descending', ['Second', 'Third', 'Renamed first']],
] as const)('lists codes in %s order of updatedAt', async (listOrder, names) => {
  const service = await startService({ wireShape: { listOrder } });
  const [first, second] = [await service.createCode('First'), await service.createCode('Second')];
  service.emulator.control.rename(first.id, 'Renamed first');
  await service.createCode('Third');
  service.emulator.control.rename(second.id, 'Other');
  service.emulator.control.rename(second.id, 'Second');
  const rows = (await service.call('GET', '/qr')).json['data'] as { name: string }[];
  expect(rows.map(({ name }) => name)).toEqual(names);
});

test('lists codes in the order of their IDs', async () => {
  const service = await startService({ wireShape: { listOrder: 'id' } });
  for (let nth = 0; nth < 9; nth++) await service.createCode(`Code ${nth}`);
  const rows = (await service.call('GET', '/qr')).json['data'] as { id: string }[];
  expect(rows.map(({ id }) => id)).toEqual(rows.map(({ id }) => id).toSorted());
});

test.each<[WireShape, object]>([
  [{}, { id: expect.any(String), secret: expect.any(String) }],
  [{ secretKey: 'signing_secret' }, { id: expect.any(String), signing_secret: expect.any(String) }],
  [{ subscription: 'wrapped' }, { subscription: expect.objectContaining({ secret: expect.any(String) }) }],
  [{ subscription: 'webhook' }, { webhook: expect.objectContaining({ secret: expect.any(String) }) }],
  [
    { subscription: 'webhook beside' },
    { webhook: expect.not.objectContaining({ secret: expect.anything() }), secret: expect.any(String) },
  ],
  [
    { subscription: 'beside', secretKey: 'signingKey' },
    {
      subscription: expect.not.objectContaining({ signingKey: expect.anything() }),
      signingKey: expect.any(String),
    },
  ],
])('returns POST /webhooks in the shape %j', async (wireShape, body) => {
  const service = await startService({ wireShape });
  expect((await service.call('POST', '/webhooks', { body: HOOK })).json).toMatchObject(body);
});

test.each([
  [204, 0],
  [200, 0],
  [405, 1],
  [501, 1],
] as const)('returns %d to an unsubscribe request and keeps %d subscriptions', async (unsubscribe, left) => {
  const service = await startService({ wireShape: { unsubscribe } });
  const { json } = await service.call('POST', '/webhooks', { body: HOOK });
  expect((await service.call('DELETE', `/webhooks/${String(json['id'])}`)).status).toBe(unsubscribe);
  expect(service.emulator.control.subscriptions()).toHaveLength(left);
});

test.each([
  ['summary', 200, { status: 'published' }],
  ['empty', 204, {}],
  ['ok', 200, { ok: true }],
  ['wrapped', 200, { ok: true, qr: { status: 'published' } }],
] as const)('returns %s to a publish request', async (change, status, json) => {
  const service = await startService({ wireShape: { change } });
  const { id } = await service.createCode();
  expect(await service.call('POST', `/qr/${id}/publish`)).toMatchObject({ status, json });
});

test.each([
  ['seconds', '9'],
  ['epoch seconds', '1767225609'],
  ['epoch milliseconds', '1767225609000'],
  ['HTTP date', 'Thu, 01 Jan 2026 00:00:09 GMT'],
] as const)('returns X-RateLimit-Reset in %s: %s', async (reset, value) => {
  const rateLimit = { limit: 5, windowSeconds: 9 };
  const now = () => Date.parse('2026-01-01T00:00:00Z');
  const service = await startService({ wireShape: { reset }, rateLimit, now });
  expect((await service.call('GET', '/me')).headers.get('X-RateLimit-Reset')).toBe(value);
});

test('replays an HTML error page as HTML', async () => {
  const service = await startService({ wireShape: { error: 'html' } });
  const request = { body: {}, headers: { 'Idempotency-Key': 'k1' } };
  const responses = [await service.call('POST', '/qr', request), await service.call('POST', '/qr', request)];
  for (const { status, headers, bytes } of responses) {
    expect([status, headers.get('Content-Type')]).toEqual([422, 'text/html']);
    expect(bytes.toString()).toContain('<h1>Unprocessable Entity</h1>');
  }
});

test('names the limit when it is above the maximum', async () => {
  const service = await startService({ wireShape: { maxLimit: 50 } });
  expect((await service.call('GET', '/qr?limit=51')).json).toMatchObject({
    code: 'validation_failed',
    details: { fields: { limit: 'must be a whole number from 1 to 50' } },
  });
});

test.each([
  [{ color: 'red' }, 'Unknown wire shape color.'],
  [{ listEnd: 'nil' }, 'The wire shape listEnd must be one of: null, empty, missing, repeated, never.'],
])('refuses the shape %j', async (wireShape, message) => {
  await expect(startService({ wireShape: wireShape as WireShape })).rejects.toThrow(new TypeError(message));
});

/** Every form on its own, apart from what only repeated requests show. */
const FORMS = Object.entries(WIRE_CHOICES)
  .filter(([point]) => point !== 'idempotency')
  .flatMap(([point, forms]) =>
    forms.map((form): [keyof WireShape, string | number] => [point as keyof WireShape, form]),
  );

test('departs from the contract in each form that contradicts the API text, and in no other', async () => {
  const service = await startService();
  const { emulator } = service;
  const { id } = await service.createCode();
  const requests: [method: string, path: string, body?: object][] = [
    ['GET', '/me'],
    ['GET', '/qr'],
    ['GET', `/qr/${id}`],
    ['GET', '/qr/none'],
    ['GET', '/scans'],
    ['POST', '/webhooks', HOOK],
    ['POST', `/qr/${id}/publish`],
  ];
  const departs = async (): Promise<boolean> => {
    for (const [method, path, input] of requests) {
      const body = input === undefined ? undefined : JSON.stringify(input);
      const url = `${emulator.url}${API_PATH}${path}`;
      const response = await fetch(url, {
        method,
        headers: { Authorization: `Bearer ${emulator.apiKey}` },
        ...(body === undefined ? {} : { body }),
      });
      const { status, headers } = response;
      const exchange = { method, url, requestBody: body, status, headers };
      try {
        checkExchange({ ...exchange, body: Buffer.from(await response.arrayBuffer()) });
      } catch {
        return true;
      }
    }
    return false;
  };
  for (const [point, form] of FORMS) {
    emulator.control.setWireShape({ [point]: form });
    // The API text leaves open whether publish returns anything; the contract assumes JSON.
    const expected = contradictionOf(point, form) !== undefined || (form === 'empty' && point === 'change');
    expect([point, form, await departs()]).toEqual([point, form, expected]);
  }
});

test('names forms that exist, each once', () => {
  const named = CONTRADICTIONS.flatMap(({ point, forms }) => forms.map((form) => `${point}=${form}`));
  expect(new Set(named).size).toBe(named.length);
  const forms = [WIRE_CHOICES, BEHAVIOR_CHOICES].flatMap((table) =>
    Object.entries<readonly unknown[]>(table).flatMap(([point, all]) =>
      all.map((form) => `${point}=${String(form)}`),
    ),
  );
  expect(forms).toEqual(expect.arrayContaining(named));
});

test('counts any other name of a single code as a contradiction, and of a list as open', () => {
  expect(contradictionOf('record', 'Eintrag')).toEqual(contradictionOf('record', 'qr'));
  expect(contradictionOf('listKey', 'zeilen')).toBeUndefined();
});
