import { CODE, closeServices, serve } from '../support/faultyService/faultyService.ts';
import { closeWorlds, startServer, startWorld, type World } from './support/world.ts';

const SEED = {
  codes: [
    { id: 'qr_1', name: 'Door', targetUrl: 'https://example.com' },
    { id: 'qr_2', name: 'Window', targetUrl: 'https://example.com' },
  ],
};

let world: World;
beforeAll(async () => {
  world = await startWorld({ seed: SEED });
});
afterAll(async () => {
  await closeWorlds();
  closeServices();
});

const read = async (uri: string) => (await world.server.client.readResource({ uri })).contents[0];

test('codes are listed as resources, and each can be read', async () => {
  const { resources } = await world.server.client.listResources();
  expect(resources.map(({ name }) => name)).toEqual(
    expect.arrayContaining([expect.stringContaining('Door')]),
  );
  expect(resources).toHaveLength(2);
  for (const { uri } of resources) {
    const content = await read(uri);
    const { id } = JSON.parse((content as { text: string }).text);
    expect(uri).toBe(`qr://codes/${encodeURIComponent(id)}`);
  }
});

test('the templates name codes and images', async () => {
  const { resourceTemplates } = await world.server.client.listResourceTemplates();
  expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toEqual([
    'qr://codes/{id}',
    'qr://codes/{id}/image{?format,size}',
  ]);
});

test.each([
  ['', 'image/png'],
  ['?format=svg', 'image/svg+xml'],
  ['?size=200&format=pdf', 'application/pdf'],
  ['?format=png&size=300', 'image/png'],
])('an image with the query %j is %s', async (query, mimeType) => {
  expect(await read(`qr://codes/qr_1/image${query}`)).toMatchObject({ mimeType });
});

test.each([
  'qr://codes/qr_missing',
  'qr://codes/qr_missing/image',
  'qr://codes/qr_1/image?format=gif',
  'qr://codes/',
  'qr://other/qr_1',
  'file:///etc/passwd',
])('reading %s fails with a reason', async (uri) => {
  await expect(read(uri)).rejects.toThrow(/not found|was found|must be/);
});

test('an invalid query of an image is reported as such', async () => {
  const reading = read('qr://codes/qr_1/image?size=large');
  await expect(reading).rejects.toMatchObject({
    code: -32602,
    message: expect.stringContaining('size must be'),
  });
});

test('the prompts name the tools and hold what was entered', async () => {
  const { client, tools } = world.server;
  const { prompts } = await client.listPrompts();
  expect(prompts.map(({ name }) => name)).toEqual(['printable_codes', 'move_printed_code']);
  const entered = {
    printable_codes: { rows: 'Door;https://example.com' },
    move_printed_code: { code: 'Door', url: 'https://example.org' },
  };
  for (const [name, args] of Object.entries(entered)) {
    const { messages } = await client.getPrompt({ name, arguments: args });
    const text = messages.map(({ content }) => (content.type === 'text' ? content.text : '')).join('\n');
    for (const value of Object.values(args)) expect(text).toContain(value);
    const named = [...text.matchAll(/\b[a-z]+_(?:[a-z]+_)?codes?\b/g)].map(([tool]) => tool);
    expect(named.length).toBeGreaterThan(1);
    for (const tool of named) expect(tools.map((known) => known.name)).toContain(tool);
  }
});

test('an ID with characters that mean something in a URI is read unchanged', async () => {
  const id = 'qr_ä/7,8?9#%25';
  const service = await serve((_request, response) => response.end(JSON.stringify({ ...CODE, id })));
  const { client } = await startServer({ url: service.url, apiKey: 'key' });
  await client.readResource({ uri: `qr://codes/${encodeURIComponent(id)}` });
  expect(service.requests.at(-1)?.url).toBe(`/v1/public-api/qr/${encodeURIComponent(id)}`);
});
