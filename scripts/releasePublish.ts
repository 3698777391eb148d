// node scripts/releasePublish.ts    publishes what release:check packed, with provenance; only in release.yml
//
// With npm_config_registry=http://127.0.0.1:4873, it rehearses that: a registry on this machine needs no provenance.
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { distTag, OUTPUT_FOLDER, tarballName } from './release/packages.ts';
import { publishedOf, readWorkspaces } from './packages/workspaces.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const isRehearsal = /^http:\/\/127\.0\.0\.1:\d+\/?$/.test(process.env['npm_config_registry'] ?? '');

for (const { manifest } of publishedOf(readWorkspaces(ROOT))) {
  const { name, version } = manifest;
  const tarball = `./${OUTPUT_FOLDER}/${tarballName(manifest)}`;
  const tag = distTag(version);
  // Without --tag, npm refuses to move "latest" to a version older than the newest one.
  const args = [
    'publish',
    tarball,
    ...(isRehearsal ? [] : ['--provenance']),
    '--access',
    'public',
    ...(tag === undefined ? [] : ['--tag', tag]),
  ];
  if (isPublished(name, version)) console.log(`${name}@${version} is on npm already`);
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
