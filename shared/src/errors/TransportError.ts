import type { TransportFailure } from './codes.ts';
import { QrServiceError } from './QrServiceError.ts';

/** The request failed without a usable response: because of the network, a limit or the caller. `code` equals `kind`. */
export class TransportError extends QrServiceError {
  override readonly name = 'TransportError';
  /** Equals `kind`. */
  declare readonly code: TransportFailure;
  /** Why the request failed. */
  readonly kind: TransportFailure;
  /** True if certainly none of the call's requests reached the service, so a write wasn't carried out. */
  unsent: boolean;

  /** @param message one sentence, with a period; any others go into `options.detail` */
  constructor(
    message: string,
    options: { kind: TransportFailure; unsent?: boolean; cause?: unknown; detail?: string },
  ) {
    super(message, { ...options, code: options.kind });
    this.kind = options.kind;
    this.unsent = options.unsent ?? false;
  }
}
