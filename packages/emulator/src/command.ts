import { readFileSync } from 'node:fs';
import { API_PATH, BRAND, omitUndefined } from '@qr-service/core/connector';
import { Command, CommanderError } from 'commander';
import { KEY_VARIABLE, shownKey, type EmulatorOptions } from './config/options.ts';
import { SEED, type Seed } from './config/seed.ts';
import { CONTROL_PATH } from './http/rpc.ts';
import { PortInUseError } from './server.ts';
import { startEmulator, type Emulator } from './start.ts';
import { InputError, readInput } from './validation/input.ts';

const DEFAULT_PORT = 4010;

/** The options as they are typed. */
type Flags = Partial<Record<'port' | 'host' | 'db' | 'redirectUrl' | 'apiKey' | 'seed', string>> & {
  connectTo?: string[];
};

const INTRODUCTION = `${BRAND.name} emulator: run the QR code service on your own machine, with its whole API, short links and signed webhooks. No account or internet connection needed.

It prints its address, an API key with all scopes and a curl command to try, then one line per request and delivery. Open the address in a browser for the inspector.`;

const EXAMPLES = `
With n8n on this machine, known to the service as https://n8n.example.com:
  qr-service-emulator --connect-to n8n.example.com=127.0.0.1:5678
  N8N_WEBHOOK_URL=https://n8n.example.com/ n8n start    (in another terminal)
With Zapier, or any other client that isn't on this machine, through a tunnel to port ${DEFAULT_PORT}:
  qr-service-emulator --port ${DEFAULT_PORT} --redirect-url https://<tunnel's address>/r

While it runs, make requests and deliveries fail, rename codes, send events or move the clock over HTTP:
  curl -d '[{ "code": "rate_limited", "times": 3 }]' http://127.0.0.1:${DEFAULT_PORT}${CONTROL_PATH}/failNext
GET ${CONTROL_PATH} lists the methods with their arguments.

In CI and in JavaScript tests: see the README.

Exit codes: 0 after Ctrl-C, SIGTERM or SIGHUP; 1 if it can't start, with the reason on one line.`;

/** Runs the command `qr-service-emulator`. If it can't start, prints the reason on one line and exits with 1. */
export async function main(args: readonly string[]): Promise<void> {
  try {
    await createProgram().parseAsync([...args], { from: 'user' });
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return;
    process.stderr.write(`${describe(error)}\n`);
    process.exitCode = 1;
  }
}

function createProgram(): Command {
  const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
    version: string;
  };
  return new Command('qr-service-emulator')
    .description(INTRODUCTION)
    .version(version, '-v, --version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .option('-p, --port <number>', `port to listen on (default: ${DEFAULT_PORT}, or any free port)`)
    .option('--host <address>', 'address to listen on (default: 127.0.0.1, this machine only)')
    .option('--db <file>', 'JSON file that keeps everything, written when the emulator stops (default: none)')
    .option(
      '--connect-to <host=address:port>',
      'send deliveries for a public host to a local port in plain HTTP, like a tunnel; repeatable',
      (rule: string, rules: string[] | undefined) => [...(rules ?? []), rule],
    )
    .option('--redirect-url <url>', "base URL of the codes' short links (default: the emulator's own /r)")
    .option(
      '--api-key <key>',
      'API key to use, also read from QR_SERVICE_API_KEY (default: a new key at each start)',
    )
    .option('--seed <file>', 'JSON file with initial codes, scans, keys and subscriptions')
    .addHelpText('after', EXAMPLES)
    .allowExcessArguments(false)
    .exitOverride()
    .configureOutput({ writeErr: () => undefined })
    .action((flags: Flags) => run(readFlags(flags)));
}

/** The reason on one line, with the name of the option as it is typed. */
function describe(error: unknown): string {
  if (error instanceof CommanderError)
    return `${error.message.replace(/^error: /, '').replace(/\.?$/, '.')} See --help.`;
  if (error instanceof InputError) {
    const [option = ''] = error.field.split(/[.[]/);
    return `--${option.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)} ${error.problem}.`;
  }
  return error instanceof Error ? error.message : String(error);
}

/** @throws InputError for an option that isn't valid, Error for a file that can't be used */
function readFlags({ port, connectTo, apiKey, seed, ...texts }: Flags): EmulatorOptions {
  // Usually an unset shell variable. An empty host would listen on the whole network.
  for (const [name, value] of Object.entries({ port, seed, ...texts }))
    if (value === '') throw new InputError(name, 'must not be empty');
  return omitUndefined({
    ...texts,
    port: port === undefined ? undefined : Number(port),
    connectTo: connectTo === undefined ? undefined : readRules(connectTo),
    // An empty key counts as none, so that an unset variable can be passed.
    apiKey: (apiKey ?? process.env[KEY_VARIABLE]) || undefined,
    seed: seed === undefined ? undefined : readSeedFile(seed),
  });
}

function readRules(rules: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    rules.map((rule) => {
      const [, host = rule, to = ''] = /^([^=]+)=(.*)$/.exec(rule) ?? [];
      return [host, to];
    }),
  );
}

/** @throws Error naming the file, and the field that is invalid */
function readSeedFile(file: string): Seed {
  let seed: unknown;
  try {
    seed = JSON.parse(readFileSync(file, 'utf8'));
    readInput(SEED, seed);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (error instanceof InputError)
      throw new Error(`The seed file ${file} can't be used: ${message}`, { cause: error });
    if (code !== undefined)
      throw new Error(`The seed file ${file} can't be read (${code}).`, { cause: error });
    const reason = message.replaceAll(/\s+/g, ' ').replace(/ is not valid JSON$/, '');
    throw new Error(`The seed file ${file} isn't valid JSON: ${reason}.`, { cause: error });
  }
  return seed as Seed;
}

async function run(options: EmulatorOptions): Promise<void> {
  const log = (line: string) =>
    void process.stdout.write(`${new Date().toISOString().slice(11, 23)}  ${line}\n`);
  const emulator = await startOnFreePort({ ...options, log });
  // Registered before the banner, because a process that waits for it may stop the command right away.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.once(signal, () => void emulator.stop());
  process.stdout.write(`${banner(emulator, options.db)}\n`);
}

async function startOnFreePort(options: EmulatorOptions): Promise<Emulator> {
  try {
    return await startEmulator({ port: DEFAULT_PORT, ...options });
  } catch (error) {
    if (options.port !== undefined || !(error instanceof PortInUseError)) throw error;
    return startEmulator(options);
  }
}

/** Printed once the emulator is running. */
function banner({ url, redirectUrl, apiKey, workspace }: Emulator, db: string | undefined): string {
  // npx runs the command without installing it.
  const command = `${process.env['npm_command'] === 'exec' ? 'npx ' : ''}qr-service-emulator`;
  return `${BRAND.name} emulator at ${url}

  Inspector    ${url}  (open it in a browser)
  API key      ${shownKey(apiKey)}
  Workspace    ${workspace.name} (${workspace.id})
  Short links  ${redirectUrl}
  OpenAPI      ${url}/openapi.yaml
  Database     ${db ?? 'in memory, lost when the emulator stops'}

Try it:
  curl -H "Authorization: Bearer ${shownKey(apiKey)}" ${url}${API_PATH}/me
  ${command} --help    connects n8n and Zapier, and makes requests fail

Below: one line for each request and delivery.
Ctrl-C stops it.
`;
}
