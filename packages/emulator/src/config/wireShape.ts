/*
 * The points that the API text leaves open ("Gaps") and that affect how a client reads responses, each with the forms
 * that the emulator supports. The first form is the default.
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

/** Form of the responses where the API text leaves it open. Each point has a default. */
export interface WireShape {
  /**
   * Name of the array of rows. Default `data`; `records` stands for any other name. A top-level array can't carry a
   * cursor, so it holds every row and ignores `limit`.
   */
  listKey?: Choice<'listKey'>;
  /**
   * Which part of a list is nested in `data`: none (default), the rows (`{ data: { items }, pagination }`) or the whole
   * page (`{ data: { items, pagination } }`).
   */
  listNesting?: Choice<'listNesting'>;
  /** `nextCursor` on the last page. Default `null`. */
  listEnd?: Choice<'listEnd'>;
  /** Order of the codes: by `updatedAt`, oldest first (default) or newest first, or by id. */
  listOrder?: Choice<'listOrder'>;
  /** Whether `updatedSince` and `since` include that exact time (default) or only later ones. */
  listSince?: Choice<'listSince'>;
  /** Largest `limit`; a larger one is 422 `validation_failed`. Default 100. */
  maxLimit?: Choice<'maxLimit'>;
  /** Responses with one code: the summary itself (default), or nested in `qr`, `data` or `code` (stands for any other name). */
  record?: Choice<'record'>;
  /** Responses to publish and destination: the code (default), 204, `{ ok: true }`, or `{ ok: true, qr }`. */
  change?: Choice<'change'>;
  /** Name of the field with the signing secret. Default `secret`. */
  secretKey?: Choice<'secretKey'>;
  /**
   * A new subscription: flat (default), nested in `subscription`, or nested with the secret beside it; or the same two
   * with `webhook`, which stands for any other name.
   */
  subscription?: Choice<'subscription'>;
  /**
   * Status of `DELETE /webhooks/{id}`. Default 204. With 404, 405 or 501 the endpoint doesn't exist, so the
   * subscription stays.
   */
  unsubscribe?: Choice<'unsubscribe'>;
  /** Response to `GET /me`: `{ workspace: { id, name } }` (default), `{ workspaceId, … }`, or nested in `data`. */
  account?: Choice<'account'>;
  /** Whether rows of `GET /scans` have an ID. Default: yes. */
  scanRow?: Choice<'scanRow'>;
  /**
   * Which pages of `GET /scans` have a cursor: all but the last (default), or all. With `always`, an empty page returns
   * the cursor it was requested with, so repeating the request later lists newer scans.
   */
  scanCursor?: Choice<'scanCursor'>;
  /** Unit of X-RateLimit-Reset: seconds from now (default), or a point in time. Retry-After is always in seconds. */
  reset?: Choice<'reset'>;
  /** Body of a failure: as documented (default), nested in `error`, or a page of HTML. */
  error?: Choice<'error'>;
}

/**
 * Completes a wire shape with the defaults.
 * @throws TypeError for a point or a form that the emulator doesn't have
 */
export function readWireShape(shape: WireShape = {}): Required<WireShape> {
  for (const [point, value] of Object.entries(shape)) {
    if (!Object.hasOwn(WIRE_CHOICES, point)) throw new TypeError(`Unknown wire shape ${point}.`);
    const choices: readonly unknown[] = WIRE_CHOICES[point as keyof WireShape];
    if (!choices.includes(value))
      throw new TypeError(`The wire shape ${point} must be one of: ${choices.join(', ')}.`);
  }
  const defaults = Object.entries(WIRE_CHOICES).map(([point, choices]) => [point, choices[0]]);
  return { ...(Object.fromEntries(defaults) as Required<WireShape>), ...shape };
}
