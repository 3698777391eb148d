/**
 * The service's display name, header prefix and default URLs. Change them here once the service's real name is known.
 * (API text, introduction: `Service` stands for the name.)
 */
export const BRAND = {
  /** Shown to users. */
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

/** Prefix of every API path (API text, "Versioning"). */
export const API_PATH = '/v1/public-api';
