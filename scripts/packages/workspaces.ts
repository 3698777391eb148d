import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** What is read of a package.json. */
export interface Manifest {
  name: string;
  version: string;
  private?: boolean;
  type?: string;
  license?: string;
  description?: string;
  homepage?: string;
  bugs?: { url?: string };
  author?: { name?: string; email?: string };
  repository?: { url?: string; directory?: string };
  engines?: { node?: string };
  main?: string;
  bin?: string | Record<string, string>;
  exports?: unknown;
  /** n8n's settings. Only packages with nodes have them. */
  n8n?: object;
  /** The name in the MCP registry. Only MCP servers have one. */
  mcpName?: string;
  workspaces?: string[];
  scripts?: Record<string, string>;
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
  peerDependencies?: Record<string, string>;
  peerDependenciesMeta?: Record<string, { optional?: boolean }>;
  devDependencies?: Record<string, string>;
}

/** A package of this repository. */
export interface Workspace {
  /** Relative to the repository, with slashes. */
  folder: string;
  manifest: Manifest;
}

/** Reads a folder's package.json. */
export function readManifest(folder: string): Manifest {
  return JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8')) as Manifest;
}

/** All workspaces of a repository, in the order of its manifest. */
export function readWorkspaces(root: string): Workspace[] {
  const { workspaces = [] } = readManifest(root);
  return workspaces
    .flatMap((pattern) => globSync(`${pattern}/package.json`, { cwd: root }).sort())
    .map((file) => path.dirname(file).split(path.sep).join('/'))
    .map((folder) => ({ folder, manifest: readManifest(path.join(root, folder)) }));
}

/** The workspaces that are published on npm, each after those it depends on. */
export function publishedOf(workspaces: readonly Workspace[]): Workspace[] {
  const published = workspaces.filter((workspace) => workspace.manifest.private !== true);
  const sorted: Workspace[] = [];
  const seen = new Set<Workspace>();
  const add = (workspace: Workspace) => {
    if (seen.has(workspace)) return;
    seen.add(workspace);
    const needed = installedWith(workspace.manifest);
    published.filter((other) => other.manifest.name in needed).forEach(add);
    sorted.push(workspace);
  };
  published.forEach(add);
  return sorted;
}

/** Ranges of the packages that npm installs with a package, by name. */
export function installedWith(manifest: Manifest): Record<string, string> {
  const { dependencies, optionalDependencies, peerDependencies, peerDependenciesMeta = {} } = manifest;
  const peers = Object.entries(peerDependencies ?? {}).filter(
    ([name]) => peerDependenciesMeta[name]?.optional !== true,
  );
  return { ...Object.fromEntries(peers), ...optionalDependencies, ...dependencies };
}
