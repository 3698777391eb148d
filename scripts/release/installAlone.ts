import { execFile } from 'node:child_process';
import { cp, mkdir, readFile, symlink } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import type { Manifest } from './manifests.ts';

const run = promisify(execFile);

/**
 * Puts a tarball into the `node_modules` of an empty folder, with its declared dependencies and nothing else. Those that
 * are released with it come from their tarballs, others from this repository, so that no registry is needed.
 * @param tarballs of the released packages, by name
 */
export async function installAlone(
  name: string,
  folder: string,
  tarballs: ReadonlyMap<string, string>,
  root: string,
): Promise<void> {
  const target = path.join(folder, 'node_modules', name);
  const tarball = tarballs.get(name);
  await mkdir(path.dirname(target), { recursive: true });
  if (tarball === undefined) {
    await symlink(path.join(root, 'node_modules', name), target, 'junction');
    return;
  }
  await mkdir(target, { recursive: true });
  await run('tar', ['-xzf', tarball, '-C', target, '--strip-components=1']);
  const manifest = JSON.parse(await readFile(path.join(target, 'package.json'), 'utf8')) as Manifest;
  for (const dependency of Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies }))
    await installAlone(dependency, folder, tarballs, root);
}

/**
 * Runs a script in a folder with an installed package, without the flags and conditions of this process.
 * @throws Error with what the script printed
 */
export async function runAlone(script: string, folder: string, node: string): Promise<void> {
  const copy = path.join(folder, path.basename(script));
  await cp(script, copy);
  await run(node, [copy], { cwd: folder, env: { ...process.env, NODE_OPTIONS: '' } });
}
