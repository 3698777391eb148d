// npm run audit:shipped              lists and checks what the npm packages and the Zapier app ship
// npm run audit:shipped -- --update  records the packages in the Zapier app and in bundles as approved
import { execFile } from 'node:child_process';
import { rmSync } from 'node:fs';
import { mkdtemp, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';
import { table } from './terminal/table.ts';
import { atExit } from './process/atExit.ts';
import { findAdvisories } from './shipped/advisories.ts';
import { approve, findUnapproved } from './shipped/approved.ts';
import { readArtefact, type Artefact, type ShippedFile } from './shipped/Artefact.ts';
import { findLeaks } from './shipped/findLeaks.ts';
import { findDisallowedLicences } from './shipped/licences.ts';
import { findPackageFileProblems } from './shipped/packageFiles.ts';
import { bundleParts, packagesIn, type BundlePart } from './shipped/packages.ts';
import { licensedPackages } from './shipped/thirdParty.ts';
import { installToolOrExit } from './tools/install.ts';
import { unzip } from './zapierCli.ts';
import { publishedOf, readManifest, readWorkspaces } from './workspaces.ts';
import { withTarball } from './withTarball.ts';
import { APP_FOLDER } from './zapierStage.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const APPROVED = path.join(APP_FOLDER, 'shipped.json');
const WORKSPACES = readWorkspaces(ROOT);
const N8N = 'packages/n8n-nodes-qr-service';
/** The packages whose bundles contain libraries. */
const BUNDLED = ['packages/mcp-server', 'packages/probe'];
/** Published on npm, in addition to these and the n8n package. */
const LIBRARIES = publishedOf(WORKSPACES)
  .map((workspace) => workspace.folder)
  .filter((published) => published !== N8N && !BUNDLED.includes(published));

const run = promisify(execFile);
const { values } = parseArgs({ options: { update: { type: 'boolean', default: false } } });

await installToolOrExit('zapier-cli');

const problems: string[] = [];
const folder = await mkdtemp(path.join(tmpdir(), 'qr-service-shipped-'));
atExit(() => rmSync(folder, { recursive: true, force: true }));

const licence = await readFile(path.join(ROOT, 'LICENSE'));
for (const library of LIBRARIES) problems.push(...auditTarball(await readTarball(library), library));

const tarball = await readTarball(N8N);
printFiles(tarball);
problems.push(...findThirdPartyCode(tarball), ...auditTarball(tarball, N8N));

for (const bundled of BUNDLED) {
  const artefact = await readTarball(bundled);
  printFiles(artefact);
  problems.push(...auditTarball(artefact, bundled), ...(await auditBundle(artefact, bundled)));
}

const zip = await readZip();
printFiles(zip);
const source = await readSourceArchive();
const packages = packagesIn(zip);
const sizes = packages.map(({ name, version, licence, bytes }) => [
  kilobytes(bytes),
  licence,
  `${name}@${version}`,
]);
console.log(`\nPackages in ${zip.name}\n${table(sizes)}`);
if (values.update) await approve(APPROVED, packages);
problems.push(
  ...findThirdPartyCode({ ...zip, files: [await readableBundle()] }),
  ...(await findUnapproved(APPROVED, packages)),
  ...findDisallowedLicences(packages),
  ...findLeaks(zip, ROOT),
  ...findPackageFileProblems(source, { licence, version: readManifest(APP_FOLDER).version }),
);

const advisories = await findAdvisories(
  ROOT,
  WORKSPACES.map((workspace) => workspace.folder),
);
if ('known' in advisories) problems.push(...advisories.known.map((known) => `advisory: ${known}`));
else console.log(`\nNo advisories from the registry: ${advisories.unavailable}`);

for (const problem of problems) console.log(`  ✘ ${problem}`);
if (problems.length > 0) process.exitCode = 1;
const contents = `${LIBRARIES.length + BUNDLED.length + 1} npm packages, n8n ${tarball.files.length} files of our own code, Zapier ${zip.files.length} files of ${packages.length} packages`;
const advisorySummary =
  'known' in advisories ? `${advisories.known.length} advisories` : 'advisories unknown';
console.log(
  `\n${problems.length === 0 ? '✔' : '✘'} shipped: ${contents}, ${problems.length} problems, ${advisorySummary}`,
);

/** A package as it would be published. */
async function readTarball(workspace: string): Promise<Artefact> {
  const unpacked = await mkdtemp(path.join(folder, 'npm-'));
  await withTarball(path.join(ROOT, workspace), (file) => run('tar', ['-xzf', file, '-C', unpacked]));
  return readArtefact(workspace, unpacked);
}

/** Problems that any published package can have. */
function auditTarball(artefact: Artefact, workspace: string): string[] {
  const { version } = readManifest(path.join(ROOT, workspace));
  return [
    ...findPackageFileProblems(artefact, { licence, version }),
    ...findLeaks(artefact, ROOT).map((leak) => `${artefact.name}: ${leak}`),
  ];
}

/** Problems with the libraries in a package's bundle. */
async function auditBundle(artefact: Artefact, workspace: string): Promise<string[]> {
  const bundle = await mkdtemp(path.join(folder, 'bundle-'));
  const approved = path.join(ROOT, workspace, 'shipped.json');
  await run(process.execPath, [path.join(ROOT, workspace, 'build.mjs'), '--readable', bundle]);
  const chunks = readArtefact('the bundle', bundle).files.map(({ content }) => content);
  const parts = bundleParts({ path: 'dist', content: Buffer.concat(chunks) });
  const packages = licensedPackages(artefact, parts);
  const rows = packages.map(({ name, version, licence, bytes }) => [
    bytes === 0 ? '' : kilobytes(bytes),
    licence,
    `${name}@${version}`,
  ]);
  console.log(`\nPackages in ${artefact.name}, before it is minified\n${table(rows)}`);
  if (values.update) await approve(approved, packages);
  const licensed = new Set(['own', ...packages.map(({ name }) => name)]);
  return [
    ...[...new Set(parts.map(({ origin }) => origin))]
      .filter((origin) => !licensed.has(origin))
      .map((origin) => `${artefact.name} contains ${origin} without its licence`),
    ...(await findUnapproved(approved, packages)),
    ...findDisallowedLicences(packages),
  ];
}

/** The archive that `zapier-platform upload` would deploy. */
async function readZip(): Promise<Artefact> {
  const unpacked = await mkdtemp(path.join(folder, 'zapier-'));
  await run(process.execPath, [path.join(ROOT, 'scripts/zapier.ts'), 'build'], { cwd: ROOT });
  await unzip(path.join(APP_FOLDER, 'build/build.zip'), unpacked);
  return readArtefact('the Zapier app', unpacked);
}

/** The archive of the app's sources that the same build makes, for Zapier's reviewers. */
async function readSourceArchive(): Promise<Artefact> {
  const unpacked = await mkdtemp(path.join(folder, 'zapier-source-'));
  await unzip(path.join(APP_FOLDER, 'build/source.zip'), unpacked);
  return readArtefact("the Zapier app's source archive", unpacked);
}

/** The Zapier app's bundle before it is minified, as only that names its sources. */
async function readableBundle(): Promise<ShippedFile> {
  const file = path.join(folder, 'readable.js');
  await run(process.execPath, [path.join(APP_FOLDER, 'build.mjs'), '--readable', file]);
  return { path: 'dist/index.js', content: await readFile(file) };
}

function printFiles({ name, files }: Artefact): void {
  const own = files.filter(({ path: file }) => !file.includes('node_modules/'));
  const rows = own.map(({ path: file, content }) => [kilobytes(content.length), file]);
  console.log(
    `\nFiles in ${name}${own.length < files.length ? ', excluding node_modules' : ''}\n${table(rows)}`,
  );
}

/** Third-party code in the bundles, of which there should be none. */
function findThirdPartyCode({ files }: Artefact): string[] {
  const bundles = files.filter(({ path: file }) => /^(package\/)?dist\/.*\.js$/.test(file));
  if (bundles.length === 0) return ['no bundle was found'];
  return bundles.flatMap((bundle) =>
    bundleParts(bundle)
      .filter(({ origin }: BundlePart) => origin !== 'own')
      .map(({ origin, bytes }) => `${bundle.path} contains ${kilobytes(bytes)} of ${origin}`),
  );
}

function kilobytes(bytes: number): string {
  return `${(bytes / 1000).toFixed(1)} kB`;
}
