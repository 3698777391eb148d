import { parseArgs } from 'node:util';
import { checkWebhookUrl } from '@qr-service/core/webhook';
import { DEFAULT_WEBHOOK_PORT } from '../webhook/receiveDelivery.ts';
import { SHAPE_FILE } from './help.ts';
import { UsageError } from './UsageError.ts';

/** What the command line asks for. */
export type Command =
  | { kind: 'help' }
  | { kind: 'version' }
  | { kind: 'replay'; options: ReplayOptions }
  | { kind: 'probe'; options: ProbeOptions };

/** How the report is printed. */
interface OutputOptions {
  json: boolean;
  verbose: boolean;
  headerPrefix?: string;
}

/** Options of `--replay`. */
export interface ReplayOptions extends OutputOptions {
  file: string;
}

/** Options of a probe. */
export interface ProbeOptions extends OutputOptions {
  baseUrl?: string;
  authHeader?: string;
  write: boolean;
  /** Where to receive a delivery. */
  webhook?: { url: string; port: number };
  htmlFile?: string;
  shapeFile: string;
}

const OPTIONS = {
  'base-url': 'string',
  write: 'boolean',
  webhook: 'string',
  port: 'string',
  replay: 'string',
  json: 'boolean',
  html: 'string',
  shape: 'string',
  verbose: 'boolean',
  'auth-header': 'string',
  'header-prefix': 'string',
  help: 'boolean',
  version: 'boolean',
} as const;
type Option = keyof typeof OPTIONS;

/** Options that make sense with a captured delivery. */
const FOR_REPLAY: readonly Option[] = ['replay', 'json', 'verbose', 'header-prefix'];

const SECRET = /key|token|secret|auth|password|bearer/i;
/** How an option is written. Keys have digits or other characters. */
const PLAIN = /^--?[a-z-]{1,20}$/i;

/**
 * Reads the command line.
 * @throws UsageError for anything but the options above, without repeating a value
 */
export function readArguments(args: readonly string[]): Command {
  const given = parse(args);
  if (given.has('help')) return { kind: 'help' };
  if (given.has('version')) return { kind: 'version' };
  const text = (name: Option) => given.get(name);
  const headerPrefix = text('header-prefix');
  const output = {
    json: given.has('json'),
    verbose: given.has('verbose'),
    ...(headerPrefix !== undefined && { headerPrefix }),
  };
  const file = text('replay');
  if (file !== undefined) {
    const other = [...given.keys()].find((name) => !FOR_REPLAY.includes(name));
    if (other !== undefined)
      throw new UsageError(`--${other} can't be used with --replay, which works offline.`);
    return { kind: 'replay', options: { ...output, file } };
  }
  const [baseUrl, authHeader, htmlFile] = [text('base-url'), text('auth-header'), text('html')];
  const webhook = readWebhook(text('webhook'), text('port'), given.has('write'));
  return {
    kind: 'probe',
    options: {
      ...output,
      ...(baseUrl !== undefined && { baseUrl }),
      ...(authHeader !== undefined && { authHeader }),
      write: given.has('write'),
      ...(webhook !== undefined && { webhook }),
      ...(htmlFile !== undefined && { htmlFile }),
      shapeFile: text('shape') ?? SHAPE_FILE,
    },
  };
}

function parse(args: readonly string[]): Map<Option, string> {
  const options = Object.fromEntries(Object.entries(OPTIONS).map(([name, type]) => [name, { type }]));
  const { tokens } = parseArgs({
    args: args.map((arg) => (arg === '-h' ? '--help' : arg)),
    options,
    strict: false,
    tokens: true,
  });
  const given = new Map<Option, string>();
  for (const token of tokens) {
    if (token.kind !== 'option') throw unexpected();
    const { name, rawName, value = '', inlineValue = false } = token;
    if (!isOption(name)) throw unexpected(rawName);
    if (given.has(name)) throw new UsageError(`--${name} is given twice.`);
    if (OPTIONS[name] === 'boolean') {
      if (inlineValue) throw new UsageError(`--${name} doesn't take a value: see --help.`);
    } else if (value.trim() === '' || (!inlineValue && value.startsWith('-')))
      throw new UsageError(`--${name} must be followed by a value: see --help.`);
    given.set(name, value);
  }
  return given;
}

const isOption = (name: string): name is Option => Object.hasOwn(OPTIONS, name);

/** An argument may be a key, so no error repeats a value. */
function unexpected(option?: string): UsageError {
  if (option === undefined || SECRET.test(option) || !PLAIN.test(option))
    return new UsageError(
      'There is an argument that is not an option. If it is an API key or a secret: other users of this machine can see arguments, and your shell keeps them. Set QR_SERVICE_API_KEY, or wait to be asked.',
    );
  return new UsageError(`There is no option ${option}: see --help.`);
}

function readWebhook(url: string | undefined, port: string | undefined, write: boolean) {
  if (url === undefined) {
    if (port !== undefined) throw new UsageError('--port is only used with --webhook.');
    return undefined;
  }
  if (!write) throw new UsageError('--webhook creates a subscription and a code: add --write to allow that.');
  const problem = checkWebhookUrl(url);
  if (problem !== undefined)
    throw new UsageError(`--webhook must be the public https:// address of your tunnel. ${problem}`);
  return { url, port: port === undefined ? DEFAULT_WEBHOOK_PORT : readPort(port) };
}

function readPort(value: string): number {
  const port = /^\d{1,5}$/.test(value) ? Number(value) : NaN;
  if (port <= 65_535) return port;
  throw new UsageError('--port must be a number from 0 to 65535.');
}
