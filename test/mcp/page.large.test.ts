import { mkdtempSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { SCOPES, type Scope } from '@qr-service/core';
import { build } from 'esbuild';
import { ROOT } from '../../scripts/packages.ts';
import { findChromium, openChromium, type Browser } from '../../scripts/tools/chromium.ts';
import { decodeQr } from '../support/decodeQr.ts';
import { closeWorlds, SHOWS_PAGES, startServer, startWorld } from './support/world.ts';

/** A chat that shows the page with the extension's SDK. */
const CHAT = `
import { AppBridge, PostMessageTransport } from '@modelcontextprotocol/ext-apps/app-bridge';
globalThis.show = async ({ text: html }, input, result, hostContext) => {
  const frame = document.querySelector('iframe');
  const bridge = new AppBridge(null, { name: 'chat', version: '1' }, { serverTools: {} }, { hostContext });
  bridge.oncalltool = (params) => callTool(params);
  const initialized = new Promise((resolve) => { bridge.oninitialized = resolve; });
  await bridge.connect(new PostMessageTransport(frame.contentWindow, frame.contentWindow));
  frame.srcdoc = html;
  await initialized;
  await bridge.sendToolInput({ arguments: input });
  await bridge.sendToolResult(result);
};`;
const FRAME = '<iframe sandbox="allow-scripts" style="width: 100%; border: 0"></iframe>';
const STATE = `({
  scripts: document.scripts.length,
  fits: document.documentElement.scrollWidth <= innerWidth,
  areSquare: [...document.images].every(({ width, height }) => width === height),
  background: getComputedStyle(document.documentElement).backgroundColor,
})`;

const name = '</style><img src=https://evil.test/x><script src=https://evil.test/y></script>\u202Etxet';
const targetUrl = 'https://example.com/?q=<script>alert(1)</script>';
const ROWS = { rows: [{ name, targetUrl }, { name: 'Typo' }] };
const CODES = { codes: ['qr_1', 'qr_gone'] };
const DRAWS: Scope[] = ['exports:read'];

let browser: Browser | undefined;
afterEach(async () => {
  await browser?.close();
  await closeWorlds();
});

(findChromium() === undefined ? test.skip : test).each<[string, object, Scope[], string, number, RegExp]>([
  [
    'create_qr_codes',
    ROWS,
    [...SCOPES],
    'light',
    900,
    /^<\/style>.*txet\n.*\/r\/.*\n.*\npublished\nTypo\nfailed/,
  ],
  ['create_qr_codes', ROWS, ['qr:write'], 'dark', 320, /\nTypo\n[^]*\nNo image: .*exports:read/],
  ['render_qr_codes', CODES, [...SCOPES], 'dark', 320, /^<\/style>.*txet\n.*\/r\/[^]*\nRow 2\nfailed\n/],
  ['render_qr_codes', CODES, DRAWS, 'light', 900, /^qr_1\ndrawn\nRow 2\nfailed\n.*qr_gone was found/],
])('a page shows what %s returned for %j with %j, in %s', async (tool, input, scopes, theme, width, text) => {
  const { emulator } = await startWorld({ seed: { codes: [{ id: 'qr_1', name, targetUrl }] } });
  const { apiKey } = emulator.control.createKey({ scopes });
  const out = mkdtempSync(path.join(tmpdir(), 'page-'));
  const args = tool === 'create_qr_codes' ? ['--out', out] : [];
  const settings = { transport: 'stdio', capabilities: SHOWS_PAGES, args } as const;
  const { client } = await startServer({ ...emulator, apiKey }, settings);
  const { contents } = await client.readResource({ uri: 'ui://qr-service/results.html' });
  const result = await client.callTool({ name: tool, arguments: { ...input } });

  browser = await openChromium();
  const page = await browser.newPage({ viewport: { width, height: 600 } });
  const requests: string[] = [];
  page.on('request', (request) => requests.push(request.url()));
  await page.setContent(FRAME);
  await page.exposeFunction('callTool', (call: { name: string }) => client.callTool(call));
  const stdin = { contents: CHAT, resolveDir: path.join(ROOT, 'packages/mcp-server') };
  const { outputFiles } = await build({ stdin, bundle: true, write: false });
  await page.addScriptTag({ content: outputFiles[0]!.text });
  const given = [contents[0], input, result, { theme }].map((value) => JSON.stringify(value));
  await page.evaluate(`show(${given.join()})`);
  const frame = page.frames()[1]!;
  await frame.waitForSelector('img[src], footer:not(:empty)');
  expect((await frame.locator('body').innerText()).replaceAll(/\n+/g, '\n')).toMatch(text);
  const background = theme === 'dark' ? 'rgb(31, 31, 30)' : 'rgb(255, 255, 255)';
  expect(await frame.evaluate(STATE)).toEqual({ scripts: 1, fits: true, areSquare: true, background });
  for (const image of scopes.includes('exports:read') ? [frame.locator('img')] : []) {
    const png = Buffer.from((await image.getAttribute('src'))!.split(',')[1]!, 'base64');
    expect(decodeQr(png)).toContain('/r/');
  }
  expect([...readdirSync(out), ...requests]).toEqual([]);
});
