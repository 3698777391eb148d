import type { DropdownPage } from '../../engines/zapier/index.ts';
import { closeServices, serve } from '../support/faultyService/faultyService.ts';
import { failureOf, startWorld, type World } from './support/world.ts';

/** More than one page of the service. */
const CODES = 135;

let world: World;
let codes: Record<string, unknown>[];
beforeAll(async () => {
  world = await startWorld();
  const code = { name: 'Table', targetUrl: 'https://example.com', publishNow: false };
  codes = await Promise.all(Array.from({ length: CODES }, () => world.engine.create('create_qr_code', code)));
});
afterEach(closeServices);
afterAll(() => world.close());

async function allPages(step: string, field: string): Promise<DropdownPage[]> {
  const pages = [await world.engine.dropdown(step, field)];
  for (let token = pages[0]?.pagingToken; token !== undefined; token = pages.at(-1)?.pagingToken)
    pages.push(await world.engine.dropdown(step, field, token));
  return pages;
}

describe.each(['publish_qr_code', 'retarget_qr_code', 'upsert_qr_code', 'render_qr_code'])(
  'the code dropdown of %s',
  (step) => {
    test('shows each code once, page by page, and distinguishes codes with the same name', async () => {
      const pages = await allPages(step, 'qrCodeId');
      const choices = pages.flatMap((page) => page.choices);
      expect(pages.length).toBeGreaterThan(1);
      expect(new Map(choices.map(({ id, label }) => [id, label]))).toEqual(
        new Map(codes.map(({ id, slug }) => [id, `Table (${String(slug)})`])),
      );
      expect(choices).toHaveLength(CODES);
      expect(new Set(choices.map(({ label }) => label)).size).toBe(CODES);
    });
  },
);

test("loads a page with one request, with the service's cursor as its token", async () => {
  const before = world.emulator.control.requestCount();
  const { pagingToken } = await world.engine.dropdown('publish_qr_code', 'qrCodeId');
  await world.engine.dropdown('publish_qr_code', 'qrCodeId', pagingToken);
  const asked = world.emulator.control.requests().slice(-2);
  expect(world.emulator.control.requestCount()).toBe(before + 2);
  expect(asked.map(({ path }) => new URL(path, 'http://local').searchParams.get('cursor'))).toEqual([
    null,
    pagingToken,
  ]);
});

