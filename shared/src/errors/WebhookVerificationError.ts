import type { VerificationFailure } from './codes.ts';
import { QrServiceError } from './QrServiceError.ts';

/** A delivery failed verification. `code` equals `reason`. Contains nothing from the delivery. */
export class WebhookVerificationError extends QrServiceError {
  override readonly name = 'WebhookVerificationError';
  /** Equals `reason`. */
  declare readonly code: VerificationFailure;
  /** Why the delivery failed verification. */
  readonly reason: VerificationFailure;

  constructor(reason: VerificationFailure, message: string) {
    super(message, { code: reason });
    this.reason = reason;
  }
}
