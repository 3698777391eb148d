// npm run zapier:release -- <stage>    runs a stage of a Zapier app release; without a stage, lists them
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { BRAND } from '@qr-service/core/connector';
import { installToolOrExit } from './tools/install.ts';
import { readChangelog } from './zapierCli.ts';
import {
  findBlockers,
  planRelease,
  ReleaseArgumentError,
  USAGE,
  type Command,
  type ReleasePlan,
} from './zapierReleasePlan.ts';
import { readManifest } from './workspaces.ts';
import { APP_FOLDER } from './zapierStage.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const { version } = readManifest(APP_FOLDER);

const isDryRun = process.argv.includes('--dry-run');
const args = process.argv.slice(2).filter((arg) => arg !== '--dry-run');
const { isChecked, commands } = planOrExit();
const blockers = isChecked ? await listBlockers() : [];
if (blockers.length > 0)
  console.error(['To do first:', ...blockers.map((blocker) => `- ${blocker}`), ''].join('\n'));

if (isDryRun) for (const command of commands) console.log(command.join(' '));
else if (blockers.length === 0) for (const command of commands) runOrExit(command);
if (blockers.length > 0) process.exitCode = 1;

function planOrExit(): ReleasePlan {
  try {
    return planRelease(args, version, new Date());
  } catch (error) {
    if (!(error instanceof ReleaseArgumentError)) throw error;
    console.error(`${error.message}\n\n${USAGE}`);
    process.exit(1);
  }
}

async function listBlockers(): Promise<string[]> {
  await installToolOrExit('zapier-cli');
  const changes = execFileSync('git', ['status', '--porcelain'], { cwd: ROOT, encoding: 'utf8' });
  return findBlockers({
    version,
    urls: [BRAND.baseUrl, BRAND.appUrl, BRAND.redirectUrl],
    changelog: (await readChangelog(APP_FOLDER, version)).changelog,
    isRegistered: existsSync(path.join(APP_FOLDER, '.zapierapprc')),
    changedFiles: changes
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => line.slice(3)),
  });
}

function runOrExit([program = '', ...programArgs]: Command): void {
  console.log(`\n> ${[program, ...programArgs].join(' ')}`);
  const { status } = spawnSync(program, programArgs, {
    cwd: ROOT,
    stdio: 'inherit',
    shell: process.platform === 'win32',
  });
  if (status !== 0) process.exit(status ?? 1);
}
