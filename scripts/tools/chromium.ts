import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { chromium, type Browser } from 'playwright-core';

export type { Browser, Page } from 'playwright-core';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome'];

/** Path of the installed Chromium, if any. */
export function findChromium(): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(':');
  return folders
    .flatMap((folder) => NAMES.map((name) => join(folder, name)))
    .find((path) => existsSync(path));
}

/** Starts the installed Chromium. @throws Error when there is none */
export async function openChromium(): Promise<Browser> {
  const executablePath = findChromium();
  if (executablePath === undefined) throw new Error("Chromium isn't installed.");
  return chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-background-networking'] });
}
