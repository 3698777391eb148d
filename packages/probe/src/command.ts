import { readFileSync } from 'node:fs';
import password from '@inquirer/password';
import { readApiKey, readConnection, showText, type Connection } from '@qr-service/core/connector';
import { checkWebhookUrl } from '@qr-service/core/webhook';
import { Command, CommanderError } from 'commander';
import type { Ledger } from './http/Ledger.ts';
import { EXIT, summarize, type Headline } from './report/Report.ts';
import { terminalReplay, terminalReport, type Terminal } from './report/terminal.ts';
import { runProbe } from './runProbe.ts';
import { CaptureError, readCapture } from './webhook/capture.ts';
import { diagnose } from './webhook/diagnose.ts';
import { startReceiver, type Delivery } from './webhook/Receiver.ts';

/** What the command uses of its process. */
interface Io {
  args: readonly string[];
  environment: NodeJS.ProcessEnv;
  stdin: NodeJS.ReadableStream & { isTTY?: boolean };
  stdout: { isTTY?: boolean; columns?: number; write: (text: string) => unknown };
  stderr: NodeJS.WritableStream & { isTTY?: boolean };
  version: string;
  /** Aborts when the user stops the command. */
  stopped: AbortSignal;
  /** Notes what is created. */
  ledger: Ledger;
}

interface Options {
  baseUrl?: string;
  write?: boolean;
  webhook?: string;
  port?: number;
  replay?: string;
  json?: boolean;
  verbose?: boolean;
  authHeader?: string;
}

/** The command can't run as it was started. The message is for whoever started it, in whole sentences. */
class UsageError extends Error {}

/** Port that the user's tunnel forwards to, unless another is given. */
const DEFAULT_PORT = 4030;

const AFTER_HELP = `
Environment:
  QR_SERVICE_API_KEY         API key. If it isn't set, the probe asks for it.
  QR_SERVICE_BASE_URL        Base URL, instead of --base-url
  QR_SERVICE_WEBHOOK_SECRET  Signing secret for --replay. If it isn't set, the probe asks for it.
  NO_COLOR                   Print without colors

Exit status: 0 if every job that you asked for was confirmed to work, 1 if not, 2 if the probe can't run
(invalid options, no connection, rejected key), 130 after Ctrl-C. With --replay: 0 only for a genuine delivery.`;

/** Runs the command and returns its exit status. */
export async function runCommand(io: Io): Promise<number> {
  try {
    const options = readOptions(io);
    if (options === undefined) return EXIT.works;
    return await (options.replay === undefined ? probe(options, io) : replay(options, options.replay, io));
  } catch (error) {
    // Ctrl-C at the prompt.
    if ((error as Error).name === 'ExitPromptError') return EXIT.stopped;
    if (!(error instanceof UsageError)) throw error;
    io.stderr.write(`qr-service-probe: ${error.message}\n`);
    return EXIT.unusable;
  }
}

