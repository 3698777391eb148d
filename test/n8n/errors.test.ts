import { SCOPES } from '@qr-service/core';
import { startWorld, type World } from './support/world.ts';
import { action, codeBy, CREATE, NODE } from './support/workflows.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.close());

const row = (name: string, targetUrl = 'https://example.com/') => ({ name, targetUrl });
const ROWS = [row('Good 1'), row('Bad 1', 'no address'), row('Good 2'), row(''), row('Good 3')];

test('without Continue On Fail the node stops with the first bad item, named, and what to do', async () => {
  const { status, error } = await world.engine.runWorkflow(action(CREATE, ROWS));
  expect(status).toBe('error');
  expect(error).toMatchObject({
    name: 'NodeApiError',
    httpCode: '422',
    message: expect.stringMatching(/targetUrl.*\[item 1\]$/),
    description: expect.stringMatching(/\S/),
    context: { itemIndex: 1 },
  });
});

test('with Continue each bad item gets its own error in its place and the others go through', async () => {
  const settings = { onError: 'continueRegularOutput' } as const;
  const { status, data } = await world.engine.runWorkflow(action(CREATE, ROWS, settings));
  expect(status).toBe('success');
  expect(data[NODE]!.map(({ json, pairedItem }) => [json['name'] ?? 'error', pairedItem])).toEqual(
    ['Good 1', 'error', 'Good 2', 'error', 'Good 3'].map((name, item) => [name, { item }]),
  );
  expect(data[NODE]![1]!.json).toEqual({
    error: expect.stringMatching(/\[item 1\]$/),
    details: {
      code: 'validation_failed',
      httpCode: '422',
      description: expect.stringMatching(/\S/),
      requestId: expect.any(String),
    },
  });
  expect(data[NODE]![3]!.json['error']).toMatch(/\[item 3\]$/);
});

test('with the error output bad items leave there, beside the row that they came from', async () => {
  const settings = { onError: 'continueErrorOutput' } as const;
  const { outputs } = await world.engine.runWorkflow(action(CREATE, ROWS, settings));
  const [good, bad] = outputs[NODE]!;
  expect(good!.map(({ json }) => json['name'])).toEqual(['Good 1', 'Good 2', 'Good 3']);
  expect(bad!.map(({ json }) => json)).toMatchObject([
    { ...ROWS[1], error: expect.stringContaining('[item 1]'), details: { code: 'validation_failed' } },
    { ...ROWS[3], error: expect.stringContaining('[item 3]'), details: { code: 'validation_failed' } },
  ]);
});

test("an item's failing expression is that item's error alone", async () => {
  const settings = { onError: 'continueRegularOutput' } as const;
  const parameters = { ...CREATE, name: '={{ $json.name.trim() }}' };
  const { data } = await world.engine.runWorkflow(
    action(parameters, [row('Good'), {}, row('Also')], settings),
  );
  expect(data[NODE]!.map(({ json }) => json['name'] ?? 'error')).toEqual(['Good', 'error', 'Also']);
  expect(data[NODE]![1]!.json['error']).toMatch(/\[item 1\]$/);
});

test.each([
  ['qr:write', { operation: 'publish', qrCodeId: codeBy('id', 'qr_1') }],
  ['exports:read', { operation: 'render', qrCodeId: codeBy('id', 'qr_1') }],
  ['qr:read', { operation: 'getAll' }],
  ['analytics:read', { resource: 'scan', operation: 'getAll' }],
])(
  'a key without %s is told which scope is missing and which it has, and never to reconnect',
  async (scope, parameters) => {
    const granted = SCOPES.filter((held) => held !== scope);
    const { apiKey } = world.emulator.control.createKey({ scopes: granted });
    const engine = await world.engineWith({ apiKey });
    const { error } = await engine.runWorkflow(action(parameters));
    expect(error).toMatchObject({ name: 'NodeApiError', httpCode: '403' });
    const said = `${error!.message} ${error!.description}`;
    expect(said).toContain(`lacks the scope ${scope}`);
    for (const held of granted) expect(said).toContain(held);
    expect(said).not.toMatch(/reconnect|check your credentials|forbidden/i);
  },
);

test('a refused key is not shown, in the error or in what n8n keeps of it', async () => {
  const apiKey = 'qrs_a-key-that-nobody-may-see';
  const engine = await world.engineWith({ apiKey });
  const result = await engine.runWorkflow(action({ resource: 'account', operation: 'get' }));
  expect(result.error).toMatchObject({ name: 'NodeApiError', httpCode: '401' });
  expect(JSON.stringify(result)).not.toContain(apiKey);
});

test('a service that is not there is said so, with its host and without the key', async () => {
  const apiKey = 'qrs_a-key-that-nobody-may-see';
  const engine = await world.engineWith({ apiKey, baseUrl: 'http://127.0.0.1:9' });
  jest.spyOn(Math, 'random').mockReturnValue(0);
  const result = await engine.runWorkflow(action({ resource: 'account', operation: 'get' }));
  jest.restoreAllMocks();
  expect(result.error).toMatchObject({
    message: '127.0.0.1:9 could not be reached (ECONNREFUSED). [item 0]',
    description: expect.stringContaining('Check the base address'),
  });
  expect(JSON.stringify(result)).not.toContain(apiKey);
});

test('a base address that is none is said before anything is sent', async () => {
  const engine = await world.engineWith({ baseUrl: 'qr-service' });
  const { error } = await engine.runWorkflow(action({ resource: 'account', operation: 'get' }));
  expect(error?.message).toContain('The base address is no URL');
});

test('a redirect is not followed, so that the key goes nowhere else', async () => {
  const before = world.emulator.control.requestCount();
  const elsewhere = await startWorld();
  const { createServer } = await import('node:http');
  const redirecting = createServer((_request, response) =>
    response.writeHead(307, { location: `${elsewhere.emulator.url}/v1/public-api/me` }).end(),
  );
  await new Promise<void>((resolve) => redirecting.listen(0, '127.0.0.1', resolve));
  try {
    const { port } = redirecting.address() as { port: number };
    const engine = await world.engineWith({ baseUrl: `http://127.0.0.1:${port}`, authHeader: 'api-key' });
    const { error } = await engine.runWorkflow(action({ resource: 'account', operation: 'get' }));
    expect(error?.message).toContain('redirect');
    expect(elsewhere.emulator.control.requestCount()).toBe(0);
    expect(world.emulator.control.requestCount()).toBe(before);
  } finally {
    redirecting.close();
    await elsewhere.close();
  }
});
