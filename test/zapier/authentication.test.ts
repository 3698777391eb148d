import { BRAND } from '@qr-service/core/connector';
import app from 'zapier-qr-service';
import { createZapierEngine } from '../../engines/zapier/index.ts';
import { closeServices, serve } from '../support/faultyService/faultyService.ts';
import { failureOf, startWorld, type World } from './support/world.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterEach(closeServices);
afterAll(() => world.close());

test('connects with a valid key and shows the name of its workspace', async () => {
  const { account, label } = await world.engine.authTest();
  expect(label).toBe(world.emulator.workspace.name);
  expect(account).toMatchObject({ workspaceId: world.emulator.workspace.id });
});

describe('the label of a connection', () => {
  const KEY = 'qrs_key_of_a_test_1a2b';
  const ENDING = 'API key ending in 1a2b';

  test.each<[string, unknown, string, string]>([
    [
      'the name of the workspace',
      { workspace: { id: 'ws_1', name: ' Café Löwenbräu 四 ' } },
      KEY,
      'Café Löwenbräu 四',
    ],
    [
      'a name with braces as it is',
      { workspace: { name: '{{bundle.authData.apiKey}}' } },
      KEY,
      '{{bundle.authData.apiKey}}',
    ],
    [
      'a name without control characters',
      { workspace: { name: 'Café\u0000\n\u202eBar' } },
      KEY,
      'Café   Bar',
    ],
    ['the start of a long name', { workspace: { name: 'x'.repeat(5000) } }, KEY, `${'x'.repeat(80)}…`],
    ['the end of the key if there is only an ID', { workspaceId: 'ws_1' }, KEY, ENDING],
    ['the end of the key if the ID is text', { workspace: 'ws_1' }, KEY, ENDING],
    ['the end of the key if the name is the ID', { workspace: { id: 'ws_1', name: 'ws_1' } }, KEY, ENDING],
    ['the end of the key if the name is null', { workspace: { id: 'ws_1', name: null } }, KEY, ENDING],
    [
      'the end of the key if the name is the ID between spaces',
      { workspace: { id: 'ws_1 ', name: ' ws_1' } },
      KEY,
      ENDING,
    ],
    ['the end of the key if the name is the brand', { workspace: { name: BRAND.name } }, KEY, ENDING],
    ['the end of the key if the name is the key', { name: KEY }, KEY, ENDING],
    ['the end of the key if the name contains the key', { name: `Key ${KEY}!` }, KEY, ENDING],
    [
      'the end of the key if the name is blank',
      { workspace: { id: 'ws_1', name: ' \u200b\n' } },
      KEY,
      ENDING,
    ],
    ['the end of the key if the response is empty', {}, KEY, ENDING],
    ['the end of a key between spaces', {}, ` ${KEY} `, ENDING],
    ['nothing of a key so short that four characters would reveal too much', {}, 'key_of_1a2b', 'API key'],
  ])('is %s', async (_what, body, apiKey, label) => {
    const { url } = await serve((_request, response) => response.end(JSON.stringify(body)));
    const connection = await (await world.connect(apiKey, url)).authTest();
    expect(connection.label).toBe(label);
    expect(connection.account).toMatchObject({ workspaceName: label });
  });

  test("is a field of the test's result, as reviewers and the command line require", () => {
    expect(app.authentication.connectionLabel).toBe('{{workspaceName}}');
  });

  test.each<[string, unknown]>([
    [
      'a function',
      (_z: unknown, { inputData }: { inputData: { workspaceName: string } }) => `${inputData.workspaceName}!`,
    ],
    [
      'a template',
      '{{bundle.inputData.workspaceName}}{{bundle__authData__mark}}{{none}}{{bundle.none.none}}',
    ],
  ])('can be %s in the engine', async (_what, connectionLabel) => {
    const auth = { apiKey: world.emulator.apiKey, baseUrl: world.emulator.url, mark: '!' };
    const other = { ...app, authentication: { ...app.authentication, connectionLabel } };
    const engine = await createZapierEngine({ auth, app: other });
    const { label } = await engine.authTest().finally(() => engine.close());
    expect(label).toBe(`${world.emulator.workspace.name}!`);
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
    /missing, revoked or expired\. Create a new API key in the app, then update the connection\. Error code: invalid_api_key\. Request ID: /,
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
    /could not be reached.*Check Base URL in the connection.*then test the connection again\. Error code: ECONNREFUSED$/,
  ],
])('the connection test explains %s', async (_what, baseUrl, said) => {
  const engine = await world.connect(world.emulator.apiKey, baseUrl);
  const failure = await failureOf(engine.authTest());
  expect(failure.name).toBe('AppError');
  expect(failure.message).toMatch(said);
});

test.each([
  ['a web page', 'text/html', '<html>Welcome</html>'],
  ['another API', 'application/json', '{"message":"Not found"}'],
])('the connection test explains a base URL that leads to %s', async (_what, type, body) => {
  const { url } = await serve((_request, response) =>
    response.writeHead(404, { 'content-type': type }).end(body),
  );
  const failure = await failureOf((await world.connect(world.emulator.apiKey, url)).authTest());
  expect(failure).toMatchObject({ name: 'AppError', status: 404 });
  expect(failure.message).toMatch(
    /^The server at Base URL isn't the service's API\. Check Base URL in the connection\. (?:HTTP status: 404 \(text\/html\)|Error code: not_found)$/,
  );
});

test('the connection test rejects an empty key without a request', async () => {
  const engine = await world.connect(' ');
  const before = world.emulator.control.requestCount();
  expect((await failureOf(engine.authTest())).message).toMatch(
    /^The API key is empty\. Create an API key in the app/,
  );
  expect(world.emulator.control.requestCount()).toBe(before);
});
