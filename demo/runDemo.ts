import { relative } from 'node:path';
import { IMAGE_FORMATS } from '@qr-service/core/connector';
import { contactSheetCodes, writeCodes } from './codes.ts';
import { contactSheetHtml } from './contactSheet.ts';
import { DemoError } from './DemoError.ts';
import { startEmulatorProcess, type EmulatorProcess } from '../engines/emulator/process.ts';
import { listenForEvents, N8N_HOST, ZAPIER_HOST } from './events.ts';
import { sendHostileDeliveries, type HostileDelivery } from './hostile.ts';
import { exampleWorkflow, createCodes, retargetCodes, startN8n } from './n8n.ts';
import type { DemoOptions } from './options.ts';
import { openOutput, type Output } from './output.ts';
import { readRows, type Sheet } from './readRows.ts';
import { startReceiver, type Receiver } from '../engines/receiver.ts';
import { scanAndPoll } from './scans.ts';
import { table } from '../scripts/terminal/table.ts';
import { startZapier, zapRow, type ZapCode } from './zapier.ts';

/** First port to try for the emulator. */
const FIRST_PORT = 4010;
const ROWS_FOR_ZAPIER = 2;
const CODES_TO_RETARGET = 2;
const CODES_TO_SCAN = 5;

/**
 * Runs the main use case end to end on this machine.
 * @throws DemoError for an expected failure, such as an unreadable sheet
 */
export async function runDemo(options: DemoOptions): Promise<void> {
  const sheet = readRows(options.rows);
  if (sheet.rows.length === 0)
    throw new DemoError(`${options.rows} has no valid rows.${describeProblems(sheet)}`);
  const output = openOutput(options.out);
  const receiver = await startReceiver();
  const emulator = await startEmulatorProcess({
    port: FIRST_PORT,
    connectTo: { [N8N_HOST]: receiver.address, [ZAPIER_HOST]: receiver.address },
    retryBaseMs: 200,
    rateLimit: { limit: 10_000, windowSeconds: 10 },
  });
  console.log(`\n  The QR service emulator is running at ${emulator.url} (process ${emulator.pid}).`);
  console.log(
    `  ${sheet.rows.length} ${sheet.rows.length === 1 ? 'row' : 'rows'} in ${relative('.', options.rows)}.${describeProblems(sheet)}\n`,
  );
  try {
    await Promise.race([runSteps(sheet, output, receiver, emulator), failWhenStopped(emulator)]);
  } finally {
    await emulator.stop();
    await receiver.close();
  }
}

/** @throws DemoError when the emulator exits before it is stopped */
function failWhenStopped({ lost }: EmulatorProcess): Promise<never> {
  return lost.catch(() => {
    throw new DemoError(
      'The emulator stopped unexpectedly. Results so far are in the output folder. To start over, run npm start.',
    );
  });
}

