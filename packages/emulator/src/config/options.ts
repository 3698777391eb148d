import type { KeyOptions } from './keyOptions.ts';
import type { Dimension } from './scanDimensions.ts';
import type { Seed } from './seed.ts';
import type { WireShape } from './wireShape.ts';

/** How many requests a key may send per window. */
export interface RateLimitOptions {
  limit: number;
  windowSeconds: number;
}

/** Options of an emulator. All have defaults. */
export interface EmulatorOptions {
  /** Port to listen on. Default 0: any free one. */
  port?: number;
  /** Address to listen on. Default `127.0.0.1`. */
  host?: string;
  /** SQLite file to store everything in, or `:memory:` (default). */
  db?: string;
  /** Base URL of the codes' short links. Default: this server's own `/r`. */
  redirectUrl?: string;
  /** Sends deliveries for a public host elsewhere, in plain HTTP: `{ 'hooks.example.com': '127.0.0.1:5678' }`. */
  connectTo?: Readonly<Record<string, string>>;
  /** Default: 2,000 requests in 10 seconds. */
  rateLimit?: RateLimitOptions;
  /** Milliseconds before the first retry of a delivery; doubles with each. Default 1,000. */
  retryBaseMs?: number;
  /** Scan dimensions that the workspace's privacy settings allow. Default: all. */
  allowedDimensions?: readonly Dimension[];
  /** Form of the responses where the API text leaves it open. */
  wireShape?: WireShape;
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
  /** Clock, in milliseconds since the epoch. Default `Date.now`. */
  now?: () => number;
  /** Called with a line for each request and delivery. Default: none. */
  log?: (line: string) => void;
}

export const DEFAULT_RATE_LIMIT: RateLimitOptions = { limit: 2_000, windowSeconds: 10 };
export const DEFAULT_RETRY_BASE_MS = 1_000;
export const DEFAULT_DELIVERIES_KEPT = 10_000;