test('sorts each page by most recently updated', async () => {
  const id = String(codes[50]?.['id']);
  world.emulator.control.rename(id, 'Just changed');
  const pages = await allPages('publish_qr_code', 'qrCodeId');
  const tops = pages.map(({ choices }) => choices[0]?.label ?? '');
  expect(tops).toContainEqual(expect.stringMatching(/^Just changed \(/));
  world.emulator.control.rename(id, 'Table');
});

test('shows an empty list for an empty workspace', async () => {
  const empty = await startWorld();
  expect(await empty.engine.dropdown('publish_qr_code', 'qrCodeId')).toEqual({ choices: [] });
  await empty.close();
});

test('names the missing scope when the key may not read codes', async () => {
  const { apiKey } = world.emulator.control.createKey({ scopes: ['qr:write'] });
  const engine = await world.connect(apiKey);
  const failure = await failureOf(engine.dropdown('publish_qr_code', 'qrCodeId'));
  expect(failure).toMatchObject({ name: 'AppError', code: 'insufficient_scope' });
  expect(failure.message).toContain('lacks the scope qr:read');
});

test('labels a code with empty fields by its other fields', async () => {
  const { url } = await serve((_request, response) =>
    response.end(
      JSON.stringify({
        data: [
          { id: 'qr_1', name: null, slug: 'door', updatedAt: null },
          { id: 'qr_2', name: 'Door', slug: null, updatedAt: 'soon 5' },
          { id: 'qr_3', name: null, slug: null, publicUrl: null, updatedAt: 7 },
          { id: 4, name: 4, slug: 7, updatedAt: '2026-01-15 10:02:11' },
        ],
      }),
    ),
  );
  const engine = await world.connect('key', url);
  expect((await engine.dropdown('publish_qr_code', 'qrCodeId')).choices).toEqual([
    expect.objectContaining({ id: '4', label: '4 (7)' }),
    expect.objectContaining({ id: 'qr_1', label: 'door' }),
    expect.objectContaining({ id: 'qr_2', label: 'Door (qr_2)' }),
    expect.objectContaining({ id: 'qr_3', label: 'qr_3' }),
  ]);
});

test('fails when the pagination cursor is no longer valid', async () => {
  const failure = await failureOf(world.engine.dropdown('publish_qr_code', 'qrCodeId', 'forgotten'));
  expect(failure).toMatchObject({ name: 'AppError', code: 'invalid_cursor' });
});

test('passes any cursor back to the service unchanged, even one that looks like a token', async () => {
  const cursors = [
    '["a",2,"b"]',
    '["a",1,"b"]',
    '[17,12]',
    '["a",2,null]',
    '{"cursor":"a"}',
    'null',
    '5',
    '"text"',
    '%00"\\ +&#四',
    'x'.repeat(900),
  ];
  let walk: string[] = [];
  const asked: string[] = [];
  const { url } = await serve((request, response) => {
    const cursor = new URL(request.url ?? '', 'http://local').searchParams.get('cursor') ?? '';
    asked.push(cursor);
    const nextCursor = walk[walk.indexOf(cursor) + 1];
    response.end(JSON.stringify({ data: [{ id: 'qr_1', slug: 'a' }], pagination: { nextCursor } }));
  });
  const engine = await world.connect('key_of_a_test', url);
  for (walk of [cursors, ...cursors.map((first) => [first])]) {
    asked.length = 0;
    let pagingToken: string | undefined;
    do ({ pagingToken } = await engine.dropdown('publish_qr_code', 'qrCodeId', pagingToken));
    while (pagingToken !== undefined && asked.length < 20);
    expect(asked).toEqual(['', ...walk]);
  }
});

describe('the dropdown ends', () => {
  const row = (id: string) => ({ id, name: id, slug: id, updatedAt: '2026-01-01T00:00:00.000Z' });

  /** All choices of a service that returns these rows and this cursor for a page's cursor. */
  async function choicesOf(page: (cursor: string) => [ids: string[], nextCursor: string]) {
    const { url, requests } = await serve((request, response) => {
      const [ids, nextCursor] = page(
        new URL(request.url ?? '', 'http://local').searchParams.get('cursor') ?? '',
      );
      response.end(JSON.stringify({ data: ids.map(row), pagination: { nextCursor } }));
    });
    const engine = await world.connect('key_of_a_test', url);
    const ids: string[] = [];
    let pagingToken: string | undefined;
    let pages = 0;
    do {
      const page = await engine.dropdown('publish_qr_code', 'qrCodeId', pagingToken);
      ids.push(...page.choices.map(({ id }) => id));
      ({ pagingToken } = page);
      pages += 1;
    } while (pagingToken !== undefined && pages < 1000);
    return { ids, pages, requests: requests.length };
  }

  test.each<[string, (cursor: string) => [string[], string], string[], number]>([
    [
      'after an empty page with a cursor that it repeats',
      (cursor) => (cursor === '' ? [['a'], 'x'] : [[], 'x']),
      ['a'],
      2,
    ],
    [
      'after a page with codes that repeats its cursor',
      (cursor) => (cursor === '' ? [['a'], 'x'] : [['b'], 'x']),
      ['a', 'b'],
      2,
    ],
    [
      'after empty pages that form a loop',
      (cursor) => (cursor === '' ? [['a'], 'x'] : [[], cursor === 'x' ? 'y' : 'x']),
      ['a'],
      2,
    ],
    [
      'after endless new cursors without codes',
      (cursor) => (cursor === '' ? [['a'], '1'] : [[], `${Number(cursor) + 1}`]),
      ['a'],
      2,
    ],
    ['if the first page is always empty', (cursor) => [[], `${cursor}x`], [], 1],
  ])('%s', async (_what, page, ids, pages) => {
    const all = await choicesOf(page);
    expect(all).toMatchObject({ ids, pages });
    expect(all.requests).toBeLessThan(20);
  });

  test.each([1, 2, 3, 7])(
    'if a cursor leads back to one of %i pages, with every code shown',
    async (circle) => {
      for (const before of [1, 5]) {
        const pages = before + circle;
        const next = (index: number) => (index + 1 < pages ? index + 1 : before);
        const all = await choicesOf((cursor) => {
          const index = Number(cursor || 0);
          return [[`code ${index}`], String(next(index))];
        });
        expect(new Set(all.ids).size).toBe(pages);
        expect(all.pages).toBeLessThan(4 * pages + 4);
      }
    },
  );

  test('after a hundred pages that each have codes and a new cursor', async () => {
    expect((await choicesOf((cursor) => [['a'], `${cursor}x`])).pages).toBe(101);
  });

  test('not before the list does, after empty pages', async () => {
    const all = await choicesOf((cursor) => {
      const index = Number(cursor || 0);
      return [index % 4 === 3 ? [`code ${index}`] : [], index < 39 ? String(index + 1) : ''];
    });
    expect(all.ids).toHaveLength(10);
  });
});

describe('a code can also be entered as', () => {
  const last = () => codes.at(-1) ?? {};
  const link = () => String(last()['publicUrl']);

  test.each([
    ['its ID', () => String(last()['id'])],
    ['its short link', link],
    ['its short link with a slash and a query', () => `${link()}/?from=print`],
    ['its short link without the scheme', () => link().replace('http://', '')],
    ['its short link without the scheme, with a slash', () => `${link().replace('http://', '')}/`],
    [
      'its short link without the scheme, with a query',
      () => `${link().replace('http://', '')}?from=print#top`,
    ],
    ['its short link without the scheme, between spaces', () => ` \n${link().replace('http://', '')}\t `],
    ['its short link with https', () => link().replace('http://', 'https://')],
    ['its short link with a scheme in capitals', () => link().replace('http://', 'HTTP://')],
    ['its API URL', () => `${world.emulator.url}/v1/public-api/qr/${String(last()['id'])}`],
  ])('%s', async (_what, named) => {
    const qrCodeId = named();
    const { id } = last();
    const url = 'https://example.com/elsewhere';
    expect(await world.engine.create('publish_qr_code', { qrCodeId })).toMatchObject({ id });
    expect(await world.engine.create('retarget_qr_code', { qrCodeId, url })).toMatchObject({ id });
    const upserted = await world.engine.create('upsert_qr_code', { qrCodeId, targetUrl: `${url}/2` });
    expect(upserted).toMatchObject({ id, outcome: 'retargeted' });
    const image = await world.engine.create('render_qr_code', { qrCodeId, format: 'svg' });
    expect(image).toMatchObject({ id });
    expect(await world.engine.hydrateFile(image['file'])).toMatchObject({ contentType: 'image/svg+xml' });
  });

  test.each([
    ['a public host', 'https://go.brand-codes.example/c'],
    ['a host without a dot', 'http://codes/c'],
    ['a port', 'http://codes:8080/c'],
  ])(
    'its short link with %s, in any case and with or without a scheme, in every step',
    async (_what, redirectUrl) => {
      const own = await startWorld({ redirectUrl });
      const target = { name: 'Menu', targetUrl: 'https://example.com' };
      const { id, publicUrl } = await own.engine.create('create_qr_code', target);
      const path = String(publicUrl).slice(redirectUrl.length);
      const printed = redirectUrl.replace(/^https?:/, '');
      for (const host of [
        redirectUrl,
        printed,
        printed.slice(2),
        ` ${printed.slice(2, -2).toUpperCase()}/c`,
      ]) {
        const qrCodeId = `${host}${path}/ `;
        const url = 'https://example.com/elsewhere';
        for (const step of ['publish_qr_code', 'retarget_qr_code', 'upsert_qr_code', 'render_qr_code'])
          expect(await own.engine.create(step, { qrCodeId, url, targetUrl: url })).toMatchObject({ id });
        expect(await own.engine.search('find_qr_code', { value: qrCodeId })).toMatchObject([{ id }]);
      }
      await own.close();
    },
  );

  test('a short link without a code is an error, and nothing is changed', async () => {
    const qrCodeId = 'https://qr.example/nobody';
    const failure = await failureOf(world.engine.create('publish_qr_code', { qrCodeId }));
    expect(failure).toMatchObject({ name: 'AppError', code: 'not_found' });
    expect(failure.message).toContain(`No QR code has the short link ${qrCodeId}. Check the link`);
    const upsert = { qrCodeId, targetUrl: 'https://example.com' };
    const none = await failureOf(world.engine.create('upsert_qr_code', upsert));
    expect(none).toMatchObject({ name: 'AppError', code: 'not_found' });
    expect(none.message).toContain(
      `No QR code has the short link ${qrCodeId}. Check the value, or fill in Name`,
    );
  });
});
