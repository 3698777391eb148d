import { relative } from 'node:path';
import { createInterface } from 'node:readline';
import { startEmulator, type Emulator } from 'qr-service-emulator';
import { startReceiver, type Receiver } from '../engines/receiver.ts';
import { createZapierEngine } from '../engines/zapier/index.ts';
import { table } from '../scripts/terminal/table.ts';
import { contactSheetHtml } from './contactSheet.ts';
import { HOSTS, listenForEvents, sendHostileDeliveries } from './events.ts';
import { HELP, parseArguments } from './options.ts';
import { openOutput, type Output } from './output.ts';
import { createInN8n, createInZapier, exampleWorkflow, retargetInN8n, startN8n } from './platforms.ts';
import { DemoError, readRows, type Row } from './sheet.ts';

const ROWS_FOR_ZAPIER = 2;
const CODES_TO_RETARGET = 2;
const CODES_TO_SCAN = 5;
const PHONES = ['iPhone; CPU iPhone OS 18_0', 'Linux; Android 15; Pixel 9', 'iPad; CPU OS 18_0'];

process.on('SIGINT', () => stop(130));

try {
  await main();
} catch (error) {
  if (!(error instanceof DemoError)) throw error;
  console.error(`\n${error.message}`);
  // At once: the engines' pending requests would only fail one by one.
  process.exit(1);
}

async function main(): Promise<void> {
  const { rows: file, out, keep, help } = parseArguments(process.argv.slice(2), isTerminal());
  if (help === true) {
    console.log(HELP);
    return;
  }
  const rows = readRows(file);
  const output = openOutput(out);
  const receiver = await startReceiver();
  const emulator = await startEmulator({
    connectTo: { [HOSTS.n8n]: receiver.address, [HOSTS.Zapier]: receiver.address },
    retryBaseMs: 200,
  });
  console.log(`\n  ${rows.length} ${rows.length === 1 ? 'row' : 'rows'} in ${relative('.', file)}.\n`);
  await run(rows, output, receiver, emulator);
  await receiver.close();
  console.log(`\n  Done in ${process.uptime().toFixed(1)} s.\n`);
  if (!keep) return emulator.stop();
  console.log(
    `  Short links, deliveries and the inspector are open at ${emulator.url}. Press Ctrl-C to stop.\n`,
  );
  process.removeAllListeners('SIGINT').on('SIGINT', () => stop(0));
  // Ctrl-C as a key: as a signal, it would also end the shell that npm starts, and npm would exit with 130.
  if (process.stdin.isTTY)
    createInterface({ input: process.stdin, terminal: true }).on('close', () => stop(0));
}

function stop(code: number): never {
  console.error('\nStopped. Nothing is left running.');
  process.exit(code);
}

/** Whether somebody sees what is open, and can stop it. Some CI services give their jobs a terminal. */
function isTerminal(): boolean {
  return process.stdin.isTTY && process.stdout.isTTY && process.env['CI'] === undefined;
}

/** Runs the main use case end to end. @throws DemoError if no row becomes a code */
async function run(
  rows: readonly Row[],
  output: Output,
  receiver: Receiver,
  { url, apiKey, control }: Emulator,
): Promise<void> {
  const [n8n, zapier] = await step("n8n's and Zapier's engines loaded", () =>
    Promise.all([startN8n(url, apiKey), createZapierEngine({ auth: { apiKey, baseUrl: url } })]),
  );
  const scanTrigger = n8n.pollTrigger(exampleWorkflow('new-scans'), 'QR Service Polling Trigger');
  const listeners = await step('Triggers are on: signed events in n8n and Zapier, scans in n8n', async () => {
    await scanTrigger.activate();
    return listenForEvents(n8n, zapier, receiver);
  });
  const { created, failed } = await step('n8n: rows created as published codes with images', () =>
    createInN8n(n8n, rows),
  );
  for (const { line, problem } of failed) console.log(`    ! line ${String(line)}: ${String(problem)}`);
  if (created.length === 0)
    throw new DemoError('No row became a code. Correct the rows, or use others with --rows.');
  const retargeted = created.slice(0, CODES_TO_RETARGET);
  await step('n8n: destinations updated', () => retargetInN8n(n8n, retargeted));
  const inZapier = await step('Zapier: codes created, found, published, updated and rendered', () =>
    Promise.all(created.slice(0, ROWS_FOR_ZAPIER).map(({ row }) => createInZapier(zapier, row))),
  );
  const scans = await step('Codes scanned, and scans found by the polling trigger', async () => {
    for (const [index, { code }] of created.slice(0, CODES_TO_SCAN).entries())
      for (const phone of PHONES.slice(0, 1 + (index % PHONES.length)))
        await fetch(code.publicUrl, {
          redirect: 'manual',
          headers: { 'User-Agent': `Mozilla/5.0 (${phone}) Mobile Safari/604.1` },
        });
    return (await scanTrigger.tick()).items.map(({ json }) => json);
  });
  const hostile = await step('Low score received, hostile deliveries sent', async () => {
    control.emit('feedback.low_score_received');
    await control.settled();
    return sendHostileDeliveries(listeners, control.subscriptions());
  });
  await listeners.turnOff();
  await zapier.close();

  const { events } = listeners;
  const codes = [...created, ...inZapier].map((code) => ({ ...code, files: output.images(code) }));
  const cells = codes.map(({ createdIn, row, code, files }) => {
    const { id, slug, status, publicUrl } = code;
    return { ...row.columns, createdIn, id, slug, status, publicUrl, ...files };
  });
  output.csv('codes.csv', cells);
  output.csv('events.csv', events);
  output.csv('scans.csv', scans);
  output.file('index.html', contactSheetHtml(codes, url));

  const outcomes = hostile.map(({ platform, what, status, started }) => [
    what,
    `${platform} responded ${status}, ${started === 0 ? 'started nothing' : `STARTED ${started}`}`,
  ]);
  console.log(`\n  Hostile deliveries\n${table(outcomes)}`);
  const { folder } = output;
  const harmless = hostile.filter(({ started }) => started === 0);
  const countBy = (platform: string) => events.filter(({ receivedBy }) => receivedBy === platform).length;
  const summary = [
    ['Rows', failed.length === 0 ? `${rows.length}` : `${rows.length}, ${failed.length} failed`],
    ['Codes created in n8n', `${created.length} published, ${retargeted.length} with an updated destination`],
    ['Images', `${codes.flatMap(({ files }) => Object.keys(files)).length} in ${folder}/codes`],
    ['Codes created in Zapier', `${inZapier.length} published, all with an updated destination`],
    ['Signed events', `${countBy('n8n')} to n8n, ${countBy('Zapier')} to Zapier, in ${folder}/events.csv`],
    ['Deliveries that started nothing', `${harmless.length} of ${hostile.length}`],
    ['Scans', `${scans.length}, in ${folder}/scans.csv`],
    ['Open in a browser', `${folder}/index.html`],
  ];
  console.log(`\n  Summary\n${table(summary)}`);
}

/** Does a step of the demo, then prints its label. */
async function step<T>(label: string, work: () => Promise<T>): Promise<T> {
  const result = await work();
  console.log(`  ✓ ${label}`);
  return result;
}
