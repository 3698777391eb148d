import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { npm } from './process/npm.ts';

/** The repository's folder. */
export const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** What is read of a package.json. */
export interface Manifest {
  name: string;
  version: string;
  private?: boolean;
  exports?: Record<string, unknown>;
  engines?: { node?: string };
  /** n8n's settings. Only packages with nodes have them. */
  n8n?: object;
  /** The name in the MCP registry. Only MCP servers have one. */
  mcpName?: string;
  workspaces?: string[];
  dependencies?: Record<string, string>;
  peerDependencies?: Record<string, string>;
}

/** A package of this repository. Its folder is relative to the repository, with slashes. */
export type Workspace = ReturnType<typeof publishedPackages>[number];

/** Reads a folder's package.json. */
export function readManifest(folder: string): Manifest {
  return JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8')) as Manifest;
}

/** The packages that are published on npm. */
export function publishedPackages() {
  return (readManifest(ROOT).workspaces ?? [])
    .flatMap((pattern) => globSync(`${pattern}/package.json`, { cwd: ROOT }).sort())
    .map((file) => path.dirname(file).split(path.sep).join('/'))
    .map((folder) => ({ folder, manifest: readManifest(path.join(ROOT, folder)) }))
    .filter(({ manifest }) => manifest.private !== true);
}

/** Packs built packages into a folder. Returns the tarball's path of each, by the package's name. */
export async function pack(packageFolders: string[], destination: string): Promise<Map<string, string>> {
  const workspaces = packageFolders.flatMap((folder) => ['-w', folder]);
  const args = ['pack', '--json', '--ignore-scripts', '--pack-destination', destination, ...workspaces];
  const packed = JSON.parse(await npm(ROOT, ...args)) as { name: string; filename: string }[];
  return new Map(packed.map(({ name, filename }) => [name, path.join(destination, filename)]));
}

/** Builds and packs a package and passes the tarball to `use`. */
export async function withTarball<Result>(
  packageFolder: string,
  use: (tarball: string) => Promise<Result>,
): Promise<Result> {
  const folder = mkdtempSync(path.join(tmpdir(), 'qr-service-pack-'));
  try {
    await npm(ROOT, 'run', 'build', '--', '-w', packageFolder);
    const [tarball = ''] = (await pack([packageFolder], folder)).values();
    return await use(tarball);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