async function runSteps(
  sheet: Sheet,
  output: Output,
  receiver: Receiver,
  emulator: EmulatorProcess,
): Promise<void> {
  const zapRows = sheet.rows.slice(0, ROWS_FOR_ZAPIER);
  const { n8n, zapier } = await step("n8n's and Zapier's engines loaded", async () => ({
    n8n: await startN8n(emulator.url, emulator.apiKey),
    zapier: await startZapier(emulator.url, emulator.apiKey),
  }));
  const scanTrigger = n8n.pollTrigger(exampleWorkflow('new-scans'), 'QR Service Polling Trigger');
  const listeners = await step('Triggers are on: signed events in n8n and Zapier, scans in n8n', async () => {
    await scanTrigger.activate();
    return listenForEvents(n8n, zapier, receiver);
  });

  const { created, failed } = await step('n8n: rows created as published codes with images', () =>
    createCodes(n8n, sheet.rows),
  );
  for (const { line, problem } of failed) console.log(`    ! line ${line}: ${problem}`);
  const codeRows = writeCodes(output, created);
  const newTargets = new Map(
    created
      .slice(0, CODES_TO_RETARGET)
      .map(({ code, row }) => [code.id, new URL('/moved', row.targetUrl).href]),
  );
  await step('n8n: destinations updated', () =>
    retargetCodes(
      n8n,
      [...newTargets].map(([id, url]) => ({ id, url })),
    ),
  );
  const zapierCodes = await step(
    'Zapier: codes created, found, published, updated and rendered',
    async () => {
      const codes: ZapCode[] = [];
      for (const row of zapRows) codes.push(await zapRow(zapier, row));
      return codes;
    },
  );
  const scans = await step('Codes scanned, and scans found by the polling trigger', () =>
    scanAndPoll(
      scanTrigger,
      created.slice(0, CODES_TO_SCAN).map(({ code }) => code.publicUrl),
    ),
  );
  const hostile = await step('Low score received, hostile deliveries sent', async () => {
    await emulator.control.emit('feedback.low_score_received');
    const sent = await sendHostileDeliveries(emulator.control, listeners, receiver.port);
    await emulator.control.settled();
    await listeners.turnOff();
    return sent;
  });
  await zapier.close();

  output.csv('codes.csv', codeRows);
  output.csv('events.csv', listeners.events);
  output.csv('scans.csv', scans);
  const codes = contactSheetCodes(created, newTargets, zapierCodes, output);
  output.file(
    'index.html',
    contactSheetHtml({
      codes,
      events: listeners.events,
      scans,
      hostile: hostile.map(({ what, outcome }) => ({
        what,
        response: describeOutcome(outcome),
      })),
      createdAt: new Date().toISOString(),
    }),
  );
  printHostileDeliveries(hostile);
  const countEvents = (platform: string) =>
    listeners.events.filter((event) => event.receivedBy === platform).length;
  console.log(`\n  Summary
${table([
  [
    'Rows',
    `${sheet.rows.length}${countSuffix(sheet.problems.length, 'skipped as invalid')}${countSuffix(failed.length, 'failed')}`,
  ],
  ['Codes created in n8n', `${created.length} published, ${newTargets.size} with an updated destination`],
  ['Images', `${created.length * IMAGE_FORMATS.length + zapierCodes.length} in ${output.folder}/codes`],
  ['Codes created in Zapier', `${zapierCodes.length} published, all with an updated destination`],
  [
    'Signed events',
    `${countEvents('n8n')} to n8n, ${countEvents('Zapier')} to Zapier, in ${output.folder}/events.csv`,
  ],
  [
    'Deliveries that started nothing',
    `${hostile.filter(({ outcome }) => outcome.started === 0).length} of ${hostile.length}`,
  ],
  ['Scans', `${scans.length}, in ${output.folder}/scans.csv`],
  ['Open in a browser', `${output.folder}/index.html`],
])}`);
}

/** Does a step of the demo, then prints its label. */
async function step<T>(label: string, work: () => Promise<T>): Promise<T> {
  if (process.stdout.isTTY) process.stdout.write(`  … ${label}\r`);
  const result = await work();
  console.log(`  ✓ ${label}`);
  return result;
}

function printHostileDeliveries(hostile: readonly HostileDelivery[]): void {
  const rows = hostile.map(({ what, outcome }) => [what, describeOutcome(outcome)]);
  console.log(`\n  Hostile deliveries\n${table(rows)}`);
}

function describeOutcome({ platform, status, started }: HostileDelivery['outcome']): string {
  const result = started === 0 ? 'started nothing' : `STARTED ${started}`;
  return `${platform} responded ${status}, ${result}`;
}

function describeProblems({ problems }: Sheet): string {
  return problems.map(({ line, problem }) => `\n    ! line ${line} skipped: ${problem}`).join('');
}

function countSuffix(count: number, what: string): string {
  return count === 0 ? '' : `, ${count} ${what}`;
}
