import { DEEP_LIST } from '../support/faultyService/hostileResponses.ts';
import type { ProbeReport } from '../../packages/probe/src/findings/ProbeReport.ts';
import { hasAccess } from '../../packages/probe/src/report/summary.ts';
import { runProbe } from '../../packages/probe/src/runProbe.ts';
import {
  closeProxies,
  startProxy,
  type Alteration,
  type Draft,
  type SeenRequest,
} from './support/alteringProxy.ts';
import { lostInShape, startSeeded, stopProbed, type Seeded } from './support/probeEmulator.ts';

type Json = Record<string, unknown>;
/** What a finding becomes: its verdict, and part of its value, explanation or departures. */
type Expected = Record<string, [verdict: string, text?: string | RegExp]>;

/** Findings that need others: they stay open if those fail. */
const LISTS = [
  'lists.key',
  'lists.nesting',
  'lists.end',
  'lists.walk',
  'lists.order',
  'lists.since',
  'lists.limit',
];

const isList = ({ method, path }: SeenRequest) => method === 'GET' && path === '/qr';
const isCode = ({ method, path }: SeenRequest) => method === 'GET' && /^\/qr\/[^/]+$/.test(path);
const isMe = ({ path }: SeenRequest) => path === '/me';
const isScans = ({ path }: SeenRequest) => path === '/scans';
const isSubscribe = ({ method, path }: SeenRequest) => method === 'POST' && path === '/webhooks';
const isCreate = ({ method, path }: SeenRequest) => method === 'POST' && path === '/qr';
const isImage = ({ path }: SeenRequest) => path.endsWith('/image');
const isSuccess = ({ status }: Draft) => status < 300;

/** Changes requests. */
const asking = (change: (request: SeenRequest) => unknown): Alteration => ({
  request: (request) => void change(request),
});

/** Changes responses in place. */
const altering = (change: (draft: Draft, request: SeenRequest) => unknown): Alteration => ({
  response: (draft, request) => {
    change(draft, request);
    return draft;
  },
});

/** Changes successful responses to some requests. */
function on(
  matches: (request: SeenRequest) => boolean,
  change: (json: Json, draft: Draft, request: SeenRequest) => unknown,
): Alteration {
  return altering((draft, request) => {
    if (!matches(request) || !isSuccess(draft)) return;
    const json = change((draft.json ?? {}) as Json, draft, request);
    if (json !== undefined) draft.json = json;
  });
}

/** Changes each code, wherever it is. */
function onCodes(change: (code: Json) => unknown): Alteration {
  return altering((draft) => isSuccess(draft) && eachCode(draft.json, change));
}

function eachCode(json: unknown, change: (code: Json) => unknown): void {
  if (typeof json !== 'object' || json === null) return;
  if ('slug' in json) change(json);
  else for (const inner of Object.values(json)) eachCode(inner, change);
}

const replaced =
  (status: number, body: Json | string, headers: Record<string, string> = {}) =>
  (draft: Draft): Draft => ({
    status,
    headers: {
      ...draft.headers,
      'content-type': typeof body === 'string' ? 'text/html' : 'application/json',
      ...headers,
    },
    json: typeof body === 'string' ? undefined : body,
    bytes: Buffer.from(typeof body === 'string' ? body : ''),
  });
/** Ends the connection instead of a response. */
const closed = (draft: Draft): Draft => ({ ...draft, status: 0 });
const PAGE = '<html>Sign in</html>';
const failure = (code: string) => ({ error: code, message: code, code, requestId: 'req_1' });

/** Responds to some requests with something else. */
const always = (
  matches: (request: SeenRequest) => boolean,
  response: (draft: Draft) => Draft,
): Alteration => ({
  response: (draft, request) => (matches(request) ? response(draft) : draft),
});

const open = (ids: readonly string[]): Expected => Object.fromEntries(ids.map((id) => [id, ['unknown']]));

const CURSORS: string[] = [];
const AFTER_CREATING: Expected = open([
  'codes.publish',
  'codes.destination',
  'codes.redirect',
  'lists.visibility',
  'idempotency.replay',
  'idempotency.conflict',
  'idempotency.refusal',
  'errors.validation',
]);
const NOT_LISTED = open(LISTS.slice(1));
/** Without a connection, nothing else is known. */
const NOTHING: Expected = { '*': ['unknown'] };

