import type { DropdownPage } from '../../engines/zapier/index.ts';
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

test('shows an empty list for an empty workspace', async () => {
  const empty = await startWorld();
  expect(await empty.engine.dropdown('publish_qr_code', 'qrCodeId')).toEqual({ choices: [] });
  await empty.close();
});

test('fails when the pagination cursor is no longer valid', async () => {
  const failure = await failureOf(world.engine.dropdown('publish_qr_code', 'qrCodeId', 'forgotten'));
  expect(failure).toMatchObject({ name: 'AppError', code: 'invalid_cursor' });
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
