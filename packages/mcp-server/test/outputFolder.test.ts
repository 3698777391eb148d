import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileStem, OutputFolder } from '../src/session/OutputFolder.ts';

let path: string;
beforeEach(() => {
  path = mkdtempSync(join(tmpdir(), 'out-'));
});
afterEach(() => {
  jest.restoreAllMocks();
  rmSync(path, { recursive: true });
});

test.each([
  [undefined, 'qr_1'],
  ['', 'qr_1'],
  ['tür-4', 'tür-4'],
  ['../a/b\\c', 'a-b-c'],
  ['/etc/passwd', 'etc-passwd'],
  ['..', 'qr_1'],
  ['.hidden', 'hidden'],
  ['a\0b:c. ', 'a-b-c'],
  ['CON', 'qr-CON'],
  ['nul.svg', 'nul-svg'],
  ['漢'.repeat(200), '漢'.repeat(80)],
])('the file of a code with the slug %j is %s', (slug, stem) => {
  expect(fileStem({ id: 'qr_1', slug })).toBe(stem);
});

test('a disk that is full leaves no part of an image behind', async () => {
  const handle = await open(path);
  const prototype = Object.getPrototypeOf(handle) as FileHandle;
  await handle.close();
  jest.spyOn(prototype, 'writeFile').mockImplementationOnce(async function (this: FileHandle) {
    await this.write('part');
    throw Object.assign(new Error(), { code: 'ENOSPC' });
  });
  const folder = await OutputFolder.open(path);
  const content = Buffer.from('a whole image');
  await expect(folder.write('door', 'png', content, 'qr_1')).rejects.toThrow('ENOSPC');
  expect(readdirSync(path)).toEqual([]);
  const written = await folder.write('door', 'png', content, 'qr_1');
  expect(readdirSync(path)).toEqual(['door.png']);
  expect(readFileSync(written)).toEqual(content);
});

test('an image that is drawn again replaces its own file, unless somebody has changed that', async () => {
  const folder = await OutputFolder.open(path);
  const write = (content: string, image: string) => folder.write('door', 'pdf', Buffer.from(content), image);
  await write('drawn at 9:00', 'qr_1 large');
  await write('drawn at 9:01', 'qr_1 large');
  await write('drawn at 9:02', 'qr_1 small');
  const contents = () =>
    readdirSync(path)
      .sort()
      .map((file) => [file, readFileSync(join(path, file), 'utf8')]);
  expect(contents()).toEqual([
    ['door-2.pdf', 'drawn at 9:02'],
    ['door.pdf', 'drawn at 9:01'],
  ]);
  writeFileSync(join(path, 'door.pdf'), 'edited');
  await write('drawn at 9:03', 'qr_1 large');
  expect(contents()).toEqual([
    ['door-2.pdf', 'drawn at 9:02'],
    ['door-3.pdf', 'drawn at 9:03'],
    ['door.pdf', 'edited'],
  ]);
});
