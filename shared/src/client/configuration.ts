import { API_PATH, BRAND } from '../contract/brand.ts';
import { authHeader, type AuthHeader } from '../contract/headers.ts';
import { invalidInput } from '../errors/QrServiceError.ts';
import { omitUndefined } from '../json/json.ts';
import { idempotencyKeyFrom } from './idempotencyKey.ts';
import { readRetry, type RetryOptions } from './retry.ts';
import type { Sleep, Transport } from './transport.ts';

/** Options of a `QrServiceClient`. */
export interface ClientOptions {
  /** Secret API key (docs/api.md#authentication). If it is undefined, the client throws `invalid_input`. */
  apiKey: string | undefined;
  /** Base URL of the service, with or without the API path. Default: the service's own. */
  baseUrl?: string | undefined;
  /** Sends the requests. Default: `undiciTransport()`. */
  transport?: Transport;
  /** Header that contains the key. Default: 'authorization'. */
  authHeader?: AuthHeader;
  /**
   * Where codes may point: hosts such as `example.com`, `*.example.com` (its subdomains only) or `example.com/menu`,
   * for https unless the entry starts with `http://`. A list, or text with white space or commas between the entries.
   * Creations and retargetings that lead elsewhere, and content other than a URL, throw `target_not_allowed` before
   * any request. Default: everywhere.
   */
  allowedTargets?: string | readonly string[];
  /** Retry limits; `false` sends each request once. Default: 5 attempts within 60 seconds. */
  retry?: RetryOptions | false;
  /** Time limit of one attempt, in milliseconds. Default: 30_000. */
  timeoutMs?: number;
  /** Time limit of each whole call, including all attempts and waits, in milliseconds. Default: the limits of `retry`. */
  totalTimeoutMs?: number;
  /** Waits before retries and for the rate limit; may reject instead. Without it, nothing is retried. Default: transport.sleep. */
  sleep?: Sleep;
  /** The clock, in milliseconds since the epoch. Default: Date.now. */
  now?: () => number;
  /** The `User-Agent` header. Default: no header. */
  userAgent?: string;
}

/** Options of a client that has no transport of its own. */
export interface PlatformClientOptions extends ClientOptions {
  transport: Transport;
}

const DEFAULT_TIMEOUT_MS = 30_000;
const EXPECTED_URL = `Expected something like ${BRAND.baseUrl}.`;
const LONGEST_TIMEOUT_MS = 2 ** 31 - 1;
/** A shorter key isn't a secret, and may be part of any word. */
const MIN_SECRET_LENGTH = 8;
/** This machine, and names that exist only on a private network, such as a container's. */
const LOCAL_HOST = /^([^.[]+|.+\.(localhost|local|internal)|127(\.\d+){3}|\[::1\])\.?$/;

/** The API's base URL, without a trailing slash. Throws `invalid_input` for one that would send the key unencrypted, too. */
export function readBaseUrl(baseUrl: string = BRAND.baseUrl): string {
  if (typeof baseUrl !== 'string' || !URL.canParse(baseUrl.trim()))
    throw invalidInput("Base URL isn't a valid URL.", EXPECTED_URL);
  const url = new URL(baseUrl.trim());
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && allowsHttp(url)))
    throw invalidInput(
      'Base URL must start with https://.',
      'Otherwise others could read the API key. http:// is allowed on your own machine or network only: localhost, a name without a dot, *.local or *.internal.',
    );
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '')
    throw invalidInput('Base URL contains a user name, a query or a fragment.', EXPECTED_URL);
  const path = url.pathname.replace(/(?<!\/)\/+$/, '');
  return url.origin + (path.endsWith(API_PATH) ? path : path + API_PATH);
}

/** Whether an address may start with http://. */
export function allowsHttp({ hostname }: URL): boolean {
  return LOCAL_HOST.test(hostname);
}

/** The API key, without the whitespace that copying may add. Throws `invalid_input` if it can't be a header's value. */
export function readApiKey(apiKey: string | undefined): string {
  const key = typeof apiKey === 'string' ? apiKey.trim() : '';
  if (key === '') throw invalidInput('The API key is empty.', 'Create an API key in the app and enter it.');
  if (!/^[\x21-\x7e]+$/.test(key))
    throw invalidInput(
      'The API key contains invalid characters.',
      'Copy it again from the app, without "Bearer".',
    );
  return key;
}

/** Hides the API key in a text. */
export type Mask = (text: string) => string;

/** Hides an API key as it is, in a URL or in JSON: what fails may repeat the whole request. */
function maskOf(apiKey: string): Mask {
  if (apiKey.length < MIN_SECRET_LENGTH) return (text) => text;
  const forms = [apiKey, encodeURIComponent(apiKey), JSON.stringify(apiKey).slice(1, -1)];
  return (text) => forms.reduce((rest, form) => rest.replaceAll(form, '[API key]'), text);
}

/** Returns a time limit in milliseconds, or throws `invalid_input` if it isn't a positive number. */
export function readTimeout(ms: number, name: 'timeoutMs' | 'totalTimeoutMs'): number {
  if (ms > 0 && ms <= LONGEST_TIMEOUT_MS) return ms;
  throw invalidInput(`${name} must be a number of milliseconds above 0.`);
}

/** What a client's options mean. */
export type Settings = ReturnType<typeof readOptions>;

/** Reads a client's options, or throws `invalid_input`. */
export function readOptions(options: PlatformClientOptions) {
  const apiKey = readApiKey(options.apiKey);
  const baseUrl = readBaseUrl(options.baseUrl);
  const { totalTimeoutMs } = options;
  const timeoutMs = readTimeout(options.timeoutMs ?? DEFAULT_TIMEOUT_MS, 'timeoutMs');
  const [name, value] = authHeader({ apiKey, authHeader: options.authHeader });
  return {
    transport: options.transport,
    baseUrl,
    timeoutMs,
    totalTimeoutMs: totalTimeoutMs === undefined ? Infinity : readTimeout(totalTimeoutMs, 'totalTimeoutMs'),
    /** Distinguishes accounts without storing the key. */
    account: idempotencyKeyFrom([baseUrl, apiKey]),
    headers: { [name]: value, ...omitUndefined({ 'User-Agent': options.userAgent }) },
    retry: readRetry(options.retry, timeoutMs),
    now: options.now ?? Date.now,
    sleep: options.sleep ?? options.transport.sleep,
    mask: maskOf(apiKey),
  };
}
