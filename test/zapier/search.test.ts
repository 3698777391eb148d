import { failureOf, startWorld, type World } from './support/world.ts';

let world: World;
let code: Record<string, unknown>;
beforeAll(async () => {
  world = await startWorld();
  for (const name of ['Table 1', 'Table 10', 'Table 1'])
    code = await world.engine.create('create_qr_code', { name, targetUrl: 'https://example.com' });
});
afterAll(() => world.close());

const find = (searchBy: string, value: unknown) =>
  world.engine.search('find_qr_code', { searchBy, value: String(value) });

test('finds a code by ID', async () => {
  expect(await find('id', code['id'])).toMatchObject([{ id: code['id'] }]);
});

test('finds a code by short link, with or without scheme, trailing slash and query', async () => {
  const link = String(code['publicUrl']);
  for (const typed of [
    link,
    `${link}/`,
    `${link}?from=print`,
    link.replace('http://', ''),
    link.replace('http://', 'https://'),
  ])
    expect(await find('publicUrl', typed)).toMatchObject([{ id: code['id'] }]);
});

test.each([
  ['ID', () => String(code['id'])],
  ['ID between spaces', () => ` ${String(code['id'])} `],
  ['API URL', () => `${world.emulator.url}/v1/public-api/qr/${String(code['id'])}`],
])(
  '"find or create" by short link, given the %s of a code, finds it and creates none',
  async (_what, value) => {
    const before = world.emulator.control.requestCount();
    const create = { name: 'Second', targetUrl: 'https://example.com' };
    const found = await world.engine.searchOrCreate(
      'find_qr_code',
      { searchBy: 'publicUrl', value: value() },
      create,
    );
    expect(found['id']).toBe(code['id']);
    const sent = world.emulator.control.requests().slice(before - world.emulator.control.requestCount());
    expect(sent.map(({ method }) => method)).not.toContain('POST');
  },
);

test('finds codes by exact name, the most recently updated first', async () => {
  world.emulator.control.rename(String(code['id']), 'Table 1 ');
  const found = await find('name', 'Table 1');
  expect(found.map(({ name }) => String(name).trim())).toEqual(['Table 1', 'Table 1']);
  expect(found[0]).toMatchObject({ id: code['id'] });
});

test.each([
  ['id', 'qr_none'],
  ['publicUrl', 'https://example.com/none'],
  ['name', 'Table'],
])('returns an empty list when no code has the %s %p', async (searchBy, value) => {
  expect(await find(searchBy, value)).toEqual([]);
});

test('"find or create" creates a code only once', async () => {
  const name = 'Window';
  const run = () =>
    world.engine.searchOrCreate(
      'find_qr_code',
      { searchBy: 'name', value: name },
      { name, targetUrl: 'https://example.com' },
    );
  const made = await run();
  expect((await run())['id']).toBe(made['id']);
  expect(await find('name', name)).toHaveLength(1);
});

test('rejects an unknown value of Search By', async () => {
  expect((await failureOf(find('slug', 'x'))).message).toMatch(
    /^Search By must be one of Short Link, Exact Name, but got "slug"/,
  );
});
