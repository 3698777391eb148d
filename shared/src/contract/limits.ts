/** Numbers that the API text states ("Limits" and "Delivery and retry"). */
export const LIMITS = {
  /** Age, in seconds, up to which reference verifiers accept a signature's timestamp. */
  signatureToleranceSeconds: 300,
  /** Retries after the first attempt of a webhook delivery. */
  maxDeliveryRetries: 6,
  /** Hours for which an Idempotency-Key replays the first response. */
  idempotencyHours: 24,
  /** Codes in one bulk creation. */
  bulkCodes: 10_000,
} as const;

/** How much of the service's responses is read. The API text states no such numbers: these are this client's own. */
export const RESPONSE_LIMITS = {
  /** Bytes of a JSON response: a page of 100 codes has some 60 kB. Hostile JSON takes up to thirty times that once parsed. */
  jsonBytes: 16_000_000,
  /** Bytes of an image: a PNG of 4,096 pixels or a PDF has a few million. */
  imageBytes: 64_000_000,
  /** Bytes of a failure's body: beyond that it is dropped, and the status alone describes the failure. */
  failureBytes: 1_000_000,
  /** Levels of objects and arrays inside each other. Far deeper ones can't be serialized again. */
  jsonLevels: 100,
  /** Characters of a cursor: it is sent back in a URL, for which servers allow some 16 kB. */
  cursorLength: 4096,
  /** Consecutive pages without a row that a list skips. */
  emptyPages: 1000,
} as const;
