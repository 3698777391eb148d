import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const folders: string[] = [];

/** Path of a file in a new folder that `removeTempFolders` removes. */
export function tempFile(name: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'qr-service-emulator-'));
  folders.push(folder);
  return join(folder, name);
}

/** Call after each test. */
export function removeTempFolders(): void {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
}
