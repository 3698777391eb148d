import type { AuthHeader } from '../../core.ts';

/** Name of the credential type that all nodes of the package use. */
export const CREDENTIAL_NAME = 'qrServiceApi';

/** What the credential holds. */
export interface QrServiceCredentials {
  baseUrl: string;
  apiKey: string;
  authHeader: AuthHeader;
  headerPrefix: string;
}
