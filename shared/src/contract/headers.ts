import { BRAND } from './brand.ts';

/** Which header contains the API key: `Authorization: Bearer` or `X-<prefix>-API-Key`. */
export type AuthHeader = 'authorization' | 'api-key';

/** Names of the headers that contain the service's name (API text, "Authentication" and "Delivery headers"). */
export type HeaderNames = ReturnType<typeof headerNames>;

/** Header names for a prefix, for example `X-Service-Signature`. */
export function headerNames(headerPrefix: string = BRAND.headerPrefix) {
  const name = (rest: string) => `X-${headerPrefix}-${rest}`;
  return {
    apiKey: name('API-Key'),
    timestamp: name('Timestamp'),
    signature: name('Signature'),
    /** Deprecated: signs only the body, so it doesn't prevent replays. */
    signatureV0: name('Signature-V0'),
    delivery: name('Delivery'),
    event: name('Event'),
  };
}

/** The request header with the API key, as `[name, value]` (API text, "Authentication", 1). */
export function authHeader(options: {
  apiKey: string;
  authHeader?: AuthHeader | undefined;
  headerPrefix?: string | undefined;
}): [name: string, value: string] {
  return options.authHeader === 'api-key'
    ? [headerNames(options.headerPrefix).apiKey, options.apiKey]
    : ['Authorization', `Bearer ${options.apiKey}`];
}
