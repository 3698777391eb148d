import { isIP } from 'node:net';
import type { z } from 'zod';
import { isBoolean, isInteger, isMatch, isOneOf, isText } from '../validation/checks.ts';
import { field, fields, InputError, list, readInput } from '../validation/input.ts';
import { API_KEY, DIMENSIONS, KEY, type Dimension, type KeyOptions, type Seed } from './seed.ts';

/** How many requests a key may send per window. */
export interface RateLimitOptions {
  limit: number;
  windowSeconds: number;
}

const LIST_ORDERS = ['ascending', 'descending', 'id'] as const;
/** Order in which codes are listed. */
export type ListOrder = (typeof LIST_ORDERS)[number];
/** What a repeated Idempotency-Key does. */
const IDEMPOTENCY_MODES = ['replayed', 'refusals not replayed', 'ignored'] as const;
/** Statuses of `DELETE /webhooks/{id}`, which the API text doesn't document. */
const UNSUBSCRIBE_STATUSES = [204, 200, 404, 405, 410, 501] as const;

/** How the service behaves where the API text leaves it open. Can be changed while the emulator runs. */
export interface Settings {
  /** Scan dimensions that the workspace's privacy settings allow. Default: all. */
  allowedDimensions: readonly Dimension[];
  /** Whether low scores fire `feedback.low_score_received`. Default true. */
  lowScoreNotices: boolean;
  /** How many milliseconds lists are behind. A single code is always up to date. Default 0. */
  visibleAfterMs: number;
  /** How many milliseconds `GET /qr/{id}` is behind. Default 0. */
  readLagMs: number;
  /** Order of the codes: by `updatedAt`, oldest first (default) or newest first, or by ID. */
  listOrder: ListOrder;
  /** Whether `updatedSince` and `since` include that exact time (default) or only later ones. */
  listSince: 'inclusive' | 'exclusive';
  /** Largest `limit`; a larger one is 422 `validation_failed`. Default 100. */
  maxLimit: number;
  /** What a repeated Idempotency-Key does. Default `replayed`. */
  idempotency: (typeof IDEMPOTENCY_MODES)[number];
  /** Status of `DELETE /webhooks/{id}`. With an error, the subscription stays. Default 204. */
  unsubscribe: (typeof UNSUBSCRIBE_STATUSES)[number];
}

/** Options of an emulator. All have defaults. */
export interface EmulatorOptions extends Partial<Settings> {
  /** Port to listen on. Default 0: any free one. */
  port?: number;
  /** Address to listen on. Default `127.0.0.1`. */
  host?: string;
  /** JSON file with the whole state, read at the start and written by `stop()`. Default: none. */
  db?: string;
  /** Base URL of the codes' short links. Default: this server's own `/r`. */
  redirectUrl?: string;
  /** Sends deliveries for a public host elsewhere, in plain HTTP: `{ 'hooks.example.com': '127.0.0.1:5678' }`. */
  connectTo?: Readonly<Record<string, string>>;
  /** Default: 2,000 requests in 10 seconds. */
  rateLimit?: RateLimitOptions;
  /** Milliseconds before the first retry of a delivery; doubles with each. Default 1,000. */
  retryBaseMs?: number;
  /** Step of `updatedAt`, in milliseconds: codes changed within one share it. Default 1, so that none do. */
  updatedAtStepMs?: number;
  /** Secret of the all-scopes key. Default: a random one. */
  apiKey?: string;
  /** Further keys to create. */
  keys?: readonly KeyOptions[];
  /** Initial data. Used only if the database has no codes or subscriptions yet. */
  seed?: Seed;
  /** Makes ids, slugs and secrets reproducible: same seed, same calls, same ids. Default: random ones. */
  idSeed?: string;
  /** How many of the latest settled deliveries are kept. Default 10,000. */
  deliveriesKept?: number;
  /** Changes the API's responses before they are sent, for a form that the API text leaves open. Default: none. */
  rewriteResponse?: RewriteResponse;
  /** Clock, in milliseconds since the epoch. Default `Date.now`. */
  now?: () => number;
  /** Called with a line for each request and delivery. Default: none. */
  log?: (line: string) => void;
}

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

