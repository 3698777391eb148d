import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import type { Manifest } from '../packages.ts';
import { npm } from '../process/npm.ts';

const run = promisify(execFile);
/** Limit of the registry. */
const MAX_DESCRIPTION_LENGTH = 100;

/** What is read of a bundle's `manifest.json`. */
interface BundleManifest {
  icon: string;
  server: { mcp_config: { args: string[] } };
  user_config: Record<string, { default?: string }>;
}

/** What is read of a `server.json`. */
interface RegistryEntry {
  name: string;
  description: string;
  packages: { identifier: string }[];
}

/**
 * Writes an MCP server's MCPB bundle next to the tarballs, and its entry for the registry, `server.json`, with the bundle's
 * hash. Both get the package's version. Returns what is wrong with them.
 */
export async function buildMcpBundle(
  { name, version, mcpName = 'none' }: Manifest,
  { source, unpacked, output, node }: Record<'source' | 'unpacked' | 'output' | 'node', string>,
): Promise<string[]> {
  const read = (file: string) => readFileSync(path.join(source, file), 'utf8').replaceAll('0.0.0', version);
  const entry = JSON.parse(read('server.json')) as RegistryEntry;
  const manifest = JSON.parse(read('manifest.json')) as BundleManifest;
  const folder = mkdtempSync(path.join(tmpdir(), 'qr-service-mcpb-'));
  const staged = path.join(folder, 'staged');
  const opened = path.join(folder, 'opened');
  const bundle = path.join(folder, 'bundle.mcpb');
  const packAndUnpack = 'mcpb pack staged bundle.mcpb && mcpb unpack bundle.mcpb opened';
  try {
    cpSync(unpacked, staged, { recursive: true });
    writeFileSync(path.join(staged, 'manifest.json'), read('manifest.json'));
    copyFileSync(path.join(source, 'images', manifest.icon), path.join(staged, manifest.icon));
    await npm(folder, 'exec', '--yes', '--package=@anthropic-ai/mcpb@2.1.2', '--call', packAndUnpack);
    const sha256 = createHash('sha256').update(readFileSync(bundle)).digest('hex');
    writeFileSync(path.join(output, 'server.json'), read('server.json').replace('SHA-256', sha256));
    copyFileSync(bundle, path.join(output, `${name}-${version}.mcpb`));
    const { stdout } = await run(node, [...startArguments(manifest, opened), '--version']);
    const isListed = entry.packages.some(({ identifier }) => identifier === name);
    return [
      ...(entry.name === mcpName ? [] : [`server.json names ${entry.name}, and package.json ${mcpName}`]),
      ...(isListed ? [] : [`server.json doesn't name the package ${name}`]),
      ...(entry.description.length <= MAX_DESCRIPTION_LENGTH ? [] : ['its description is too long']),
      ...(stdout.trim() === version ? [] : [`the bundle's command prints the version ${stdout.trim()}`]),
    ];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The arguments of a bundle whose user keeps the defaults: Claude Desktop replaces no variable in them. */
function startArguments({ server, user_config }: BundleManifest, folder: string): string[] {
  return server.mcp_config.args.map((arg) =>
    arg
      .replace('${__dirname}', folder)
      .replace(/^\$\{user_config\.(\w+)\}$/, (_, name: string) => user_config[name]?.default ?? ''),
  );
}
