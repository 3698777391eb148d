import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdir, symlink } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { installedWith, readManifest, type Manifest } from '../packages/workspaces.ts';

const run = promisify(execFile);

/** Ends a command that waits for input or never exits. */
const TIMEOUT_MS = 60_000;

/**
 * Puts a tarball into the `node_modules` of an empty folder, with its declared dependencies and nothing else. Those that
 * are released with it come from their tarballs, others from this repository, so that no registry is needed.
 * @param tarballs of the released packages, by name
 * @param sources the folders whose `node_modules` have the others
 */
export async function installAlone(
  name: string,
  folder: string,
  tarballs: ReadonlyMap<string, string>,
  sources: readonly string[],
): Promise<Manifest> {
  const target = path.join(folder, 'node_modules', name);
  await mkdir(target, { recursive: true });
  await run('tar', ['-xzf', tarballs.get(name) ?? '', '-C', target, '--strip-components=1']);
  const manifest = readManifest(target);
  for (const dependency of Object.keys(installedWith(manifest)))
    if (!existsSync(path.join(folder, 'node_modules', dependency)))
      if (tarballs.has(dependency)) await installAlone(dependency, folder, tarballs, sources);
      else await link(dependency, folder, sources);
  return manifest;
}

async function link(name: string, folder: string, sources: readonly string[]): Promise<void> {
  const found = sources.map((source) => path.join(source, 'node_modules', name)).find(existsSync);
  if (found === undefined) throw new Error(`The dependency ${name} isn't installed. Run npm install.`);
  const target = path.join(folder, 'node_modules', name);
  await mkdir(path.dirname(target), { recursive: true });
  await symlink(found, target, 'junction');
}

/**
 * Runs a script in a folder with an installed package, without the flags and conditions of this process.
 * @throws Error with the script's error, or else with all that it printed
 */
export async function runAlone(
  script: string,
  args: readonly string[],
  folder: string,
  node: string,
): Promise<void> {
  const copy = path.join(folder, path.basename(script));
  await cp(script, copy);
  const env = { ...process.env, NODE_OPTIONS: '' };
  const running = run(node, [copy, ...args], { cwd: folder, env, timeout: TIMEOUT_MS });
  running.child.stdin?.end();
  await running.catch((error: unknown) => {
    const { message, stderr } = error as Error & { stderr: string };
    const reason = stderr.split('\n').find((line) => /^\w*Error\b/.test(line));
    throw new Error(reason ?? `${message}\n${stderr}`, { cause: error });
  });
}
