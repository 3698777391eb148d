/** Limits that the API text states ("Limits" and "Delivery and retry"). */
export const LIMITS = {
  /** Maximum age of a signature's timestamp in the reference verifiers, in seconds. */
  signatureToleranceSeconds: 300,
  /** Maximum number of retries after the first attempt of a webhook delivery. */
  maxDeliveryRetries: 6,
  /** How long an Idempotency-Key replays the first response, in hours. */
  idempotencyHours: 24,
} as const;
