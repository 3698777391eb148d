import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { startEmulatorProcess } from '../../harness/emulator/process.ts';
import { table } from '../../harness/table.ts';
import { installToolOrExit } from '../../tools/install.ts';
import { record } from './compare.ts';
import type { RowsContender, RowsJob, RowsOutcome } from './n8nRowsChild.ts';

const ROWS = 10_000;
const PER_SECOND = 200;
const LATENCY_MS = 20;
/** The first second's worth goes at once. */
const MIN_SECONDS = ROWS / PER_SECOND - 1;

const CONTENDERS: readonly RowsContender[] = [
  { name: 'QR Service node', node: 'ours' },
  {
    name: `HTTP Request node, a batch of ${PER_SECOND} each 1,000 ms`,
    node: 'HTTP Request',
    batchSize: PER_SECOND,
  },
  { name: 'HTTP Request node, all at once', node: 'HTTP Request' },
];

/** What becomes of 10,000 rows in n8n's engine, where the service takes 20 ms and allows 200 requests a second? */
export async function run(): Promise<void> {
  const serverDir = await installToolOrExit('n8n', console.log);
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
${ROWS.toLocaleString('en')} rows into codes in n8n's engine; the service takes ${LATENCY_MS} ms and allows ${PER_SECOND} requests a second`);
  console.log(
    table([
      ["of the limit's own time", 'rows failed', 'memory at its peak', ''],
      ...found.map(({ name, ofLimit, failed, memoryGrowth }) => [
        ofLimit.toFixed(2),
        failed.toLocaleString('en'),
        `+${Math.round(memoryGrowth / 1e6)} MB`,
        name,
      ]),
    ]),
  );
  const reached = (ours?.ofLimit ?? Infinity) <= 1.1 && ours?.failed === 0;
  console.log(`  ${reached ? 'reaches' : 'MISSES'} 1.1 and no failed row`);
  record('n8n-rows', found);
}

/** Each in a process of its own, so that its memory is its own. */
async function runInChildProcess(job: RowsJob): Promise<RowsOutcome> {
  const child = fork(fileURLToPath(new URL('n8nRowsChild.ts', import.meta.url)), [JSON.stringify(job)]);
  const [outcome] = (await once(child, 'message')) as [RowsOutcome];
  return outcome;
}
