// npm run release:check                    packs the npm packages into out/release and checks them
// npm run release:check -- --tag v1.2.3    also checks that this is their version
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { cp, mkdir, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs, promisify } from 'node:util';
// @ts-expect-error It has no types.
import { analyzePackage, SOURCE_FILE_PATTERNS } from '@n8n/scan-community-package/scanner/scanner.mjs';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { pack, publishedPackages, readManifest, ROOT, type Manifest, type Workspace } from '../packages.ts';
import { atExit } from '../process/atExit.ts';
import { npm } from '../process/npm.ts';
import { findLeaks } from './leaks.ts';
import { buildMcpBundle } from './mcpBundle.ts';

/**
 * Limit of the packed size of each package, in kB: the MCP server, with the SDK, zod and undici, has 275. Raise it only for a
 * reason that users would accept.
 */
const MAX_PACKED_KB = 300;
/** Ends a command that waits for input or never exits. */
const TIMEOUT_MS = 60_000;
const OUTPUT = path.join(ROOT, 'out/release');
const SMOKE_TEST = path.join(import.meta.dirname, 'smokeTest.mjs');
const ATTW = path.join(ROOT, 'node_modules/@arethetypeswrong/cli/dist/index.js');
/** The Node that runs the installed packages. */
const CONSUMER_NODE = process.env['CONSUMER_NODE'] || process.execPath;
const run = promisify(execFile);

const { values } = parseArgs({ options: { tag: { type: 'string' } } });
// n8n's lint rules read this: in "test", they take every file for a test of their own.
process.env['NODE_ENV'] = 'production';
const temporary = mkdtempSync(path.join(tmpdir(), 'qr-service-release-'));
atExit(() => rmSync(temporary, { recursive: true, force: true }));
let failed = 0;

await check('builds', 'Fix the errors of npm run build.', () => npm(ROOT, 'run', 'build').then(() => []));
rmSync(OUTPUT, { recursive: true, force: true });
mkdirSync(OUTPUT, { recursive: true });
const packages = publishedPackages();
const folders = packages.map(({ folder }) => folder);
const tarballs = await pack(folders, OUTPUT);
for (const each of packages) await checkPackage(each);
console.log(failed === 0 ? '\n✔ ready to release' : `\n✘ not ready to release: ${failed} failed checks`);
if (failed > 0) process.exitCode = 1;

async function checkPackage({ folder, manifest }: Workspace): Promise<void> {
  const { name, version, n8n, mcpName } = manifest;
  const source = path.join(ROOT, folder);
  const tarball = tarballs.get(name) ?? '';
  const kilobytes = Math.ceil(statSync(tarball).size / 1000);
  const unpacked = mkdtempSync(path.join(temporary, 'unpacked-'));
  await run('tar', ['-xzf', tarball, '-C', unpacked, '--strip-components=1']);
  console.log(`\n${name} ${version}, ${kilobytes} kB`);

  await check('has the version of the tag', 'Run npm run release:version, or tag the right commit.', () =>
    values.tag === undefined || values.tag === `v${version}` ? [] : [`${values.tag} isn't v${version}`],
  );
  await check(
    'has no secrets, tests or local paths',
    `Exclude the file under "files" in ${folder}/package.json, or remove the text.`,
    () => findLeaks(unpacked),
  );
  await check(
    `has at most ${MAX_PACKED_KB} kB`,
    "Leave out what users don't need, or raise MAX_PACKED_KB in scripts/release/check.ts.",
    () => (kilobytes <= MAX_PACKED_KB ? [] : [`${kilobytes} kB`]),
  );
  await check(
    'passes publint',
    `See https://publint.dev/rules, then correct ${folder}/package.json.`,
    async () => {
      const { messages, pkg } = await publint({ pkgDir: unpacked, pack: false, strict: true });
      return messages.map((message) => formatMessage(message, pkg, { color: false }) ?? message.code);
    },
  );
  if (modulesOf(manifest).length > 0)
    await check(
      'has types that resolve',
      'See https://github.com/arethetypeswrong/arethetypeswrong.github.io/tree/main/docs/problems.',
      () => checkTypes(manifest, tarball),
    );
  if (await isSupported(manifest))
    await check(
      'works installed alone',
      `Declare what it imports under "dependencies" in ${folder}/package.json. Every command needs --help.`,
      () => tryInstalled(manifest, source),
    );
  if (n8n !== undefined)
    await check(
      "passes n8n's scanner",
      'Change the code: n8n rejects what its scanner reports.',
      async () => [
        ...(await scanForN8n(source, SOURCE_FILE_PATTERNS as string[])),
        ...(await scanForN8n(unpacked)),
      ],
    );
  if (mcpName !== undefined)
    await check(
      'has an MCP registry entry and an MCPB bundle that starts',
      `Correct server.json, manifest.json or mcpName in ${folder}.`,
      () => buildMcpBundle(manifest, { source, unpacked, output: OUTPUT, node: CONSUMER_NODE }),
    );
}

