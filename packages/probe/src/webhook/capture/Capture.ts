import type { Delivery } from '../Delivery.ts';

/** A request in a file. The body is undefined if the file doesn't have it. */
export type Capture = Omit<Delivery, 'body' | 'others'> & { body?: Uint8Array | undefined };

/** A file that may have captured requests, in the forms that readers need. */
export interface CaptureFile {
  /** In UTF-8, without a byte order mark. */
  bytes: Buffer;
  /** The bytes as text, one character each, so that none is lost. */
  latin1: string;
  /** The value, if it is JSON; undefined otherwise. */
  json: unknown;
}

/** A captured delivery can't be read. The message is a whole sentence. */
export class CaptureError extends Error {
  override readonly name = 'CaptureError';
}
