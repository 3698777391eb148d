import app from 'zapier-qr-service';
import type { PlainInputField } from 'zapier-platform-core';
import { closeServices, serve } from '../support/faultyService/faultyService.ts';
import { startVirtualTime } from '../support/jest/virtualTime.ts';
import { failureOf, startWorld, type World } from './support/world.ts';

let world: World;
let code: Record<string, unknown>;
beforeAll(async () => {
  world = await startWorld();
  for (const name of ['Table 1', 'Table 10', 'Table 1'])
    code = await world.engine.create('create_qr_code', { name, targetUrl: 'https://example.com' });
});
afterEach(() => {
  jest.restoreAllMocks();
  closeServices();
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
  '"find or create" by short link, with the %s of a code, finds it and creates none',
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

describe('without Search By', () => {
  const findAny = (value: unknown, engine = world.engine) => engine.search('find_qr_code', { value });
  const idOf = (found: Record<string, unknown>[]) => found.map(({ id }) => id);
  const link = () => String(code['publicUrl']);

  test.each<[string, () => string]>([
    ['its ID', () => String(code['id'])],
    ['its ID between spaces', () => ` ${String(code['id'])}\n`],
    ['its API URL', () => `${world.emulator.url}/v1/public-api/qr/${String(code['id'])}`],
    ['its short link', link],
    ['its short link without the scheme', () => link().replace('http://', '')],
    ['its short link in another form', () => `${link().replace('http:', 'HTTPS:')}/?from=print`],
  ])('finds a code by %s', async (_what, value) => {
    expect(idOf(await findAny(value()))).toEqual([code['id']]);
    expect(idOf(await world.engine.search('find_qr_code', { searchBy: '', value: value() }))).toEqual([
      code['id'],
    ]);
  });

  /** Names that could be mistaken for something else. */
  const NAMES = [
    'table-4',
    'qr_4',
    '4',
    'Door',
    'example.com',
    'example.com/menu',
    'https://example.com/menu',
    '..',
    'a/b',
    'x'.repeat(200),
    'Café 四',
    'Table  4\u00a0b',
    'two\nlines',
    '🍜',
    '50% off/now',
    '%41',
    'St.Gallen/4:5',
    'http://[',
    '{{bundle.authData.apiKey}}',
    'https://api.example/v1/public-api/qr/qr_9',
  ];

  test('finds codes by names that look like IDs or links, and "find or create" creates one of each', async () => {
    const own = await startWorld();
    for (const name of NAMES) {
      const run = () =>
        own.engine.searchOrCreate('find_qr_code', { value: name }, { name, targetUrl: 'https://a.example' });
      expect(await findAny(name, own.engine)).toEqual([]);
      const { id } = await run();
      expect((await run())['id']).toBe(id);
      expect(idOf(await findAny(name, own.engine))).toEqual([id]);
    }
    await own.close();
  });

  /** A service with these codes, whose IDs have another form. */
  async function serviceWith(
    codes: { id: unknown; name: string; slug?: string; publicUrl?: string }[],
    missing = 404,
  ) {
    const { url, requests } = await serve((request, response) => {
      const [, id] = /\/qr\/([^?]+)/.exec(request.url ?? '') ?? [];
      const rows = codes.map((row) => ({ slug: 'slug', updatedAt: '2026-01-01T00:00:00.000Z', ...row }));
      const row = rows.find((one) => String(one.id) === id || one.slug === id);
      response.setHeader('content-type', 'application/json');
      if (id === undefined) response.end(JSON.stringify({ data: rows }));
      else if (row !== undefined) response.end(JSON.stringify(row));
      else
        response
          .writeHead(missing)
          .end(JSON.stringify({ code: missing === 404 ? 'not_found' : 'validation_failed', message: 'No.' }));
    });
    return { engine: await world.connect('key_of_a_test', url), requests };
  }

  test.each([400, 404, 422])(
    'finds numeric and short IDs, and names if the service rejects other IDs with %i',
    async (missing) => {
      const codes = [
        { id: 12, name: 'Door' },
        { id: 'abc', name: '7' },
        { id: 7, name: 'Window' },
        { id: 'urn.qr:1/2', name: 'Gate' },
      ];
      const { engine } = await serviceWith(codes, missing);
      expect(idOf(await findAny('12', engine))).toEqual(['12']);
      expect(idOf(await findAny('abc', engine))).toEqual(['abc']);
      // Ambiguous text is a name, as people type names.
      expect(idOf(await findAny('7', engine))).toEqual(['abc']);
      expect(idOf(await findAny('Door', engine))).toEqual(['12']);
      expect(idOf(await findAny('urn.qr:1/2', engine))).toEqual(['urn.qr:1/2']);
      expect(await findAny('none_4', engine)).toEqual([]);
    },
  );

  test('prefers a link over an equal name, and never mistakes a slug for an ID', async () => {
    const publicUrl = 'https://r.example/door';
    const { engine } = await serviceWith([
      { id: 'qr_1', name: publicUrl },
      { id: 'qr_2', name: 'Door', slug: 'door_2', publicUrl },
    ]);
    expect(idOf(await findAny(publicUrl, engine))).toEqual(['qr_2']);
    expect(idOf(await findAny('r.example/door/', engine))).toEqual(['qr_2']);
    expect(await findAny('door_2', engine)).toEqual([]);
    expect(await engine.search('find_qr_code', { searchBy: 'id', value: 'door_2' })).toEqual([]);
  });

  test.each([403, 404, 410])(
    'finds a code by its name or ID if a proxy responds with %i to what looks like an ID',
    async (refusal) => {
      const { url } = await serve((request, response) => {
        const row = { id: 'qr_1', slug: 'door', name: 'table-4' };
        const isList = /\/qr(\?|$)/.test(request.url ?? '');
        if (isList) response.end(JSON.stringify({ data: [row] }));
        else response.writeHead(refusal, { 'content-type': 'text/html' }).end('<html>');
      });
      const engine = await world.connect('key_of_a_test', url);
      expect(idOf(await findAny('table-4', engine))).toEqual(['qr_1']);
      expect(idOf(await findAny('qr_1', engine))).toEqual(['qr_1']);
      expect(await findAny('table-5', engine)).toEqual([]);
      // Without the list, a proxy's page isn't a result.
      expect((await failureOf(engine.search('find_qr_code', { searchBy: 'id', value: 'qr_1' }))).name).toBe(
        'AppError',
      );
    },
  );

  test('finds a likely ID with one request', async () => {
    const { engine, requests } = await serviceWith([{ id: 'qr_7hK2pQ', name: 'Door' }]);
    expect(await findAny('qr_7hK2pQ', engine)).toHaveLength(1);
    expect(requests).toHaveLength(1);
  });

  test('finds an ID of any form even if there are more codes than are searched', async () => {
    let pages = 0;
    const { url } = await serve((request, response) => {
      const rows = Array.from({ length: 100 }, (_, index) => ({
        id: `x${pages}-${index}`,
        slug: 's',
        name: 'Other',
      }));
      if (/\/qr\/[^?]/.test(request.url ?? ''))
        response.end(JSON.stringify({ id: 'abc', slug: 's', name: 'Far' }));
      else response.end(JSON.stringify({ data: rows, pagination: { nextCursor: String(pages++) } }));
    });
    const engine = await world.connect('key_of_a_test', url);
    expect(await findAny('abc', engine)).toMatchObject([{ name: 'Far' }]);
    expect((await failureOf(findAny('not a code', engine))).code).toBe('search_limit');
  });

  test.each([undefined, null, '', ' '])(
    'an empty value (%p) fails before anything is searched or created',
    async (value) => {
      const before = world.emulator.control.requestCount();
      const create = { name: 'Nameless', targetUrl: 'https://a.example' };
      const failure = await failureOf(world.engine.searchOrCreate('find_qr_code', { value }, create));
      expect(failure).toMatchObject({
        name: 'AppError',
        message: 'Short Link or Name is empty. Enter a value.',
      });
      expect(world.emulator.control.requestCount()).toBe(before);
    },
  );

  test('fails if the service does, so that "find or create" does not create a duplicate', async () => {
    startVirtualTime();
    for (const answer of [401, 403, 409, 500]) {
      const { url, requests } = await serve((_request, response) =>
        response.writeHead(answer).end('{"code":"none"}'),
      );
      const engine = await world.connect('key_of_a_test', url);
      const create = { name: 'qr_9', targetUrl: 'https://a.example' };
      await failureOf(engine.searchOrCreate('find_qr_code', { value: 'qr_9' }, create));
      expect(requests.map(({ method }) => method)).not.toContain('POST');
    }
  });

  test('offers the short link and the exact name, and requires neither', () => {
    const [searchBy, value] = app.searches['find_qr_code']?.operation.inputFields as PlainInputField[];
    expect(searchBy).toMatchObject({
      key: 'searchBy',
      required: false,
      choices: [{ value: 'publicUrl' }, { value: 'name' }],
    });
    expect(searchBy).not.toHaveProperty('default');
    expect(value).toMatchObject({ key: 'value', required: true });
  });
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
