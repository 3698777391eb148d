import { execFile } from 'node:child_process';
import { stat } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { table } from '../../scripts/terminal/table.ts';
import { upTo } from '../support/verdict.ts';
import { installToolOrExit } from '../../scripts/tools/install.ts';
import { median, record } from './compare.ts';

const runFile = promisify(execFile);
const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const APP = `${ROOT}packages/zapier-qr-service/`;

const ROUNDS = 5;
/** Processes per round. The fastest one counts, as other load only slows a process down. */
const TRIES = 4;
const MAX_EXTRA_MS = 15;
const MAX_BYTES = 700_000;

/** Prints the milliseconds from the start of the process until everything is loaded. */
const PRINT = 'console.log(performance.now())';
const BARE = ['--eval', `require('zapier-platform-core'); ${PRINT}`];
const WITH_APP = [
  '--input-type=module',
  '--eval',
  `import 'zapier-platform-core'; import 'zapier-qr-service'; ${PRINT}`,
];

/** How much does the Zapier app add to a cold start, and how large is the upload? */
export async function run(): Promise<void> {
  const rounds: { bare: number; app: number }[] = [];
  for (let round = 0; round < ROUNDS; round++) rounds.push(await timeRound());
  const bare = median(rounds.map((round) => round.bare));
  const app = median(rounds.map((round) => round.app));
  const extra = rounds.map((round) => round.app - round.bare);
  const extraMs = median(extra);
  const bytes = await zipBytes();

  console.log(`\nCold start of the Zapier app, medians of ${ROUNDS} rounds`);
  const rows = [
    [`${bare.toFixed(0)} ms`, '', '', 'bare zapier-platform-core'],
    [`${app.toFixed(0)} ms`, '', (app / bare).toFixed(2), 'the built app, with it'],
    [`${extraMs.toFixed(1)} ms`, range(extra), upTo(MAX_EXTRA_MS, extraMs, ' ms'), 'difference'],
    [`${Math.round(bytes / 1000)} kB`, '', upTo(MAX_BYTES / 1000, bytes / 1000, ' kB'), 'build.zip'],
  ];
  console.log(table([['', 'range', 'ratio, target', ''], ...rows]));
  record('zapier', { rounds, bare, app, extraMs, ratio: app / bare, bytes });
}

/** Alternates between the two, so that both see the same noise. */
async function timeRound(): Promise<{ bare: number; app: number }> {
  let bare = Infinity;
  let app = Infinity;
  for (let attempt = 0; attempt < TRIES; attempt++) {
    bare = Math.min(bare, await loadMs(BARE));
    app = Math.min(app, await loadMs(WITH_APP));
  }
  return { bare, app };
}

async function loadMs(args: string[]): Promise<number> {
  return Number((await runFile(process.execPath, args, { cwd: APP })).stdout);
}

async function zipBytes(): Promise<number> {
  await installToolOrExit('zapier-cli');
  await runFile(process.execPath, [`${ROOT}scripts/zapier/main.ts`, 'build'], { cwd: ROOT });
  return (await stat(`${APP}build/build.zip`)).size;
}

function range(values: readonly number[]): string {
  return `(${Math.min(...values).toFixed(1)}–${Math.max(...values).toFixed(1)})`;
}
