import type { VerificationFailure } from './codes.ts';
import { isQrServiceError, QrServiceError } from './QrServiceError.ts';

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

/**
 * Whether a thrown value is a `WebhookVerificationError`, from this copy of the core or another.
 * @example
 * ```ts
 * import { isWebhookVerificationError, verifyWebhook } from '@qr-service/core/webhook';
 *
 * try {
 *   verifyWebhook({ rawBody: '{}', headers: {}, secret });
 * } catch (error) {
 *   if (!isWebhookVerificationError(error)) throw error;
 *   console.log(error.reason); // missing_header
 * }
 * ```
 */
export function isWebhookVerificationError(error: unknown): error is WebhookVerificationError {
  return isQrServiceError(error) && error.name === 'WebhookVerificationError';
}
