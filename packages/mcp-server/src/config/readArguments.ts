import { parseArgs } from 'node:util';
import { UsageError } from './UsageError.ts';

/** What the command line asks for. */
export type Command = { kind: 'help' } | { kind: 'version' } | { kind: 'serve'; options: ServeOptions };

/** Options of the command line. */
export interface ServeOptions {
  /** JSON file with the connection. */
  configFile?: string;
  /** Whether to offer no tool that writes. */
  readOnly: boolean;
  /** Folder that images may be written to. There is none with `readOnly`, as files are changes, too. */
  outFolder?: string;
  /** Where codes may point. */
  allowedTargets?: string;
  /** Port for streamable HTTP on the loopback interface, 0 for any free one; undefined for stdio. */
  httpPort?: number;
}

/** Port of `--http` without a number. */
export const DEFAULT_HTTP_PORT = 4020;

/** Text of `--help`. */
export const HELP = `Usage: qr-service-mcp [options]

Serves the QR code service to MCP clients, over stdio unless --http is given.

Options:
  --config FILE   Read the connection from a JSON file: apiKey, baseUrl, authHeader, headerPrefix,
                  allowedTargets
  --read-only     Offer no tool that creates or changes anything
  --out FOLDER    Write images to this folder, unless --read-only is given
  --allow-targets LIST
                  Let codes point only there: example.com,*.example.com,example.com/menu
  --http [PORT]   Serve streamable HTTP on 127.0.0.1, by default on port ${DEFAULT_HTTP_PORT}
  --help          Show this text
  --version       Show the version

Environment:
  QR_SERVICE_API_KEY        API key (required, here or in the file)
  QR_SERVICE_BASE_URL       Base URL, if you host the service yourself
  QR_SERVICE_AUTH_HEADER    authorization (default) or api-key
  QR_SERVICE_HEADER_PREFIX  Prefix of the service's headers
  QR_SERVICE_ALLOWED_TARGETS
                            The same as --allow-targets
  QR_SERVICE_MCP_TOKEN      Bearer token of HTTP clients (default: a new one, shown once)
`;

const OPTIONS = {
  config: { type: 'string' },
  'read-only': { type: 'boolean' },
  out: { type: 'string' },
  'allow-targets': { type: 'string', multiple: true },
  http: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean' },
} as const;

const SECRET = /key|token|secret|auth|password|bearer/i;
/** How an option is written. Keys have digits or other characters. */
const PLAIN = /^--?[a-z-]{1,20}$/i;

/**
 * Reads the command line.
 * @throws UsageError for anything but the options above
 */
export function readArguments(args: readonly string[]): Command {
  const values = parse(args);
  if (values.help === true) return { kind: 'help' };
  if (values.version === true) return { kind: 'version' };
  const options: ServeOptions = { readOnly: values['read-only'] === true };
  if (values.config !== undefined) options.configFile = values.config;
  if (values.out !== undefined && !options.readOnly) options.outFolder = values.out;
  if (values['allow-targets'] !== undefined) options.allowedTargets = values['allow-targets'].join();
  if (values.http !== undefined) options.httpPort = readPort(values.http);
  return { kind: 'serve', options };
}

function parse(args: readonly string[]) {
  const { values, tokens } = parseArgs({
    args: withPorts(args),
    options: OPTIONS,
    strict: false,
    tokens: true,
  });
  for (const token of tokens) {
    if (token.kind === 'option-terminator') continue;
    if (token.kind === 'positional') throw unexpected();
    const { name, rawName, value = '', inlineValue = false } = token;
    if (!Object.hasOwn(OPTIONS, name)) throw unexpected(rawName);
    if (OPTIONS[name as keyof typeof OPTIONS].type === 'boolean') {
      if (inlineValue) throw new UsageError(`${rawName} takes no value. See --help.`);
    } else if (value.trim() === '' || (!inlineValue && value.startsWith('-')))
      throw new UsageError(`${rawName} needs a value. See --help.`);
  }
  return values as Partial<
    Record<'config' | 'out' | 'http', string> &
      Record<'allow-targets', string[]> &
      Record<'read-only' | 'help' | 'version', true>
  >;
}

/** Joins `--http` with the port after it, if there is one, else with the default. */
function withPorts(args: readonly string[]): string[] {
  const isPort = (arg: string | undefined) => arg !== undefined && /^\d+$/.test(arg);
  return args.flatMap((arg, at) => {
    if (arg === '--http') return `--http=${isPort(args[at + 1]) ? args[at + 1] : DEFAULT_HTTP_PORT}`;
    return args[at - 1] === '--http' && isPort(arg) ? [] : arg;
  });
}

/** An argument may be a key, so no error repeats a value. */
function unexpected(option?: string): UsageError {
  if (option === undefined || SECRET.test(option) || !PLAIN.test(option))
    return new UsageError(
      'Unexpected argument. API keys and tokens are not accepted on the command line, because every process list shows it: use QR_SERVICE_API_KEY or --config.',
    );
  return new UsageError(`Unknown option ${option}. See --help.`);
}

function readPort(value: string): number {
  const port = /^\d{1,5}$/.test(value) ? Number(value) : NaN;
  if (port <= 65_535) return port;
  throw new UsageError('--http needs a port from 0 to 65535.');
}
