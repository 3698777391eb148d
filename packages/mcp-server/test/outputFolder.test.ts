import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { OutputFolder } from '../src/session/OutputFolder.ts';

let path: string;
beforeEach(() => {
  path = mkdtempSync(join(tmpdir(), 'out-'));
});
afterEach(() => {
  jest.restoreAllMocks();
  rmSync(path, { recursive: true });
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
  await expect(folder.write('door', 'png', content)).rejects.toThrow('ENOSPC');
  expect(readdirSync(path)).toEqual([]);
  const written = await folder.write('door', 'png', content);
  expect(readdirSync(path)).toEqual(['door.png']);
  expect(readFileSync(written.path)).toEqual(content);
});
