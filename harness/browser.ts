import { execFileSync } from 'node:child_process';
import { chromium, type Browser } from 'playwright-core';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome'];

/** Starts an installed Chromium; where there is none, says how to get one. */
export async function openChromium(): Promise<Browser | undefined> {
  const executablePath = findChromium();
  if (executablePath !== undefined)
    return chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-background-networking'] });
  console.log('No Chromium was found, so this is left out. On Debian: apt-get install chromium');
  return undefined;
}

function findChromium(): string | undefined {
  for (const name of NAMES) {
    try {
      return execFileSync('which', [name], { stdio: ['ignore', 'pipe', 'ignore'] })
        .toString()
        .trim();
    } catch {
      // The next one, then.
    }
  }
  return undefined;
}
