// npm run audit:shipped    lists the libraries in bundles and in the Zapier app, and checks their licenses
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { atExit } from './process/atExit.ts';
import { readArtifact } from './shipped/Artifact.ts';
import { findLeaks } from './shipped/findLeaks.ts';
import { findDisallowedLicenses } from './shipped/licenses.ts';
import { foreignOrigins, licensedPackages, packagesIn, type ShippedPackage } from './shipped/packages.ts';
import { table } from './terminal/table.ts';
import { installToolOrExit } from './tools/install.ts';
import { unzip } from './zapierCli.ts';
import { APP_FOLDER } from './zapierStage.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const node = (...args: string[]) => execFileSync(process.execPath, args, { cwd: ROOT });

await installToolOrExit('zapier-cli');
const folder = mkdtempSync(path.join(tmpdir(), 'qr-service-shipped-'));
atExit(() => rmSync(folder, { recursive: true, force: true }));
const problems: string[] = [];

for (const { path: file, content } of readArtifact('', path.join(ROOT, 'packages/n8n-nodes-qr-service/dist'))
  .files)
  if (file.endsWith('.js'))
    problems.push(
      ...foreignOrigins({ path: file, content }).map((origin) => `n8n's ${file} contains ${origin}`),
    );

for (const name of ['mcp-server', 'probe']) {
  const readable = path.join(folder, name);
  node(`packages/${name}/build.mjs`, '--readable', readable);
  const licenses = readFileSync(path.join(ROOT, `packages/${name}/dist/THIRD_PARTY_LICENSES.txt`), 'utf8');
  const packages = licensedPackages(licenses);
  list(name, packages);
  const content = Buffer.concat(readArtifact('', readable).files.map((file) => file.content));
  for (const origin of foreignOrigins({ path: name, content }))
    if (!packages.some((licensed) => licensed.name === origin))
      problems.push(`${name} contains ${origin} without its license`);
}

node('scripts/zapier.ts', 'build');
const unpacked = path.join(folder, 'zapier');
await unzip(path.join(APP_FOLDER, 'build/build.zip'), unpacked);
const app = readArtifact('the Zapier app', unpacked);
list(app.name, packagesIn(app));
problems.push(...findLeaks(app, ROOT));

for (const problem of problems) console.log(`  ✘ ${problem}`);
console.log(`\n${problems.length === 0 ? '✔' : '✘'} ${problems.length} problems`);
if (problems.length > 0) process.exitCode = 1;

function list(name: string, packages: readonly ShippedPackage[]): void {
  if (packages.length === 0) problems.push(`${name} has no licenses of third-party packages`);
  const rows = packages.map(({ name: library, version, license }) => [license, `${library}@${version}`]);
  console.log(`\nPackages in ${name}\n${table(rows)}`);
  problems.push(...findDisallowedLicenses(packages));
}
