import type { TransportFailure } from './codes.ts';
import { isQrServiceError, QrServiceError } from './QrServiceError.ts';

/** There is no usable response: the network, a limit or the caller ended the request. `code` equals `kind`. */
export class TransportError extends QrServiceError {
  override readonly name = 'TransportError';
  /** Equals `kind`. */
  declare readonly code: TransportFailure;
  /** What ended the request. */
  readonly kind: TransportFailure;

  constructor(message: string, options: { kind: TransportFailure; cause?: unknown }) {
    super(message, { code: options.kind, cause: options.cause });
    this.kind = options.kind;
  }
}

/** Whether a thrown value is a `TransportError`, of this copy of the core or another. */
export function isTransportError(error: unknown): error is TransportError {
  return isQrServiceError(error) && error.name === 'TransportError';
}
