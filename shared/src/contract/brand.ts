/**
 * The service's display name, the word in its own headers and its default URLs: the one place to change when the
 * service's real name is known. (API text, introduction: `Service` stands for the name.)
 */
export const BRAND = {
  /** Shown to users. */
  name: 'QR Service',
  /** The word in `X-<prefix>-…` headers. */
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
