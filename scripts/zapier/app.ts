import { execFile } from 'node:child_process';
import { cpSync, existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { promisify } from 'node:util';
import { readManifest, ROOT } from '../packages.ts';

/** The Zapier app's folder. */
export const APP_FOLDER = path.join(ROOT, 'packages/zapier-qr-service');

/** What Node.js and Zapier's CLI read of an installed package's manifest. The rest is a twentieth of the zip. */
const RUNTIME_FIELDS = /^(name|version|license|type|main|module|exports|imports|dependencies)$/;

/**
 * Builds the app into an empty folder with only its runtime dependencies, so that Zapier's CLI sees an ordinary
 * project, as after a fresh install.
 */
export async function stageApp(folder: string, buildArgs: readonly string[]): Promise<void> {
  await mkdir(folder, { recursive: true });
  await writeManifest(APP_FOLDER, folder);
  // Zapier's CLI leaves these out of the source archive.
  await writeFile(path.join(folder, '.gitignore'), 'node_modules/\n');
  const bundle = path.join(folder, 'dist/index.js');
  await promisify(execFile)(process.execPath, [path.join(APP_FOLDER, 'build.mjs'), bundle, ...buildArgs]);
  for (const name of ['LICENSE', 'README.md', 'CHANGELOG.md', 'src'])
    if (existsSync(path.join(APP_FOLDER, name)))
      cpSync(path.join(APP_FOLDER, name), path.join(folder, name), { recursive: true });
  for (const dependency of runtimePackages(APP_FOLDER)) {
    const target = path.join(folder, path.relative(ROOT, dependency));
    // Nested packages are copied separately, if they are needed.
    const filter = (file: string) =>
      !path.relative(dependency, file).split(path.sep).includes('node_modules');
    cpSync(dependency, target, { recursive: true, filter });
    await writeManifest(dependency, target);
  }
}

async function writeManifest(from: string, to: string): Promise<void> {
  const manifest = JSON.parse(await readFile(path.join(from, 'package.json'), 'utf8')) as object;
  // With an array, JSON.stringify would also filter inside of the fields.
  const fields = Object.entries(manifest).filter(([name]) => RUNTIME_FIELDS.test(name));
  await writeFile(path.join(to, 'package.json'), JSON.stringify(Object.fromEntries(fields)));
}

/** Folders of all direct and transitive runtime dependencies of a package. */
function runtimePackages(folder: string, found = new Set<string>()): Set<string> {
  for (const name of Object.keys(readManifest(folder).dependencies ?? {})) {
    // Not the package itself, as some packages have the name of a built-in module.
    const searched =
      createRequire(path.join(folder, 'package.json')).resolve.paths(`${name}/package.json`) ?? [];
    const dependency = searched.map((place) => path.join(place, name)).find((place) => existsSync(place));
    if (dependency === undefined) throw new Error(`${name} isn't installed. Run npm ci.`);
    if (found.has(dependency)) continue;
    found.add(dependency);
    runtimePackages(dependency, found);
  }
  return found;
}
