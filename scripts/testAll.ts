// npm run test:all             runs npm test with more runs of each random test, then the large tests
// npm run test:all -- --added  only runs what npm test doesn't
import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const JEST = path.join(ROOT, 'node_modules/jest/bin/jest.js');
const LARGE = ['--config', 'jest.large.config.mjs'];

process.env['TEST_RUNS'] = 'all';
process.env['SEED'] ??= String(Date.now() % 1_000_000_000);

const added = listTests(LARGE);
console.log(
  `npm test, with more runs of each random test, and then:\n${added.map((file) => `  ${path.relative(ROOT, file)}`).join('\n')}\n`,
);

// Of the small tests, only the random ones do more than in npm test.
const small = process.argv.includes('--added')
  ? [
      '--runTestsByPath',
      ...listTests([]).filter((file) => /\bruns\(|parameterExpectations/.test(readFileSync(file, 'utf8'))),
    ]
  : [];
for (const args of [small, LARGE]) {
  const { status } = spawnSync(process.execPath, [JEST, ...args], { cwd: ROOT, stdio: 'inherit' });
  if (status !== 0) process.exitCode = 1;
}

function listTests(args: string[]): string[] {
  const files = execFileSync(process.execPath, [JEST, ...args, '--listTests'], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  return files.trim().split('\n').sort();
}
