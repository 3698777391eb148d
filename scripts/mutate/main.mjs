// npm run mutate -- <folder or file>   changes the code there in small ways, and lists the changes that no test notices
//
// Works on a copy of the files that git knows, whose workspaces import each other.
import { execFileSync, spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const N8N = 'packages/n8n-nodes-qr-service';
const N8N_TESTS = [`${N8N}/test/*`, 'test/n8n/{guards,package,parameters}*'];
const ZAPIER = 'packages/zapier-qr-service/src';
/** The tests of each folder. Those of the core are beside it, but for what others use to say errors. */
const FOLDERS = {
  'shared/src/errors': ['shared/src/**/*', 'test/contract/*'],
  'shared/src': [],
  [`${N8N}/nodes/QrServiceTrigger`]: [...N8N_TESTS, 'test/n8n/trigger*'],
  [`${N8N}/nodes/QrServicePollingTrigger`]: [...N8N_TESTS, 'test/n8n/{polling,scans}*'],
  [`${N8N}/nodes/QrService`]: [...N8N_TESTS, 'test/n8n/{actions,errors,retries,rows,scans}*'],
  [`${ZAPIER}/triggers`]: ['test/zapier/{connection,errors,polling,triggers,zaps}*'],
  [`${ZAPIER}/creates`]: ['test/zapier/{bursts,creates,drafts,errors,parameters}*'],
};

const target = relative(ROOT, resolve(process.argv[2] ?? '')).replaceAll('\\', '/');
const [folder, tests] = Object.entries(FOLDERS).find(([name]) => `${target}/`.startsWith(`${name}/`)) ?? [];
if (folder === undefined || !fs.existsSync(join(ROOT, target))) {
  console.error(`npm run mutate -- <folder or file>, in one of: ${Object.keys(FOLDERS).join(', ')}`);
  process.exit(2);
}
const beside = `${target.endsWith('.ts') ? dirname(target) : target}/**/*`;
const copy = fs.mkdtempSync(join(tmpdir(), 'qr-service-mutation-'));
process.on('exit', () => fs.rmSync(copy, { recursive: true, force: true }));
process.on('SIGINT', () => process.exit(130));
execFileSync('sh', ['-c', `git ls-files -z | xargs -0 cp --parents -t ${copy}`], { cwd: ROOT });
const installed = '{.,packages/*}/node_modules/{[!@]*,.bin,@*/*}';
for (const path of fs.globSync(installed, { cwd: ROOT })) {
  fs.mkdirSync(join(copy, dirname(path)), { recursive: true });
  // The links between workspaces stay relative.
  const isWorkspace = fs.lstatSync(join(ROOT, path)).isSymbolicLink();
  fs.symlinkSync(isWorkspace ? fs.readlinkSync(join(ROOT, path)) : join(ROOT, path), join(copy, path));
}

// Most random tests take too long for each change, and a bundle of changed code is larger.
const isKept = (file) => /bursts|polling/.test(file) || !/\.(large|property)\.|webhook\/index\./.test(file);
const patterns = (tests.length > 0 ? tests : [beside]).map((test) => `${test}.test.ts`);
const files = fs.globSync(patterns, { cwd: copy }).filter(isKept);
const config = {
  reporters: [],
  testTimeout: 60_000,
  testEnvironment: '<rootDir>/scripts/mutate/runner.mjs',
  testPathIgnorePatterns: ['/node_modules/'],
};
fs.writeFileSync(
  join(copy, 'mutation.config.mjs'),
  `import base from './jest.config.mjs';\nexport default { ...base, ...${JSON.stringify(config)} };\n`,
);
const settings = {
  mutate: target.endsWith('.ts') ? [target] : [`${target}/**/*.ts`, '!**/*.test.ts', '!**/*.types.ts'],
  // The engines load what is built from the changed code.
  ...(folder.startsWith('packages') && { buildCommand: 'npm run build --silent' }),
  testRunner: 'loaded',
  plugins: ['./scripts/mutate/runner.mjs'],
  inPlace: true,
  ignoreStatic: true,
  concurrency: 1,
  // A busy machine would otherwise count as noticing.
  timeoutMS: 60_000,
  reporters: ['clear-text', 'progress-append-only'],
  clearTextReporter: { allowColor: false, reportTests: false, allowEmojis: false },
};
fs.writeFileSync(join(copy, 'stryker.config.json'), JSON.stringify(settings));
const stryker = ['exec', '--yes', '--package=@stryker-mutator/core@10.0.0', '--', 'stryker', 'run'];
const env = { ...process.env, SEED: '1', TEST_ROWS: 'all', MUTATION_TESTS: JSON.stringify(files) };
process.exitCode = spawnSync('npm', stryker, { cwd: copy, stdio: 'inherit', env }).status ?? 1;
