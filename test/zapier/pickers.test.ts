import type { DropdownPage } from '../../engines/zapier/index.ts';
import { closeServices, serve } from '../support/faultyService/faultyService.ts';
import { startVirtualTime } from '../support/jest/virtualTime.ts';
import { ORDERS, startTimedService } from './support/timedService.ts';
import { failureOf, startWorld, type World } from './support/world.ts';

/** More than one page of the service. */
const CODES = 135;

let world: World;
let codes: { id: string; slug: string; publicUrl: string }[];
beforeAll(async () => {
  const code = { name: 'Table', targetUrl: 'https://example.com' };
  world = await startWorld({ seed: { codes: Array.from({ length: CODES }, () => code) } });
  codes = (await world.engine.poll('qr_changed')) as unknown as typeof codes;
});
afterEach(closeServices);
afterAll(() => world.close());

async function allPages(): Promise<DropdownPage[]> {
  const pages = [await world.engine.dropdown('publish_qr_code', 'qrCodeId')];
  for (let token = pages[0]?.pagingToken; token !== undefined; token = pages.at(-1)?.pagingToken)
    pages.push(await world.engine.dropdown('publish_qr_code', 'qrCodeId', token));
  return pages;
}

test('the dropdown shows each code once, page by page, and distinguishes codes with the same name', async () => {
  const pages = await allPages();
  const choices = pages.flatMap((page) => page.choices);
  expect(pages.length).toBeGreaterThan(1);
  expect(new Map(choices.map(({ id, label }) => [id, label]))).toEqual(
    new Map(codes.map(({ id, slug }) => [id, `Table (draft, ${slug})`])),
  );
  expect(choices).toHaveLength(CODES);
});

describe('in a workspace of 2,500 codes', () => {
  const COUNT = 2500;
  const DAY = 86_400_000;
  afterEach(() => jest.restoreAllMocks());

  test.each(Object.keys(ORDERS) as (keyof typeof ORDERS)[])(
    'listed %s, the newest come first, and all come',
    async (order) => {
      const time = startVirtualTime();
      const service = await startTimedService((ms) => time.advance(ms), { order });
      const now = Date.now();
      for (let index = 0; index < COUNT; index++)
        service.write(`qr_${(index * 7919) % COUNT}`, { at: now - index * 0.292 * DAY });
      const newest = service.rows().slice(0, 4);
      const engine = await world.connect('key_of_a_test', service.url);
      const ids: string[] = [];
      let pagingToken: string | undefined;
      do {
        const before = service.pagesServed;
        const page = await engine.dropdown('publish_qr_code', 'qrCodeId', pagingToken);
        expect(service.pagesServed - before).toBeLessThanOrEqual(ids.length === 0 ? 4 : 1);
        ids.push(...page.choices.map(({ id }) => id));
        ({ pagingToken } = page);
      } while (pagingToken !== undefined);
      await service.close();
      expect(new Set(ids).size).toBe(COUNT);
      expect(ids.slice(0, 4)).toEqual(newest.map(({ id }) => id));
    },
  );
});

test('shows an empty list for an empty workspace', async () => {
  const empty = await startWorld();
  expect(await empty.engine.dropdown('publish_qr_code', 'qrCodeId')).toEqual({ choices: [] });
  await empty.close();
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

test('passes any cursor back to the service unchanged', async () => {
  const cursors = ['2 a', ' ', '["a",2]', '%00"\\ +&#四', 'x'.repeat(900)];
  const asked: string[] = [];
  const { url } = await serve((request, response) => {
    const { searchParams } = new URL(request.url ?? '', 'http://local');
    const cursor = searchParams.get('cursor') ?? '';
    if (!searchParams.has('updatedSince')) asked.push(cursor);
    const nextCursor = cursors[cursors.indexOf(cursor) + 1];
    response.end(JSON.stringify({ data: [{ id: 'qr_1', slug: 'a' }], pagination: { nextCursor } }));
  });
  const engine = await world.connect('key_of_a_test', url);
  let pagingToken: string | undefined;
  do ({ pagingToken } = await engine.dropdown('publish_qr_code', 'qrCodeId', pagingToken));
  while (pagingToken !== undefined && asked.length < 20);
  expect(asked).toEqual(['', ...cursors]);
});

describe('a code can also be entered as', () => {
  const last = () => codes.at(-1)!;

  // The core tests all forms of links.
  test.each([
    [
      'its short link, in another form',
      () => ` ${last().publicUrl.replace('http:', 'HTTPS:')}/?from=print\n`,
    ],
    ['its API URL', () => `${world.emulator.url}/v1/public-api/qr/${last().id}`],
  ])('%s', async (_what, named) => {
    const qrCodeId = named();
    const { id } = last();
    const url = 'https://example.com/elsewhere';
    expect(await world.engine.create('publish_qr_code', { qrCodeId })).toMatchObject({ id });
    expect(await world.engine.create('retarget_qr_code', { qrCodeId, url })).toMatchObject({ id });
    const upserted = await world.engine.create('upsert_qr_code', {
      qrCodeId,
      matchBy: 'id',
      targetUrl: `${url}/2`,
    });
    expect(upserted).toMatchObject({ id, outcome: 'updated' });
    expect(await world.engine.create('render_qr_code', { qrCodeId })).toMatchObject({ id });
  });

  test.each([
    ['a public host', 'https://go.brand-codes.example/c'],
    ['a host without a dot, and a port', 'http://codes:8080/c'],
  ])('its short link with %s, with or without a scheme', async (_what, redirectUrl) => {
    const own = await startWorld({ redirectUrl });
    const target = { name: 'Menu', targetUrl: 'https://example.com' };
    const { id, publicUrl } = await own.engine.create('create_qr_code', target);
    const url = 'https://example.com/elsewhere';
    for (const qrCodeId of [publicUrl, String(publicUrl).replace(/^https?:\/\//, '')]) {
      for (const step of ['publish_qr_code', 'upsert_qr_code'])
        expect(await own.engine.create(step, { qrCodeId, matchBy: 'id', targetUrl: url })).toMatchObject({
          id,
        });
      expect(await own.engine.search('find_qr_code', { value: qrCodeId })).toMatchObject([{ id }]);
    }
    await own.close();
  });

  test('a short link without a code is an error, and nothing is changed', async () => {
    const qrCodeId = 'https://qr.example/nobody';
    const failure = await failureOf(world.engine.create('publish_qr_code', { qrCodeId }));
    expect(failure).toMatchObject({ name: 'AppError', code: 'not_found' });
    expect(failure.message).toContain(`No QR code has the short link ${qrCodeId}. Check the link`);
    const upsert = { qrCodeId, matchBy: 'id', targetUrl: 'https://example.com' };
    const none = await failureOf(world.engine.create('upsert_qr_code', upsert));
    expect(none).toMatchObject({ name: 'AppError', code: 'not_found' });
    expect(none.message).toContain(
      `No QR code has the short link ${qrCodeId}. Use the ID or the short link of a QR code, not its name or slug.`,
    );
  });
});
