import type { VerificationFailure } from './codes.ts';
import { isQrServiceError, QrServiceError } from './QrServiceError.ts';

/** A delivery that failed verification. `code` equals `reason`. Contains nothing of the delivery. */
export class WebhookVerificationError extends QrServiceError {
  override readonly name = 'WebhookVerificationError';
  /** Equals `reason`. */
  declare readonly code: VerificationFailure;
  /** Why the delivery was refused. */
  readonly reason: VerificationFailure;

  constructor(reason: VerificationFailure, message: string) {
    super(message, { code: reason });
    this.reason = reason;
  }
}

/** Whether a thrown value is a `WebhookVerificationError`, of this copy of the core or another. */
export function isWebhookVerificationError(error: unknown): error is WebhookVerificationError {
  return isQrServiceError(error) && error.name === 'WebhookVerificationError';
}
