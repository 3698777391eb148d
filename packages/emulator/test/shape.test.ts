import { SHAPE_FORMAT, SHAPE_VERSION, type ServiceShape } from '@qr-service/core/shape';
import { readArguments } from '../src/cli/arguments.ts';
import { writeFileSync } from 'node:fs';
import { startService, stopServices, type Service } from './support/service.ts';
import { removeTempFolders, tempFile } from './support/tempFolder.ts';

afterEach(async () => {
  await stopServices();
  removeTempFolders();
});

const shapeOf = (parts: Partial<ServiceShape>): ServiceShape => ({
  format: SHAPE_FORMAT,
  version: SHAPE_VERSION,
  wireShape: {},
  ...parts,
});

/** Starts in a shape, as `--shape` does with its file. */
async function startIn(parts: Partial<ServiceShape>): Promise<Service> {
  const file = tempFile('shape.json');
  writeFileSync(file, JSON.stringify(shapeOf(parts)));
  const command = readArguments(['--shape', file], {});
  if (command.kind !== 'start') throw new Error('expected a start');
  return startService(command.options);
}

const HOOK = { url: 'https://hooks.example.com/a', eventTypes: ['qr.created'] };

async function scanned(service: Service): Promise<string> {
  const { id, publicUrl } = await service.createCode();
  await service.call('POST', `/qr/${id}/publish`);
  await fetch(publicUrl, { redirect: 'manual', headers: { 'CF-IPCountry': 'DE' } });
  return id;
}

test('uses the names that the service has, whatever they are', async () => {
  const service = await startIn({
    wireShape: { listKey: 'zeilen', listNesting: 'rows', record: 'Eintrag', secretKey: 'hook_key' },
  });
  const offContract = true;
  const body = {
    name: 'Door',
    mode: 'dynamic',
    contentType: 'url',
    content: { targetUrl: 'https://a.example' },
  };
  const created = await service.call('POST', '/qr', { body, offContract });
  expect(created.json).toMatchObject({ Eintrag: { name: 'Door' } });
  expect((await service.call('GET', '/qr')).json).toMatchObject({ data: { zeilen: [{ name: 'Door' }] } });
  const subscribed = await service.call('POST', '/webhooks', { body: HOOK, offContract });
  expect(subscribed.json['hook_key']).toBe(service.emulator.control.subscriptions()[0]?.secret);
});

test.each([
  [7, 7],
  [2147483647, 50],
])('has a largest page of %d rows, and returns %d without a limit', async (maxLimit, rows) => {
  const codes = Array.from({ length: 60 }, (_, nth) => ({
    name: `Code ${nth}`,
    targetUrl: 'https://a.example',
  }));
  const shape = shapeOf({ wireShape: { maxLimit } });
  const service = await startService({ shape, seed: { codes } });
  expect((await service.call('GET', '/qr')).json['data']).toHaveLength(rows);
  expect((await service.call('GET', `/qr?limit=${maxLimit}`)).status).toBe(200);
  expect((await service.call('GET', `/qr?limit=${maxLimit + 1}`)).status).toBe(422);
});

test('lists scans with the fields and dimensions that the service has', async () => {
  const service = await startIn({
    allowedDimensions: ['country', 'city'],
    scanFields: { id: 'scanId', qrId: 'code', scannedAt: 'at' },
  });
  const id = await scanned(service);
  const { json } = await service.call('GET', '/scans');
  expect(json).toMatchObject({
    allowedDimensions: ['country', 'city'],
    data: [{ scanId: expect.any(String), code: id, at: expect.any(String), country: 'DE', city: null }],
  });
  expect(Object.keys((json['data'] as object[])[0]!)).toHaveLength(5);
});

test('leaves out, ignores and accepts what the service does', async () => {
  const shape = shapeOf({
    wireShape: { scanRow: 'without id' },
    missing: ['scannedAt', 'updatedAt', 'X-RateLimit-Reset'],
    ignoredParameters: { '/qr': ['limit'], '/qr/*/image': ['format'] },
    keyHeader: 'api-key',
    errors: { not_found: { status: 400, code: null } },
    responses: [{ method: 'GET', path: '/scans', query: { since: '*' }, status: 500, body: '' }],
  });
  const code = {
    name: 'Door',
    targetUrl: 'https://a.example',
    status: 'published' as const,
    scans: [{ scannedAt: 0 }],
  };
  const service = await startService({ shape, seed: { codes: [code] } });
  const { apiKey, url } = service.emulator;
  const get = (path: string, headers: Record<string, string> = { 'X-Service-API-Key': apiKey }) =>
    fetch(`${url}/v1/public-api${path}`, { headers });
  expect((await get('/me', { Authorization: `Bearer ${apiKey}` })).status).toBe(401);
  const list = await get('/qr?limit=0');
  expect(list.headers.has('X-RateLimit-Limit') && !list.headers.has('X-RateLimit-Reset')).toBe(true);
  const [row] = ((await list.json()) as { data: { id: string }[] }).data;
  expect(row).not.toHaveProperty('updatedAt');
  expect((await get(`/qr/${row!.id}/image?format=pdf`)).headers.get('Content-Type')).toBe('image/png');
  const { data } = (await (await get('/scans')).json()) as { data: object[] };
  expect(Object.keys(data[0]!).slice(0, 2)).toEqual(['qrId', 'country']);
  expect((await get('/scans?since=2026-01-01T00:00:00Z')).status).toBe(500);
  const missing = await get('/qr/none');
  expect([missing.status, Object.keys((await missing.json()) as object)]).toEqual([
    400,
    ['error', 'message', 'requestId'],
  ]);
});

