import type { ImageFormat } from './types.ts';
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
   * Names of the fields of a scan row. An `id` of null: rows have none.
   * @default unknown
   */
  scanFields?: { id?: string | null; qrId?: string; scannedAt?: string };
  /**
   * What an image is without `format` and `size`.
   * @default unknown
   */
  images?: { format?: ImageFormat; size?: number };
  /**
   * How long a written code is missing in lists, in milliseconds.
   * @default unknown
   */
  visibleAfterMs?: number;
  /**
   * The service's clock minus the real time, in milliseconds.
   * @default unknown
   */
  clockSkewMs?: number;
  /**
   * Responses that the connector can't read, with texts replaced: the emulator repeats them as they are.
   * @default unknown
   */
  responses?: readonly FixedResponse[];
}

/** A response that stands for all to the requests that it matches. */
export interface FixedResponse {
  /** In upper case. */
  method: string;
  /** Relative to the API, for example `/qr/*`: `*` matches anything without a slash. */
  path: string;
  status: number;
  /**
   * Names in lower case.
   * @default none
   */
  headers?: Readonly<Record<string, string>>;
  /** The body's text. */
  body: string;
}

/** Value of `format` in the file of a `ServiceShape`. */
export const SHAPE_FORMAT = 'qr-service-shape';
/** Latest version of the format. */
export const SHAPE_VERSION = 1;
