/** Numbers that the API text states ("Limits" and "Delivery and retry"). */
export const LIMITS = {
  /** Age, in seconds, up to which reference verifiers accept a signature's timestamp. */
  signatureToleranceSeconds: 300,
  /** Retries after the first attempt of a webhook delivery. */
  maxDeliveryRetries: 6,
  /** Hours for which an Idempotency-Key replays the first answer. */
  idempotencyHours: 24,
  /** Codes in one bulk creation. */
  bulkCodes: 10_000,
} as const;
