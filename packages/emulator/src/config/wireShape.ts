/*
 * The points that the API text leaves open ("Gaps") and that a client has to read, each with the forms that the
 * emulator can give it. The first form is the default.
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

/** How the emulator fills what the API text leaves open. Each point has a default. */
export interface WireShape {
  /**
   * Name of the array of rows. Default `data`; `records` stands for any name. A top-level array has no room
   * for a cursor, so it holds every row, whatever the `limit`.
   */
  listKey?: Choice<'listKey'>;
  /**
   * What of a list is nested in `data`: nothing (default), the rows (`{ data: { items }, pagination }`) or the
   * whole page (`{ data: { items, pagination } }`).
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
  /** Responses with one code: the summary itself (default), or inside `qr`, `data` or `code`, which stands for any name. */
  record?: Choice<'record'>;
  /** Responses to publish and destination: the code (default), 204, `{ ok: true }`, or the code inside `qr` beside `ok`. */
  change?: Choice<'change'>;
  /** Name of the field with the signing secret. Default `secret`. */
  secretKey?: Choice<'secretKey'>;
  /**
   * A new subscription: flat (default), inside `subscription`, or inside it with the secret beside it; or the same
   * two with `webhook`, which stands for any name.
   */
  subscription?: Choice<'subscription'>;
  /**
   * Status of `DELETE /webhooks/{id}`. Default 204. With 404, 405 and 501 there is no such endpoint, and the
   * subscription stays.
   */
  unsubscribe?: Choice<'unsubscribe'>;
  /** Response to `GET /me`: `{ workspace: { id, name } }` (default), `{ workspaceId, … }`, or inside `data`. */
  account?: Choice<'account'>;
  /** Whether a row of `GET /scans` has an id. Default: yes. */
  scanRow?: Choice<'scanRow'>;
  /**
   * Which pages of `GET /scans` have a cursor: all but the last (default), or all. In that case an empty page
   * repeats the cursor it was requested with, and the same request later lists newer scans.
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
    if (!Object.hasOwn(WIRE_CHOICES, point)) throw new TypeError(`There is no wire shape ${point}.`);
    const choices: readonly unknown[] = WIRE_CHOICES[point as keyof WireShape];
    if (!choices.includes(value))
      throw new TypeError(`The wire shape ${point} must be one of: ${choices.join(', ')}.`);
  }
  const defaults = Object.entries(WIRE_CHOICES).map(([point, choices]) => [point, choices[0]]);
  return { ...(Object.fromEntries(defaults) as Required<WireShape>), ...shape };
}
