// npm run mutate -- <folder, file or file.ts:10-20>   changes the code there in small ways, and lists the changes that no test
//                                                     notices
// npm run mutate                                      lists the folders
import { spawn } from 'node:child_process';
import { existsSync, rmSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readdir, readlink, symlink, writeFile } from 'node:fs/promises';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { atExit } from './process/atExit.ts';
import { installToolOrExit } from './tools/install.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const CORE_TESTS = ['shared/src/**/*.test.ts', 'test/contract/**/*.test.ts'];

interface Folder {
  /** Per cent of the changes that tests must notice. */
  goal: number;
  /** Without most random tests, which take too long for each change, and the one that measures the bundled code. */
  tests: readonly string[];
  /** What the engine loads is built from the changed code. */
  buildCommand?: string;
}
const n8nTrigger = (node: string) => ({
  goal: 85,
  buildCommand: `node scripts/mutation/buildNode.cjs packages/n8n-nodes-qr-service/dist/nodes/${node}/${node}.node.js`,
});

const FOLDERS: Readonly<Record<string, Folder>> = {
  'shared/src/webhook': { goal: 95, tests: CORE_TESTS },
  'shared/src/wire': { goal: 90, tests: CORE_TESTS },
  'shared/src/client': { goal: 90, tests: CORE_TESTS },
  'shared/src/connector': { goal: 85, tests: CORE_TESTS },
  'packages/n8n-nodes-qr-service/nodes/QrServiceTrigger': {
    ...n8nTrigger('QrServiceTrigger'),
    tests: [
      'packages/n8n-nodes-qr-service/test/{eventDeduplicator,logThrottle,serializeByKey}.test.ts',
      'test/n8n/{trigger,subscription*,activationErrors}.test.ts',
    ],
  },
  'packages/n8n-nodes-qr-service/nodes/QrServicePollingTrigger': {
    ...n8nTrigger('QrServicePollingTrigger'),
    tests: [
      'packages/n8n-nodes-qr-service/test/{batch,memory,newest,pollCursor,polling*}.test.ts',
      'test/n8n/polling*.test.ts',
    ],
  },
  'packages/zapier-qr-service/src/triggers': {
    goal: 85,
    tests: ['test/zapier/{codeFilters,hooks,polling,polling.busy,scans,secrecy,triggers}.test.ts'],
  },
};

const target = path.relative(ROOT, path.resolve(process.argv[2] ?? '')).replaceAll('\\', '/');
const exists = existsSync(path.join(ROOT, target.replace(/:\d+-\d+$/, '')));
const folder = Object.entries(FOLDERS).find(([name]) => exists && `${target}/`.startsWith(`${name}/`));
if (folder === undefined) {
  console.log(`npm run mutate -- <folder, file or file.ts:10-20>\n\n${Object.keys(FOLDERS).join('\n')}`);
  process.exitCode = process.argv[2] === undefined ? 0 : 2;
} else process.exitCode = await mutate(target, folder[1]);

async function mutate(code: string, { goal, tests, buildCommand }: Folder): Promise<number> {
  const tool = path.join(await installToolOrExit('mutation'), 'node_modules/@stryker-mutator');
  const copy = await mkdtemp(path.join(tmpdir(), 'qr-service-mutation-'));
  atExit(() => rmSync(copy, { recursive: true, force: true }));
  await copyTree(copy);
  const settings = {
    mutate: /\.ts(:|$)/.test(code) ? [code] : [`${code}/**/*.ts`, '!**/*.test.ts'],
    plugins: [path.join(tool, 'jest-runner/dist/src/index.js')],
    buildCommand,
    testRunner: 'jest',
    // The engines load the packages by their paths.
    jest: { configFile: 'mutation.config.mjs', enableFindRelatedTests: false },
    inPlace: true,
    coverageAnalysis: 'perTest',
    ignoreStatic: true,
    concurrency: 1,
    // Each run of Jest leaves some of its memory behind.
    maxTestRunnerReuse: 40,
    // A busy machine would otherwise count as noticing.
    timeoutMS: 60_000,
    reporters: ['clear-text', 'progress-append-only'],
    clearTextReporter: { allowColor: false, reportTests: false, allowEmojis: false },
    thresholds: { high: goal, low: goal, break: goal },
    tempDirName: '.stryker-tmp',
  };
  const testMatch = tests.map((pattern) => `<rootDir>/${pattern}`);
  await writeFile(path.join(copy, 'stryker.config.json'), JSON.stringify(settings));
  await writeFile(
    path.join(copy, 'mutation.config.mjs'),
    `import base from './jest.config.mjs';
export default { ...base, testMatch: ${JSON.stringify(testMatch)}, reporters: [], testTimeout: 10_000,
  testPathIgnorePatterns: [...base.testPathIgnorePatterns, '/(?!polling)\\\\w+\\\\.property\\\\.test', 'webhook/index\\\\.test'],
  testEnvironment: ${JSON.stringify(path.join(copy, 'scripts/mutation/environment.cjs'))},
  testSequencer: '<rootDir>/scripts/mutation/order.cjs' };\n`,
  );
  const child = spawn(process.execPath, [path.join(tool, 'core/bin/stryker.js'), 'run'], {
    cwd: copy,
    stdio: 'inherit',
    env: { ...process.env, SEED: process.env['SEED'] ?? '1' },
  });
  const [status] = (await once(child, 'close')) as [number | null];
  return status ?? 1;
}

/** Copies what git would commit, and links the installed packages. The copy uses its own workspaces. */
async function copyTree(copy: string): Promise<void> {
  await cp(ROOT, copy, {
    recursive: true,
    filter: (source) => !/(^|[\\/])(node_modules|\.git|out|\.cache)$/.test(path.relative(ROOT, source)),
  });
  for (const modules of ['node_modules', 'packages/mcp-server/node_modules'])
    await linkPackages(path.join(ROOT, modules), path.join(copy, modules));
}

async function linkPackages(from: string, to: string): Promise<void> {
  await mkdir(to, { recursive: true });
  for (const entry of await readdir(from, { withFileTypes: true })) {
    const [source, destination] = [path.join(from, entry.name), path.join(to, entry.name)];
    if (entry.isSymbolicLink()) await symlink(await readlink(source), destination);
    else if (entry.name.startsWith('@')) await linkPackages(source, destination);
    else await symlink(source, destination);
  }
}
