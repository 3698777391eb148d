/*
 * The points that the API text leaves open ("Gaps") and that affect how a client reads responses, each with
 * the forms
 * that services are known to choose and that the emulator supports. The first form is the emulator's default.
 */

/** Every form of every open point. */
export const WIRE_CHOICES = {
  listKey: [
    'data',
    'items',
    'results',
    'qrs',
    'qrCodes',
    'codes',
    'scans',
    'webhooks',
    'records',
    'top-level array',
  ],
  listNesting: ['none', 'rows', 'page'],
  listEnd: ['null', 'empty', 'missing'],
  listOrder: ['ascending', 'descending', 'id'],
  listSince: ['inclusive', 'exclusive'],
  maxLimit: [100, 50],
  record: ['flat', 'qr', 'data', 'code'],
  change: ['summary', 'empty', 'ok', 'wrapped'],
  secretKey: ['secret', 'signingSecret', 'signing_secret', 'webhookSecret', 'signingKey'],
  subscription: ['flat', 'wrapped', 'beside', 'webhook', 'webhook beside'],
  unsubscribe: [204, 200, 404, 405, 501],
  account: ['nested', 'flat', 'wrapped'],
  scanRow: ['with id', 'without id'],
  scanCursor: ['between pages', 'always'],
  reset: ['seconds', 'epoch seconds', 'epoch milliseconds', 'HTTP date'],
  error: ['flat', 'nested', 'html'],
} as const;

type Choice<Point extends keyof typeof WIRE_CHOICES> = (typeof WIRE_CHOICES)[Point][number];

/** A name that isn't among the forms. Written so that editors still offer the forms. */
type AnyName = string & {};

/** Form of the responses where the API text leaves it open. Each point has a default. */
export interface WireShape {
  /**
   * Name of the array of rows. A top-level array can't carry a cursor, so it holds every row and ignores
   * `limit`.
   * @default data
   */
  listKey?: Choice<'listKey'> | AnyName;
  /**
   * Which part of a list is nested in `data`: none, the rows (`{ data: { items }, pagination }`) or the whole
   * page (`{ data: { items, pagination } }`).
   * @default none
   */
  listNesting?: Choice<'listNesting'>;
  /**
   * `nextCursor` on the last page.
   * @default null
   */
  listEnd?: Choice<'listEnd'>;
  /**
   * Order of the codes: by `updatedAt`, oldest first or newest first, or by id.
   * @default ascending
   */
  listOrder?: Choice<'listOrder'>;
  /**
   * Whether `updatedSince` and `since` include that exact time or only later ones.
   * @default inclusive
   */
  listSince?: Choice<'listSince'>;
  /**
   * Largest `limit`; a larger one is 422 `validation_failed`.
   * @default 100
   */
  maxLimit?: number;
  /**
   * Responses with one code: the summary itself, or nested in `qr`, `data` or `code` (stands for any other
   * name).
   * @default flat
   */
  record?: Choice<'record'> | AnyName;
  /**
   * Responses to publish and destination: the code, 204, `{ ok: true }`, or `{ ok: true, qr }`.
   * @default summary
   */
  change?: Choice<'change'>;
  /**
   * Name of the field with the signing secret.
   * @default secret
   */
  secretKey?: Choice<'secretKey'> | AnyName;
  /**
   * A new subscription: flat, nested in `subscription`, or nested with the secret beside it; or the same two
   * with `webhook`, which stands for any other name.
   * @default flat
   */
  subscription?: Choice<'subscription'>;
  /**
   * Status of `DELETE /webhooks/{id}`. With 404, 405 or 501 the endpoint doesn't exist, so the subscription
   * stays.
   * @default 204
   */
  unsubscribe?: Choice<'unsubscribe'>;
  /**
   * Response to `GET /me`: `{ workspace: { id, name } }`, `{ workspaceId, … }`, or nested in `data`.
   * @default nested
   */
  account?: Choice<'account'>;
  /**
   * Whether rows of `GET /scans` have an ID.
   * @default with id
   */
  scanRow?: Choice<'scanRow'>;
  /**
   * Which pages of `GET /scans` have a cursor: all but the last, or all. With `always`, an empty page returns
   * the cursor it was requested with, so repeating the request later lists newer scans.
   * @default between pages
   */
  scanCursor?: Choice<'scanCursor'>;
  /**
   * Unit of X-RateLimit-Reset: seconds from now, or a point in time. Retry-After is always in seconds.
   * @default seconds
   */
  reset?: Choice<'reset'>;
  /**
   * Body of a failure: as documented, nested in `error`, or a page of HTML.
   * @default flat
   */
  error?: Choice<'error'>;
}
