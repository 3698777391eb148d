import { readConnection, type Connection } from '../../core.ts';

/** Name of the credential type that all nodes of this package use. */
export const CREDENTIAL_NAME = 'qrServiceApi';

/** What the credential holds. */
export type QrServiceCredentials = Connection;

/**
 * Reads a credential's fields, which may hold expressions. An empty one has its default.
 * @throws ParameterError for an invalid value
 */
export function readCredential(fields: object): QrServiceCredentials {
  return readConnection(fields);
}
