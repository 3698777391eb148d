import { clip } from '../wire/record.ts';

/** Characters of a message: some of them are the service's own. */
const LONGEST_MESSAGE = 2000;

const BRANDED = Symbol.for('@qr-service/core/error');

/** Base of every error that the core throws. `code` is a stable string to branch on. */
export class QrServiceError extends Error {
  override readonly name: string = 'QrServiceError';
  /** Stable string to branch on. */
  readonly code: string;
  /** Where a walk was when it failed: all rows before this cursor were given. Pass it on to go on. */
  cursor?: string;
  /** The Idempotency-Key that was sent: with it the caller may safely send the same call again. */
  idempotencyKey?: string;

  constructor(message: string, options: { code: string; cause?: unknown }) {
    super(clip(message, LONGEST_MESSAGE), options.cause === undefined ? undefined : { cause: options.cause });
    this.code = options.code;
    // Not enumerable and found by name, so that a guard also knows an error of another loaded copy.
    Object.defineProperty(this, BRANDED, { value: true });
  }
}

/** Whether a thrown value is an error of the core, of this copy or of another loaded one. */
export function isQrServiceError(error: unknown): error is QrServiceError {
  return error instanceof Error && BRANDED in error;
}