const HOUR_MS = 60 * 60 * 1000;
/** With a longer redirect URL, a symbol would have more modules than the smallest image has pixels. */
const MAX_REDIRECT_URL_LENGTH = 100;

const DEFAULT_SETTINGS: Settings = {
  allowedDimensions: DIMENSIONS,
  lowScoreNotices: true,
  visibleAfterMs: 0,
  readLagMs: 0,
  listOrder: 'ascending',
  listSince: 'inclusive',
  maxLimit: 100,
  idempotency: 'replayed',
  unsubscribe: 204,
};

const integer = (min: number, max: number) => field<number>(isInteger(min, max)).optional();
const SETTINGS_SHAPE = {
  allowedDimensions: list(field(isOneOf(DIMENSIONS))).optional(),
  lowScoreNotices: field(isBoolean).optional(),
  visibleAfterMs: integer(0, HOUR_MS),
  readLagMs: integer(0, HOUR_MS),
  listOrder: field(isOneOf(LIST_ORDERS)).optional(),
  listSince: field(isOneOf(['inclusive', 'exclusive'])).optional(),
  maxLimit: integer(1, 1_000_000),
  idempotency: field(isOneOf(IDEMPOTENCY_MODES)).optional(),
  unsubscribe: field(isOneOf(UNSUBSCRIBE_STATUSES)).optional(),
};

/** Settings to change. */
export const SETTINGS = fields(SETTINGS_SHAPE);

const isFunction = field((value) =>
  typeof value === 'function' ? undefined : 'must be a function',
).optional();
const text = (max: number) => field<string>(isText(max)).optional();
const OPTIONS = fields({
  ...SETTINGS_SHAPE,
  port: integer(0, 65_535),
  host: text(255),
  db: text(4096),
  redirectUrl: field<string>(
    isMatch(
      new RegExp(`^(?=.{1,${MAX_REDIRECT_URL_LENGTH}}$)https?://[^?#]+$`),
      `must be an absolute http or https URL of at most ${MAX_REDIRECT_URL_LENGTH} characters, without a query`,
    ),
  ).optional(),
  connectTo: field((value) =>
    typeof value === 'object' && value !== null ? undefined : 'must be an object',
  ).optional(),
  rateLimit: fields({
    limit: field(isInteger(1, 1e9)),
    windowSeconds: field(isInteger(1, 1e6)),
  }).optional(),
  retryBaseMs: integer(0, 24 * HOUR_MS),
  updatedAtStepMs: integer(1, HOUR_MS),
  apiKey: API_KEY.optional(),
  keys: list(KEY).optional(),
  seed: field(() => undefined).optional(),
  idSeed: text(1000),
  deliveriesKept: integer(0, 1e9),
  rewriteResponse: isFunction,
  now: isFunction,
  log: isFunction,
});

/**
 * Checks the options. The seed has a reader of its own.
 * @throws InputError naming the option that is invalid
 */
export function checkOptions(options: EmulatorOptions): void {
  readInput(OPTIONS as z.ZodType, options);
}

/**
 * Changes the settings that are given.
 * @param before default: the settings of an emulator without options
 * @throws InputError for an invalid one
 */
export function changeSettings(given: Partial<Settings>, before: Settings = DEFAULT_SETTINGS): Settings {
  const names = Object.keys(DEFAULT_SETTINGS) as (keyof Settings)[];
  const known = names.filter((name) => given[name] !== undefined).map((name) => [name, given[name]]);
  return { ...before, ...(Object.fromEntries(known) as Partial<Settings>) };
}

/** Where a delivery is sent instead of its URL's host. */
export interface Endpoint {
  host: string;
  port: number;
}

/** Returns the endpoint for a URL, or undefined if it goes to its own host. */
export type ConnectTo = (url: URL) => Endpoint | undefined;

/**
 * Reads the rules of `connectTo`: a host, or `host:port`, and the `address:port` that replaces it.
 * @throws InputError naming the invalid rule
 */
export function readConnectTo(rules: Readonly<Record<string, string>> = {}): ConnectTo {
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
  if (host === '' || !good || port < 1 || port > 65535)
    throw new InputError('connectTo', `must have the form host=address:port, not ${host}=${to}`);
  return { host: address, port };
}
