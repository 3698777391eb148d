import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import * as files from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileStem, openOutputFolder } from '../src/session/outputFolder.ts';

jest.mock('node:fs/promises', () => {
  const actual = jest.requireActual<typeof files>('node:fs/promises');
  return { ...actual, writeFile: jest.fn(actual.writeFile) };
});

let path: string;
beforeEach(() => {
  path = mkdtempSync(join(tmpdir(), 'out-'));
});
afterEach(() => {
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
  jest.mocked(files.writeFile).mockImplementationOnce(async (file) => {
    writeFileSync(file as string, 'part');
    await Promise.reject(Object.assign(new Error(), { code: 'ENOSPC' }));
  });
  const folder = await openOutputFolder(path);
  const content = Buffer.from('a whole image');
  await expect(folder.write('door', 'png', content)).rejects.toThrow('ENOSPC');
  expect(readdirSync(path)).toEqual([]);
  const written = await folder.write('door', 'png', content);
  expect(readdirSync(path)).toEqual(['door.png']);
  expect(readFileSync(written)).toEqual(content);
});
