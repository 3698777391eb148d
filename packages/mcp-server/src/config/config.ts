import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { omitUndefined, readApiKey, readConnection, type Connection } from '@qr-service/core/connector';
import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import packageJson from '../../package.json' with { type: 'json' };

/** The server was started with invalid arguments or an invalid configuration. The message is for whoever started it. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** Options of the command line: see its help. Without `http`, the server uses stdio. */
export interface ServeOptions {
  config?: string;
  readOnly?: true;
  out?: string;
  allowTargets?: string;
  http?: number;
}

/** Port of `--http` without a number. */
export const DEFAULT_HTTP_PORT = 4020;

/** Environment variable with the token of HTTP clients. */
export const TOKEN_VARIABLE = 'QR_SERVICE_MCP_TOKEN';

/** Where each field of the connection comes from, besides the file. */
const VARIABLES: Record<keyof Connection, string> = {
  apiKey: 'QR_SERVICE_API_KEY',
  baseUrl: 'QR_SERVICE_BASE_URL',
  authHeader: 'QR_SERVICE_AUTH_HEADER',
  allowedTargets: 'QR_SERVICE_ALLOWED_TARGETS',
};
const FIELDS = Object.keys(VARIABLES);

const ENVIRONMENT_HELP = `
Environment:
  QR_SERVICE_API_KEY          API key (required, here or in the file)
  QR_SERVICE_BASE_URL         Base URL, if you host the service yourself
  QR_SERVICE_AUTH_HEADER      authorization (default) or api-key
  QR_SERVICE_ALLOWED_TARGETS  The same as --allow-targets
  QR_SERVICE_MCP_TOKEN        Bearer token of HTTP clients (default: a new one, shown once)`;

function commandLine(): Command {
  const http = new Option('--http [port]', 'Serve streamable HTTP on 127.0.0.1');
  return new Command(packageJson.name)
    .description('Serves the QR code service to MCP clients, over stdio unless --http is given.')
    .option('--config <file>', `JSON file with the connection: ${FIELDS.join(', ')}`, readPath('--config'))
    .option('--read-only', 'Offer no tool that creates or changes anything')
    .option('--out <folder>', 'Write images to this folder, unless --read-only is given', readPath('--out'))
    .option(
      '--allow-targets <list>',
      'Let codes point only to these: example.com,*.example.com,example.com/menu',
      (list: string, before?: string) => (before === undefined ? '' : `${before},`) + readText(list),
    )
    .addOption(http.preset(String(DEFAULT_HTTP_PORT)).argParser(readPort))
    .helpOption('-h, --help', 'Show this text')
    .version(packageJson.version, '--version', 'Show the version')
    .addHelpText('after', ENVIRONMENT_HELP)
    .exitOverride()
    .configureOutput({ writeErr: () => undefined });
}

/**
 * Reads the command line; undefined if it only asks for help or the version, which has been printed.
 * @throws UsageError for an invalid one. No message repeats a value, as it may be a key.
 */
export function readArguments(args: readonly string[]): ServeOptions | undefined {
  const command = commandLine();
  try {
    return command.parse(args, { from: 'user' }).opts<ServeOptions>();
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) return undefined;
    throw new UsageError(explain(command, error.message));
  }
}

function readText(value: string): string {
  if (value.trim() === '' || value.startsWith('-')) throw new InvalidArgumentError('');
  return value;
}

/** `$NAME`, `${NAME}`, `%NAME%`, or quotes around all. */
const UNREPLACED = /(^|[\\/])\$[A-Z_]|\$\{.*\}|%[A-Z_]+%|^(["']).*\2$/i;

/** Reads a path as clients pass it on, without a shell. `~` means the home folder. */
const readPath = (option: string) => (path: string) => {
  if (!UNREPLACED.test(path)) return readText(path).replace(/^~(?=[\\/]|$)/, homedir());
  throw new UsageError(`${option} has a variable or quotes, which nothing replaces. Write out the path.`);
};

function readPort(value: string): number {
  if (!/^\d{1,5}$/.test(value) || Number(value) > 65_535) throw new InvalidArgumentError('');
  return Number(value);
}

/** Names only options that exist: anything else may be a key. */
function explain({ options }: Command, message: string): string {
  const option = options.find(({ long }) => message.includes(`'${String(long)}`));
  if (option?.long === '--http') return '--http needs a port from 0 to 65535.';
  if (option !== undefined)
    return `--${option.name()} ${option.required ? 'needs a' : 'takes no'} value. See --help.`;
  return `Unknown argument. If it is part of a path with spaces, use one without, such as ~/qr-codes. The options are ${options.map(({ long }) => long).join(', ')}. API keys and tokens are not accepted on the command line, because process lists show them: use ${VARIABLES.apiKey} or --config.`;
}

/**
 * Reads the connection: each field from the command line, else from its environment variable, else from the file, else its
 * default.
 * @throws UsageError, without showing any value, if it isn't valid
 */
export function readSettings(environment: NodeJS.ProcessEnv, options: ServeOptions): Connection {
  const { config, allowTargets } = options;
  const fields = config === undefined ? {} : readFile(config);
  for (const [field, variable] of Object.entries(VARIABLES))
    fields[field] = readVariable(environment, variable) ?? fields[field];
  fields['allowedTargets'] = allowTargets ?? fields['allowedTargets'];
  if ((fields['apiKey'] ?? '') === '')
    throw new UsageError(
      `There is no API key. Create one in the app and set ${VARIABLES.apiKey}, or apiKey in the --config file.`,
    );
  try {
    const connection = readConnection(omitUndefined(fields));
    return { ...connection, apiKey: readApiKey(connection.apiKey) };
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

function readFile(path: string): Record<string, unknown> {
  let content: unknown;
  try {
    content = JSON.parse(readFileSync(path, 'utf8').replace(/^\uFEFF/, ''));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== undefined) throw new UsageError(`The --config file can't be read (${code}).`);
    // What a parser says about invalid JSON may contain the key.
  }
  if (typeof content !== 'object' || content === null || Array.isArray(content))
    throw new UsageError('The --config file must contain a JSON object.');
  if (Object.keys(content).some((name) => !FIELDS.includes(name)))
    throw new UsageError(`The --config file has unknown fields. Known fields: ${FIELDS.join(', ')}.`);
  return { ...content };
}

/** Reads a variable without the spaces around it; undefined if nothing is left. */
function readVariable(environment: NodeJS.ProcessEnv, name: string): string | undefined {
  const value = environment[name]?.trim() ?? '';
  // The client should have replaced `${NAME}`, `${env:NAME}` or `%NAME%`.
  if (/\$\{.*\}|^%\w+%$/.test(value))
    throw new UsageError(
      `${name} contains the name of a variable instead of its value. Set that variable where the client is started.`,
    );
  return value === '' ? undefined : value;
}

/**
 * Reads what HTTP clients send as `Authorization: Bearer`, or makes it for this start, so that it must be shown.
 * @throws UsageError, without showing it, if it can't be sent in a header, or every local process could guess it
 */
export function readToken(environment: NodeJS.ProcessEnv): { value: string; isNew: boolean } {
  const value = readVariable(environment, TOKEN_VARIABLE);
  if (value === undefined) return { value: randomBytes(32).toString('base64url'), isNew: true };
  if (!/^[\x21-\x7e]{16,}$/.test(value))
    throw new UsageError(
      `${TOKEN_VARIABLE} must have at least 16 characters: ASCII letters, digits or symbols, without spaces. Leave it out for a new token.`,
    );
  return { value, isNew: false };
}
