import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, statSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { readArtifact } from '../shipped/Artifact.ts';
import { findLeaks } from '../shipped/findLeaks.ts';
import { readManifest, type Workspace } from '../packages/workspaces.ts';
import { installAlone, runAlone } from './installAlone.ts';
import { findMcpProblems } from './mcpServer.ts';
import { findPackageProblems } from './packageProblems.ts';
import { entryPointsOf, MAX_PACKED_KB } from './packages.ts';
import { scanForN8n } from './scanForN8n.ts';

const SMOKE = fileURLToPath(new URL('smoke/', import.meta.url));
const run = promisify(execFile);

/** A check of one package. */
export interface Check {
  name: string;
  /** What to do about its problems. */
  fix: string;
  /** Returns the problems. */
  find: () => string[] | Promise<string[]>;
}

/** What the checks of a package need. */
export interface Context {
  root: string;
  /** An empty folder. It is removed by the caller. */
  temporary: string;
  /** The packed packages, by name. */
  tarballs: ReadonlyMap<string, string>;
  /** The Node that runs the installed package. */
  node: string;
}

/** The checks of a packed package. Which ones apply depends on its manifest, so a new package needs no settings. */
export async function checksOf(
  workspace: Workspace,
  { root, temporary, tarballs, node }: Context,
): Promise<Check[]> {
  const {
    folder,
    manifest: { name, n8n, mcpName },
  } = workspace;
  const tarball = tarballs.get(name) ?? '';
  const unpacked = mkdtempSync(path.join(temporary, 'unpacked-'));
  await run('tar', ['-xzf', tarball, '-C', unpacked]);
  const packed = path.join(unpacked, 'package');
  const manifest = readManifest(packed);
  const artifact = readArtifact(name, packed);
  const found = findPackageProblems(tarball);
  // It is awaited later, by two checks.
  found.catch(() => undefined);

  const checks: Check[] = [
    {
      name: 'no secrets, tests or local paths',
      fix: `Exclude the file under "files" in ${folder}/package.json, or remove the text.`,
      find: () => findLeaks(artifact, root),
    },
    {
      name: `at most ${MAX_PACKED_KB} kB`,
      fix: "Leave out what users don't need, or raise MAX_PACKED_KB in scripts/release/packages.ts.",
      find: () => {
        const size = Math.ceil(statSync(tarball).size / 1000);
        return size <= MAX_PACKED_KB ? [] : [`the tarball has ${size} kB`];
      },
    },
    {
      name: 'publint',
      fix: `See https://publint.dev/rules, then correct ${folder}/package.json.`,
      find: async () => (await found).publint,
    },
    {
      name: 'types',
      fix: 'See https://github.com/arethetypeswrong/arethetypeswrong.github.io/tree/main/docs/problems.',
      find: async () => (await found).types,
    },
    {
      name: 'works installed alone',
      fix: `Declare what it imports under "dependencies" in ${folder}/package.json. Every command needs --help.`,
      find: async () => {
        const installed = mkdtempSync(path.join(temporary, 'installed-'));
        await installAlone(name, installed, tarballs, [path.join(root, folder), root]);
        const entryPoints = JSON.stringify(entryPointsOf(manifest));
        await runAlone(path.join(SMOKE, 'anyPackage.mjs'), [name, entryPoints], installed, node);
        const own = path.join(SMOKE, `${path.basename(name)}.mjs`);
        if (existsSync(own)) await runAlone(own, [], installed, node);
        return [];
      },
    },
  ];
  if (n8n !== undefined)
    checks.push({
      name: "n8n's scanner",
      fix: 'Change the code: n8n rejects packages that its scanner reports.',
      find: async () => [
        ...(await scanForN8n(path.join(root, folder), 'source')),
        ...(await scanForN8n(packed, 'tarball')),
      ],
    });
  if (mcpName !== undefined)
    checks.push({
      name: "the MCP registry's entry, and the MCPB bundle",
      fix: `Correct server.json, manifest.json or mcpName in ${folder}.`,
      find: () => findMcpProblems(workspace, { root, temporary, packed, node }),
    });
  return checks;
}