const DEPARTURES: Record<string, [alteration: Alteration, expected: Expected]> = {
  // Lists
  'a number as cursor': [
    {
      request({ query }) {
        const cursor = query.get('cursor');
        if (cursor !== null && /^\d+$/.test(cursor)) query.set('cursor', CURSORS[Number(cursor)] ?? '');
      },
      response: (draft, request) => {
        const { pagination } = (draft.json ?? {}) as { pagination?: Json };
        if (isList(request) && typeof pagination?.['nextCursor'] === 'string')
          pagination['nextCursor'] = CURSORS.push(pagination['nextCursor']) - 1;
        return draft;
      },
    },
    { 'lists.end': ['differs', 'body/pagination/nextCursor must be string,null'] },
  ],
  'a cursor that repeats': [
    on(isList, (json, _draft, { query }) => {
      if (isWalk(query)) json['pagination'] = { nextCursor: 'same' };
    }),
    { 'lists.walk': ['fails', 'page 2'] },
  ],
  'pages that repeat rows': [
    {
      request({ query }) {
        const page = /^page-(\d)$/.exec(query.get('cursor') ?? '')?.[1];
        if (page === undefined) return;
        query.delete('cursor');
        query.set('page', page);
      },
      response(draft, request) {
        const page = Number(request.query.get('page') ?? 1);
        if (isList(request) && isWalk(request.query))
          (draft.json as Json)['pagination'] = { nextCursor: page < 3 ? `page-${page + 1}` : null };
        return draft;
      },
    },
    { 'lists.walk': ['fails', 'skips rows'] },
  ],
  'pages that overlap': [
    on(isList, (json, _draft, { query }) => {
      const rows = json['data'] as Json[];
      if (isWalk(query)) json['data'] = [...rows.slice(0, 1), ...rows];
    }),
    { 'lists.walk': ['differs', 'repeat rows'] },
  ],
  'a limit that is ignored': [
    asking((request) => isList(request) && request.query.set('limit', '100')),
    { 'lists.walk': ['differs', 'limit may be ignored'] },
  ],
  'pages that are always short': [
    asking((request) => {
      if (isList(request))
        request.query.set('limit', String(Math.min(4, Number(request.query.get('limit') ?? 4))));
    }),
    { 'lists.limit': ['works', '4 rows instead of 100'] },
  ],
  'large pages that are refused with 400': [
    {
      response: (draft, { query }) =>
        Number(query.get('limit')) > 50 ? replaced(400, failure('bad_request'))(draft) : draft,
    },
    {
      ...NOT_LISTED,
      ...open(['lists.key']),
      'lists.limit': ['fails', 'only after a 422'],
      'errors.body': ['works'],
    },
  ],
  'two arrays of rows': [
    on(isList, (json) => ({ codesA: json['data'], codesB: json['data'], pagination: json['pagination'] })),
    { ...NOT_LISTED, 'lists.key': ['fails', 'codesA'], 'lists.visibility': ['unknown'] },
  ],
  'no pagination': [
    on(isList, (json) => ({ data: json['data'] })),
    {
      'lists.nesting': ['differs', "must have required property 'pagination'"],
      'lists.end': ['works', 'missing'],
      'lists.walk': ['fails', 'no nextCursor'],
    },
  ],
  'an array that is cut off at the limit': [
    on(
      (request) => isList(request) || isScans(request),
      (json) => json['data'],
    ),
    {
      'lists.key': ['differs', 'body must be object'],
      'scans.list': ['differs', 'body must be object'],
      'scans.dimensions': ['differs', 'not named'],
      'lists.end': ['works', 'no cursor'],
      'lists.walk': ['fails', 'no nextCursor'],
    },
  ],
  'a cursor that is refused with updatedSince': [
    always(
      (request) => isList(request) && request.query.has('cursor') && request.query.has('updatedSince'),
      replaced(422, failure('invalid_cursor')),
    ),
    { 'lists.walk': ['fails', 'with updatedSince'], 'errors.body': ['works'] },
  ],
  'no response to a list': [
    always(isList, closed),
    {
      ...NOT_LISTED,
      ...open(['lists.visibility']),
      'lists.key': ['fails', 'no usable response'],
      'errors.cursor': ['fails', 'could not be reached'],
    },
  ],
  'no response to the second page of a list': [
    always((request) => isList(request) && request.query.has('cursor'), closed),
    { 'lists.walk': ['fails', 'page 2'], 'errors.cursor': ['fails'] },
  ],
  'an order by name': [
    on(isList, (json) => ({
      ...json,
      data: (json['data'] as Json[]).toSorted((one, other) =>
        String(one['slug']).split('').reverse().join('') < String(other['slug']).split('').reverse().join('')
          ? 1
          : -1,
      ),
    })),
    { 'lists.order': ['works', 'neither'], 'lists.since': ['works'] },
  ],
  'an updatedSince that is ignored': [
    asking((request) => isList(request) && request.query.delete('updatedSince')),
    { 'lists.since': ['differs', 'ignored'] },
  ],
  'an updatedSince to the second': [
    asking(({ query }) => {
      const since = query.get('updatedSince');
      if (since !== null) query.set('updatedSince', `${since.slice(0, 19)}Z`);
    }),
    { 'lists.since': ['works', 'inclusive'] },
  ],
  'a server error for lists': [
    always(isList, replaced(500, failure('internal'))),
    {
      ...NOT_LISTED,
      ...open(['lists.visibility']),
      'lists.key': ['fails', '500'],
      'errors.cursor': ['fails', '500'],
    },
  ],
  'a list nested too deep': [
    {
      response: (draft, request) =>
        isList(request) && isSuccess(draft)
          ? { ...draft, json: undefined, bytes: Buffer.from(DEEP_LIST) }
          : draft,
    },
    { ...NOT_LISTED, ...open(['lists.visibility']), 'lists.key': ['fails', 'nested'] },
  ],
  // Codes
  'codes without updatedAt': [
    onCodes((code) => delete code['updatedAt']),
    {
      'codes.fields': ['fails', 'updatedAt'],
      'codes.create': ['differs', "'updatedAt'"],
      'lists.order': ['unknown'],
      'lists.since': ['unknown'],
    },
  ],
  'times in words': [
    onCodes((code) => {
      code['updatedAt'] = 'yesterday';
    }),
    {
      'codes.fields': ['fails', 'date-time'],
      'codes.create': ['differs', 'date-time'],
      'lists.order': ['unknown'],
      'lists.since': ['unknown'],
    },
  ],
  'numbers as IDs': [
    {
      request: (request) => {
        request.path = request.path.replace(/^\/qr\/(\d+)/, (_all, nth) => `/qr/${IDS[Number(nth)] ?? ''}`);
      },
      response: (draft) => {
        if (isSuccess(draft))
          eachCode(draft.json, (code) => {
            code['id'] = numberOf(String(code['id']));
          });
        return draft;
      },
    },
    {
      'codes.fields': ['differs', 'body/id must be string'],
      'codes.create': ['differs', 'body/id must be string'],
      'scans.fields': ['works', 'code in qrId'],
    },
  ],
  'codes without a short link': [
    onCodes((code) => delete code['publicUrl']),
    {
      'codes.fields': ['differs', 'publicUrl'],
      'codes.create': ['differs', 'publicUrl'],
      'codes.redirect': ['differs'],
    },
  ],
  'a code in two objects': [
    on(isCode, (json) => ({ result: { code: json } })),
    { 'codes.record': ['fails', 'result'], ...open(['codes.fields']) },
  ],
  'unknown fields': [
    onCodes((code) => {
      code['color'] = { dark: '#000' };
    }),
    {},
  ],
  'no response to a creation, and codes without a name': [
    {
      response(draft, request) {
        if (isCreate(request)) return closed(draft);
        eachCode(draft.json, (code) => delete code['name']);
        return draft;
      },
    },
    {
      ...AFTER_CREATING,
      'codes.create': ['fails', 'no usable response'],
      'codes.fields': ['differs', 'without a readable name'],
      'lists.order': ['works'],
    },
  ],
  'a code that is created asynchronously': [
    on(isCreate, (_json, draft) => {
      draft.status = 202;
      return { job: { id: 'job_1' } };
    }),
    { ...AFTER_CREATING, 'codes.create': ['fails', 'job'], 'scans.list': ['works'] },
  ],
  'publishing that needs an approval': [
    always(({ path }) => path.endsWith('/publish'), replaced(422, failure('approval_required'))),
    { 'codes.publish': ['unknown', 'approved'], 'codes.redirect': ['unknown'] },
  ],
  'publishing that fails': [
    always(({ path }) => path.endsWith('/publish'), replaced(500, failure('internal'))),
    { ...open(['codes.redirect', 'codes.destination']), 'codes.publish': ['fails'] },
  ],
  // Account
  'an account without a workspace': [
    on(isMe, () => ({ ok: true })),
    {
      'account.body': ['differs', 'no workspace'],
      'account.scopes': ['works', 'not named'],
    },
  ],
  'an account that is an array': [
    on(isMe, () => ['workspace']),
    { 'account.body': ['fails'], 'account.scopes': ['unknown'] },
  ],
  'no account': [
    always(isMe, replaced(404, failure('not_found'))),
    {
      'account.body': ['fails', '404'],
      'account.scopes': ['unknown'],
      'errors.unauthorized': ['fails'],
    },
  ],
  // Connection
  'a sign-in page': [
    always(() => true, replaced(200, PAGE)),
    { ...NOTHING, 'connection.reach': ['fails', /did.*n.t come from the service/] },
  ],
  'a firewall': [
    always(() => true, replaced(403, PAGE)),
    { ...NOTHING, 'connection.reach': ['fails', '403'] },
  ],
  'a redirect': [
    always(() => true, replaced(302, '', { location: 'https://elsewhere.example/login' })),
    { ...NOTHING, 'connection.reach': ['fails', 'elsewhere.example'] },
  ],
  'a server that speaks https': [
    always(() => true, replaced(400, 'The plain HTTP request was sent to HTTPS port')),
    { ...NOTHING, 'connection.reach': ['fails', 'speaks https, not http'] },
  ],
  'another server': [
    always(() => true, replaced(404, { message: 'Cannot GET' })),
    { ...NOTHING, 'connection.reach': ['fails', 'Base URL'] },
  ],
  'no response at all': [always(() => true, closed), { ...NOTHING, 'connection.reach': ['fails'] }],
  'no response to the other header for the key': [
    {
      response: (draft, { headers }) => (headers['x-service-api-key'] === undefined ? draft : closed(draft)),
    },
    { 'connection.headers': ['differs', 'returned nothing'] },
  ],
  'a rate limit that refuses everything but the account': [
    always(({ path }) => path !== '/me', replaced(429, failure('rate_limited'), { 'retry-after': '86400' })),
    {
      ...NOTHING,
      ...Object.fromEntries(
        [
          'connection.reach',
          'connection.key',
          'connection.headers',
          'connection.contentType',
          'account.body',
          'account.scopes',
        ].map((id) => [id, ['works']]),
      ),
      'limits.headers': ['fails', 'refused with 429'],
    },
  ],
  'a server that is down': [
    always(() => true, replaced(503, PAGE)),
    { ...NOTHING, 'connection.reach': ['fails'] },
  ],
  'a key that is refused': [
    always(() => true, replaced(401, failure('invalid_api_key'))),
    { ...NOTHING, 'connection.key': ['fails', 'expired'], 'connection.reach': ['works'] },
  ],
  'an address that is refused': [
    always(() => true, replaced(403, failure('ip_not_allowed'))),
    { ...NOTHING, 'connection.key': ['fails', 'allow-list'], 'connection.reach': ['works'] },
  ],
  'one header for the key': [
    asking(({ headers }) => delete headers['x-service-api-key']),
    { 'connection.headers': ['differs', 'only Authorization'] },
  ],
  'the other header for the key': [
    asking(({ headers }) => delete headers.authorization),
    { 'connection.headers': ['differs', 'only X-Service-API-Key'] },
  ],
  'another content type': [
    altering((draft) => {
      if (isSuccess(draft) && draft.json !== undefined) draft.headers['content-type'] = 'text/plain';
    }),
    { 'connection.contentType': ['differs', 'text/plain'] },
  ],
  // Scans
  'scans without a name for them': [
    on(isScans, (json) => ({ ...json, other: json['data'], data: undefined, more: json['data'] })),
    {
      ...open(['scans.fields', 'scans.dimensions', 'scans.cursor', 'scans.order', 'scans.since']),
      'scans.list': ['fails', 'other'],
    },
  ],
  'scans without dimensions': [
    on(isScans, (json) => ({ data: json['data'], pagination: json['pagination'] })),
    { 'scans.dimensions': ['differs', 'not named'] },
  ],
  'scans without a time': [
    on(isScans, (json) => ({
      ...json,
      data: (json['data'] as Json[]).map(({ scannedAt, ...row }) => ({
        ...row,
        when: `at ${String(scannedAt)}`,
      })),
    })),
    { 'scans.fields': ['works', 'without a time'], 'scans.order': ['unknown'], 'scans.since': ['unknown'] },
  ],
  'scans with other names': [
    on(isScans, (json) => ({
      ...json,
      data: (json['data'] as Json[]).map(({ id, qrId, scannedAt, ...row }) => ({
        scanId: id,
        codeId: qrId,
        timestamp: scannedAt,
        ...row,
      })),
    })),
    { 'scans.fields': ['works', 'ID in scanId, time in timestamp, code in codeId'] },
  ],
  'scans with the newest first': [
    on(isScans, (json) => ({ ...json, data: (json['data'] as Json[]).toReversed() })),
    { 'scans.order': ['differs', 'not oldest first'] },
  ],
  'a second page of scans that repeats the first': [
    asking(({ path, query }) => {
      if (path !== '/scans') return;
      query.set('limit', '5');
      query.delete('cursor');
    }),
    { 'scans.cursor': ['fails', 'repeats the first'] },
  ],
  'no response to the second page of scans': [
    {
      request({ path, query }) {
        if (path === '/scans') query.set('limit', '5');
      },
      response: (draft, request) => (isScans(request) && request.query.has('cursor') ? closed(draft) : draft),
    },
    { 'scans.cursor': ['fails', 'no second page'] },
  ],
  'no response to scans': [
    always(isScans, closed),
    {
      ...open(['scans.fields', 'scans.dimensions', 'scans.cursor', 'scans.order', 'scans.since']),
      'scans.list': ['fails', 'could not be reached'],
    },
  ],
  'a since that is ignored': [
    asking((request) => isScans(request) && request.query.delete('since')),
    { 'scans.since': ['differs', 'ignored'] },
  ],
  // Images
  'a page instead of an image': [
    always(isImage, replaced(200, PAGE)),
    {
      ...open(['images.unit']),
      'images.defaults': ['fails', 'text/html'],
      'images.formats': ['unknown'],
    },
  ],
  'an error that tells about a code': [
    always(
      isImage,
      replaced(403, {
        ...failure('quota_exceeded'),
        message: 'Table 0 points to https://example.com/menu/0.',
      }),
    ),
    {
      ...open(['images.formats', 'images.unit']),
      'images.defaults': ['fails', '[name] points to [address]'],
    },
  ],
  'no PDF': [
    {
      response: (draft, request) =>
        request.query.get('format') === 'pdf' ? replaced(422, failure('validation_failed'))(draft) : draft,
    },
    { 'images.formats': ['fails', 'png, svg'] },
  ],
  'always a PNG': [
    asking((request) => isImage(request) && request.query.set('format', 'png')),
    { 'images.formats': ['fails', 'png'] },
  ],
  'a size that is ignored': [
    asking(({ query }) => query.delete('size')),
    { 'images.unit': ['works', 'ignored'] },
  ],
  // Webhooks
  'a secret under another name': [
    on(isSubscribe, ({ secret, ...json }) => ({ ...json, hmacSecret: secret })),
    { 'webhooks.secret': ['fails', 'hmacSecret'] },
  ],
  'two secrets': [
    on(isSubscribe, (json) => ({ ...json, signingKey: 'whsec_other' })),
    { 'webhooks.secret': ['fails', 'secret, signingKey'] },
  ],
  'no secret': [
    on(isSubscribe, ({ secret: _secret, ...json }) => json),
    { 'webhooks.secret': ['fails', 'not found'] },
  ],
  'a subscription without an ID': [
    on(isSubscribe, ({ id: _id, ...json }) => json),
    { 'webhooks.secret': ['fails'], 'webhooks.subscription': ['fails'], 'webhooks.unsubscribe': ['unknown'] },
  ],
  'a webhook that is refused': [
    always(isSubscribe, replaced(403, failure('quota_exceeded'))),
    { 'webhooks.subscription': ['fails', 'quota'], ...open(['webhooks.secret', 'webhooks.unsubscribe']) },
  ],
  'a subscription that stays': [
    always(({ method }) => method === 'DELETE', replaced(500, failure('internal'))),
    { 'webhooks.unsubscribe': ['fails', '500'] },
  ],
  // Errors
  'a wrong key that is accepted': [
    asking(({ headers }) => (headers.authorization = GOOD_KEY.value)),
    { 'errors.unauthorized': ['fails', 'accepted'] },
  ],
  'a wrong key that gets 403': [
    { response: (draft) => (draft.status === 401 ? replaced(403, failure('forbidden'))(draft) : draft) },
    { 'errors.unauthorized': ['fails', '403 forbidden'], 'errors.body': ['differs', 'equal to one of'] },
  ],
  'an unknown code that gets 400': [
    { response: (draft) => (draft.status === 404 ? replaced(400, failure('unknown_code'))(draft) : draft) },
    { 'errors.notFound': ['fails', '400 unknown_code'] },
  ],
  'a cursor that is ignored': [
    asking(({ query }) => {
      if (query.get('cursor')?.startsWith('qr-service-probe') === true) query.delete('cursor');
    }),
    { 'errors.cursor': ['fails', 'start again'] },
  ],
  'errors without a code': [
    altering((draft) => {
      if (draft.status >= 400) draft.json = { message: 'No.' };
    }),
    {
      'errors.body': ['fails', 'without a code'],
      'errors.unauthorized': ['fails'],
      'errors.notFound': ['fails'],
      'errors.cursor': ['fails'],
      'errors.validation': ['differs'],
      'idempotency.conflict': ['differs'],
      'idempotency.refusal': ['works', 'replayed'],
    },
  ],
  'errors without a request ID': [
    altering((draft) => {
      if (draft.status >= 400) delete (draft.json as Json)['requestId'];
    }),
    { 'errors.body': ['differs', "'requestId'"] },
  ],
  'invalid input that is accepted': [
    {
      response: (draft, request) =>
        isCreate(request) && draft.status === 422 ? replaced(201, CREATED)(draft) : draft,
    },
    { 'errors.validation': ['differs', '201'], 'idempotency.refusal': ['unknown'] },
  ],
  // Idempotency
  'a key that conflicts with itself': [
    {
      response: (draft, request) =>
        isCreate(request) && draft.headers['idempotency-replayed'] !== undefined && isSuccess(draft)
          ? replaced(409, failure('idempotency_conflict'))(draft)
          : draft,
    },
    { 'idempotency.replay': ['fails', '409'] },
  ],
  'replays without a mark': [
    altering((draft) => delete draft.headers['idempotency-replayed']),
    { 'idempotency.replay': ['works', 'without a mark'] },
  ],
  'a conflict with another code': [
    { response: (draft) => (draft.status === 409 ? replaced(409, failure('duplicate'))(draft) : draft) },
    { 'idempotency.conflict': ['differs', 'duplicate'], 'errors.body': ['differs', 'equal to one of'] },
  ],
  // Limits and clock
  'no end of the window': [
    altering((draft) => delete draft.headers['x-ratelimit-reset']),
    {
      'limits.headers': ['differs', 'X-RateLimit-Reset is missing'],
      'limits.reset': ['differs', 'missing'],
    },
  ],
  'no rate limit on errors': [
    altering((draft) => {
      if (draft.status >= 400)
        for (const name of ['limit', 'remaining', 'reset'])
          Reflect.deleteProperty(draft.headers, `x-ratelimit-${name}`);
    }),
    { 'limits.headers': ['differs', 'missing on'] },
  ],
  'an end of the window in words': [
    altering((draft) => (draft.headers['x-ratelimit-reset'] = 'soon')),
    { 'limits.reset': ['fails', 'unknown unit'] },
  ],
  'a limit in words': [
    altering((draft) => (draft.headers['x-ratelimit-limit'] = 'many')),
    {
      'limits.headers': ['differs', 'must be integer'],
      'limits.reset': ['fails'],
    },
  ],
  'no date': [altering((draft) => delete draft.headers.date), { 'clock.date': ['differs', 'no Date'] }],
  'clocks that disagree': [
    altering((draft, request) => {
      if (isScans(request))
        draft.headers.date = new Date(Date.parse(draft.headers.date ?? '') + 30_000).toUTCString();
    }),
    { 'clock.date': ['unknown', 'varies'] },
  ],
};

