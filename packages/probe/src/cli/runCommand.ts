import { readFileSync, writeFileSync } from 'node:fs';
import { QrServiceClient } from '@qr-service/core';
import type { Connection } from '@qr-service/core/connector';
import { nodeTransport } from '@qr-service/core/node';
import type { Finding } from '../findings/Finding.ts';
import { leftText, type ProbeReport } from '../findings/ProbeReport.ts';
import { Ledger } from '../http/Ledger.ts';
import { htmlReport } from '../report/htmlReport.ts';
import { jsonReport } from '../report/jsonReport.ts';
import { judgeReplay, replayJson, replayReport } from '../report/replayReport.ts';
import { isShapeFile, shapeFile } from '../report/shapeFile.ts';
import { hasAccess } from '../report/summary.ts';
import { terminalReport, type Terminal } from '../report/terminalReport.ts';
import { runProbe } from '../runProbe.ts';
import {
  receiveDelivery,
  startReceiver,
  WebhookPortError,
  type Receiver,
} from '../webhook/receiveDelivery.ts';
import { AskedToStop, askSecret, type TerminalInput } from './askSecret.ts';
import { EXIT, exitStatus } from './exitStatus.ts';
import { HELP } from './help.ts';
import { Progress, type ProgressStream } from './Progress.ts';
import { readArguments, type ProbeOptions, type ReplayOptions } from './readArguments.ts';
import { askFor, readPrefix, readSettings } from './readSettings.ts';
import { readCaptureFile, replayDelivery } from './replayDelivery.ts';
import { UsageError } from './UsageError.ts';

/** What the command uses of its process. */
interface Io {
  args: readonly string[];
  environment: NodeJS.ProcessEnv;
  stdin: TerminalInput;
  stdout: { isTTY?: boolean; columns?: number; write: (text: string) => unknown };
  stderr: ProgressStream;
  version: string;
  /** Aborts when the user stops the command. */
  stopped: AbortSignal;
}

/** Runs the command and returns its exit status. */
export async function runCommand(io: Io): Promise<number> {
  try {
    const command = readArguments(io.args);
    if (command.kind === 'help') io.stdout.write(HELP);
    else if (command.kind === 'version') io.stdout.write(`${io.version}\n`);
    else if (command.kind === 'replay') return await replay(command.options, io);
    else return await probe(command.options, io);
    return EXIT.works;
  } catch (error) {
    if (error instanceof AskedToStop) return EXIT.stopped;
    if (!(error instanceof UsageError)) throw error;
    io.stderr.write(`qr-service-probe: ${error.message}\n`);
    return EXIT.unusable;
  }
}

async function replay({ file, json, verbose, headerPrefix }: ReplayOptions, io: Io): Promise<number> {
  const { environment, stdout } = io;
  const prefix = readPrefix(headerPrefix, environment);
  const delivery = readCaptureFile(file);
  // Spaces around it are kept, as they may be what is wrong.
  const secret =
    environment['QR_SERVICE_WEBHOOK_SECRET'] ||
    (await askFor('QR_SERVICE_WEBHOOK_SECRET', prompt(io, 'Signing secret of the subscription')));
  const findings = shown(replayDelivery(delivery, secret, prefix), verbose);
  stdout.write(json ? replayJson(findings) : replayReport(findings, terminalOf(io)));
  return judgeReplay(findings).verdict === 'works' ? EXIT.works : EXIT.fails;
}

async function probe(options: ProbeOptions, io: Io): Promise<number> {
  const { environment, stdout, stderr, version, stopped } = io;
  const connection = await readSettings(options, environment, prompt(io, 'API key'));
  const { webhook } = options;
  // Before anything is sent, as the port may be in use.
  const receiver = webhook === undefined ? undefined : await openReceiver(webhook.port);
  const progress = new Progress(stderr);
  const ledger = new Ledger();
  const probed = await runProbe({
    ...connection,
    ledger,
    write: options.write,
    userAgent: userAgent(version),
    signal: stopped,
    onProgress: ({ done, total, title }) => progress.step(title, { count: done, of: total }),
  });
  const report = { ...probed, findings: [...probed.findings] };
  // Without access, nothing can be delivered, either.
  if (webhook !== undefined && receiver !== undefined) {
    if (hasAccess(report.findings) && !stopped.aborted)
      await addDelivery(report, { url: webhook.url, receiver, ledger }, connection, io, progress);
    else await receiver.close();
  }
  progress.clear();
  const final = { ...report, findings: shown(report.findings, options.verbose) };
  stdout.write(options.json ? jsonReport(final) : terminalReport(final, terminalOf(io)));
  if (hasAccess(report.findings)) writeFiles(final, options, version, progress);
  if (stopped.aborted) {
    progress.say(`Stopped. ${left(report)}`);
    return EXIT.stopped;
  }
  return exitStatus(report.findings);
}