test('repeats responses of the service as they were, after doing the work', async () => {
  const service = await startIn({
    responses: [
      {
        method: 'POST',
        path: '/qr/*/publish',
        status: 202,
        headers: { 'content-type': 'text/plain' },
        body: 'queued',
      },
      { method: 'GET', path: '/me', status: 204, body: '' },
      {
        method: 'GET',
        path: '/scans',
        status: 200,
        headers: { 'x-odd': '1', 'content-length': '9' },
        body: '{"a":',
      },
    ],
  });
  const offContract = true;
  const { id } = await service.createCode();
  const published = await service.call('POST', `/qr/${id}/publish`, { offContract });
  expect(published).toMatchObject({ status: 202, bytes: Buffer.from('queued') });
  expect(published.headers.get('Content-Type')).toBe('text/plain');
  expect(published.headers.get('X-RateLimit-Limit')).toBe('2000');
  expect((await service.call('GET', `/qr/${id}`)).json['status']).toBe('published');
  expect((await service.call('GET', '/me', { offContract })).status).toBe(204);
  expect((await service.call('GET', '/me', { apiKey: 'none', offContract })).status).toBe(401);
  const scans = await service.call('GET', '/scans', { offContract });
  expect([scans.bytes.toString(), scans.headers.get('X-Odd')]).toEqual(['{"a":', '1']);
  const requests = service.emulator.control.requests();
  expect(requests.at(-1)).toMatchObject({
    path: expect.stringMatching(/scans$/),
    response: { body: '{"a":' },
  });
});

const RESPONSE = { method: 'GET', path: '/', status: 200, body: '' };

test.each<[unknown, string]>([
  [[], `The input isn't a service shape: its format isn't "qr-service-shape".`],
  [{ format: 'seed' }, "The input isn't a service shape"],
  [{ version: '1' }, 'version must be a whole number from 1.'],
  [{ version: 2 }, 'version is 2, but this emulator reads only up to 1; update the emulator.'],
  [{ wireShape: undefined }, 'wireShape is missing.'],
  [{ wireShape: { color: 'red' } }, "wireShape.color isn't a known field; use one of: listKey, "],
  [{ wireShape: { listSince: 'open' } }, 'wireShape.listSince must be one of: inclusive, exclusive.'],
  [{ wireShape: { record: 4 } }, 'wireShape.record must be a string'],
  [{ wireShape: { maxLimit: 0 } }, 'wireShape.maxLimit must be a whole number from 1 '],
  [{ rateLimit: { limit: 1 } }, "rateLimit isn't a known field"],
  [{ allowedDimensions: [''] }, 'allowedDimensions must be a list in which each entry '],
  [{ scanFields: { ip: 'ip' } }, "scanFields.ip isn't a known field"],
  [{ visibleAfterMs: 1e9 }, 'visibleAfterMs must be a whole number from 0 to 3600000.'],
  [{ responses: [{ method: 'GET', path: '/', body: '' }] }, 'responses[0].status is missing.'],
  [{ missing: ['ip'] }, 'missing must be a list in which each entry must be one of: name, '],
  [{ ignoredParameters: { '/qr': 'limit' } }, 'ignoredParameters./qr must be a list.'],
  [
    { errors: { not_found: { status: 99, code: 'gone' } } },
    'errors.not_found.status must be a whole number ',
  ],
  [{ responses: [{ ...RESPONSE, path: 'x' }] }, 'responses[0].path must be a path'],
  [{ responses: [{ ...RESPONSE, body: {} }] }, 'responses[0].body must be a string.'],
  [{ responses: [{ ...RESPONSE, headers: { 'a b': '1' } }] }, "responses[0].headers.a b isn't a valid"],
])('refuses the shape %j', async (parts, sentence) => {
  const shape = Array.isArray(parts)
    ? parts
    : (JSON.parse(JSON.stringify(shapeOf(parts as object))) as unknown);
  const started = startService({ shape: shape as ServiceShape });
  await expect(started).rejects.toThrow(TypeError);
  await expect(started).rejects.toThrow(sentence);
});
