import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { atEnd } from './atEnd.ts';

/** Path of a file in a new folder, which is removed after the test. */
export function tempFile(name: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'qr-service-emulator-'));
  atEnd(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, name);
}
