/** Limits that the API text states ("Limits" and "Delivery and retry"). */
export const LIMITS = {
  /** Maximum age of a signature's timestamp in the reference verifiers, in seconds. */
  signatureToleranceSeconds: 300,
  /** Maximum number of retries after the first attempt of a webhook delivery. */
  maxDeliveryRetries: 6,
  /** How long an Idempotency-Key replays the first response, in hours. */
  idempotencyHours: 24,
  /** Maximum number of codes in one bulk creation. */
  bulkCodes: 10_000,
} as const;

/** How much of a response the client reads. The API text states no such limits: these are the client's own. */
export const RESPONSE_LIMITS = {
  /**
   * Maximum size of a JSON response, in bytes. A page of 100 codes has about 60 kB. Malicious JSON can take up to
   * thirty times its size once parsed.
   */
  jsonBytes: 16_000_000,
  /** Maximum size of an image, in bytes. A PNG of 4,096 pixels or a PDF has a few MB. */
  imageBytes: 64_000_000,
  /**
   * Maximum size of an error response's body, in bytes. A larger body is dropped, and the status alone describes the
   * error.
   */
  failureBytes: 1_000_000,
} as const;
