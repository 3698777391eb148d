import { BRAND } from './brand.ts';

/** Which header contains the API key: `Authorization: Bearer` or `X-Service-API-Key`. */
export type AuthHeader = 'authorization' | 'api-key';

const named = <Rest extends string>(rest: Rest) => `X-${BRAND.headerPrefix}-${rest}` as const;

/** Names of the headers that contain the service's name (docs/api.md#authentication, docs/api.md#deliveries). */
export const SERVICE_HEADERS = {
  apiKey: named('API-Key'),
  timestamp: named('Timestamp'),
  signature: named('Signature'),
  /** Deprecated: signs only the body, so it doesn't prevent replays. */
  signatureV0: named('Signature-V0'),
  delivery: named('Delivery'),
  event: named('Event'),
} as const;

/** The request header with the API key, as `[name, value]` (docs/api.md#authentication). */
export function authHeader(options: {
  apiKey: string;
  authHeader?: AuthHeader | undefined;
}): [name: string, value: string] {
  return options.authHeader === 'api-key'
    ? [SERVICE_HEADERS.apiKey, options.apiKey]
    : ['Authorization', `Bearer ${options.apiKey}`];
}
