import { execFile } from 'node:child_process';
import { stat } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { table } from '../../scripts/terminal/table.ts';
import { installToolOrExit } from '../../scripts/tools/install.ts';
import { median } from './compare.ts';

const runFile = promisify(execFile);
const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const APP = `${ROOT}packages/zapier-qr-service/`;

const ROUNDS = 5;
/** Processes per round. The fastest one counts, as other load only slows a process down. */
const TRIES = 4;

/** Prints the milliseconds from the start of the process until everything is loaded. */
const PRINT = 'console.log(performance.now())';
const BARE = ['--eval', `require('zapier-platform-core'); ${PRINT}`];
const WITH_APP = [
  '--input-type=module',
  '--eval',
  `import 'zapier-platform-core'; import 'zapier-qr-service'; ${PRINT}`,
];

/** How much does the Zapier app add to a cold start, and how large is the upload? */
export async function zapier(): Promise<void> {
  const bare: number[] = [];
  const app: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const tries: [number, number][] = [];
    // Alternates between the two, so that both see the same noise.
    for (let attempt = 0; attempt < TRIES; attempt++)
      tries.push([await loadMs(BARE), await loadMs(WITH_APP)]);
    bare.push(Math.min(...tries.map(([ms]) => ms)));
    app.push(Math.min(...tries.map(([, ms]) => ms)));
  }
  const extra = median(app.map((ms, round) => ms - (bare[round] ?? NaN)));
  console.log(`\nCold start of the Zapier app, medians of ${ROUNDS} rounds`);
  const rows = [
    [`${median(bare).toFixed(0)} ms`, 'bare zapier-platform-core'],
    [
      `${median(app).toFixed(0)} ms`,
      `the built app, with it: ${(median(app) / median(bare)).toFixed(2)} times`,
    ],
    [`${extra.toFixed(1)} ms`, 'difference'],
    [`${Math.round((await zipBytes()) / 1000)} kB`, 'build.zip'],
  ];
  console.log(table(rows));
}

async function loadMs(args: string[]): Promise<number> {
  return Number((await runFile(process.execPath, args, { cwd: APP })).stdout);
}

async function zipBytes(): Promise<number> {
  await installToolOrExit('zapier-cli');
  await runFile(process.execPath, [`${ROOT}scripts/zapier/main.ts`, 'build'], { cwd: ROOT });
  return (await stat(`${APP}build/build.zip`)).size;
}
