// npm run zapier:release -- <stage>    runs a stage of a Zapier app release; without a stage, lists them
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { BRAND } from '@qr-service/core/connector';
import { readManifest, ROOT } from '../packages.ts';
import { APP_FOLDER } from './app.ts';

const USAGE = `npm run zapier:release -- <stage> [--dry-run]

  check      checks the app before an upload
  preview    checks, builds and uploads a private version
  promote    checks, then makes the uploaded version the public one

The version is the one in packages/zapier-qr-service/package.json. --dry-run only prints the commands.
For the whole procedure, see packages/zapier-qr-service/RELEASING.md`;

const { version } = readManifest(APP_FOLDER);
const CHECKS = ['npm run zapier -- validate --without-style', 'npx jest test/zapier/definition.test.ts'];
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
const blockers = findBlockers();
if (blockers.length > 0) {
  console.error(['To do first:', ...blockers.map((blocker) => `- ${blocker}`), ''].join('\n'));
  process.exitCode = 1;
}
if (isDryRun) console.log(commands.join('\n'));
else if (blockers.length === 0) commands.forEach(runOrExit);

/** What must be done before the version can be uploaded. */
function findBlockers(): string[] {
  const urls = [BRAND.baseUrl, BRAND.appUrl, BRAND.redirectUrl];
  const placeholders = urls.filter((url) => new URL(url).hostname.endsWith('.example'));
  const isLabeled = version.includes('-');
  const changelog = path.join(APP_FOLDER, 'CHANGELOG.md');
  const isDescribed = existsSync(changelog) && readFileSync(changelog, 'utf8').includes(`\n## ${version}\n`);
  const changed = execFileSync('git', ['status', '--porcelain'], { cwd: ROOT, encoding: 'utf8' })
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => line.slice(3));
  const conditions: [isBlocked: boolean, toDo: string][] = [
    [
      placeholders.length > 0,
      `Enter the service's real name and URLs in shared/src/contract/brand.ts. Placeholders: ${placeholders.join(', ')}.`,
    ],
    [
      !existsSync(path.join(APP_FOLDER, '.zapierapprc')),
      'Register the app with "npm run zapier -- register" and commit packages/zapier-qr-service/.zapierapprc.',
    ],
    [
      !isLabeled && version.startsWith('0.'),
      `Set the app's version to 1.0.0 or higher. Zapier accepts ${version} only after its predecessors, and can't migrate users from 0.x to 1.x.`,
    ],
    [
      !isLabeled && !isDescribed,
      `Add a section "## ${version}" to packages/zapier-qr-service/CHANGELOG.md. "promote" needs it.`,
    ],
    [changed.length > 0, `Commit or stash your changes: ${changed.join(', ')}.`],
  ];
  return conditions.filter(([isBlocked]) => isBlocked).map(([, toDo]) => toDo);
}

function runOrExit(command: string): void {
  console.log(`\n> ${command}`);
  const { status } = spawnSync(command, { cwd: ROOT, stdio: 'inherit', shell: true });
  if (status !== 0) process.exit(status ?? 1);
}
