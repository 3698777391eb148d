import type { ErrorCode } from '../contract/errorCodes.ts';
import type { VerificationFailure } from './WebhookVerificationError.ts';
import { clip } from './clip.ts';
import type { TransportFailure } from './TransportError.ts';

/** Characters of a message: some of them are the service's own. */
const LONGEST_MESSAGE = 2000;

const BRANDED = Symbol.for('@qr-service/core/error');

/**
 * Codes of errors that are a `QrServiceError` and nothing more specific.
 *
 * - `invalid_input`: an option or an id can't be used; nothing was sent
 * - `unreadable_response`: the service responded in a form that is not known
 * - `repeated_cursor`: a list returned the same cursor twice
 * - `endless_list`: a list returned too many pages without a row
 */
export type CoreErrorCode = 'invalid_input' | 'unreadable_response' | 'repeated_cursor' | 'endless_list';

/**
 * Every code that is known: the documented ones of the service (API text, "Errors"), `http_` and the status of a
 * failure without a code, the kinds of a `TransportError`, the reasons of a `WebhookVerificationError` and the core's own.
 */
export type QrServiceErrorCode =
  ErrorCode | `http_${number}` | TransportFailure | VerificationFailure | CoreErrorCode;

/** Base of every error that the core throws. `code` is a stable string to branch on. */
export class QrServiceError extends Error {
  override readonly name: string = 'QrServiceError';
  /** Stable string to branch on; the service may add codes. */
  readonly code: QrServiceErrorCode | (string & {});
  /** Where a walk was when it failed: all rows before this cursor were given. Pass it on to go on. */
  cursor?: string;
  /** The Idempotency-Key that was sent: with it the caller may safely send the same call again. */
  idempotencyKey?: string;

  constructor(message: string, options: { code: QrServiceErrorCode | (string & {}); cause?: unknown }) {
    super(clip(message, LONGEST_MESSAGE), options.cause === undefined ? undefined : { cause: options.cause });
    this.code = options.code;
    // Not enumerable and found by name, so that a guard also knows an error of another loaded copy.
    Object.defineProperty(this, BRANDED, { value: true });
  }
}

/**
 * Whether a thrown value is any error of the core, from this copy or another.
 * @example
 * ```ts
 * import { isQrServiceError } from '@qr-service/core';
 *
 * try {
 *   await client.qr.get('');
 * } catch (error) {
 *   if (!isQrServiceError(error)) throw error;
 *   console.log(error.code); // invalid_input
 * }
 * ```
 */
export function isQrServiceError(error: unknown): error is QrServiceError {
  return error instanceof Error && BRANDED in error;
}
