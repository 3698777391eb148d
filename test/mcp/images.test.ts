import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  closeWorlds,
  startServer,
  startWorld,
  type McpServerUnderTest,
  type World,
} from './support/world.ts';

const SEED = { codes: [{ id: 'qr_1', name: 'Door', targetUrl: 'https://example.com' }] };

let world: World;
let server: McpServerUnderTest;
/** Holds the folder that the server may write to, and nothing else. */
let parent: string;
let folder: string;
beforeAll(async () => {
  parent = mkdtempSync(join(tmpdir(), 'images-'));
  folder = join(parent, 'out');
  mkdirSync(folder);
  world = await startWorld({ seed: SEED });
  server = await startServer(world.emulator, { args: ['--out', folder] });
});
afterEach(() => {
  for (const name of readdirSync(folder)) rmSync(join(folder, name));
});
afterAll(async () => {
  await closeWorlds();
  rmSync(parent, { recursive: true });
});

const render = (args: object = {}) => server.call('render_qr_code', { code: 'qr_1', format: 'svg', ...args });

test.each(['png', 'svg', 'pdf'])(
  'without --out, a %s is not written but can be read as a resource',
  async (format) => {
    const { data, content, text } = await world.server.call('render_qr_code', { code: 'qr_1', format });
    expect(text).toContain(`Image of the QR code qr_1: ${format.toUpperCase()}`);
    expect(content.some(({ type }) => type === 'image')).toBe(format === 'png');
    const link = content.find(({ type }) => type === 'resource_link') as {
      uri: string;
      mimeType: string;
      size: number;
    };
    // Many clients show a model nothing but the structured content, if there is any.
    const { uri, mimeType, size } = link;
    expect(data).toEqual(
      format === 'png' ? undefined : { id: 'qr_1', format, mimeType, bytes: size, uri, path: null },
    );
    const [resource] = (await world.server.client.readResource({ uri: link.uri })).contents;
    const bytes =
      resource && 'blob' in resource
        ? Buffer.from(resource.blob, 'base64')
        : Buffer.from(resource?.text ?? '');
    expect(resource?.mimeType).toBe(mimeType);
    expect(bytes.length).toBe(size);
  },
);

test.each([
  [undefined, 'qr_1.svg'],
  ['Door', 'Door.svg'],
  ['Door.SVG', 'Door.svg'],
  ['Tür 4 (Küche).svg', 'Tür 4 (Küche).svg'],
  ['door.png', 'door.svg'],
])('the file name %s becomes %s', async (fileName, expected) => {
  const { data } = await render({ fileName });
  expect(data.path).toBe(join(folder, expected));
  expect(readFileSync(data.path, 'utf8')).toContain('<svg');
});

test.each([
  '../door',
  'a/b',
  'a\\b',
  '/etc/passwd',
  '..',
  '.',
  '.hidden',
  'a\0b',
  'CON',
  'nul.svg',
  'a'.repeat(200),
  'a:b',
  'a. ',
])('the file name %j is refused', async (fileName) => {
  const { isError, data } = await render({ fileName });
  expect(isError).toBe(true);
  expect(data.error).toMatchObject({ code: 'invalid_input', argument: 'fileName' });
  expect([readdirSync(parent), readdirSync(folder)]).toEqual([['out'], []]);
});

test('never overwrites another file, and does not repeat the same one', async () => {
  writeFileSync(join(folder, 'door.svg'), 'mine');
  const first = await render({ fileName: 'door' });
  expect(first.data.path).toBe(join(folder, 'door-2.svg'));
  expect(readFileSync(join(folder, 'door.svg'), 'utf8')).toBe('mine');
  const again = await render({ fileName: 'door' });
  expect(again.data.path).toBe(join(folder, 'door-2.svg'));
  expect(again.text).toContain('The same file is already at');
  expect(readdirSync(folder).sort()).toEqual(['door-2.svg', 'door.svg']);
});

test('does not write through links', async () => {
  const outside = join(parent, 'outside.svg');
  symlinkSync(outside, join(folder, 'door.svg'));
  const { data } = await render({ fileName: 'door' });
  expect(data.path).toBe(join(folder, 'door-2.svg'));
  expect(readdirSync(parent)).toEqual(['out']);
});

test('a folder that is gone, or was replaced by a link, is an error', async () => {
  const gone = join(parent, 'gone');
  mkdirSync(gone);
  const other = await startServer(world.emulator, { args: ['--out', gone] });
  const draw = () => other.call('render_qr_code', { code: 'qr_1', format: 'svg' });
  rmSync(gone, { recursive: true });
  expect((await draw()).text).toContain("The image couldn't be written to the folder of --out: ENOENT.");
  symlinkSync(folder, gone);
  expect((await draw()).text).toContain('it was replaced by a link');
  expect(readdirSync(folder)).toEqual([]);
  rmSync(gone);
});
