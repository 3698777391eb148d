import { isUtf8 } from 'node:buffer';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { startWorld, type World } from './support/world.ts';
import { action, codeBy, CREATE, NODE } from './support/workflows.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.close());

const run = (...args: Parameters<typeof action>) => world.engine.runWorkflow(action(...args));
const rows = (...names: string[]) =>
  names.map((name) => ({ name, targetUrl: `https://example.com/${encodeURIComponent(name)}` }));

async function create(...names: string[]): Promise<{ id: string; publicUrl: string; slug: string }[]> {
  const { data } = await run(CREATE, rows(...names));
  return data[NODE]!.map(({ json }) => json as { id: string; publicUrl: string; slug: string });
}

test('Create makes one code an item, in order and paired', async () => {
  const names = Array.from({ length: 12 }, (_, i) => `Ordered ${i}`);
  const { status, data } = await run(CREATE, rows(...names));
  expect(status).toBe('success');
  expect(data[NODE]!.map(({ json }) => json['name'])).toEqual(names);
  expect(data[NODE]!.map(({ pairedItem }) => pairedItem)).toEqual(names.map((_, item) => ({ item })));
  expect(data[NODE]![0]!.json).toMatchObject({
    mode: 'dynamic',
    contentType: 'url',
    status: expect.any(String),
  });
});

test('Create sends the content of other content types as the JSON that it is, from text or from an object', async () => {
  const sent: unknown[] = [];
  const service = createServer((request, response) => {
    void (async () => {
      const body = JSON.parse(await text(request)) as object;
      sent.push(body);
      response.end(JSON.stringify({ ...body, id: `qr_${sent.length}` }));
    })();
  });
  await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve));
  try {
    const { port } = service.address() as AddressInfo;
    const engine = await world.engineWith({ baseUrl: `http://127.0.0.1:${port}` });
    const content = { ssid: 'Guests', nested: { list: [1, 'two', null] } };
    const wifi = { operation: 'create', name: 'Guests', mode: 'static', contentType: 'wifi' };
    for (const given of [JSON.stringify(content), '={{ $json.content }}']) {
      const { status } = await engine.runWorkflow(action({ ...wifi, content: given }, [{ content }]));
      expect(status).toBe('success');
    }
    const expected = { name: 'Guests', mode: 'static', contentType: 'wifi', content };
    expect(sent).toEqual([expected, expected]);
    const { error } = await engine.runWorkflow(action({ ...wifi, content: '[1, 2]' }));
    expect(error).toMatchObject({
      message: 'The content is no JSON object. [item 0]',
      description: expect.stringContaining('Give it like'),
    });
  } finally {
    service.close();
  }
});

test('Publish makes a code resolve, Retarget changes where it points', async () => {
  const [code] = await create('Door');
  const published = await run({ operation: 'publish', qrCodeId: codeBy('id', code!.id) });
  expect(published.data[NODE]![0]!.json).toMatchObject({ id: code!.id, status: 'published' });
  const target = async () => (await fetch(code!.publicUrl, { redirect: 'manual' })).headers.get('location');
  expect(await target()).toBe('https://example.com/Door');

  const retarget = {
    operation: 'retarget',
    qrCodeId: codeBy('id', '={{ $json.id }}'),
    url: '={{ $json.url }}',
  };
  const { data } = await run(retarget, [{ id: code!.id, url: 'https://example.com/new' }]);
  expect(data[NODE]![0]!.json).toMatchObject({ id: code!.id });
  expect(await target()).toBe('https://example.com/new');
});

test.each([
  ['its id', 'id', (code: { id: string }) => code.id],
  ['its short link', 'url', (code: { publicUrl: string }) => code.publicUrl],
  [
    'its short link with a slash and a query',
    'url',
    (code: { publicUrl: string }) => `${code.publicUrl}/?from=print`,
  ],
  [
    'its address in the API',
    'url',
    (code: { id: string }) => `${world.emulator.url}/v1/public-api/qr/${code.id}`,
  ],
  ['a short link in a cell for ids', 'id', (code: { publicUrl: string }) => code.publicUrl],
] as const)('Get finds a code by %s', async (_how, mode, value) => {
  const [code] = await create('Findable');
  const { data } = await run({ operation: 'get', qrCodeId: codeBy(mode, value(code!)) });
  expect(data[NODE]![0]!.json).toMatchObject({ id: code!.id, name: 'Findable' });
});

test('a short link that no code has, and no code at all, are said so', async () => {
  const link = `${world.emulator.redirectUrl}/nobody`;
  expect((await run({ operation: 'get', qrCodeId: codeBy('url', link) })).error).toMatchObject({
    message: `No QR code has the short link ${link}. [item 0]`,
  });
  expect(
    (await run({ operation: 'get', qrCodeId: codeBy('id', '={{ $json.id }}') }, [{ id: ' ' }])).error,
  ).toMatchObject({
    message: 'No QR code was given. [item 0]',
  });
});

test('Get Many gives the first ones, all of them, or those changed since a time', async () => {
  const other = await startWorld();
  try {
    const get = (parameters: object) =>
      other.engine.runWorkflow(action({ operation: 'getAll', ...parameters }));
    await other.engine.runWorkflow(
      action(CREATE, rows(...Array.from({ length: 120 }, (_, i) => `Code ${i}`))),
    );
    expect((await get({})).data[NODE]).toHaveLength(50);
    expect((await get({ limit: 3 })).data[NODE]).toHaveLength(3);
    const all = (await get({ returnAll: true })).data[NODE]!;
    expect(new Set(all.map(({ json }) => json['id'])).size).toBe(120);
    const tomorrow = new Date(Date.now() + 86_400_000).toISOString();
    expect((await get({ returnAll: true, filters: { updatedSince: tomorrow } })).data[NODE]).toEqual([]);
    const bad = await get({ filters: { updatedSince: 'soon' } });
    expect(bad.error?.message).toBe('The time given is no date and time. [item 0]');
  } finally {
    await other.close();
  }
});