/** What a shape doesn't carry. */
const LOST: Readonly<Record<string, readonly string[]>> = {
  // The connectors read it the same.
  'a number as cursor': ['lists.end'],
  'pages that overlap': ['lists.walk'],
  'pages that are always short': ['lists.walk', 'lists.limit'],
  'an order by name': ['lists.order'],
  'numbers as IDs': ['codes.fields', 'codes.create'],
  'another content type': ['connection.contentType'],
  'scans with the newest first': ['scans.order'],
  'errors without a request ID': ['errors.body'],
  // Responses differ from each other, or no form is known.
  'pages that repeat rows': ['lists.walk'],
  'a second page of scans that repeats the first': ['scans.cursor'],
  'no rate limit on errors': ['limits.headers'],
  'an end of the window in words': ['limits.reset'],
  'a limit in words': ['limits.headers', 'limits.reset'],
  'clocks that disagree': ['clock.date'],
  // No connector sends such requests.
  'a wrong key that is accepted': ['errors.unauthorized'],
  'a cursor that is ignored': ['errors.cursor'],
  'invalid input that is accepted': ['errors.validation', 'idempotency.refusal'],
};
/** Nothing is known of a response that didn't come, or that is too large to be kept. */
const NO_RESPONSE = /^no response|^a rate limit that refuses everything|nested too deep/;
const GOOD_KEY = { value: '' };
const IDS: string[] = [];
const CREATED = {
  id: 'qr_invalid',
  name: 'invalid',
  slug: 'invalid',
  mode: 'dynamic',
  contentType: 'url',
  status: 'draft',
  approvalState: 'not_required',
  folderId: null,
  updatedAt: '2026-01-01T00:00:00.000Z',
  publicUrl: 'https://qr.example/invalid',
};

