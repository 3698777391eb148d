import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { startEmulatorProcess } from '../../engines/emulator/process.ts';
import { table } from '../../scripts/terminal/table.ts';
import { upTo } from '../support/verdict.ts';
import { installToolOrExit } from '../../scripts/tools/install.ts';
import { record } from './compare.ts';
import type { RowsContender, RowsJob, RowsOutcome } from './n8nRowsChild.ts';

const ROWS = 10_000;
const PER_SECOND = 200;
const LATENCY_MS = 20;
/** The first batch needs no waiting. */
const MIN_SECONDS = ROWS / PER_SECOND - 1;

const CONTENDERS: readonly RowsContender[] = [
  { name: 'QR Service node', node: 'ours' },
  {
    name: `HTTP Request node, batches of ${PER_SECOND} every 1,000 ms`,
    node: 'HTTP Request',
    batchSize: PER_SECOND,
  },
  { name: 'HTTP Request node, all at once', node: 'HTTP Request' },
];

/** How fast are 10,000 rows in n8n's engine, with a latency of 20 ms and a rate limit of 200 requests per second? */
export async function run(): Promise<void> {
  const serverDir = await installToolOrExit('n8n');
  const found: (RowsOutcome & { name: string; ofLimit: number })[] = [];
  for (const contender of CONTENDERS) {
    const emulator = await startEmulatorProcess({
      port: 4100,
      rateLimit: { limit: PER_SECOND, windowSeconds: 1 },
    });
    await emulator.control.failNext({ times: 100 * ROWS, delayMs: LATENCY_MS });
    const { url: baseUrl, apiKey } = emulator;
    const outcome = await runInChildProcess({
      contender,
      rows: ROWS,
      serverDir,
      credential: { baseUrl, apiKey },
    });
    await emulator.stop();
    found.push({ name: contender.name, ...outcome, ofLimit: outcome.seconds / MIN_SECONDS });
  }
  const [ours] = found;
  console.log(`
${ROWS.toLocaleString('en')} rows created as codes in n8n's engine; latency ${LATENCY_MS} ms, rate limit ${PER_SECOND} requests per second`);
  console.log(
    table([
      ['ratio to the minimum time', 'failed rows', 'peak memory', ''],
      ...found.map(({ name, ofLimit, failed, memoryGrowth }) => [
        ofLimit.toFixed(2),
        failed.toLocaleString('en'),
        `+${Math.round(memoryGrowth / 1e6)} MB`,
        name,
      ]),
    ]),
  );
  console.log(`  ${upTo(1.1, ours?.ofLimit ?? NaN)} of the minimum time`);
  console.log(`  ${upTo(0, ours?.failed ?? NaN)} failed rows`);
  record('n8n-rows', found);
}

/** Runs each contender in its own process, so that memory is measured separately. */
async function runInChildProcess(job: RowsJob): Promise<RowsOutcome> {
  const child = fork(fileURLToPath(new URL('n8nRowsChild.ts', import.meta.url)), [JSON.stringify(job)]);
  const [outcome] = (await once(child, 'message')) as [RowsOutcome];
  return outcome;
}
