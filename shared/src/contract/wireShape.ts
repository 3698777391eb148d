import { LIST_KEYS, SECRET_KEYS } from './wireNames.ts';

/*
 * The points that the API text leaves open ("Gaps") and that affect how a client reads responses, each with the forms
 * that services are known to choose and that the emulator supports. The first form is the emulator's default. Some of the
 * forms contradict the API text: see CONTRADICTIONS.
 */

/** Every form of every open point. */
export const WIRE_CHOICES = {
  listKey: [...LIST_KEYS, 'records', 'top-level array'],
  listNesting: ['none', 'rows', 'page'],
  listEnd: ['null', 'empty', 'missing', 'repeated'],
  listOrder: ['ascending', 'descending', 'id'],
  listSince: ['inclusive', 'exclusive'],
  maxLimit: [100, 50],
  record: ['flat', 'qr', 'data', 'code'],
  change: ['summary', 'empty', 'ok', 'wrapped'],
  secretKey: SECRET_KEYS,
  subscription: ['flat', 'wrapped', 'beside', 'webhook', 'webhook beside'],
  unsubscribe: [204, 200, 404, 405, 501],
  account: ['nested', 'flat', 'wrapped'],
  scanRow: ['with id', 'without id'],
  scanCursor: ['between pages', 'always'],
  idempotency: ['replayed', 'refusals not replayed', 'ignored'],
  reset: ['seconds', 'epoch seconds', 'epoch milliseconds', 'HTTP date'],
  error: ['flat', 'html'],
} as const;

/**
 * How a service behaves beyond the form of its responses, in points that the emulator supports but a client can't be
 * expected to tell. The first choice is the default. A point of `WIRE_CHOICES` has further forms here.
 */
export const BEHAVIOR_CHOICES = {
  readLagMs: [0, 1000],
  dateSkewMs: [0, 5000],
  content: ['none', 'current', 'stale'],
  shortLink: ['path', 'query'],
  createdName: ['as sent', 'trimmed', 'upper case', 'suffixed'],
  ignored: ['nothing', 'publish', 'destination', 'both'],
  unsubscribe: [410, '404 page', '410 page', '404 empty', '410 empty'],
  listEnd: ['never'],
  idempotency: ['refused'],
} as const;

/** Forms of a point that contradict the API text. Services and proxies have them anyway. */
export interface Contradiction {
  point: keyof WireShape;
  forms: readonly string[];
  /** What the client sees and what the API text says instead, in one sentence. */
  description: string;
}

/** Every form that contradicts the API text. All other forms are open. */
export const CONTRADICTIONS: readonly Contradiction[] = [
  {
    point: 'listKey',
    forms: ['top-level array'],
    description: 'A list is a bare array of all rows, without pagination.nextCursor.',
  },
  {
    point: 'listNesting',
    forms: ['page'],
    description: 'The whole page is inside data, so pagination.nextCursor is not where it is documented.',
  },
  {
    point: 'listEnd',
    forms: ['never'],
    description: 'No page has pagination.nextCursor, although more rows follow.',
  },
  {
    point: 'record',
    forms: ['qr', 'data', 'code'],
    description: 'A single code is inside an object of this name instead of being the summary itself.',
  },
  {
    point: 'idempotency',
    forms: ['ignored'],
    description: 'A repeated Idempotency-Key is ignored, so the request is processed again.',
  },
  {
    point: 'idempotency',
    forms: ['refused'],
    description: 'A repeated Idempotency-Key is refused with idempotency_conflict, even for the same input.',
  },
  {
    point: 'createdName',
    forms: ['trimmed', 'upper case', 'suffixed'],
    description: 'A new code gets another name than the one that was sent.',
  },
  {
    point: 'ignored',
    forms: ['publish', 'destination', 'both'],
    description: 'The request gets a success response, but changes nothing.',
  },
  {
    point: 'reset',
    forms: ['HTTP date'],
    description: 'X-RateLimit-Reset is a date instead of an integer.',
  },
  {
    point: 'error',
    forms: ['html'],
    description: 'A failure is a page of HTML instead of JSON with a code.',
  },
];

type Choices<Table, Point> = Point extends keyof Table
  ? Table[Point] extends readonly (infer Form)[]
    ? Form
    : never
  : never;
type Choice<Point> = Choices<typeof WIRE_CHOICES, Point> | Choices<typeof BEHAVIOR_CHOICES, Point>;

/** A name that isn't among the forms. Written so that editors still offer the forms. */
type AnyName = string & {};

/** Form of the responses where the API text leaves it open. Each point has a default. */
export interface WireShape {
  /**
   * Name of the array of rows. A top-level array can't carry a cursor, so it holds every row and ignores
   * `limit`, unless `listEnd` is `never`.
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
   * `nextCursor` on the last page: `repeated` is a feed, in which an empty page returns the cursor that it was requested
   * with. With `never`, no page has a cursor.
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
   * Status of `DELETE /webhooks/{id}`. With any but 204 and 200 the endpoint doesn't exist, so the subscription stays. An
   * error is JSON, a `page` of HTML, or `empty`.
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
   * What a repeated Idempotency-Key does: replays the first response, also a refusal; replays it unless it was a refusal,
   * so that the request is tried again; nothing; or it conflicts, unless the first response was a refusal.
   * @default replayed
   */
  idempotency?: Choice<'idempotency'>;
  /**
   * Unit of X-RateLimit-Reset: seconds from now, or a point in time. Retry-After is always in seconds.
   * @default seconds
   */
  reset?: Choice<'reset'>;
  /**
   * Body of a failure: as documented, or a page of HTML.
   * @default flat
   */
  error?: Choice<'error'>;
  /**
   * How many milliseconds `GET /qr/{id}` is behind: until then, a new code is 404 and a change doesn't show.
   * @default 0
   */
  readLagMs?: number;
  /**
   * How many milliseconds the `Date` header is ahead of the clock that `updatedAt` follows. Negative: behind.
   * @default 0
   */
  dateSkewMs?: number;
  /**
   * Whether a code has `content: { targetUrl }`. A stale one keeps the destination that the code was created with.
   * @default none
   */
  content?: Choice<'content'>;
  /**
   * Where a short link has its code: `/r/{slug}` or `/r?c={slug}`.
   * @default path
   */
  shortLink?: Choice<'shortLink'>;
  /**
   * Name of a new code, compared with the name that was sent.
   * @default as sent
   */
  createdName?: Choice<'createdName'>;
  /**
   * Which requests get a success response, but change nothing: publish, destination or both.
   * @default nothing
   */
  ignored?: Choice<'ignored'>;
}

/** How a form contradicts the API text, or undefined if the API text leaves it open. */
export function contradictionOf(point: keyof WireShape, form: unknown): Contradiction | undefined {
  // The nested forms of `record` stand for any name.
  const known = point === 'record' && form !== 'flat' ? 'data' : String(form);
  return CONTRADICTIONS.find((each) => each.point === point && each.forms.includes(known));
}
