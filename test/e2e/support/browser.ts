import { execFileSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { join } from 'node:path';

/** The part of playwright-core, which is installed with the n8n server, that is used here. */
export interface Page {
  goto(url: string): Promise<unknown>;
  fill(selector: string, text: string): Promise<void>;
  click(selector: string, options?: { timeout?: number }): Promise<void>;
  focus(selector: string): Promise<void>;
  waitForSelector(
    selector: string,
    options?: { timeout?: number },
  ): Promise<{ screenshot(options: { path: string }): Promise<unknown> }>;
  waitForTimeout(ms: number): Promise<void>;
  waitForURL(url: RegExp): Promise<void>;
  /** Runs an expression in the page. */
  evaluate(expression: string): Promise<unknown>;
  screenshot(options: { path: string; fullPage?: boolean }): Promise<unknown>;
  addStyleTag(style: { content: string }): Promise<unknown>;
  keyboard: { press(key: string): Promise<void> };
  mouse: { move(x: number, y: number): Promise<void> };
  on(event: 'console', listener: (message: { type(): string; text(): string }) => void): void;
  on(event: 'pageerror', listener: (error: Error) => void): void;
  close(): Promise<void>;
}
interface Size {
  width: number;
  height: number;
}
/** How a page is to be. */
export interface PageOptions {
  viewport: Size;
  colorScheme?: 'light' | 'dark';
  deviceScaleFactor?: number;
  javaScriptEnabled?: boolean;
}
/** A running Chromium. */
export interface Browser {
  newPage(options: PageOptions): Promise<Page>;
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
