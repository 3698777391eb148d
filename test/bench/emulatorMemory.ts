import { request } from 'undici';
import { startEmulatorProcess } from '../../engines/emulator/process.ts';
import { table } from '../../scripts/terminal/table.ts';
import { upTo } from '../support/verdict.ts';
import { startBareServer } from './bareServer.ts';
import { runConcurrently, record } from './compare.ts';
import { residentMegabytes } from './residentMegabytes.ts';

const DELIVERIES = 50_000;
const BATCH = 2_500;
/** By then it has dropped as many deliveries as it keeps. */
const FULL_AT = 20_000;
/** Maximum ratio of the memory at the end to the memory at that point. */
const MAX_RATIO = 1.1;
/** Otherwise V8's space for new objects doubles at some point, up to 128 MB, whatever the emulator keeps. */
const FIXED_HEAP = '--max-semi-space-size=1';
const HOST = 'hooks.example.com';

/** Does the emulator's memory stop growing, regardless of the number of deliveries? */
export async function run(): Promise<void> {
  const receiver = await startBareServer();
  // The emulator's process inherits these.
  process.execArgv.push(FIXED_HEAP);
  const emulator = await startEmulatorProcess({
    port: 4200,
    connectTo: { [HOST]: new URL(receiver.url).host },
  });
  process.execArgv.pop();
  const response = await request(`${emulator.url}/v1/public-api/webhooks`, {
    method: 'POST',
    headers: { authorization: `Bearer ${emulator.apiKey}` },
    body: JSON.stringify({ url: `https://${HOST}/in`, eventTypes: ['qr.created'] }),
  });
  await response.body.dump();

  const found: { deliveries: number; megabytes: number }[] = [];
  for (let deliveries = BATCH; deliveries <= DELIVERIES; deliveries += BATCH) {
    await runConcurrently(BATCH, 100, () => emulator.control.emit('qr.created'));
    await emulator.control.settled();
    found.push({ deliveries, megabytes: residentMegabytes(emulator.pid) });
  }
  await emulator.stop();
  receiver.stop();

  const full = found.find(({ deliveries }) => deliveries >= FULL_AT)?.megabytes ?? NaN;
  const end = found.at(-1)?.megabytes ?? NaN;
  const shown = found.filter((_, index) => index % 4 === 1 || index === found.length - 1);
  console.log(`\nMemory of the emulator's process`);
  console.log(
    table([
      ['deliveries', 'MB'],
      ...shown.map(({ deliveries, megabytes }) => [deliveries.toLocaleString('en'), megabytes.toFixed(0)]),
    ]),
  );
  const ratio = end / full;
  console.log(
    `  ${ratio.toFixed(2)} of what it was at ${FULL_AT.toLocaleString('en')}: ${upTo(MAX_RATIO, ratio)}`,
  );
  record('emulator-memory', found);
}
