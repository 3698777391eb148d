// npm run record: runs npm start, a session with the MCP server and a probe, and draws the pictures of their READMEs.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { openChromium } from '../tools/chromium.ts';
import { probeReport } from './probeReport.ts';
import { pace, recordingSvg, removeMachine, type Line } from './recording.ts';
import { runSession } from './session.ts';
import { sessionSvg } from './sessionSvg.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

const lines = pace(await record('npm start'));
const title = 'npm start, recorded: long waits are shortened, fast lines slowed down';
writeFileSync(`${ROOT}demo/recording.svg`, recordingSvg(lines, title));
writeFileSync(`${ROOT}packages/mcp-server/images/session.svg`, sessionSvg(await runSession()));
await takeScreenshot(`file://${ROOT}out/index.html`, `${ROOT}demo/contact-sheet.png`);
const report = `${ROOT}packages/probe/images/report.png`;
await takeScreenshot(`file://${await probeReport()}`, report, { width: 900, height: 735 });

/** Runs a command and returns what it prints, after the command itself. @throws Error if it fails */
async function record(command: string): Promise<Line[]> {
  const startedAt = Date.now();
  const found = [{ at: 0, text: `$ ${command}` }];
  // npm's own lines are about the user's settings and the network.
  const env = { ...process.env, npm_config_loglevel: 'silent' };
  const child = spawn(command, { cwd: ROOT, env, shell: true, stdio: ['ignore', 'pipe', 'inherit'] });
  const exited = once(child, 'exit');
  for await (const text of createInterface(child.stdout))
    found.push({ at: Date.now() - startedAt, text: removeMachine(text.trimEnd()) });
  const [code] = (await exited) as [number | null];
  if (code !== 0) throw new Error(`${command} failed:\n${found.map(({ text }) => text).join('\n')}`);
  while (found.at(-1)?.text === '') found.pop();
  return found;
}

/** Takes a picture of the top of a page. @throws Error when Chromium isn't installed */
async function takeScreenshot(
  url: string,
  path: string,
  viewport = { width: 1200, height: 1080 },
): Promise<void> {
  const browser = await openChromium();
  try {
    const page = await browser.newPage({ viewport, colorScheme: 'light' });
    await page.goto(url);
    await page.screenshot({ path });
  } finally {
    await browser.close();
  }
}
