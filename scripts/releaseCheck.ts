// npm run release:check                    packs the npm packages into out/release and checks them, mostly offline
// npm run release:check -- --tag v1.2.3    also checks that this is their version
import { execFile, execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';
import { atExit } from '../harness/process/atExit.ts';
import { npm } from '../harness/process/npm.ts';
import { table } from '../harness/table.ts';
import { installToolOrExit } from '../tools/install.ts';
import { findBrokenLinks } from './release/brokenLinks.ts';
import { installAlone, runAlone } from './release/installAlone.ts';
import { findManifestProblems, findVersionProblems, type Lock, type Manifest } from './release/manifests.ts';
import { findPackageProblems } from './release/packageProblems.ts';
import { OUTPUT_FOLDER, RELEASED, type ReleasedPackage } from './release/packages.ts';
import { scanForN8n } from './release/scanForN8n.ts';
import { readArtefact } from './shipped/Artefact.ts';
import { findLeaks } from './shipped/findLeaks.ts';
import { findPackageFileProblems } from './shipped/packageFiles.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const OUTPUT = path.join(ROOT, OUTPUT_FOLDER);
const N8N = 'n8n-nodes-qr-service';
/** The Node that runs the installed packages. */
const NODE = process.env['CONSUMER_NODE'] || process.execPath;
const ZAPIER_FOLDER = 'packages/zapier-qr-service';

const run = promisify(execFile);
const { values } = parseArgs({ options: { tag: { type: 'string' } } });
const readJson = (file: string): unknown => JSON.parse(readFileSync(path.join(ROOT, file), 'utf8'));
const manifestOf = (folder: string) => readJson(path.join(folder, 'package.json')) as Manifest;

// n8n's lint rules read this: in "test", they take every file for a test of their own.
process.env['NODE_ENV'] = 'production';
await installToolOrExit('package-checks');
const temporary = mkdtempSync(path.join(tmpdir(), 'qr-service-release-'));
atExit(() => rmSync(temporary, { recursive: true, force: true }));

const root = manifestOf('.');
const tarballs = await packAll();
const problems: string[] = [];

report('versions', findAllVersionProblems());
report('links', findAllBrokenLinks());
for (const released of RELEASED) await checkPackage(released);

const sizes = [...tarballs].map(([name, tarball]) => [`${kilobytes(tarball).toFixed(0)} kB`, name]);
console.log(`\nPacked into ${OUTPUT_FOLDER}\n${table(sizes)}`);
console.log(`\n${problems.length === 0 ? '✔' : '✘'} release: ${problems.length} problems`);
if (problems.length > 0) process.exitCode = 1;

/** Builds and packs all packages. Returns the tarballs by package. */
async function packAll(): Promise<Map<string, string>> {
  rmSync(OUTPUT, { recursive: true, force: true });
  mkdirSync(OUTPUT, { recursive: true });
  await npm(ROOT, 'run', 'build');
  const packed = new Map<string, string>();
  for (const { name, folder } of RELEASED) {
    const pack = ['pack', '--json', '--ignore-scripts', '--pack-destination', OUTPUT];
    const [{ filename }] = JSON.parse(await npm(path.join(ROOT, folder), ...pack)) as [{ filename: string }];
    packed.set(name, path.join(OUTPUT, filename));
  }
  return packed;
}

function findAllVersionProblems(): string[] {
  const folders = [...RELEASED.map(({ folder }) => folder), ZAPIER_FOLDER];
  const workspaces = Object.fromEntries(folders.map((folder) => [folder, manifestOf(folder)]));
  const names = RELEASED.map(({ name }) => name);
  return findVersionProblems(workspaces, names, readJson('package-lock.json') as Lock, values.tag);
}

function findAllBrokenLinks(): string[] {
  const files = execFileSync('git', ['ls-files', '*.md'], { cwd: ROOT, encoding: 'utf8' }).trim().split('\n');
  return files.flatMap((file) =>
    findBrokenLinks(path.join(ROOT, file)).map((link) => `${file} has the broken link ${link}`),
  );
}

async function checkPackage({
  name,
  folder,
  maxPackedKb,
  withoutTypesFor,
  smoke,
}: ReleasedPackage): Promise<void> {
  const tarball = tarballs.get(name) ?? '';
  const installed = mkdtempSync(path.join(temporary, 'installed-'));
  await installAlone(name, installed, tarballs, ROOT);

  const unpacked = mkdtempSync(path.join(temporary, 'unpacked-'));
  await run('tar', ['-xzf', tarball, '-C', unpacked]);
  const artefact = readArtefact(name, unpacked);
  const manifest = JSON.parse(readFileSync(path.join(unpacked, 'package/package.json'), 'utf8')) as Manifest;
  const licence = readFileSync(path.join(ROOT, 'LICENSE'));
  report(`${name}: manifest`, findManifestProblems(manifest, folder, root));
  report(`${name}: files`, [
    ...findPackageFileProblems(artefact, { licence, version: manifest.version }),
    ...(artefact.files.some(({ path: file }) => file === 'package/README.md')
      ? []
      : ['README.md is missing']),
    ...findLeaks(artefact, ROOT),
  ]);
  const size = kilobytes(tarball);
  report(
    `${name}: size`,
    size <= maxPackedKb ? [] : [`${size.toFixed(0)} kB packed, more than ${maxPackedKb} kB`],
  );

  const found = await findPackageProblems(tarball);
  const types = found.types.filter(({ resolutionKind = '' }) => !withoutTypesFor.includes(resolutionKind));
  report(`${name}: publint`, found.publint);
  report(
    `${name}: types`,
    types.map((problem) => JSON.stringify(problem)),
  );
  if (name === N8N)
    report(`${name}: n8n's scanner`, [
      ...(await scanForN8n(path.join(ROOT, folder), 'source')),
      ...(await scanForN8n(path.join(unpacked, 'package'), 'tarball')),
    ]);

  const script = path.join(ROOT, 'scripts/release/smoke', smoke);
  const failure = await runAlone(script, installed, NODE).then(
    () => [],
    (error: unknown) => [String(error)],
  );
  report(`${name}: installed alone`, failure);
}

function report(check: string, found: readonly string[]): void {
  console.log(`${found.length === 0 ? '✔' : '✘'} ${check}`);
  for (const problem of found) console.log(`    ${problem}`);
  problems.push(...found);
}

function kilobytes(file: string): number {
  return statSync(file).size / 1000;
}
