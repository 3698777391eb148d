import type { TransportFailure } from './codes.ts';
import { QrServiceError } from './QrServiceError.ts';

/** The request failed without a usable response: because of the network, a limit or the caller. `code` says why. */
export class TransportError extends QrServiceError {
  override readonly name = 'TransportError';
  declare readonly code: TransportFailure;
  /** True if certainly none of the call's requests reached the service, so a write wasn't carried out. */
  unsent: boolean;

  constructor(
    message: string,
    options: { code: TransportFailure; unsent?: boolean; cause?: unknown; detail?: string },
  ) {
    super(message, options);
    this.unsent = options.unsent ?? false;
  }
}
