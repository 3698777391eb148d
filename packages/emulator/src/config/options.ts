import { isIP } from 'node:net';
import { z } from 'zod';
import { BOOLEAN, integer, matching, oneOf, text } from '../validation/checks.ts';
import { field, fields, InputError, list } from '../validation/input.ts';
import { API_KEY, DIMENSIONS, KEY, SEED } from './seed.ts';

/** Changes a response, or returns another. */
export type RewriteResponse = (draft: ResponseDraft, request: SeenRequest) => ResponseDraft | undefined;

/** A response that may be changed before it is sent. */
export interface ResponseDraft {
  /** 0 cuts the connection without a response. */
  status: number;
  /** Names in lower case. */
  headers: Record<string, string>;
  /** The parsed body, which is sent as JSON; undefined if the body isn't JSON. */
  json: unknown;
  /** The body if it isn't JSON. */
  bytes: Buffer;
}

/** The request that a response is for. */
export interface SeenRequest {
  method: string;
  /** Below the API, without the query. */
  path: string;
  query: URLSearchParams;
  /** Text of the body; empty for none. */
  body: string;
}

/** Environment variable with the API key of the command. */
export const KEY_VARIABLE = 'QR_SERVICE_API_KEY';

/** An API key as it is shown: of one from the environment, only the variable, as it may be a real one. */
export const shownKey = (apiKey: string): string =>
  apiKey === process.env[KEY_VARIABLE] ? `$${KEY_VARIABLE}` : apiKey;

const HOUR_MS = 60 * 60 * 1000;
/** With a longer redirect URL, a symbol would have more modules than the smallest image has pixels. */
const MAX_REDIRECT_URL_LENGTH = 100;

/** How the service behaves where the API leaves it open (docs/api.md). */
export const SETTINGS = fields({
  /** Scan dimensions that the workspace's privacy settings allow. Default: all. */
  allowedDimensions: list(oneOf(DIMENSIONS)).default(DIMENSIONS),
  /** Whether low scores fire `feedback.low_score_received`. Default true. */
  lowScoreNotices: BOOLEAN.default(true),
  /** How many milliseconds lists are behind. A single code is always up to date. Default 0. */
  visibleAfterMs: integer(0, HOUR_MS).default(0),
  /** How many milliseconds `GET /qr/{id}` is behind. Default 0. */
  readLagMs: integer(0, HOUR_MS).default(0),
  /** Order of the codes: by `updatedAt`, oldest first (default) or newest first, or by ID. */
  listOrder: oneOf(['ascending', 'descending', 'id']).default('ascending'),
  /** Whether `updatedSince` and `since` include that exact time (default) or only later ones. */
  listSince: oneOf(['inclusive', 'exclusive']).default('inclusive'),
  /** Largest `limit`; a larger one is 422 `validation_failed`. Default 100. */
  maxLimit: integer(1, 1_000_000).default(100),
  /** What a repeated Idempotency-Key does. Default `replayed`. */
  idempotency: oneOf(['replayed', 'refusals not replayed', 'ignored']).default('replayed'),
  /** Status of the undocumented `DELETE /webhooks/{id}`. With an error, the subscription stays. Default 204. */
  unsubscribe: oneOf([204, 200, 404, 405, 410, 501]).default(204),
});

/** How the service behaves where the API leaves it open. Can be changed while the emulator runs. */
export type Settings = z.output<typeof SETTINGS>;
/** Order in which codes are listed. */
export type ListOrder = Settings['listOrder'];

const RATE_LIMIT = fields({ limit: integer(1, 1e9), windowSeconds: integer(1, 1e6) });

/** How many requests a key may send per window. */
export type RateLimitOptions = z.output<typeof RATE_LIMIT>;

