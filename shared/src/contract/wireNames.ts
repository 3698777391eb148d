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

/** Names of a scan's ID. */
export const SCAN_ID_KEYS = ['id', 'scanId'] as const;

/** Names of a scan's time: the first readable one counts. */
export const SCAN_TIME_KEYS = [
  'scannedAt',
  'occurredAt',
  'timestamp',
  'createdAt',
  'time',
  'at',
  'date',
] as const;

/** Headers that mark a replayed response (API text, "Limits", 3). */
export const REPLAY_HEADERS = [
  'Idempotency-Replayed',
  'Idempotent-Replayed',
  'X-Idempotency-Replayed',
  'X-Idempotent-Replayed',
] as const;
