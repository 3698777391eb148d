import { readdirSync } from 'node:fs';
import path from 'node:path';
import type { Client } from '@modelcontextprotocol/client';
import { SCOPES, type Scope } from '@qr-service/core';
import { build } from 'esbuild';
import { ROOT } from '../../scripts/packages.ts';
import { findChromium, openChromium, type Page } from '../../scripts/tools/chromium.ts';
import { decodeQr } from '../support/decodeQr.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
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
  bars: [...document.querySelectorAll('.bar')].map((bar) =>
    Math.round((100 * parseFloat(getComputedStyle(bar, '::before').width)) / bar.clientWidth)),
})`;

const name = '</style><img src=https://evil.test/x><script src=https://evil.test/y></script>\u202Etxet';
const targetUrl = 'https://example.com/?q=<script>alert(1)</script>';
const SCANS = ['01', '01', '02'].map((day) => ({ scannedAt: `2026-01-${day}T12:00:00.000Z` }));
const SEED = { codes: [{ id: 'qr_1', name, targetUrl, scans: SCANS }] };
const ROWS = { rows: [{ name, targetUrl }, { name: 'Typo' }] };
const CODES = { codes: ['qr_1', 'qr_gone'] };
const ALL = [...SCOPES];
/** As if there were more scans than can be counted in time. */
const PARTIAL = { complete: false, countedUntil: '<i>', perCode: { qr_1: 3, 'qr_<b>': 1 } };

(findChromium() === undefined ? describe.skip : describe)('a page', () => {
  /** One window for all tests: a new one takes as long as the browser's start. */
  let page: Page;
  let chat: string;
  let client: Client;
  /** What all pages have requested. */
  const requests: string[] = [];
  beforeAll(async () => {
    const stdin = { contents: CHAT, resolveDir: path.join(ROOT, 'packages/mcp-server') };
    const { outputFiles } = await build({ stdin, bundle: true, write: false });
    chat = outputFiles[0]!.text;
    page = await (await openChromium()).newPage();
    page.on('request', (request) => requests.push(request.url()));
    await page.exposeFunction('callTool', (call: { name: string }) => client.callTool(call));
  });
  afterEach(closeWorlds);
  afterAll(() => page.context().browser()!.close());

  /** The text of the page, and what its images encode. */
  test.each<[string, object, Scope[], width: number, RegExp]>([
    ['create_qr_codes', ROWS, ALL, 900, /^<.*txet\n.*\/r\/.*\n.*\npublished\nTypo\nfailed\n.*\n.*\/r\/.*$/],
    ['create_qr_codes', ROWS, ['qr:write'], 320, /\nTypo\n[^]*\nNo image: .*exports:read.*$/],
    ['render_qr_codes', CODES, ALL, 320, /^<.*txet\n.*\/r\/[^]*\nRow 2\nfailed\n.*\n.*\/r\/.*$/],
    ['render_qr_codes', CODES, ['exports:read'], 900, /^qr_1\ndrawn\nRow 2\nfailed\n.*qr_gone.*\n.*\/r\/.*$/],
    [
      'list_scans',
      {},
      ALL,
      320,
      /^3 .*\nNot all .* <i>\.\n.*\n<.*txet\n3\nqr_<b>\n1\n.*\n.*-02\n1\n.*-01\n2$/,
    ],
  ])('shows what %s returned for %j with %j, %i wide', async (tool, input, scopes, width, text) => {
    const theme = width < 600 ? 'dark' : 'light';
    const { emulator } = await startWorld({ seed: SEED });
    const { apiKey } = emulator.control.createKey({ scopes });
    const out = temporaryFolder();
    const args = tool === 'create_qr_codes' ? ['--out', out] : [];
    const settings = { transport: 'stdio', era: 'legacy', capabilities: SHOWS_PAGES, args } as const;
    ({ client } = await startServer({ ...emulator, apiKey }, settings));
    const { contents } = await client.readResource({ uri: 'ui://qr-service/results.html' });
    const result = await client.callTool({ name: tool, arguments: { ...input } });
    if (tool === 'list_scans') Object.assign(result.structuredContent!, PARTIAL);

    await page.setViewportSize({ width, height: 600 });
    await page.setContent(FRAME);
    await page.addScriptTag({ content: chat });
    const given = [contents[0], input, result, { theme }].map((value) => JSON.stringify(value));
    await page.evaluate(`show(${given.join()})`);
    const frame = page.frames()[1]!;
    await frame.waitForSelector('img[src], .chart :text("txet"), footer:not(:empty)');
    const images = await frame.locator('img').evaluateAll((all) => all.map(({ src }) => src.split(',')[1]!));
    const codes = images.map((data) => decodeQr(Buffer.from(data, 'base64')));
    const shown = [await frame.locator('body').innerText(), ...codes].join('\n');
    expect(shown.replaceAll(/\n+/g, '\n')).toMatch(text);
    const background = theme === 'dark' ? 'rgb(31, 31, 30)' : 'rgb(255, 255, 255)';
    const bars = tool === 'list_scans' ? [80, 27, 40, 80] : [];
    const state = { scripts: 1, fits: true, areSquare: true, background, bars };
    expect(await frame.evaluate(STATE)).toEqual(state);
    expect([...readdirSync(out), ...requests]).toEqual([]);
  });
});
