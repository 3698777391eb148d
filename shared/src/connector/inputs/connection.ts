import { AllowedTargets } from '../../client/AllowedTargets.ts';
import { readBaseUrl } from '../../client/configuration.ts';
import { BRAND } from '../../contract/brand.ts';
import type { AuthHeader } from '../../contract/headers.ts';
import { withKeys } from './definitions.ts';
import { toText } from './text.ts';
import { toOneOf } from './values.ts';

/** The fields of a connection. */
export const CONNECTION_INPUTS = withKeys({
  baseUrl: {
    label: 'Base URL',
    help: 'Leave this as it is unless you host the service yourself.',
    required: true,
    default: BRAND.baseUrl,
  },
  apiKey: {
    label: 'API Key',
    help: "Create an API key in the app with the scopes you need. It's shown only once.",
    required: true,
  },
  allowedTargets: {
    label: 'Allowed Destinations',
    help: 'Where codes may point, one host per line, such as `example.com`, `*.example.com` or `example.com/menu`. Leave this empty to allow all.',
    example: 'example.com',
  },
});

/** A connection to the service (docs/api.md#authentication), for a `PlatformClient`. */
export interface Connection {
  baseUrl: string;
  /** Empty if none was entered: the client then throws. */
  apiKey: string;
  authHeader: AuthHeader;
  /** Where codes may point; empty for everywhere. */
  allowedTargets: readonly string[];
}

/** The start of an address without a scheme. */
const HOST = /^[a-z\d-]+(\.[a-z\d-]+)+(:\d+)?(\/|$)/i;

/** Users may paste the key into a wrong field, so errors show none of the values. */
const hidden = (label: string) => ({ label, secret: true });

/** Reads a connection. Empty fields get their defaults. Throws for an invalid value, without showing it, but not for a key. */
export function readConnection(fields: object): Connection {
  // A failed expression may result in nothing or in an empty array, which nobody enters: it doesn't mean everywhere.
  const nothing = 'allowedTargets' in fields ? [] : '';
  const { baseUrl, apiKey, authHeader, ...limits } = fields as Record<string, unknown>;
  const allowedTargets = limits['allowedTargets'] ?? nothing;
  const isList = Array.isArray(allowedTargets) && allowedTargets.length > 0;
  const header = { ...hidden('Send Key In'), options: ['authorization', 'api-key'] as const };
  const address = toText(baseUrl, hidden(CONNECTION_INPUTS.baseUrl.label)) ?? BRAND.baseUrl;
  const connection = {
    baseUrl: HOST.test(address) ? `https://${address}` : address,
    apiKey: toText(apiKey, hidden(CONNECTION_INPUTS.apiKey.label)) ?? '',
    authHeader: toOneOf(authHeader, header) ?? 'authorization',
    allowedTargets: (isList ? allowedTargets : [allowedTargets]).flatMap(
      (one) => toText(one, hidden(CONNECTION_INPUTS.allowedTargets.label)) ?? [],
    ),
  };
  readBaseUrl(connection.baseUrl);
  new AllowedTargets(connection.allowedTargets, CONNECTION_INPUTS.allowedTargets.label);
  return connection;
}
