import { isQrServiceError, QrServiceError } from './QrServiceError.ts';

/** Why a delivery was refused. */
export type VerificationFailure =
  | 'missing_secret'
  | 'invalid_input'
  | 'missing_header'
  | 'malformed_header'
  | 'timestamp_out_of_tolerance'
  | 'signature_mismatch'
  | 'deprecated_scheme'
  | 'invalid_body';

/** A delivery that is not proven genuine. `code` equals `reason`. Holds nothing of the delivery. */
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
