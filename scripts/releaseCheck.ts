// npm run release:check                    packs the npm packages into out/release and checks them, mostly offline
// npm run release:check -- --tag v1.2.3    also checks that this is their version
// npm run release:check -- --root <folder> checks another repository, as the tests of this command do
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { atExit } from './process/atExit.ts';
import { npm } from './process/npm.ts';
import { table } from './terminal/table.ts';
import { installToolOrExit } from './tools/install.ts';
import { checksOf, type Check } from './release/checkPackage.ts';
import { findVersionProblems } from './release/versions.ts';
import { OUTPUT_FOLDER, tarballName } from './release/packages.ts';
import { publishedOf, readWorkspaces } from './packages/workspaces.ts';

const { values } = parseArgs({ options: { tag: { type: 'string' }, root: { type: 'string' } } });
const root = path.resolve(values.root ?? fileURLToPath(new URL('..', import.meta.url)));
const output = path.join(root, OUTPUT_FOLDER);
/** The Node that runs the installed packages. */
const node = process.env['CONSUMER_NODE'] || process.execPath;

// n8n's lint rules read this: in "test", they take every file for a test of their own.
process.env['NODE_ENV'] = 'production';
await installToolOrExit('package-checks');
const temporary = mkdtempSync(path.join(tmpdir(), 'qr-service-release-'));
atExit(() => rmSync(temporary, { recursive: true, force: true }));

const workspaces = readWorkspaces(root);
const published = publishedOf(workspaces);
const tarballs = new Map<string, string>();
let failed = 0;

console.log(`The repository, with ${workspaces.length} packages`);
await run({
  name: 'builds',
  fix: 'Fix the errors of npm run build.',
  find: () => npm(root, 'run', 'build').then(() => []),
});
await run({
  name: 'versions agree',
  fix: 'Run npm run release:version.',
  find: () => findVersionProblems(workspaces, values.tag),
});
rmSync(output, { recursive: true, force: true });
mkdirSync(output, { recursive: true });
for (const { folder, manifest } of published) {
  const tarball = path.join(output, tarballName(manifest));
  await npm(path.join(root, folder), 'pack', '--ignore-scripts', '--pack-destination', output).then(
    () => tarballs.set(manifest.name, tarball),
    (error: unknown) => fail(`pack ${manifest.name}`, [messageOf(error)], `Correct ${folder}/package.json.`),
  );
}
for (const workspace of published) {
  const { name, version } = workspace.manifest;
  if (!tarballs.has(name)) continue;
  console.log(`\n${name} ${version}`);
  for (const check of await checksOf(workspace, { root, temporary, tarballs, node })) await run(check);
}

const packed = [...tarballs.values()].map((file) => {
  const content = readFileSync(file);
  return [kilobytes(content), path.relative(root, file), integrity(content)];
});
console.log(`\nPacked\n${table(packed)}`);
console.log(failed === 0 ? '\n✔ ready to release' : `\n✘ not ready to release: ${failed} failed checks`);
if (failed > 0) process.exitCode = 1;

async function run({ name, fix, find }: Check): Promise<void> {
  let problems: string[];
  try {
    problems = await find();
  } catch (error) {
    problems = [messageOf(error)];
  }
  if (problems.length === 0) console.log(`  ✔ ${name}`);
  else fail(name, problems, fix);
}

function fail(check: string, problems: readonly string[], fix: string): void {
  failed++;
  console.log(`  ✘ ${check}`);
  for (const problem of problems) console.log(`      ${problem.trimEnd().replaceAll('\n', '\n      ')}`);
  console.log(`    → ${fix}`);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function kilobytes(content: Buffer): string {
  return `${(content.length / 1000).toFixed(0)} kB`;
}

/** The checksum that npm shows as `dist.integrity`, and that n8n takes for a package. */
function integrity(content: Buffer): string {
  return `sha512-${createHash('sha512').update(content).digest('base64')}`;
}
