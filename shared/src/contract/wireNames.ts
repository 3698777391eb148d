/*
 * Names that the API text leaves open ("Gaps"), in the order in which responses are searched for them.
 */

/** Names of the array that contains the rows of a list. */
export const LIST_KEYS = [
  'data',
  'items',
  'results',
  'qrs',
  'qrCodes',
  'codes',
  'scans',
  'webhooks',
] as const;

/** Names of fields that may contain the signing secret. */
export const SECRET_KEYS = [
  'secret',
  'signingSecret',
  'signing_secret',
  'webhookSecret',
  'signingKey',
] as const;
