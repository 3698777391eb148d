// npm run test:stress -- 20        runs npm test twenty times under CPU load, each time with a new seed
// npm run test:stress -- 5 --all   does the same with npm run test:all
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { randomInt } from 'node:crypto';
import { atExit } from './process/atExit.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { all: { type: 'boolean', default: false } },
});
const rounds = Number(positionals[0] ?? 20);
if (!Number.isInteger(rounds) || rounds < 1 || positionals.length > 1) {
  console.error(
    'npm run test:stress -- <runs> [--all]: the number of runs must be a whole number of at least 1.',
  );
  process.exit(2);
}

const command = values.all ? ['run', 'test:all'] : ['test'];
const folder = mkdtempSync(path.join(tmpdir(), 'qr-service-stress-'));
atExit(() => rmSync(folder, { recursive: true, force: true }));
const failures = new Map<string, number[]>();
let failedRuns = 0;
startBusyProcesses(availableParallelism());
for (let round = 1; round <= rounds; round++) await run(round);

for (const [test, seeds] of failures)
  console.log(`${seeds.length} of ${rounds}: ${test} (SEED=${seeds.join(', SEED=')})`);
console.log(`${rounds - failedRuns} passed, ${failedRuns} failed`);
process.exitCode = failedRuns === 0 ? 0 : 1;

async function run(round: number): Promise<void> {
  const seed = randomInt(1_000_000_000);
  const results = path.join(folder, `${round}.jsonl`);
  const startedAt = performance.now();
  const child = spawn('npm', command, {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, SEED: String(seed), TEST_RESULTS: results },
    shell: process.platform === 'win32',
    // In its own process group, so that all processes started by npm can be killed.
    detached: process.platform !== 'win32',
  });
  const unregister = atExit(() => killGroup(child.pid));
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const [status] = (await once(child, 'close')) as [number | null];
  unregister();
  const { passed, failed } = readResults(results);
  // Without results, the command itself failed.
  const hasNoResult = status !== 0 || passed === 0;
  const failedTests = hasNoResult && failed.length === 0 ? ['the command itself'] : failed;
  for (const test of failedTests) failures.set(test, [...(failures.get(test) ?? []), seed]);
  if (failedTests.length > 0) {
    failedRuns++;
    console.log(output);
  }
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(0);
  console.log(
    `run ${round} of ${rounds}, SEED=${seed}: ${passed} passed, ${failedTests.length} failed, ${seconds} s`,
  );
}

function killGroup(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(process.platform === 'win32' ? pid : -pid);
  } catch {
    // It has already exited.
  }
}

function readResults(file: string): { passed: number; failed: string[] } {
  const all = { passed: 0, failed: [] as string[] };
  for (const line of readLines(file)) {
    const { passed, failed } = JSON.parse(line) as typeof all;
    all.passed += passed;
    all.failed.push(...failed.map((test) => test.replace(ROOT, '')));
  }
  return all;
}

function readLines(file: string): string[] {
  try {
    return readFileSync(file, 'utf8').trim().split('\n');
  } catch {
    return [];
  }
}

/** Starts processes that keep the CPU busy until this one exits. */
function startBusyProcesses(count: number): void {
  for (let index = 0; index < count; index++) {
    const busy = spawn(
      process.execPath,
      ['--eval', 'const parent = process.ppid; while (process.ppid === parent);'],
      { stdio: 'ignore' },
    );
    // Don't wait for it to exit.
    busy.unref();
    atExit(() => void busy.kill('SIGKILL'));
  }
}
