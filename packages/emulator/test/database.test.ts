import { readFileSync, writeFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { startEmulator } from 'qr-service-emulator';
import { startService, stopServices } from './support/service.ts';
import { removeTempFolders, tempFile } from './support/tempFolder.ts';

afterEach(async () => {
  await stopServices();
  removeTempFolders();
});

test('keeps codes, keys, scans and the workspace across a restart', async () => {
  const db = tempFile('emulator.db');
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
  const db = tempFile('emulator.db');
  const { emulator } = await startService({ db });
  const { apiKey } = emulator;
  await stopServices();
  expect(readFileSync(db).includes(apiKey)).toBe(false);
});

test("refuses a file that isn't a database and leaves it unchanged", async () => {
  const db = tempFile('notes.txt');
  writeFileSync(db, 'Not a database, but long enough to look at: '.repeat(50));
  const before = readFileSync(db);
  await expect(startEmulator({ db })).rejects.toThrow(
    `The database file ${db} isn't a SQLite database; choose another file.`,
  );
  expect(readFileSync(db).equals(before)).toBe(true);
});

test('refuses a damaged database and leaves it unchanged', async () => {
  const db = tempFile('emulator.db');
  await startService({ db });
  await stopServices();
  const damaged = readFileSync(db);
  damaged.fill(0xff, 100, 4000);
  writeFileSync(db, damaged);
  await expect(startEmulator({ db })).rejects.toMatchObject({ name: 'DatabaseFileError' });
  expect(readFileSync(db).equals(damaged)).toBe(true);
});

test("refuses another program's database and leaves it unchanged", async () => {
  const db = tempFile('other.db');
  const other = new DatabaseSync(db);
  other.exec('CREATE TABLE invoices (id)');
  other.close();
  const before = readFileSync(db);
  await expect(startEmulator({ db })).rejects.toThrow('belongs to another program');
  expect(readFileSync(db).equals(before)).toBe(true);
});

test('refuses a database of another version', async () => {
  const db = tempFile('emulator.db');
  await startService({ db });
  await stopServices();
  const later = new DatabaseSync(db);
  later.exec('PRAGMA user_version = 99');
  later.close();
  await expect(startEmulator({ db })).rejects.toThrow('another version of the emulator');
});

test('refuses a file that another emulator uses', async () => {
  const db = tempFile('emulator.db');
  await startService({ db });
  await expect(startEmulator({ db })).rejects.toThrow(
    `The database file ${db} is in use by another emulator`,
  );
});

test('refuses a file in a folder that does not exist', async () => {
  const db = `${tempFile('none')}/deeper/emulator.db`;
  await expect(startEmulator({ db })).rejects.toThrow("its folder doesn't exist");
});
