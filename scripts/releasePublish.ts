// npm run release:publish                 publishes what release:check packed, with provenance; only in release.yml
// npm run release:publish -- --dry-run    prints the commands
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Manifest } from './release/manifests.ts';
import { OUTPUT_FOLDER, RELEASED } from './release/packages.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const isDryRun = process.argv.includes('--dry-run');

for (const { name, folder } of RELEASED) {
  const { version } = JSON.parse(readFileSync(path.join(ROOT, folder, 'package.json'), 'utf8')) as Manifest;
  const tarball = path.join(OUTPUT_FOLDER, `${name.replace('@', '').replace('/', '-')}-${version}.tgz`);
  const args = ['publish', `./${tarball}`, '--provenance', '--access', 'public'];
  if (isDryRun) console.log(['npm', ...args].join(' '));
  else if (isPublished(name, version)) console.log(`${name}@${version} is on npm already`);
  else execFileSync('npm', args, { cwd: ROOT, stdio: 'inherit' });
}

/** Whether an earlier run published it. If npm can't tell, publishing fails with the reason. */
function isPublished(name: string, version: string): boolean {
  try {
    return execFileSync('npm', ['view', `${name}@${version}`, 'version'], { stdio: 'pipe' }).length > 0;
  } catch {
    return false;
  }
}
