import { CONTROL_PATH } from '../../http/control/index.ts';
import { CommandError } from './command.ts';
import { DEFAULT_PORT } from './defaultPort.ts';
import { UsageError } from './UsageError.ts';

/** Where a command expects the emulator. */
export const DEFAULT_URL = `http://127.0.0.1:${DEFAULT_PORT}`;

/** How long an emulator may take to respond. */
const TIMEOUT_MS = 60_000;

/** Calls the control API of a running emulator. */
export interface ControlClient {
  /** Address of the emulator, without a trailing slash. */
  readonly url: string;
  /**
   * Calls a route and returns the JSON of its response, or undefined if it has none.
   * @param path under `/_emulator`
   * @throws CommandError when no emulator responds, or it refuses the call
   */
  call(method: string, path: string, body?: unknown): Promise<unknown>;
}

/** @throws UsageError for an address that can't be used */
export function createControlClient(address: string): ControlClient {
  const url = readUrl(address);
  return {
    url,
    async call(method, path, body) {
      let response: Response;
      let text: string;
      try {
        response = await fetch(url + CONTROL_PATH + path, {
          method,
          ...(body === undefined ? {} : { body: JSON.stringify(body) }),
          signal: AbortSignal.timeout(TIMEOUT_MS),
        });
        text = await response.text();
      } catch (error) {
        throw noAnswer(url, error);
      }
      return readResponse(url, response.status, text);
    },
  };
}

/** No emulator responds at the address. */
export function noAnswer(url: string, error: unknown): CommandError {
  const { code, message, cause } = error as NodeJS.ErrnoException & { cause?: NodeJS.ErrnoException };
  const reason = cause?.code ?? code ?? cause?.message ?? message;
  return new CommandError(
    `No emulator responds at ${url} (${reason}). Start one with qr-service-emulator, or pass the address that it printed with --url.`,
  );
}

/**
 * Reads a response of the control API.
 * @throws CommandError when it is a refusal, or not from an emulator
 */
export function readResponse(url: string, status: number, text: string): unknown {
  if (status === 204) return undefined;
  const json = parse(text);
  if (status === 200 && json !== undefined) return json;
  const sentence = (json as { error?: unknown } | undefined)?.error;
  if (typeof sentence !== 'string' || status === 200)
    throw new CommandError(
      `The server at ${url} isn't a QR service emulator (status ${status}). Pass the address that the emulator printed with --url.`,
    );
  if (sentence.includes("doesn't exist. GET "))
    throw new CommandError(
      `The emulator at ${url} is of another version and doesn't have this command. Restart it with this version.`,
    );
  throw new CommandError(sentence);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function readUrl(address: string): string {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol))
    throw new UsageError(
      `--url must be the address that the emulator printed, for example ${DEFAULT_URL}, not ${address}.`,
    );
  return url.origin;
}