/** Reads the command line. Undefined if it asks for help or the version. @throws UsageError without repeating a value */
function readOptions({ args, stdout, version }: Io): Options | undefined {
  const command = new Command('qr-service-probe')
    .description('Finds out whether the connectors work with your QR code service, and why not.')
    .option('--base-url <url>', 'base URL of the service')
    .option('--write', 'also create two codes and a subscription, named so that you can find and delete them')
    .option('--webhook <url>', 'with --write: receive a delivery at this https:// URL of your tunnel')
    .option('--port <number>', `local port that the tunnel forwards to (default: ${DEFAULT_PORT})`, Number)
    .option('--replay <file>', 'explain offline why a captured delivery is rejected (raw HTTP or JSON)')
    .option('--json', 'print the report as JSON')
    .option('--verbose', 'also show the requests of jobs that work')
    .option('--auth-header <name>', 'header that carries the key: authorization (default) or api-key')
    .version(version, '--version', 'print the version')
    .helpOption('--help', 'print this text')
    .addHelpText('after', AFTER_HELP)
    .exitOverride()
    .configureOutput({ writeOut: (text) => stdout.write(text), writeErr: () => undefined })
    .configureHelp({ helpWidth: 110 });
  try {
    command.parse(args, { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) return undefined;
    throw new UsageError(explainUsage(error));
  }
  const options = command.opts<Options>();
  checkTogether(options);
  return options;
}

/** How an option is written. Keys have digits or other characters. */
const PLAIN = /option '(--?[a-z-]{1,20})'$/;
const SECRET = /key|token|secret|password|bearer/;

/** An argument may be a key, so no error repeats a value. */
function explainUsage({ code, message }: CommanderError): string {
  if (code === 'commander.optionMissingArgument') {
    const [, option = ''] = /'(--[a-z-]+)/.exec(message) ?? [];
    return `${option} needs a value. See --help.`;
  }
  const [, option] = PLAIN.exec(message.split('\n')[0] ?? '') ?? [];
  if (option !== undefined && !SECRET.test(option)) return `Unknown option ${option}. See --help.`;
  return 'Unexpected argument. If it is an API key or a secret, other users of this machine can see it, and your shell saves it. Set QR_SERVICE_API_KEY instead, or wait for the prompt.';
}

function checkTogether({ replay, webhook, port, ...rest }: Options): void {
  const online = { '--base-url': rest.baseUrl, '--write': rest.write, '--webhook': webhook };
  const other = Object.entries(online).find(([, value]) => value !== undefined);
  if (replay !== undefined && other !== undefined)
    throw new UsageError(`${other[0]} can't be used with --replay, which works offline.`);
  if (webhook === undefined && port !== undefined)
    throw new UsageError('--port is only used with --webhook.');
  if (webhook === undefined) return;
  if (port !== undefined && !(Number.isInteger(port) && port >= 0 && port <= 65_535))
    throw new UsageError('--port must be a number from 0 to 65535.');
  if (rest.write !== true)
    throw new UsageError('--webhook creates a subscription and codes: add --write to allow that.');
  const problem = checkWebhookUrl(webhook);
  if (problem !== undefined)
    throw new UsageError(`--webhook must be the public https:// URL of your tunnel. ${problem}`);
}

async function probe(options: Options, io: Io): Promise<number> {
  const { write = false, webhook: url, port = DEFAULT_PORT, json = false, verbose = false } = options;
  const { stdout, stderr, version, stopped, ledger } = io;
  const connection = await readSettings(options, io);
  // Before anything is sent, as the port may be in use.
  const receiver = url === undefined ? undefined : await startReceiver(port).catch(refuse);
  if (write) stderr.write('Creating two codes and a subscription, as --write allows.\n');
  const clear = stderr.isTTY ? '\r\x1B[K' : '';
  const end = stderr.isTTY ? '' : '\n';
  try {
    const report = await runProbe({
      connection,
      write,
      webhook: url === undefined || receiver === undefined ? undefined : { url, receiver },
      userAgent: `qr-service-probe/${version}`,
      signal: stopped,
      ledger,
      onProgress: (title) => stderr.write(`${clear}${title} …${end}`),
    });
    stderr.write(clear);
    const { exit, ...summary } = summarize(report);
    const text = json ? toJson({ ...summary, ...report }) : terminalReport(report, terminalOf(io), verbose);
    stdout.write(text);
    return exit;
  } finally {
    await receiver?.close();
  }
}

async function replay({ json = false }: Options, file: string, io: Io): Promise<number> {
  const { environment, stdout } = io;
  const delivery = readCaptureFile(file);
  const variable = 'QR_SERVICE_WEBHOOK_SECRET';
  // Spaces around it are kept, as they may be what is wrong.
  const secret = environment[variable] || (await ask('Signing secret of the subscription', variable, io));
  const { steps, event } = diagnose({ delivery, secret, now: Date.now, isLive: false });
  let summary: Headline = { verdict: 'works', headline: 'The delivery is genuine and readable.' };
  if (event === undefined)
    summary = { verdict: 'unknown', headline: "The file doesn't show whether the delivery is accepted." };
  if (steps.some(({ verdict }) => verdict === 'fails'))
    summary = { verdict: 'fails', headline: 'The connectors reject this delivery.' };
  stdout.write(
    json ? toJson({ ...summary, findings: steps }) : terminalReplay(steps, summary, terminalOf(io)),
  );
  return event === undefined ? EXIT.fails : EXIT.works;
}

/** Reads the connection from the command line and the environment. @throws UsageError, without showing any value */
async function readSettings(options: Options, io: Io): Promise<Connection> {
  const { environment } = io;
  const connection = valid(() =>
    readConnection({
      baseUrl: options.baseUrl ?? environment['QR_SERVICE_BASE_URL'],
      authHeader: options.authHeader,
    }),
  );
  const apiKey =
    environment['QR_SERVICE_API_KEY']?.trim() || (await ask('API key', 'QR_SERVICE_API_KEY', io));
  return { ...connection, apiKey: valid(() => readApiKey(apiKey)) };
}

/** Asks for a secret that isn't in the environment, without showing what is typed or pasted. */
async function ask(question: string, variable: string, { stdin, stderr }: Io): Promise<string> {
  if (!stdin.isTTY)
    throw new UsageError(
      `${variable} isn't set, and there is no terminal to prompt in. Set it and run the probe again.`,
    );
  const message = `${question} (not shown):`;
  const answer = await password({ message, mask: false }, { input: stdin, output: stderr });
  if (answer.trim() === '') throw new UsageError('Nothing was entered.');
  return answer;
}

function readCaptureFile(file: string): Delivery {
  try {
    return readCapture(readFileSync(file));
  } catch (error) {
    throw new UsageError(
      error instanceof CaptureError
        ? `The --replay file can't be used. ${error.message}`
        : `The --replay file can't be read (${showText(String((error as NodeJS.ErrnoException).code))}).`,
    );
  }
}

function valid<Value>(read: () => Value): Value {
  try {
    return read();
  } catch (error) {
    return refuse(error);
  }
}

function refuse(error: unknown): never {
  throw new UsageError((error as Error).message);
}

const toJson = (value: object) => `${JSON.stringify(value, undefined, 2)}\n`;

function terminalOf({ stdout, environment }: Io): Terminal {
  const { isTTY = false, columns } = stdout;
  return {
    // A terminal that doesn't know its width says 0.
    width: columns || 100,
    colors: isTTY && !environment['NO_COLOR'] && environment['TERM'] !== 'dumb',
  };
}
