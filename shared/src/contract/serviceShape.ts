import type { ErrorCode } from './errorCodes.ts';
import type { AuthHeader } from './headers.ts';
import type { WireShape } from './wireShape.ts';

/**
 * The form of one service where the API text leaves it open, as a JSON file: the probe writes it, the emulator starts in
 * it. Contains no key, secret, name or address. What is missing isn't known, so the emulator's default stands for it.
 */
export interface ServiceShape {
  /** Says what the file is. */
  format: typeof SHAPE_FORMAT;
  /** Version of this format. */
  version: typeof SHAPE_VERSION;
  wireShape: WireShape;
  /**
   * Scan dimensions that the workspace's privacy settings allow.
   * @default unknown
   */
  allowedDimensions?: readonly string[];
  /**
   * Names of the fields of a scan row.
   * @default unknown
   */
  scanFields?: { id?: string; qrId?: string; scannedAt?: string };
  /**
   * What the API text promises, but no response has.
   * @default nothing
   */
  missing?: readonly (typeof MISSING_PARTS)[number][];
  /**
   * Names of query parameters that change nothing, by path as in `responses`.
   * @default none
   */
  ignoredParameters?: Readonly<Record<string, readonly string[]>>;
  /**
   * The only header in which the key is accepted.
   * @default both
   */
  keyHeader?: AuthHeader;
  /**
   * Status and code of an error, instead of those in the API text. A code of null: it has none.
   * @default those in the API text
   */
  errors?: Readonly<Partial<Record<ErrorCode, { status: number; code: string | null }>>>;
  /**
   * How long a written code is missing in lists, in milliseconds.
   * @default unknown
   */
  visibleAfterMs?: number;
  /**
   * Responses that the connector can't read, with texts replaced: the emulator repeats them as they are.
   * @default unknown
   */
  responses?: readonly FixedResponse[];
}

/**
 * A response that stands for all to the requests that it matches: after their work if that succeeds, or, if it is an error,
 * instead of it.
 */
export interface FixedResponse {
  /** In upper case. */
  method: string;
  /** Relative to the API, for example `/qr/*`: `*` matches anything without a slash. */
  path: string;
  /**
   * Query parameters that the request has; a value of `*` stands for any.
   * @default none
   */
  query?: Readonly<Record<string, string>>;
  status: number;
  /**
   * Names in lower case.
   * @default none
   */
  headers?: Readonly<Record<string, string>>;
  /** The body's text, with `{id}` for the ID of the code or subscription. */
  body: string;
}

/** Everything that a service may leave out, apart from the whole response. */
export const MISSING_PARTS = [
  'name',
  'status',
  'updatedAt',
  'publicUrl',
  'scannedAt',
  'allowedDimensions',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'Idempotency-Replayed',
] as const;

const HOUR_MS = 60 * 60 * 1000;

/** Least and greatest value of each number in a shape. Previous versions of codes are kept for a day. */
export const SHAPE_BOUNDS = {
  maxLimit: [1, 2 ** 31 - 1],
  readLagMs: [0, HOUR_MS],
  dateSkewMs: [-24 * HOUR_MS, 24 * HOUR_MS],
  visibleAfterMs: [0, HOUR_MS],
  status: [200, 599],
} as const satisfies Record<string, readonly [min: number, max: number]>;

/** Most characters of a name in a shape. */
export const SHAPE_NAME_LENGTH = 100;

/** Whether a number can be in a shape. */
export function isInBounds(name: keyof typeof SHAPE_BOUNDS, value: unknown): value is number {
  const [min, max] = SHAPE_BOUNDS[name];
  return Number.isInteger(value) && (value as number) >= min && (value as number) <= max;
}

/** Whether a text can be a name in a shape: it isn't blank, and is valid Unicode. */
export function isShapeName(text: string): boolean {
  return text.trim() !== '' && text.length <= SHAPE_NAME_LENGTH && text.isWellFormed();
}

/** Value of `format` in the file of a `ServiceShape`. */
export const SHAPE_FORMAT = 'qr-service-shape';
/** Latest version of the format. */
export const SHAPE_VERSION = 1;