/** Runs a check, which returns or throws its problems, and prints the result. */
async function check(name: string, fix: string, find: () => string[] | Promise<string[]>): Promise<void> {
  const problems = await Promise.resolve()
    .then(find)
    .catch((error: unknown) => [error instanceof Error ? error.message : String(error)]);
  if (problems.length === 0) {
    console.log(`  ✔ ${name}`);
    return;
  }
  failed++;
  console.log(`  ✘ ${name}`);
  for (const problem of problems) console.log(`      ${problem.trimEnd().replaceAll('\n', '\n      ')}`);
  console.log(`    → ${fix}`);
}

/** The modules that a package exports, such as `.` and `./webhook`. */
function modulesOf({ exports = {} }: Manifest): string[] {
  return Object.keys(exports).filter((entry) => !/\.(json|yaml)$/.test(entry));
}

async function checkTypes({ exports, name }: Manifest, tarball: string): Promise<string[]> {
  const others = Object.keys(exports ?? {}).filter((entry) => /\.(json|yaml)$/.test(entry));
  const hasRequire = JSON.stringify(exports).includes('"require":');
  const profile = hasRequire ? 'strict' : 'esm-only';
  const args = ['--profile', profile, '--format', 'ascii', '--no-emoji', '--no-color'];
  const types = run(process.execPath, [ATTW, tarball, ...args, '--exclude-entrypoints', ...others]);
  return types.then(
    () => [],
    (error: unknown) => [`${name}: ${(error as { stdout: string }).stdout}`],
  );
}

/** Whether a package supports the major version of the Node that runs it here. */
async function isSupported({ engines }: Manifest): Promise<boolean> {
  const { stdout } = await run(CONSUMER_NODE, ['--version']);
  const majorIn = (version = '') => Number(/\d+/.exec(version)?.[0] ?? 0);
  return majorIn(stdout) >= majorIn(engines?.node);
}

/** Uses all that a package offers, in a folder with the package, its declared dependencies and nothing else. */
async function tryInstalled({ name }: Manifest, source: string): Promise<string[]> {
  const folder = mkdtempSync(path.join(temporary, 'installed-'));
  await installAlone(name, folder, [source, ROOT]);
  const script = path.join(folder, path.basename(SMOKE_TEST));
  await cp(SMOKE_TEST, script);
  // Without the flags and conditions of this process.
  const env = { ...process.env, NODE_OPTIONS: '' };
  await run(CONSUMER_NODE, [script, name], { cwd: folder, env, timeout: TIMEOUT_MS });
  return [];
}

/** Dependencies that are released with a package come from their tarballs, others from this repository. */
async function installAlone(name: string, folder: string, sources: readonly string[]): Promise<void> {
  const target = path.join(folder, 'node_modules', name);
  const tarball = tarballs.get(name);
  if (tarball === undefined) {
    const found = sources.map((source) => path.join(source, 'node_modules', name)).find(existsSync);
    if (found === undefined) throw new Error(`The dependency ${name} isn't installed. Run npm ci.`);
    await mkdir(path.dirname(target), { recursive: true });
    await symlink(found, target, 'junction');
    return;
  }
  await mkdir(target, { recursive: true });
  await run('tar', ['-xzf', tarball, '-C', target, '--strip-components=1']);
  const { dependencies, peerDependencies } = readManifest(target);
  for (const dependency of Object.keys({ ...dependencies, ...peerDependencies }))
    if (!existsSync(path.join(folder, 'node_modules', dependency)))
      await installAlone(dependency, folder, sources);
}

async function scanForN8n(folder: string, patterns?: string[]): Promise<string[]> {
  type Analyze = (
    folder: string,
    patterns?: string[],
  ) => Promise<{ passed: boolean; message?: string; details?: string }>;
  const { passed, message = '', details = '' } = await (analyzePackage as Analyze)(folder, patterns);
  return passed && message === '' ? [] : [message, details];
}
