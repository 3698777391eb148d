import { accessSync, constants } from 'node:fs';
import { join } from 'node:path';
import { importFromTool, installToolOrExit } from './install.ts';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome'];

/** The methods of Playwright's browser that are used here. */
export interface Browser {
  newPage(options?: PageOptions): Promise<Page>;
  close(): Promise<void>;
}

/** Options of a page. */
export interface PageOptions {
  viewport?: { width: number; height: number };
  deviceScaleFactor?: number;
  colorScheme?: 'light' | 'dark';
  javaScriptEnabled?: boolean;
}

/** The methods of Playwright's page that are used here. */
export interface Page {
  setDefaultTimeout(ms: number): void;
  goto(url: string): Promise<unknown>;
  waitForURL(url: RegExp): Promise<void>;
  waitForSelector(selector: string, options?: { timeout: number }): Promise<Screen>;
  waitForLoadState(state: 'networkidle'): Promise<void>;
  click(selector: string, options?: { timeout: number }): Promise<void>;
  dblclick(selector: string): Promise<void>;
  dragAndDrop(source: string, target: string): Promise<void>;
  fill(selector: string, value: string): Promise<void>;
  focus(selector: string): Promise<void>;
  setInputFiles(selector: string, file: string): Promise<void>;
  locator(selector: string): Locator;
  keyboard: { press(key: string): Promise<void>; type(text: string): Promise<void> };
  mouse: { move(x: number, y: number): Promise<void>; wheel(deltaX: number, deltaY: number): Promise<void> };
  evaluate<Result = unknown>(expression: string): Promise<Result>;
  addStyleTag(style: { content: string }): Promise<unknown>;
  screenshot: Screen['screenshot'];
  on(event: 'console', listener: (message: { type(): string; text(): string }) => void): unknown;
  on(event: 'pageerror', listener: (error: Error) => void): unknown;
  close(): Promise<void>;
}

/** The methods of Playwright's locator that are used here. Actions wait until the element is there and can be used. */
interface Locator {
  allInnerTexts(): Promise<string[]>;
  click(): Promise<void>;
  count(): Promise<number>;
  fill(value: string): Promise<void>;
  first(): Locator;
  getAttribute(name: string): Promise<string | null>;
  hover(): Promise<void>;
  inputValue(): Promise<string>;
  last(): Locator;
  locator(selector: string): Locator;
  waitFor(options?: { state?: 'visible' | 'hidden' }): Promise<void>;
}

interface Screen {
  screenshot(options: {
    path: string;
    animations?: 'disabled' | 'allow';
    clip?: Rectangle;
  }): Promise<unknown>;
}

/** A part of a page, in CSS pixels. */
export interface Rectangle {
  x: number;
  y: number;
  width: number;
  height: number;
}

interface Playwright {
  chromium: { launch(options: { executablePath: string; args: string[] }): Promise<Browser> };
}

/** Path of the installed Chromium, if any. */
export function findChromium(): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(':');
  return folders.flatMap((folder) => NAMES.map((name) => join(folder, name))).find(isExecutable);
}

/** Starts the installed Chromium. @throws Error when there is none */
export async function openChromium(): Promise<Browser> {
  const executablePath = findChromium();
  if (executablePath === undefined) throw new Error("Chromium isn't installed.");
  await installToolOrExit('browser');
  const { chromium } = await importFromTool<Playwright>('browser', 'playwright-core');
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
