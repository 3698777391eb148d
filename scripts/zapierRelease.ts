// npm run zapier:release -- <stage>    runs a stage of a Zapier app release; without a stage, lists them
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { BRAND } from '@qr-service/core/connector';
import { installToolOrExit } from './tools/install.ts';
import { readChangelog } from './zapierCli.ts';
import { findBlockers } from './zapierBlockers.ts';
import { readManifest } from './packages/workspaces.ts';
import { APP_FOLDER } from './zapierStage.ts';

const USAGE = `npm run zapier:release -- <stage> [--dry-run]

  check      checks the app before an upload
  preview    checks, builds and uploads a private version
  promote    checks, then makes the uploaded version the public one

The version is the one in packages/zapier-qr-service/package.json. --dry-run only prints the commands.
For the whole procedure, see packages/zapier-qr-service/RELEASING.md`;

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const { version } = readManifest(APP_FOLDER);

const CHECKS = ['npm run zapier -- validate --without-style', 'npx jest test/zapier/publishing.test.ts'];
const STAGES = new Map([
  ['check', CHECKS],
  ['preview', [...CHECKS, 'npm run zapier -- build --public', 'npm run zapier -- upload']],
  ['promote', [...CHECKS, `npm run zapier -- promote ${version}`]],
]);

const isDryRun = process.argv.includes('--dry-run');
const args = process.argv.slice(2).filter((arg) => arg !== '--dry-run');
const commands = STAGES.get(args.join(' '));
if (commands === undefined) {
  console.error(USAGE);
  process.exit(1);
}
const blockers = await listBlockers();
if (blockers.length > 0) {
  console.error(['To do first:', ...blockers.map((blocker) => `- ${blocker}`), ''].join('\n'));
  process.exitCode = 1;
}
if (isDryRun) console.log(commands.join('\n'));
else if (blockers.length === 0) commands.forEach(runOrExit);

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

function runOrExit(command: string): void {
  console.log(`\n> ${command}`);
  const { status } = spawnSync(command, { cwd: ROOT, stdio: 'inherit', shell: true });
  if (status !== 0) process.exit(status ?? 1);
}
