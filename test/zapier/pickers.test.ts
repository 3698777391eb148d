import type { DropdownPage } from '../../engines/zapier/index.ts';
import { closeServices, serve } from '../../harness/faultyService/faultyService.ts';
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

describe.each(['publish_qr_code', 'retarget_qr_code', 'render_qr_code'])(
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

describe('a code can also be entered as', () => {
  const last = () => codes.at(-1) ?? {};
  const link = () => String(last()['publicUrl']);

  test.each([
    ['its ID', () => String(last()['id'])],
    ['its short link', link],
    ['its short link with a slash and a query', () => `${link()}/?from=print`],
    ['its short link as it is printed', () => link().replace('http://', '')],
    ['its API URL', () => `${world.emulator.url}/v1/public-api/qr/${String(last()['id'])}`],
  ])('%s', async (_what, named) => {
    const qrCodeId = named();
    const { id } = last();
    const url = 'https://example.com/elsewhere';
    expect(await world.engine.create('publish_qr_code', { qrCodeId })).toMatchObject({ id });
    expect(await world.engine.create('retarget_qr_code', { qrCodeId, url })).toMatchObject({ id });
    const image = await world.engine.create('render_qr_code', { qrCodeId, format: 'svg' });
    expect(image).toMatchObject({ id });
    expect(await world.engine.hydrateFile(image['file'])).toMatchObject({ contentType: 'image/svg+xml' });
  });

  test('a short link that no code has is an error, and nothing is changed', async () => {
    const qrCodeId = 'https://qr.example/nobody';
    const failure = await failureOf(world.engine.create('publish_qr_code', { qrCodeId }));
    expect(failure).toMatchObject({ name: 'AppError', code: 'not_found' });
    expect(failure.message).toContain(`No QR code has the short link ${qrCodeId}. Check the link`);
  });
});
