import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { atExit } from '../../../scripts/process/atExit.ts';
import { freePort } from '../../support/process/freePort.ts';
import { startWorld, type World } from '../support/n8n/world.ts';
import { startLoad, type Load } from './load/startLoad.ts';
import { connectDevTools } from '../support/process/devTools.ts';
import { measure, type Subject } from './measure/measure.ts';
import { describe, progress, verdictOf } from './report.ts';
import { growth, problemsWith } from './verdict.ts';

const OUT = fileURLToPath(new URL('../../../out/', import.meta.url));
const MINUTE_MS = 60_000;
/** Share of the time in which caches fill and code is compiled. */
const WARM_UP = 0.25;

/** Loads a real n8n server for some minutes, compares its memory before and after, and prints the verdict. */
export async function soak(minutes: number): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'qr-service-soak-'));
  atExit(() => rmSync(folder, { recursive: true, force: true }));
  const database = join(folder, 'n8n.sqlite');
  const debugPort = await freePort();
  console.log('Building and packing the package, installing it in n8n, starting n8n …');
  const world = await startSoakedWorld(debugPort, database);
  const load = await startLoad(world);
  try {
    const subject: Subject = {
      devTools: await connectDevTools(debugPort),
      servicePort: Number(new URL(world.emulator.url).port),
      database,
    };
    await compare(minutes, load, subject);
    subject.devTools.close();
    writeFileSync(join(OUT, 'soak-n8n.log'), world.server.log());
  } catch (error) {
    console.log(`\nn8n's output:\n${world.server.log()}`);
    throw error;
  } finally {
    load.close();
    await world.stop();
  }
}

/** The server stores no data of successful executions, so that they don't add to the growth. */
function startSoakedWorld(debugPort: number, database: string): Promise<World> {
  const env = {
    DB_SQLITE_DATABASE: database,
    EXECUTIONS_DATA_SAVE_ON_SUCCESS: 'none',
    N8N_DEFAULT_BINARY_DATA_MODE: 'filesystem',
  };
  const nodeArgs = [`--inspect=127.0.0.1:${debugPort}`];
  return startWorld((line) => console.log(line), {}, { env, nodeArgs });
}

async function compare(minutes: number, load: Load, subject: Subject): Promise<void> {
  const startedAt = performance.now();
  const printProgress = async () =>
    console.log(await progress(performance.now() - startedAt, load.counts(), subject.devTools));
  const measureAt = async (when: string) => {
    console.log(`Measuring ${when} …`);
    const measurement = await measure(subject);
    console.log(describe(measurement));
    return measurement;
  };

  const warmUpProblems = await load.run(minutes * WARM_UP * MINUTE_MS, printProgress);
  const before = await measureAt('after the warm-up');
  const runProblems = await load.run(minutes * (1 - WARM_UP) * MINUTE_MS, printProgress);
  const after = await measureAt('at the end');

  const grown = growth(before, after);
  const problems = [...new Set([...warmUpProblems, ...runProblems]), ...problemsWith(before, after)];
  const counts = load.counts();
  mkdirSync(OUT, { recursive: true });
  const figures = { minutes, counts, problems, growth: grown, before, after };
  writeFileSync(join(OUT, 'soak.json'), `${JSON.stringify(figures, null, 2)}\n`);
  console.log(verdictOf({ minutes, counts, problems, grown }));
  assert.deepEqual(problems, []);
}
