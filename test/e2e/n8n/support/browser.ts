import { execFileSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { join } from 'node:path';

/** The part of playwright-core, which is installed with the server, that is used here. */
export interface Page {
  goto(url: string): Promise<unknown>;
  fill(selector: string, text: string): Promise<void>;
  click(selector: string, options?: { timeout?: number }): Promise<void>;
  waitForSelector(
    selector: string,
    options?: { timeout?: number },
  ): Promise<{ screenshot(options: { path: string }): Promise<unknown> }>;
  waitForTimeout(ms: number): Promise<void>;
  waitForURL(url: RegExp): Promise<void>;
  addStyleTag(style: { content: string }): Promise<unknown>;
  keyboard: { press(key: string): Promise<void> };
  mouse: { move(x: number, y: number): Promise<void> };
}
interface Browser {
  newPage(options: { viewport: { width: number; height: number } }): Promise<Page>;
  close(): Promise<void>;
}
interface Playwright {
  chromium: { launch(options: { executablePath: string; args: string[] }): Promise<Browser> };
}

const NAMES = ['chromium', 'chromium-browser', 'google-chrome'];

/** Path of an installed Chromium, or undefined. */
export function findChromium(): string | undefined {
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

/** @param program folder with the installed server */
export function launchChromium(program: string, executablePath: string): Promise<Browser> {
  const { chromium } = createRequire(join(program, 'package.json'))('playwright-core') as Playwright;
  return chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-background-networking'] });
}
