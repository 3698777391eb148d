/** Name of the credential type that all nodes of this package use. */
export const CREDENTIAL_NAME = 'qrServiceApi';
