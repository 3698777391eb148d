import { BRAND, toOneOf, toText, type AuthHeader } from '../../core.ts';

/** Name of the credential type that all nodes of this package use. */
export const CREDENTIAL_NAME = 'qrServiceApi';

/** What the credential holds. */
export interface QrServiceCredentials {
  baseUrl: string;
  apiKey: string;
  authHeader: AuthHeader;
  headerPrefix: string;
}

/**
 * Reads a credential's fields, which may hold expressions. An empty one has its default.
 * @throws ParameterError for an invalid value
 */
export function readCredential(fields: object): QrServiceCredentials {
  const { baseUrl, apiKey, authHeader, headerPrefix } = fields as Record<string, unknown>;
  return {
    baseUrl: toText(baseUrl, { label: 'Base URL', secret: true }) ?? BRAND.baseUrl,
    apiKey: toText(apiKey, { label: 'API Key', secret: true }) ?? '',
    authHeader:
      toOneOf(authHeader, { label: 'Send Key In', secret: true, options: ['authorization', 'api-key'] }) ??
      'authorization',
    headerPrefix: toText(headerPrefix, { label: 'Header Prefix', secret: true }) ?? BRAND.headerPrefix,
  };
}
