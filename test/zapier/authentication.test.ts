import { failureOf, startWorld, type World } from './support/world.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.close());

test('a key that works connects and shows the name of its workspace', async () => {
  const { account, label } = await world.engine.authTest();
  expect(label).toBe(world.emulator.workspace.name);
  expect(account).toMatchObject({ workspaceId: world.emulator.workspace.id });
});

test('a revoked key says so in the connection test, in words and without asking to reconnect', async () => {
  const { id, apiKey } = world.emulator.control.createKey();
  const engine = await world.connect(apiKey);
  await engine.authTest();
  world.emulator.control.revokeKey(id);

  const failure = await failureOf(engine.authTest());

  expect(failure).toMatchObject({ name: 'AppError', code: 'invalid_api_key', status: 401 });
  expect(failure.message).toMatch(/missing, revoked or expired.*Make a new API key/);
  expect(JSON.stringify(failure)).not.toContain(apiKey);
});

test('a key that is revoked later makes a step ask to reconnect', async () => {
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
  ['no address at all', 'nonsense', /base address is no URL/],
  ['an address where nothing listens', 'http://127.0.0.1:9', /could not be reached.*Check the base address/],
])('%s is told as such', async (_what, baseUrl, said) => {
  const engine = await world.connect(world.emulator.apiKey, baseUrl);
  const failure = await failureOf(engine.authTest());
  expect(failure.name).toBe('AppError');
  expect(failure.message).toMatch(said);
});

test('an empty key is told as such, without a request', async () => {
  const engine = await world.connect(' ');
  const before = world.emulator.control.requestCount();
  expect((await failureOf(engine.authTest())).message).toMatch(/No API key was given/);
  expect(world.emulator.control.requestCount()).toBe(before);
});
