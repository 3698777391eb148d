import { readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import * as files from 'node:fs/promises';
import { join } from 'node:path';
import type { Account } from '@qr-service/core';
import { temporaryFolder } from '../../../test/support/temporaryFolder.ts';
import { accountReader } from '../src/session/accountReader.ts';
import { openOutputFolder } from '../src/session/outputFolder.ts';

jest.mock('node:fs/promises', () => {
  const actual = jest.requireActual<typeof files>('node:fs/promises');
  return { ...actual, writeFile: jest.fn(actual.writeFile) };
});

const IMAGE = Buffer.from('a whole image');
let parent: string;
let path: string;
beforeEach(() => {
  parent = temporaryFolder();
  path = join(parent, 'images');
});

test('a disk that is full leaves no part of an image behind', async () => {
  jest.mocked(files.writeFile).mockImplementationOnce(async (file) => {
    writeFileSync(file as string, 'part');
    await Promise.reject(Object.assign(new Error(), { code: 'ENOSPC' }));
  });
  const folder = await openOutputFolder(path);
  await expect(folder.write('door', 'png', IMAGE)).rejects.toThrow('ENOSPC');
  expect(readdirSync(path)).toEqual([]);
  const written = await folder.write('door', 'png', IMAGE);
  expect(readdirSync(path)).toEqual(['door.png']);
  expect(readFileSync(written)).toEqual(IMAGE);
});

test('another file or a link is never overwritten, and the same image is not written twice', async () => {
  const folder = await openOutputFolder(path);
  writeFileSync(join(path, 'door.svg'), 'mine');
  symlinkSync(join(parent, 'outside.svg'), join(path, 'door-2.svg'));
  for (const _ of [1, 2]) expect(await folder.write('door', 'svg', IMAGE)).toBe(join(path, 'door-3.svg'));
  expect(readFileSync(join(path, 'door.svg'), 'utf8')).toBe('mine');
  expect(readdirSync(path)).toHaveLength(3);
  expect(readdirSync(parent)).toEqual(['images']);
});

test('a folder that is gone, or was replaced by a link, is an error', async () => {
  const folder = await openOutputFolder(path);
  rmSync(path, { recursive: true });
  const failed = "The image couldn't be written to the --out folder: ";
  await expect(folder.write('door', 'svg', IMAGE)).rejects.toThrow(`${failed}ENOENT.`);
  symlinkSync(parent, path);
  await expect(folder.write('door', 'svg', IMAGE)).rejects.toThrow(`${failed}it was replaced by a link.`);
});

const ACCOUNT: Account = { scopes: ['qr:read'], raw: {} };

test.each([
  ['an account', () => Promise.resolve(ACCOUNT), ACCOUNT, 60_000],
  ['a failure', () => Promise.reject(new Error('No response.')), undefined, 5_000],
])('%s is remembered for a while, so that not every request waits for it', async (_what, me, read, lasts) => {
  let now = 1_000_000;
  const client = { me: jest.fn(me) };
  const readAccount = accountReader(client, () => now);
  expect(await Promise.all([readAccount(), readAccount()])).toEqual([read, read]);
  now += lasts - 1;
  expect(await readAccount()).toEqual(read);
  expect(client.me).toHaveBeenCalledTimes(1);
  now += 1;
  await readAccount();
  expect(client.me).toHaveBeenCalledTimes(2);
});
