import { closeServices, serve } from '../../harness/faultyService/faultyService.ts';
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
