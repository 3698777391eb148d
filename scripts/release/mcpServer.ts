import { execFile } from 'node:child_process';
import { copyFileSync, cpSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import type { Workspace } from '../packages/workspaces.ts';
import { installTool } from '../tools/install.ts';
import { OUTPUT_FOLDER } from './packages.ts';

const run = promisify(execFile);
/** Limit of the registry. */
const MAX_DESCRIPTION_LENGTH = 100;

/** What is read of a `server.json`. */
interface RegistryEntry {
  name: string;
  description: string;
  version: string;
  packages: { registryType: string; identifier: string; version: string }[];
}

/** What is read of the `manifest.json` of an MCPB bundle. */
interface BundleManifest {
  version: string;
  icon?: string;
  server: { entry_point: string };
}

/**
 * Writes an MCP server's entry for the registry, `server.json`, and its MCPB bundle next to the tarballs, both with the
 * package's version, and returns what is wrong with them.
 * @param packed folder with the packed package
 */
export async function findMcpProblems(
  { folder, manifest: { name, version, mcpName } }: Workspace,
  { root, temporary, packed, node }: { root: string; temporary: string; packed: string; node: string },
): Promise<string[]> {
  const read = (file: string): unknown => JSON.parse(readFileSync(path.join(root, folder, file), 'utf8'));
  const output = path.join(root, OUTPUT_FOLDER);

  const entry = read('server.json') as RegistryEntry;
  const packages = entry.packages.map((each) => ({ ...each, version }));
  writeFileSync(path.join(output, 'server.json'), JSON.stringify({ ...entry, version, packages }, null, 2));

  const manifest = read('manifest.json') as BundleManifest;
  const staged = mkdtempSync(path.join(temporary, 'bundle-'));
  cpSync(packed, staged, { recursive: true });
  writeFileSync(path.join(staged, 'manifest.json'), JSON.stringify({ ...manifest, version }));
  if (manifest.icon !== undefined)
    copyFileSync(path.join(root, folder, 'images', manifest.icon), path.join(staged, manifest.icon));
  const cli = path.join(await installTool('mcpb'), 'node_modules/@anthropic-ai/mcpb/dist/cli/cli.js');
  const bundle = path.join(output, `${name}-${version}.mcpb`);
  await run(node, [cli, 'pack', staged, bundle]);
  const unpacked = mkdtempSync(path.join(temporary, 'unbundled-'));
  await run(node, [cli, 'unpack', bundle, unpacked]);
  const { stdout } = await run(node, [path.join(unpacked, manifest.server.entry_point), '--version']);

  return [
    entry.name === mcpName ? '' : `server.json names ${entry.name}, and package.json ${mcpName}`,
    entry.description.length <= MAX_DESCRIPTION_LENGTH
      ? ''
      : `the description in server.json is longer than ${MAX_DESCRIPTION_LENGTH} characters`,
    packages.some(({ identifier }) => identifier === name)
      ? ''
      : `server.json doesn't name the package ${name}`,
    stdout.trim() === version ? '' : `the bundle's command prints the version ${stdout.trim()}`,
  ].filter((problem) => problem !== '');
}
