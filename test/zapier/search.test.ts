import { closeServices, CODE, serve } from '../support/faultyService/faultyService.ts';
import { startVirtualTime } from '../support/jest/virtualTime.ts';
import { failureOf, startWorld, type World } from './support/world.ts';

let world: World;
let code: Record<string, unknown>;
beforeAll(async () => {
  world = await startWorld();
  for (const name of ['Table 1', 'Table 10', 'Table 1'])
    code = await world.engine.create('create_qr_code', { name, targetUrl: 'https://example.com' });
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

const find = (value: unknown, engine = world.engine) => engine.search('find_qr_code', { value });
const idOf = (found: Record<string, unknown>[]) => found.map(({ id }) => id);
const link = () => String(code['publicUrl']);

test.each<[string, () => string]>([
  ['its ID between spaces', () => ` ${String(code['id'])}\n`],
  ['its API URL', () => `${world.emulator.url}/v1/public-api/qr/${String(code['id'])}`],
  ['its short link without the scheme', () => link().replace('http://', '')],
])('finds a code by %s', async (_what, value) => {
  expect(idOf(await find(value()))).toEqual([code['id']]);
});

test.each(['qr_none', 'https://example.com/none', 'Table'])(
  'returns an empty list when no code matches %p',
  async (value) => {
    expect(await find(value)).toEqual([]);
  },
);

/** Names that could be mistaken for something else. */
const LINKS = ['example.com/menu', 'https://example.com/menu', 'https://api.example/v1/public-api/qr/qr_9'];
const NAMES = [...LINKS, 'qr_4', '4', '..', 'x'.repeat(200), 'two\nlines 四', '50% off/%41', 'http://['];

test('"find or create" creates one code for each name, even if the name looks like an ID or a link', async () => {
  for (const name of NAMES) {
    const run = () =>
      world.engine.searchOrCreate('find_qr_code', { value: name }, { name, targetUrl: 'https://a.example' });
    const { id } = await run();
    expect((await run())['id']).toBe(id);
    expect(idOf(await find(name))).toEqual([id]);
  }
});

test.each([{}, { deduplicationKey: 'k' }])(
  '"find or create" with %j fails for good if its code may be a draft, as a rerun would find it and succeed',
  async (more) => {
    const run = async (name: string) =>
      world.engine.searchOrCreate('find_qr_code', { value: name }, { name, targetUrl: 'a.example', ...more });
    const [limited, lost] = [`Limited ${JSON.stringify(more)}`, `Lost ${JSON.stringify(more)}`];
    const { control } = world.emulator;
    const retryAfter = 120;
    control.failNext({ code: 'rate_limited', retryAfter, match: { path: '/qr/*/publish' } });
    const failure = await failureOf(run(limited));
    expect(failure).toMatchObject({ name: 'AppError', code: 'not_published' });
    expect(failure.message).toMatch(/then publish it with .* Don't replay this run: .* return the draft/);
    expect(await run(limited)).toMatchObject({ status: 'draft' });

    control.failNext({ drop: 'after', times: 4, match: { method: 'POST', path: '/qr' } });
    const unknown = await failureOf(run(lost));
    expect(unknown).toMatchObject({ name: 'AppError', code: 'network' });
    expect(unknown.message).toContain('Look for it in the app before you replay this run.');
  },
);

/** A service with these codes, whose IDs have another form. */
async function serviceWith(
  codes: { id: unknown; name: string; slug?: string; publicUrl?: string; status?: string }[],
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
      { id: '12', name: 'Door' },
      { id: 'abc', name: '7' },
      { id: '7', name: 'Window' },
    ];
    const { engine } = await serviceWith(codes, missing);
    expect(idOf(await find('12', engine))).toEqual(['12']);
    expect(idOf(await find('abc', engine))).toEqual(['abc']);
    // Ambiguous text is a name, as people type names.
    expect(idOf(await find('7', engine))).toEqual(['abc']);
    expect(idOf(await find('Door', engine))).toEqual(['12']);
    expect(await find('none_4', engine)).toEqual([]);
  },
);

test('prefers a link over an equal name, and never mistakes a slug for an ID', async () => {
  const publicUrl = 'https://r.example/door';
  const { engine } = await serviceWith([
    { id: 'qr_1', name: publicUrl },
    { id: 'qr_2', name: 'Door', slug: 'door_2', publicUrl },
  ]);
  expect(idOf(await find(publicUrl, engine))).toEqual(['qr_2']);
  expect(idOf(await find('r.example/door/', engine))).toEqual(['qr_2']);
  expect(await find('door_2', engine)).toEqual([]);
});

test.each([403, 404, 410])(
  'fails if a proxy responds with %i to what looks like an ID, so that "find or create" does not create a duplicate',
  async (refusal) => {
    const { url, requests } = await serve((request, response) => {
      const isList = /\/qr(\?|$)/.test(request.url ?? '');
      if (isList) response.end(JSON.stringify({ data: [{ id: 'qr_1', slug: 'door', name: 'table-4' }] }));
      else response.writeHead(refusal, { 'content-type': 'text/html' }).end('<html>');
    });
    const engine = await world.connect('key_of_a_test', url);
    const create = { name: 'qr_1', targetUrl: 'https://a.example' };
    await failureOf(engine.searchOrCreate('find_qr_code', { value: 'qr_1' }, create));
    expect(requests.map(({ method }) => method)).not.toContain('POST');
  },
);

test('finds a likely ID with one request', async () => {
  const { engine, requests } = await serviceWith([{ id: 'qr_7hK2pQ', name: 'Door' }]);
  expect(await find('qr_7hK2pQ', engine)).toHaveLength(1);
  expect(requests).toHaveLength(1);
});

test('fails for good if there is no time to read all codes, and says what to do', async () => {
  const time = startVirtualTime();
  const { url, requests } = await serve((request, response) => {
    time.advance(500);
    const page = Number(new URL(request.url ?? '', 'http://localhost').searchParams.get('cursor') ?? 0);
    const data = Array.from({ length: 5 }, (_, index) => {
      const id = `${page}-${index}`;
      return { ...CODE, id, name: `Code ${id}`, publicUrl: `https://r.example/${id}` };
    });
    response.end(
      JSON.stringify({ data, pagination: { nextCursor: page === 199 ? null : String(page + 1) } }),
    );
  });
  const engine = await world.connect('key_of_a_test', url);
  expect(await find('r.example/3-4', engine)).toMatchObject([{ id: '3-4' }]);
  const code = { name: 'Not a code', targetUrl: 'https://a.example' };
  for (const search of [
    () => engine.searchOrCreate('find_qr_code', { value: code.name }, code),
    () => engine.create('upsert_qr_code', { ...code, matchBy: 'name' }),
    () => engine.create('publish_qr_code', { qrCodeId: 'r.example/none' }),
  ]) {
    const began = Date.now();
    expect(await failureOf(search())).toMatchObject({
      name: 'AppError',
      code: 'search_limit',
      message: "This workspace has more QR codes than can be searched in 20 seconds. Use the QR code's ID.",
    });
    expect(Date.now() - began).toBeLessThan(25_000);
  }
  expect(requests.map(({ method }) => method)).not.toContain('POST');
});
