import { execFile } from 'node:child_process';
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** The Zapier app's folder. */
export const APP_FOLDER = path.join(ROOT, 'packages/zapier-qr-service');

/** The fields of a package.json that are used here. */
interface Manifest {
  name: string;
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
  scripts?: Record<string, string>;
}

/** What Node.js and Zapier's CLI read of an installed package's manifest. The rest is a twentieth of the zip. */
const RUNTIME_FIELDS = [
  'name',
  'version',
  'license',
  'type',
  'main',
  'module',
  'exports',
  'imports',
  'dependencies',
];

/**
 * Builds the app into an empty folder with only its runtime dependencies, so that Zapier's CLI sees an ordinary
 * project, as after a fresh install.
 */
export async function stageApp(folder: string, buildArgs: readonly string[] = []): Promise<void> {
  const { scripts: _scripts, devDependencies: _dev, ...manifest } = await readManifest(APP_FOLDER);
  await mkdir(folder, { recursive: true });
  await writeFile(path.join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  // Zapier's CLI leaves these out of the source archive.
  await writeFile(path.join(folder, '.gitignore'), 'node_modules/\n');
  const bundle = path.join(folder, 'dist/index.js');
  await promisify(execFile)(process.execPath, [path.join(APP_FOLDER, 'build.mjs'), bundle, ...buildArgs]);
  for (const name of ['LICENSE', 'README.md', 'CHANGELOG.md', 'src'])
    await cp(path.join(APP_FOLDER, name), path.join(folder, name), { recursive: true });
  for (const packageFolder of await runtimePackages(APP_FOLDER))
    await copyPackage(packageFolder, path.join(folder, path.relative(ROOT, packageFolder)));
}

async function copyPackage(from: string, to: string): Promise<void> {
  await cp(from, to, {
    recursive: true,
    // Nested packages are copied separately, if they are needed.
    filter: (file) => !path.relative(from, file).split(path.sep).includes('node_modules'),
  });
  // With an array, JSON.stringify would also filter inside of the fields.
  const fields = Object.entries(await readManifest(from)).filter(([name]) => RUNTIME_FIELDS.includes(name));
  await writeFile(path.join(to, 'package.json'), JSON.stringify(Object.fromEntries(fields)));
}

/** Folders of all direct and transitive runtime dependencies of a package. */
async function runtimePackages(folder: string, found = new Set<string>()): Promise<Set<string>> {
  for (const name of Object.keys((await readManifest(folder)).dependencies ?? {})) {
    const packageFolder = await findPackage(name, folder);
    if (found.has(packageFolder)) continue;
    found.add(packageFolder);
    await runtimePackages(packageFolder, found);
  }
  return found;
}

/** @throws Error when the package isn't installed */
async function findPackage(name: string, from: string): Promise<string> {
  // Resolves a file of the package, as some packages have the name of a built-in module.
  const searchFolders =
    createRequire(path.join(from, 'package.json')).resolve.paths(`${name}/package.json`) ?? [];
  for (const searchFolder of searchFolders) {
    const packageFolder = path.join(searchFolder, name);
    const manifest = await readManifest(packageFolder).catch(() => undefined);
    if (manifest?.name === name) return packageFolder;
  }
  throw new Error(`${name} isn't installed. Run npm ci.`);
}

async function readManifest(folder: string): Promise<Manifest> {
  return JSON.parse(await readFile(path.join(folder, 'package.json'), 'utf8')) as Manifest;
}
