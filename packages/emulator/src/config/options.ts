import type { AuthHeader } from '@qr-service/core';
import type { ServiceShape, WireShape } from '@qr-service/core/shape';
import type { KeyOptions } from './keyOptions.ts';
import { DIMENSIONS, type Dimension } from './scanDimensions.ts';
import type { Seed } from './seed.ts';

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
  /** JSON file with the whole state, read at the start and written by `stop()`. Default `:memory:`: none. */
  db?: string;
  /** Base URL of the codes' short links. Default: this server's own `/r`. */
  redirectUrl?: string;
  /** Sends deliveries for a public host elsewhere, in plain HTTP: `{ 'hooks.example.com': '127.0.0.1:5678' }`. */
  connectTo?: Readonly<Record<string, string>>;
  /**
   * Shape of a service, as `qr-service-probe` writes it to `shape.json`. The other options override its parts, and so does
   * each point of `wireShape`.
   */
  shape?: ServiceShape;
  /** Default: 2,000 requests in 10 seconds. */
  rateLimit?: RateLimitOptions;
  /** Milliseconds before the first retry of a delivery; doubles with each. Default 1,000. */
  retryBaseMs?: number;
  /** Scan dimensions that the workspace's privacy settings allow. Default: all. */
  allowedDimensions?: readonly Dimension[];
  /** How many milliseconds lists are behind. A single code is always up to date. Default 0. */
  visibleAfterMs?: number;
  /** Step of `updatedAt`, in milliseconds: codes changed within one share it. Default 1, so that none do. */
  updatedAtStepMs?: number;
  /** Whether low scores fire `feedback.low_score_received`. Default true. */
  lowScoreNotices?: boolean;
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

/** What can be changed while the emulator runs, apart from the clock, faults and the wire shape. */
export interface Settings {
  /** Scan dimensions that the workspace's privacy settings allow. */
  allowedDimensions: readonly string[];
  /** Whether low scores fire `feedback.low_score_received`. */
  lowScoreNotices: boolean;
  /** How many milliseconds lists are behind. */
  visibleAfterMs: number;
}

/** Parts of the shape that stay the same while the emulator runs. */
export interface FixedSettings extends Required<
  Pick<ServiceShape, 'errors' | 'ignoredParameters' | 'missing' | 'responses'>
> {
  rateLimit: RateLimitOptions;
  /** The only header in which a key is accepted. */
  keyHeader: AuthHeader | undefined;
  /** Names of the fields of a scan row. */
  scanFields: { id: string; qrId: string; scannedAt: string };
}

export const DEFAULT_SETTINGS: Settings = {
  allowedDimensions: DIMENSIONS,
  lowScoreNotices: true,
  visibleAfterMs: 0,
};
export const DEFAULT_RATE_LIMIT: RateLimitOptions = { limit: 2_000, windowSeconds: 10 };
export const DEFAULT_RETRY_BASE_MS = 1_000;
export const DEFAULT_DELIVERIES_KEPT = 10_000;
