/** What contains the service's name, for which `Service` stands (docs/api.md#versions): change it here once it is known. */
export const BRAND = {
  name: 'QR Service',
  /** Prefix of the service's own headers: `X-<prefix>-…`. */
  headerPrefix: 'Service',
  /** URL that API paths are appended to, without a trailing slash. */
  baseUrl: 'https://api.qr-service.example',
  /** The service's app, where users create their API keys. */
  appUrl: 'https://app.qr-service.example',
  /** URL under which short links are served. */
  redirectUrl: 'https://qr-service.example',
} as const;

/** Prefix of every API path (docs/api.md#versions). */
export const API_PATH = '/v1/public-api';

/** Documented limits (docs/api.md#signatures, docs/api.md#deliveries). */
export const LIMITS = {
  /** Maximum age of a signature's timestamp in the reference verifiers, in seconds. */
  signatureToleranceSeconds: 300,
  /** Maximum number of retries after the first attempt of a webhook delivery. */
  maxDeliveryRetries: 6,
  /** How long an Idempotency-Key replays the first response, in hours. */
  idempotencyHours: 24,
} as const;
