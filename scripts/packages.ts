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

/** Packs a built package into a folder. Returns the tarball's path. */
export async function pack(packageFolder: string, destination: string): Promise<string> {
  const args = ['pack', '--json', '--ignore-scripts', '--pack-destination', destination];
  const [{ filename }] = JSON.parse(await npm(packageFolder, ...args)) as [{ filename: string }];
  return path.join(destination, filename);
}

/** Builds and packs a package and passes the tarball to `use`. */
export async function withTarball<Result>(
  packageFolder: string,
  use: (tarball: string) => Promise<Result>,
): Promise<Result> {
  const folder = mkdtempSync(path.join(tmpdir(), 'qr-service-pack-'));
  try {
    await npm(ROOT, 'run', 'build', '--', '-w', packageFolder);
    return await use(await pack(packageFolder, folder));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
