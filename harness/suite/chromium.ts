import { accessSync, constants } from 'node:fs';
import { join } from 'node:path';
import { chromium, type Browser } from 'playwright-core';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome'];

/** Path of an installed Chromium, if there is one. */
export function findChromium(): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(':');
  return folders.flatMap((folder) => NAMES.map((name) => join(folder, name))).find(isExecutable);
}

/** Starts an installed Chromium. @throws Error where there is none */
export async function openChromium(): Promise<Browser> {
  const executablePath = findChromium();
  if (executablePath === undefined) throw new Error("Chromium isn't installed.");
  return chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-background-networking'] });
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
