// npm run mutate -- <folder or file>   changes the code there in small ways, and lists the changes that no test notices
//
// Works on a copy of the files that git knows, whose workspaces import each other.
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const STRYKER = ['@stryker-mutator/core@10.0.0', '@stryker-mutator/jest-runner@10.0.0'];
const N8N = 'packages/n8n-nodes-qr-service';
const ZAPIER = 'packages/zapier-qr-service/src';
/** The tests of each folder. Those of the core are beside it. */
const FOLDERS = {
  'shared/src': [],
  [`${N8N}/nodes/QrServiceTrigger`]: [`${N8N}/test/*`, 'test/n8n/{guards,parameters,trigger}*'],
  [`${N8N}/nodes/QrServicePollingTrigger`]: [`${N8N}/test/*`, 'test/n8n/{guards,parameters,polling}*'],
  [`${N8N}/nodes/QrService`]: [`${N8N}/test/*`, 'test/n8n/{actions,errors,guards,parameters,retries,rows}*'],
  [`${ZAPIER}/triggers`]: ['test/zapier/{connection,errors,polling,triggers,zaps}*'],
  [`${ZAPIER}/creates`]: ['test/zapier/{bursts,creates,drafts,errors,parameters}*'],
};

const target = relative(ROOT, resolve(process.argv[2] ?? '')).replaceAll('\\', '/');
const [folder, tests] = Object.entries(FOLDERS).find(([name]) => `${target}/`.startsWith(`${name}/`)) ?? [];
if (folder === undefined || !existsSync(join(ROOT, target))) {
  console.error(`npm run mutate -- <folder or file>, in one of: ${Object.keys(FOLDERS).join(', ')}`);
  process.exit(2);
}
const beside = `${target.endsWith('.ts') ? dirname(target) : target}/**/*`;
const copy = mkdtempSync(join(tmpdir(), 'qr-service-mutation-'));
process.on('exit', () => rmSync(copy, { recursive: true, force: true }));
process.on('SIGINT', () => process.exit(130));
// The links between workspaces stay relative. Everything else that is installed becomes a link.
const copyAll = `git ls-files -z | xargs -0 cp --parents -t ${copy}
for folder in node_modules packages/*/node_modules; do
  mkdir -p ${copy}/$folder && cp -as $PWD/$folder/. ${copy}/$folder && find $folder -maxdepth 2 -type l -exec cp -P --remove-destination --parents -t ${copy} {} +
done`;
execFileSync('sh', ['-c', copyAll], { cwd: ROOT, stdio: 'inherit' });

const config = {
  reporters: [],
  testTimeout: 60_000,
  testMatch: (tests.length > 0 ? tests : [beside]).map((test) => `<rootDir>/${test}.test.ts`),
  // Most random tests take too long for each change, and a bundle of changed code is larger.
  testPathIgnorePatterns: [
    '/node_modules/',
    '(?<!(?:bursts|polling).*)\\.(?:large|property)\\.',
    'webhook/index\\.',
  ],
};
writeFileSync(
  join(copy, 'mutation.config.mjs'),
  `import base from './jest.config.mjs';\nexport default { ...base, ...${JSON.stringify(config)} };\n`,
);
const settings = {
  mutate: target.endsWith('.ts') ? [target] : [`${target}/**/*.ts`, '!**/*.test.ts', '!**/*.types.ts'],
  // The engines load what is built from the changed code.
  ...(folder.startsWith('packages') && { buildCommand: 'npm run build --silent' }),
  testRunner: 'jest',
  jest: { configFile: 'mutation.config.mjs', enableFindRelatedTests: false },
  inPlace: true,
  ignoreStatic: true,
  concurrency: 1,
  // Each run of Jest leaves some of its memory behind.
  maxTestRunnerReuse: 40,
  // A busy machine would otherwise count as noticing.
  timeoutMS: 60_000,
  reporters: ['clear-text', 'progress-append-only'],
  clearTextReporter: { allowColor: false, reportTests: false, allowEmojis: false },
};
writeFileSync(join(copy, 'stryker.config.json'), JSON.stringify(settings));
const stryker = ['exec', '--yes', ...STRYKER.map((name) => `--package=${name}`), '--', 'stryker', 'run'];
const env = { ...process.env, SEED: '1', TEST_ROWS: 'all' };
process.exitCode = spawnSync('npm', stryker, { cwd: copy, stdio: 'inherit', env }).status ?? 1;
