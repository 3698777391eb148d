import type { KeyOptions } from './keyOptions.ts';
import type { Dimension } from './scanDimensions.ts';
import type { Seed } from './seed.ts';
import type { WireShape } from './wireShape.ts';

/** How many requests a key may send in a window. */
export interface RateLimitOptions {
  limit: number;
  windowSeconds: number;
}

/** How an emulator is to be. Everything has a default. */
export interface EmulatorOptions {
  /** Port to listen on. Default 0: any free one. */
  port?: number;
  /** Address to listen on. Default `127.0.0.1`. */
  host?: string;
  /** SQLite file that keeps everything, or `:memory:` (default). */
  db?: string;
  /** Base of the codes' short links. Default: this server's own `/r`. */
  redirectUrl?: string;
  /** Where deliveries to a public host really go, in plain HTTP: `{ 'hooks.example.com': '127.0.0.1:5678' }`. */
  connectTo?: Readonly<Record<string, string>>;
  /** Default: 2,000 requests in 10 seconds. */
  rateLimit?: RateLimitOptions;
  /** Milliseconds before the first retry of a delivery; doubles with each. Default 1,000. */
  retryBaseMs?: number;
  /** Scan dimensions that the workspace's privacy settings permit. Default: all. */
  allowedDimensions?: readonly Dimension[];
  /** How what the API text leaves open is filled. */
  wireShape?: WireShape;
  /** Secret of the all-scopes key. Default: a random one. */
  apiKey?: string;
  /** Further keys to make. */
  keys?: readonly KeyOptions[];
  /** What to begin with, where the database has neither codes nor subscriptions yet. */
  seed?: Seed;
  /** Makes ids, slugs and secrets the same ones each time: same seed, same calls, same ids. Default: random ones. */
  idSeed?: string;
  /** Settled deliveries that are kept, the latest ones. Default 10,000. */
  deliveriesKept?: number;
  /** Clock, in milliseconds since the epoch. Default `Date.now`. */
  now?: () => number;
  /** Told a line for each request and delivery. Default: nobody. */
  log?: (line: string) => void;
}

export const DEFAULT_RATE_LIMIT: RateLimitOptions = { limit: 2_000, windowSeconds: 10 };
export const DEFAULT_RETRY_BASE_MS = 1_000;
export const DEFAULT_DELIVERIES_KEPT = 10_000;
