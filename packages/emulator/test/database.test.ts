import { readFileSync, writeFileSync } from 'node:fs';
import { startEmulator } from 'qr-service-emulator';
import { startService, stopServices } from './support/service.ts';
import { removeTempFolders, tempFile } from './support/tempFolder.ts';

afterEach(async () => {
  await stopServices();
  removeTempFolders();
});

test('keeps codes, keys, scans and the workspace across a restart', async () => {
  const db = tempFile('emulator.json');
  const before = await startService({ db });
  const code = await before.createCode();
  await before.call('POST', `/qr/${code.id}/publish`);
  await fetch(code.publicUrl, { redirect: 'manual' });
  const { apiKey, workspace } = before.emulator;
  const scans = (await before.call('GET', '/scans')).json;
  await stopServices();

  const after = await startService({ db });
  expect(after.emulator.workspace).toEqual(workspace);
  expect(after.emulator.apiKey).not.toBe(apiKey);
  expect((await after.call('GET', `/qr/${code.id}`, { apiKey })).json).toMatchObject({ status: 'published' });
  expect((await after.call('GET', '/scans')).json).toEqual(scans);
  const renamed = await after.createCode();
  expect(Date.parse(renamed.updatedAt)).toBeGreaterThan(Date.parse(code.updatedAt));
});

test('does not store keys in plain text', async () => {
  const db = tempFile('emulator.json');
  const { emulator } = await startService({ db });
  const { apiKey } = emulator;
  await stopServices();
  expect(readFileSync(db).includes(apiKey)).toBe(false);
});

test.each([
  ['notes', 'Not a database', "isn't one of this emulator; choose another file, or delete it to start over."],
  ['JSON of another program', '{"invoices": []}', "isn't one of this emulator; choose another file"],
  [
    'a later version',
    '{"format": "qr-service-emulator", "version": 99}',
    'was created by another version of the emulator; choose another file.',
  ],
])('refuses a file with %s and leaves it unchanged', async (_what, text, sentence) => {
  const db = tempFile('other.json');
  writeFileSync(db, text);
  const error: unknown = await startEmulator({ db }).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({
    name: 'DatabaseFileError',
    message: expect.stringContaining(`The database file ${db} ${sentence}`) as string,
  });
  expect(readFileSync(db, 'utf8')).toBe(text);
});

test('refuses a file in a folder that does not exist', async () => {
  const db = `${tempFile('none')}/deeper/emulator.json`;
  await expect(startEmulator({ db })).rejects.toThrow("its folder doesn't exist");
});
