// npm run record: runs npm start in a terminal and writes the README's pictures, demo/recording.svg and contact-sheet.png.
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { openChromium } from '../tools/chromium.ts';
import { pace, toFrames, type OutputEvent } from './recording.ts';
import { recordingSvg } from './recordingSvg.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const FILE = 'demo/recording.svg';
const SHEET = 'demo/contact-sheet.png';
const COLUMNS = 100;

const frames = pace(toFrames(await record('npm start'), COLUMNS), { redraw: 150, line: 750, longest: 2000 });
writeFileSync(
  `${ROOT}${FILE}`,
  recordingSvg(frames, COLUMNS, 'npm start, recorded: long waits are shortened, fast lines slowed down'),
);
console.log(`${FILE}: ${Math.round((frames.at(-1)?.at ?? 0) / 1000)} s, ${frames.length} frames.`);
await takeScreenshot(`file://${ROOT}out/index.html`, ROOT + SHEET);
console.log(`${SHEET}: the first rows of out/index.html.`);

/**
 * Runs a command in a terminal and returns its output, with a prompt and the command before it.
 * @throws Error if the command fails, or without the `script` of util-linux
 */
async function record(command: string): Promise<OutputEvent[]> {
  const startedAt = Date.now();
  const events = [{ at: 0, text: `$ ${command}\n` }];
  // npm's own lines are about the user's settings and the network.
  const env = { ...process.env, npm_config_loglevel: 'silent', npm_config_progress: 'false' };
  const terminal = spawn('script', ['-qefc', `stty cols ${COLUMNS} rows 50; ${command}`, '/dev/null'], {
    cwd: ROOT,
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  terminal.stdout.setEncoding('utf8').on('data', (text: string) => {
    events.push({ at: Date.now() - startedAt, text });
  });
  const code = await new Promise((resolve, reject) => terminal.once('error', reject).once('close', resolve));
  if (code !== 0) throw new Error(`${command} failed:\n${events.map(({ text }) => text).join('')}`);
  return events;
}

/** Takes a picture of the top of a page. @throws Error when Chromium isn't installed */
async function takeScreenshot(url: string, path: string): Promise<void> {
  const browser = await openChromium();
  try {
    const page = await browser.newPage({ viewport: { width: 1200, height: 1080 }, colorScheme: 'light' });
    await page.goto(url);
    await page.screenshot({ path });
  } finally {
    await browser.close();
  }
}