function numberOf(id: string): number {
  const known = IDS.indexOf(id);
  return known === -1 ? IDS.push(id) - 1 : known;
}

/** The requests of the walk over several pages. */
function isWalk(query: URLSearchParams): boolean {
  return ['3', '4'].includes(query.get('limit') ?? '') && !query.has('updatedSince');
}

let seeded: Seeded;
let usual: ProbeReport;

/** Probes the emulator through a server that alters its responses. */
async function probeAltered(alteration: Alteration): Promise<ProbeReport> {
  const { emulator, clock } = seeded;
  emulator.control.reset();
  GOOD_KEY.value = `Bearer ${emulator.apiKey}`;
  const baseUrl = await startProxy(emulator.url, alteration);
  return runProbe({ baseUrl, apiKey: emulator.apiKey, write: true, ...clock });
}

beforeAll(async () => {
  seeded = await startSeeded();
  usual = await probeAltered({});
});
afterEach(closeProxies);
afterAll(stopProbed);

test.each(Object.entries(DEPARTURES))('finds %s, and nothing else', async (what, [alteration, expected]) => {
  const report = await probeAltered(alteration);
  const usually = new Map(usual.findings.map(({ id, verdict }) => [id, verdict]));
  const changed = report.findings.filter(({ id, verdict }) => {
    const [wanted = expected['*']?.[0] ?? usually.get(id)] = expected[id] ?? [];
    return verdict !== wanted;
  });
  expect(
    changed.map(({ id, verdict, value, explanation, departures }) => ({
      id,
      verdict,
      value,
      explanation,
      departures,
    })),
  ).toEqual([]);
  for (const [id, [, text]] of Object.entries(expected)) {
    if (text === undefined) continue;
    const {
      value,
      explanation,
      departures = [],
    } = report.findings.find((finding) => finding.id === id) ?? {};
    const shown = [value, explanation, ...departures].join('\n');
    if (typeof text === 'string') expect(shown).toContain(text);
    else expect(shown).toMatch(text);
  }
  expect(JSON.stringify(report.shape)).not.toMatch(/Table|example\.com\/menu|qr_[0-9a-z]|whsec/);
  if (hasAccess(report.findings) && !NO_RESPONSE.test(what))
    expect(await lostInShape(report)).toEqual(LOST[what] ?? []);
});

test('each open point without a known answer says why', () => {
  for (const { verdict, explanation } of usual.findings)
    if (verdict === 'unknown') expect(explanation).toMatch(/\.$/);
});