/** Options of an emulator, for checking external input. */
export const OPTIONS = fields({
  ...SETTINGS.shape,
  /** Port to listen on. Default 0: any free one. */
  port: integer(0, 65_535).default(0),
  /** Address to listen on. Default `127.0.0.1`. */
  host: text(255).default('127.0.0.1'),
  /** JSON file with the whole state, read at the start and written by `stop()`. Default: none. */
  db: text(4096).optional(),
  /** Base URL of the codes' short links. Default: this server's own `/r`. */
  redirectUrl: matching(
    new RegExp(`^(?=.{1,${MAX_REDIRECT_URL_LENGTH}}$)https?://[^?#]+$`),
    `must be an absolute http or https URL of at most ${MAX_REDIRECT_URL_LENGTH} characters, without a query`,
  ).optional(),
  /** Sends deliveries for a public host elsewhere, in plain HTTP: `{ 'hooks.example.com': '127.0.0.1:5678' }`. */
  connectTo: z.record(z.string(), z.string(), { error: 'must be an object' }).default({}),
  /** Default: 2,000 requests in 10 seconds. */
  rateLimit: RATE_LIMIT.default({ limit: 2_000, windowSeconds: 10 }),
  /** Milliseconds before the first retry of a delivery; doubles with each. Default 1,000. */
  retryBaseMs: integer(0, 24 * HOUR_MS).default(1_000),
  /** Step of `updatedAt`, in milliseconds: codes changed within one share it. Default 1, so that none do. */
  updatedAtStepMs: integer(1, HOUR_MS).default(1),
  /** Secret of the all-scopes key. Default: a random one. */
  apiKey: API_KEY.optional(),
  /** Further keys to create. */
  keys: list(KEY).default([]),
  /** Initial data. Used only if the database has no codes or subscriptions yet. */
  seed: SEED.prefault({}),
  /** Makes ids, slugs and secrets reproducible: same seed, same calls, same ids. Default: random ones. */
  idSeed: text(1000).optional(),
  /** Changes the API's responses before they are sent, for a form that the API leaves open. Default: none. */
  rewriteResponse: callback<RewriteResponse>().optional(),
  /** Clock, in milliseconds since the epoch. Default `Date.now`. */
  now: callback<() => number>().default(() => Date.now),
  /** Called with a line for each request and delivery. Default: none. */
  log: callback<(line: string) => void>().default(() => () => undefined),
});

/** Options of an emulator. All have defaults. */
export type EmulatorOptions = z.input<typeof OPTIONS>;

function callback<Callback>() {
  return field<Callback>((value) => (typeof value === 'function' ? undefined : 'must be a function'));
}

/** Where a delivery is sent instead of its URL's host. */
export interface Endpoint {
  host: string;
  port: number;
}

/** Returns the endpoint for a URL, or undefined if it goes to its own host. */
export type ConnectTo = (url: URL) => Endpoint | undefined;

/** A host as in the URL of a delivery, with its port unless that is the default. */
const HOST = /^(\[[\da-f:]+\]|[\w.-]+)(:(?!443$)\d+)?$/i;

/**
 * Reads the rules of `connectTo`: a host, or `host:port`, and the `address:port` that replaces it.
 * @throws InputError naming the invalid rule
 */
export function readConnectTo(rules: Readonly<Record<string, string>>): ConnectTo {
  const endpoints = new Map(
    Object.entries(rules).map(([host, to]) => [host.toLowerCase(), endpoint(host, to)]),
  );
  return (url) => endpoints.get(url.host) ?? endpoints.get(url.hostname);
}

function endpoint(host: string, to: string): Endpoint {
  const match = /^(?:\[([^\]]+)\]|([^:[\]]+)):(\d{1,5})$/.exec(to);
  const address = match?.[1] ?? match?.[2];
  const port = Number(match?.[3]);
  const good = address !== undefined && (match?.[1] === undefined || isIP(address) === 6);
  if (!HOST.test(host) || !good || port < 1 || port > 65535)
    throw new InputError('connectTo', `must look like n8n.example.com=127.0.0.1:5678, not ${host}=${to}`);
  return { host: address, port };
}
