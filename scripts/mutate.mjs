// npm run mutate -- <folder or file>   changes the code there in small ways, and lists the changes that no test notices
// npm run mutate                       lists the folders
//
// Works on a copy of the files that git knows, whose workspaces import each other.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const STRYKER = ['@stryker-mutator/core@10.0.0', '@stryker-mutator/jest-runner@10.0.0'];
const CORE_TESTS = ['shared/src/**/*.test.ts', 'test/contract/**/*.test.ts'];
const N8N = 'packages/n8n-nodes-qr-service';

/** The tests of each folder. */
const FOLDERS = {
  'shared/src': CORE_TESTS,
  [`${N8N}/nodes/QrServiceTrigger`]: [
    `${N8N}/test/{event,log,serialize}*.test.ts`,
    'test/n8n/{trigger,subscription*}.test.ts',
  ],
  [`${N8N}/nodes/QrServicePollingTrigger`]: [`${N8N}/test/*.test.ts`, 'test/n8n/polling*.test.ts'],
  'packages/zapier-qr-service/src/triggers': ['test/zapier/{hooks,polling*,scans,triggers}.test.ts'],
};

const target = relative(ROOT, resolve(process.argv[2] ?? '')).replaceAll('\\', '/');
const [folder, tests] = Object.entries(FOLDERS).find(([name]) => `${target}/`.startsWith(`${name}/`)) ?? [];
if (folder === undefined) {
  console.error(
    `npm run mutate -- <folder or file>\n\nIn one of these folders:\n${Object.keys(FOLDERS).join('\n')}`,
  );
  process.exit(2);
}

const copy = mkdtempSync(join(tmpdir(), 'qr-service-mutation-'));
process.on('exit', () => rmSync(copy, { recursive: true, force: true }));
process.on('SIGINT', () => process.exit(130));
const inRoot = (command) => execFileSync('sh', ['-c', command], { cwd: ROOT, stdio: 'inherit' });
inRoot(`git ls-files -z | xargs -0 cp --parents -t ${copy}`);
// Their links to this repository's packages are relative. All others are links to the installed files.
inRoot(`for folder in node_modules */node_modules packages/*/node_modules; do
  [ ! -d $folder ] || { mkdir -p ${copy}/$folder && cp -as $PWD/$folder/. ${copy}/$folder; }; done`);

const jest = `import base from './jest.config.mjs';
export default { ...base, reporters: [], testTimeout: 10_000, testMatch: ${JSON.stringify(tests)}.map((path) => '<rootDir>/' + path) };\n`;
writeFileSync(join(copy, 'mutation.config.mjs'), jest);
const settings = {
  mutate: target.endsWith('.ts') ? [target] : [`${target}/**/*.ts`, '!**/*.test.ts', '!**/*.types.ts'],
  // The engines load what is built from the changed code.
  buildCommand: 'npm run build --silent',
  testRunner: 'jest',
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
};
writeFileSync(join(copy, 'stryker.config.json'), JSON.stringify(settings));
const packages = STRYKER.map((name) => `--package=${name}`);
const stryker = ['exec', '--yes', ...packages, '--', 'stryker', 'run'];
const { status } = spawnSync('npm', stryker, {
  cwd: copy,
  stdio: 'inherit',
  env: { ...process.env, SEED: '1' },
});
process.exitCode = status ?? 1;