const userAgent = (version: string) => `qr-service-probe/${version}`;

function left({ leftBehind }: ProbeReport): string {
  if (leftBehind.length === 0) return 'Nothing is left behind.';
  return `Left behind: ${leftBehind.map(leftText).join('; ')}.`;
}

/** How long a call may take: an endpoint that hangs has hung before, and a report within a minute is worth more. */
const DELIVERY_CALL_MS = 25_000;

/** Receives a delivery, and adds to a report what that showed. */
async function addDelivery(
  report: { -readonly [Key in keyof ProbeReport]: ProbeReport[Key] },
  webhook: { url: string; receiver: Receiver; ledger: Ledger },
  connection: Connection,
  { version, stopped }: Io,
  progress: Progress,
): Promise<void> {
  const started = Date.now();
  const transport = webhook.ledger.watch(nodeTransport());
  const retry = { budgetMs: DELIVERY_CALL_MS };
  const client = new QrServiceClient({ ...connection, transport, retry, userAgent: userAgent(version) });
  const findings = await receiveDelivery({
    ...webhook,
    client,
    headerPrefix: connection.headerPrefix,
    codeName: `qr-service-probe ${new Date(started).toISOString().slice(0, 16).replace('T', ' ')}, safe to delete`,
    signal: stopped,
    now: Date.now,
    onProgress: (sentence) => progress.step(sentence),
  });
  report.findings = [...report.findings, ...findings];
  report.leftBehind = webhook.ledger.left;
  report.requests = webhook.ledger.requests;
  report.durationMs += Date.now() - started;
}

async function openReceiver(port: number): Promise<Receiver> {
  try {
    return await startReceiver(port);
  } catch (error) {
    if (error instanceof WebhookPortError) throw new UsageError(error.message);
    throw error;
  }
}

/** The findings with their requests and responses only if they were asked for. */
function shown(findings: readonly Finding[], verbose: boolean): Finding[] {
  return verbose ? [...findings] : findings.map(({ details: _, ...rest }) => rest);
}

function writeFiles(report: ProbeReport, options: ProbeOptions, version: string, progress: Progress): void {
  const { htmlFile, shapeFile: file } = options;
  if (htmlFile !== undefined && write(htmlFile, htmlReport(report, version), progress))
    progress.say(`Wrote the report to ${htmlFile}.`);
  if (!mayReplace(file)) {
    progress.say(`${file} exists and isn't a shape file, so it was kept. Name another one with --shape.`);
    return;
  }
  if (write(file, shapeFile(report.shape), progress))
    progress.say(
      `Wrote ${file}. To imitate this service on your own machine: npx qr-service-emulator --shape ${/\s/.test(file) ? `"${file}"` : file}`,
    );
}

/** Whether a file doesn't exist or is an earlier shape. */
function mayReplace(file: string): boolean {
  try {
    return isShapeFile(readFileSync(file, 'utf8'));
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT';
  }
}

/** Writes a file, or says why it can't. The report is printed all the same. */
function write(file: string, text: string, progress: Progress): boolean {
  try {
    writeFileSync(file, text);
    return true;
  } catch (error) {
    progress.say(`${file} couldn't be written (${String((error as NodeJS.ErrnoException).code)}).`);
    return false;
  }
}

/** Asks in the terminal, if there is one. */
function prompt({ stdin, stderr }: Io, question: string): (() => Promise<string>) | undefined {
  return stdin.isTTY ? () => askSecret(`${question} (not shown)`, { stdin, stderr }) : undefined;
}

function terminalOf({ stdout, environment }: Io): Terminal {
  const { isTTY = false, columns } = stdout;
  // A terminal that doesn't know its width says 0.
  return {
    width: columns || 100,
    colors: isTTY && !environment['NO_COLOR'] && environment['TERM'] !== 'dumb',
  };
}
