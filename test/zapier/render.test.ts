import { startWorld, type World } from './support/world.ts';

let world: World;
let qrCodeId: unknown;
let slug: unknown;
beforeAll(async () => {
  world = await startWorld();
  const code = { name: 'Card', targetUrl: 'https://example.com', publishNow: true };
  ({ id: qrCodeId, slug } = await world.engine.create('create_qr_code', code));
});
afterAll(() => world.close());

const render = (more: Record<string, unknown> = {}) =>
  world.engine.create('render_qr_code', { qrCodeId, ...more });

test.each([
  ['png', 'image/png', '\u0089PNG\r\n'],
  ['svg', 'image/svg+xml', '<'],
  ['pdf', 'application/pdf', '%PDF-'],
])('returns a %s file named after the slug, and the short link', async (format, type, start) => {
  const row = await render({ format });
  expect(row).toMatchObject({ id: qrCodeId, format, imageType: type, contentType: 'url' });
  expect(row['publicUrl']).toMatch(/^http/);

  const file = await world.engine.hydrateFile(row['file']);

  expect(file).toMatchObject({ contentType: type, fileName: `${String(slug)}.${format}` });
  expect(Buffer.from(file.bytes).toString('latin1').startsWith(start)).toBe(true);
});

test('requests the image only when the file is downloaded', async () => {
  const images = () => world.emulator.control.requests().filter(({ path }) => path.includes('/image')).length;
  const before = images();
  const row = await render();
  expect(images()).toBe(before);
  await world.engine.hydrateFile(row['file']);
  expect(images()).toBe(before + 1);
});

test('sends the size to the service', async () => {
  const width = async (size: number) => {
    const { bytes } = await world.engine.hydrateFile((await render({ size }))['file']);
    return Buffer.from(bytes).readUInt32BE(16);
  };
  expect(await width(600)).toBeGreaterThan(await width(200));
});

test('returns a new file reference for a changed code, since Zapier caches files', async () => {
  const before = (await render())['file'];
  expect((await render())['file']).toBe(before);
  world.emulator.control.rename(String(qrCodeId), 'Card 2');
  expect((await render())['file']).not.toBe(before);
});

test("names the file after the ID when the slug isn't a valid file name", async () => {
  const { file } = await render({ format: 'svg' });
  const odd = String(file).replace(JSON.stringify(slug), JSON.stringify('../menu'));
  expect(odd).not.toBe(file);
  expect(await world.engine.hydrateFile(odd)).toMatchObject({ fileName: `${String(qrCodeId)}.svg` });
});