test('Scans are read with a stable id each; the account names the workspace', async () => {
  const [code] = await create('Scanned');
  await run({ operation: 'publish', qrCodeId: codeBy('id', code!.id) });
  for (let i = 0; i < 3; i++) await fetch(code!.publicUrl, { redirect: 'manual' });
  const scans = await run({ resource: 'scan', operation: 'getAll', returnAll: true });
  const own = scans.data[NODE]!.filter(({ json }) => json['qrId'] === code!.id);
  expect(own).toHaveLength(3);
  expect(new Set(own.map(({ json }) => json['scanId'])).size).toBe(3);

  const account = await run({ resource: 'account', operation: 'get' });
  expect(account.data[NODE]![0]!.json).toMatchObject({ workspace: { id: world.emulator.workspace.id } });
});

test('renders can be chained: each adds its file, with its name and mime type, and keeps the rest', async () => {
  const [code] = await create('Menü: Tisch/4');
  const steps = [
    ['png', 'image/png', (bytes: Buffer) => bytes.subarray(1, 4).toString() === 'PNG'],
    ['svg', 'image/svg+xml', (bytes: Buffer) => isUtf8(bytes) && bytes.toString().includes('<svg')],
    ['pdf', 'application/pdf', (bytes: Buffer) => bytes.subarray(0, 5).toString() === '%PDF-'],
  ] as const;
  const json = action({});
  const [rowsNode, template] = json.nodes;
  json.nodes = [rowsNode!];
  let previous = 'Rows';
  for (const [format] of steps) {
    const parameters = {
      resource: 'qrCode',
      operation: 'render',
      qrCodeId: codeBy('id', '={{ $json.id }}'),
      format,
      size: 100,
      binaryPropertyName: format,
    };
    json.nodes.push({ ...template!, id: format, name: format, parameters });
    json.connections[previous] = { main: [[{ node: format, type: 'main', index: 0 }]] };
    previous = format;
  }
  json.pinData = { Rows: [{ json: { ...code, note: 'kept' } }] };
  const { data, error } = await world.engine.runWorkflow(json);
  expect(error).toBeUndefined();
  const item = data['pdf']![0]!;
  expect(item.json).toMatchObject({ id: code!.id, note: 'kept' });
  for (const [format, mimeType, isRight] of steps) {
    expect(item.binary![format]).toMatchObject({ mimeType, fileName: `${code!.slug}.${format}` });
    expect(item.binary![format]).not.toHaveProperty('directory');
    expect(isRight(await world.engine.getBinary(item, format))).toBe(true);
  }
});

test('a file name can be chosen, and holds no path', async () => {
  const [code] = await create('Named');
  const render = {
    operation: 'render',
    qrCodeId: codeBy('id', code!.id),
    size: 100,
    options: { fileName: '../a/b.png' },
  };
  const { data } = await run(render);
  expect(data[NODE]![0]!.binary!['data']).toMatchObject({ fileName: 'a-b.png' });
  const unnamed = await run({ operation: 'render', size: 100, qrCodeId: codeBy('id', code!.id) }, [
    { name: 'Another row' },
  ]);
  expect(unnamed.data[NODE]![0]!.binary!['data']).toMatchObject({ fileName: `${code!.id}.png` });
});

test('the picker lists codes page by page, filtered by name, slug, link or id', async () => {
  const other = await startWorld();
  try {
    const names = Array.from({ length: 130 }, (_, i) => (i === 0 ? 'Needle' : `Hay ${i}`));
    await other.engine.runWorkflow(action(CREATE, rows(...names)));
    const search = { nodeType: 'n8n-nodes-qr-service.qrService', method: 'searchQrCodes' };
    const first = await other.engine.search(search);
    const second = await other.engine.search({ ...search, paginationToken: first.paginationToken! });
    expect(second.paginationToken).toBeUndefined();
    const values = [...first.results, ...second.results].map(({ value }) => value);
    expect(new Set(values).size).toBe(130);
    const { results } = await other.engine.search({ ...search, filter: 'NEEDLE' });
    expect(results).toEqual([
      {
        name: expect.stringMatching(/^Needle \(needle-/),
        value: expect.any(String),
        url: expect.any(String),
      },
    ]);
  } finally {
    await other.close();
  }
});

test.each(['authorization', 'api-key'])(
  'the connection test passes with the key in %s',
  async (authHeader) => {
    const engine = await world.engineWith({ authHeader, baseUrl: `${world.emulator.url}/v1/public-api/` });
    await expect(
      engine.testCredential('qrServiceApi', 'n8n-nodes-qr-service.qrService'),
    ).resolves.toBeUndefined();
    const { status } = await engine.runWorkflow(action({ resource: 'account', operation: 'get' }));
    expect(status).toBe('success');
  },
);

test('the connection test fails with a wrong key', async () => {
  const engine = await world.engineWith({ apiKey: 'not-a-key' });
  await expect(engine.testCredential('qrServiceApi', 'n8n-nodes-qr-service.qrService')).rejects.toThrow();
});
