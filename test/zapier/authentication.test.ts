import { createRequire } from 'node:module';
import { BRAND } from '@qr-service/core/connector';
import app from 'zapier-qr-service';
import { closeServices, serve } from '../support/faultyService/faultyService.ts';
import { failureOf, startWorld, type World } from './support/world.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
beforeEach(() => {
  // Retries don't wait.
  jest.spyOn(Math, 'random').mockReturnValue(0);
});
afterEach(() => {
  jest.restoreAllMocks();
  closeServices();
});
afterAll(() => world.close());

test('connects with a valid key and shows the name of its workspace', async () => {
  const { account, label } = await world.engine.authTest();
  expect(label).toBe(world.emulator.workspace.name);
  expect(account).toMatchObject({ workspaceId: world.emulator.workspace.id });
});

describe('the label of a connection', () => {
  const KEY = 'qrs_key_of_a_test_1a2b';

  test.each<[string, unknown, string]>([
    [
      'the name of the workspace',
      { workspace: { id: 'ws_1', name: ' Café Löwenbräu 四 ' } },
      'Café Löwenbräu 四',
    ],
    [
      'a name with braces as it is',
      { workspace: { name: '{{bundle.authData.apiKey}}' } },
      '{{bundle.authData.apiKey}}',
    ],
    ['the ID of a workspace without a name', { workspaceId: 'ws_1' }, 'Workspace ws_1'],
    ['the ID if the name is the brand', { workspace: { id: 'ws_1', name: BRAND.name } }, 'Workspace ws_1'],
    [
      'the ID if the name contains the key',
      { workspace: { id: 'ws_1', name: `Key ${KEY}!` } },
      'Workspace ws_1',
    ],
    ['a word if there is neither', {}, 'Workspace'],
  ])('is %s', async (_what, body, label) => {
    const { url } = await serve((_request, response) => response.end(JSON.stringify(body)));
    const connection = await (await world.connect(KEY, url)).authTest();
    expect(connection.label).toBe(label);
    expect(connection.account).toMatchObject({ workspaceName: label });
  });
});

test('the connection test explains a revoked key without asking to reconnect', async () => {
  const { id, apiKey } = world.emulator.control.createKey();
  const engine = await world.connect(apiKey);
  await engine.authTest();
  world.emulator.control.revokeKey(id);

  const failure = await failureOf(engine.authTest());

  expect(failure).toMatchObject({ name: 'AppError', code: 'invalid_api_key', status: 401 });
  expect(failure.message).toMatch(
    /missing, revoked or expired\. The API key is revoked\. Create a new API key in the app, then update the connection\. \(invalid_api_key, request \S+\)$/,
  );
  expect(JSON.stringify(failure)).not.toContain(apiKey);
});

test('a step asks to reconnect when the key has been revoked', async () => {
  const { id, apiKey } = world.emulator.control.createKey();
  const engine = await world.connect(apiKey);
  world.emulator.control.revokeKey(id);

  const failure = await failureOf(
    engine.create('create_qr_code', { name: 'A', targetUrl: 'https://a.example' }),
  );

  expect(failure.name).toBe('ExpiredAuthError');
  expect(failure.message).not.toContain('What happened');
  expect(JSON.stringify(failure)).not.toContain(apiKey);
});

test.each([
  ['an invalid base URL', 'nonsense', /^Base URL isn't a valid URL\. Expected/],
  [
    'a base URL where nothing listens',
    'http://127.0.0.1:9',
    /could not be reached \(ECONNREFUSED\)\. Check Base URL in the connection.*then test the connection again\.$/,
  ],
])('the connection test explains %s', async (_what, baseUrl, said) => {
  const engine = await world.connect(world.emulator.apiKey, baseUrl);
  const failure = await failureOf(engine.authTest());
  expect(failure.name).toBe('AppError');
  expect(failure.message).toMatch(said);
});

describe('the key of requests', () => {
  const KEY = 'qrs_the_key_of_these_tests';

  const { createAppHandler } = createRequire(__filename)('zapier-platform-core') as {
    createAppHandler: (app: object) => (event: object) => Promise<{ results: Record<string, unknown> }>;
  };
  const handle = createAppHandler(app);

  /** Runs a command of Zapier's handler, as its backend does for API Request steps. */
  async function command(name: string, bundle: object = {}): Promise<Record<string, unknown>> {
    const event = { command: name, calledFromCli: true, bundle, customLogger: () => undefined };
    return (await handle(event)).results;
  }

  /** A service that lists the headers with a key of each request. */
  async function startListing() {
    const keys: string[][] = [];
    const { url } = await serve(({ rawHeaders }, response) => {
      keys.push(
        rawHeaders.flatMap((name, index) =>
          index % 2 === 0 && /^(authorization|.*api-key)$/i.test(name)
            ? [`${name}: ${rawHeaders[index + 1]!}`]
            : [],
        ),
      );
      response.end(
        '{"id":"qr_1","name":"A","publicUrl":"https://r.example/a","updatedAt":"2026-01-01T00:00:00Z"}',
      );
    });
    return { url, keys };
  }

  test('Zapier makes API Request steps send the key to any URL', async () => {
    expect(await command('getAuthTemplate')).toEqual({
      supported: true,
      authType: 'custom',
      source: 'beforeRequest',
      template: { headers: { Authorization: 'Bearer {{bundle.authData.apiKey}}' } },
    });
  });

  test.each([
    ['no header', {}],
    ['a separate header', { authorization: 'Basic typed', ' AUTHORIZATION ': 'too' }],
  ])('a request with %s is rendered with the trimmed key, once', async (_what, headers) => {
    const rendered = await command('renderAuthTemplate', {
      authData: { apiKey: ` ${KEY}\n`, baseUrl: 'https://api.example' },
      targetRequest: { url: 'https://api.example/v1/public-api/qr', method: 'GET', headers },
    });
    expect(rendered).toEqual({
      authType: 'custom',
      template: { headers: { Authorization: `Bearer ${KEY}` } },
    });
  });

  test.each([['qrs_\u00e4\nX-Admin: 1'], [' '], [undefined], [{ key: KEY }]])(
    'a key that cannot be sent (%j) is omitted and shown nowhere',
    async (apiKey) => {
      const rendered = await command('renderAuthTemplate', { authData: { apiKey } });
      expect(rendered).toEqual({ authType: 'custom', template: {} });
    },
  );

  test.each([KEY, ` ${KEY}\n`])('each request carries the key once (%j)', async (apiKey) => {
    const { url, keys } = await startListing();
    const engine = await world.connect(apiKey, url);
    await engine.authTest();
    await engine.create('publish_qr_code', { qrCodeId: 'qr_1' });
    const { file } = await engine.create('render_qr_code', { qrCodeId: 'qr_1' });
    await engine.hydrateFile(file).catch(() => undefined);
    await command('request', {
      authData: { apiKey },
      request: { url: `${url}/anything`, headers: { authorization: 'typed' } },
    });
    expect(keys.length).toBeGreaterThanOrEqual(5);
    expect(keys).toEqual(keys.map(() => [`Authorization: Bearer ${KEY}`]));
  });
});
