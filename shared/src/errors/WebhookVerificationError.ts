import type { VerificationFailure } from './codes.ts';
import { QrServiceError } from './QrServiceError.ts';

/** A delivery failed verification. `code` says why. Contains nothing from the delivery. */
export class WebhookVerificationError extends QrServiceError {
  override readonly name = 'WebhookVerificationError';
  declare readonly code: VerificationFailure;

  constructor(code: VerificationFailure, message: string) {
    super(message, { code });
  }
}
