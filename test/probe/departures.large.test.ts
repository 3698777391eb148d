import { DEEP_LIST } from '../support/faultyService/hostileResponses.ts';
import type { ProbeReport } from '../../packages/probe/src/findings/ProbeReport.ts';
import { judgeJobs } from '../../packages/probe/src/findings/jobs.ts';
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
/** What a finding becomes: its verdict, and part of its value or explanation. */
type Expected = Record<string, [verdict: string, text?: string | RegExp]>;

/** Findings that need others: they stay open if those fail. */
const LISTS = ['lists.key', 'lists.walk', 'lists.edits', 'lists.since'];

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

/** Accepts a request without doing it. */
const ignored = (end: string): Alteration => ({
  request(request) {
    if (request.path.endsWith(end)) request.path = `/qr/none${end}`;
  },
  response: (draft, { path }) => (path.endsWith(end) ? replaced(200, { ok: true })(draft) : draft),
});

/** Has scans come on several pages. */
const askForFew = ({ path, query }: SeenRequest): void => {
  if (path === '/scans') query.set('limit', '5');
};

const open = (ids: readonly string[]): Expected => Object.fromEntries(ids.map((id) => [id, ['unknown']]));

const AFTER_CREATING: Expected = open([
  'codes.name',
  'codes.publish',
  'codes.destination',
  'codes.redirect',
  'codes.retargeted',
  'lists.visibility',
  'lists.edits',
  'idempotency.replay',
  'idempotency.conflict',
]);
const NOT_LISTED = open(LISTS.slice(1));
/** Without a connection, nothing else is known. */
const NOTHING: Expected = { '*': ['unknown'] };

const DEPARTURES: Record<string, [alteration: Alteration, expected: Expected]> = {
  // Lists
  'a cursor that repeats': [
    on(isList, (json, _draft, { query }) => {
      if (isWalk(query)) json['pagination'] = { nextCursor: 'same' };
    }),
    { 'lists.walk': ['fails', 'page 2'], 'lists.edits': ['unknown'] },
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
    { 'lists.walk': ['fails', 'skips rows'], 'lists.edits': ['unknown'] },
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
  'large pages that are refused with 400': [
    {
      response: (draft, { query }) =>
        Number(query.get('limit')) > 50 ? replaced(400, failure('bad_request'))(draft) : draft,
    },
    {
      ...NOT_LISTED,
      'lists.key': ['fails', 'only after a 422'],
      'errors.body': ['works'],
    },
  ],
  'two arrays of rows': [
    on(isList, (json) => ({ codesA: json['data'], codesB: json['data'], pagination: json['pagination'] })),
    { ...NOT_LISTED, 'lists.key': ['fails', 'codesA'], 'lists.visibility': ['unknown'] },
  ],
  'an array that is cut off at the limit': [
    on(
      (request) => isList(request) || isScans(request),
      (json) => json['data'],
    ),
    { 'lists.walk': ['fails', 'no nextCursor'], 'lists.edits': ['unknown', 'Walk over several pages'] },
  ],
  'a cursor that is refused with updatedSince': [
    always(
      (request) => isList(request) && request.query.has('cursor') && request.query.has('updatedSince'),
      replaced(422, failure('invalid_cursor')),
    ),
    { 'lists.walk': ['fails', 'with updatedSince'], 'lists.edits': ['unknown'], 'errors.body': ['works'] },
  ],
  'no response to the second page of a list': [
    always((request) => isList(request) && request.query.has('cursor'), closed),
    { 'lists.walk': ['fails', 'page 2'], 'lists.edits': ['unknown'], 'errors.cursor': ['fails'] },
  ],
  'an updatedSince that is ignored': [
    asking((request) => isList(request) && request.query.delete('updatedSince')),
    { 'lists.since': ['differs', 'ignored'] },
  ],
  'an updatedSince that is refused': [
    always(
      (request) => isList(request) && request.query.has('updatedSince'),
      replaced(500, failure('internal')),
    ),
    {
      'lists.since': ['fails', 'status 500'],
      'lists.visibility': ['unknown'],
      'lists.walk': ['fails', 'with updatedSince'],
      'lists.edits': ['unknown'],
      'jobs.changes': ['fails'],
    },
  ],
  'an updatedSince that is taken for its opposite': [
    asking(({ query }) => {
      if (!query.has('updatedSince')) return;
      const isPast = Date.parse(query.get('updatedSince') ?? '') < seeded.clock.now();
      query.set('updatedSince', `${isPast ? 2099 : 1970}-01-01T00:00:00Z`);
    }),
    { 'lists.since': ['fails', 'older than updatedSince'], ...open(['lists.edits', 'lists.visibility']) },
  ],
  'an updatedSince that compares the time of creation': [
    on(isList, (json, _draft, { query }) => {
      const since = query.get('updatedSince');
      if (since === null) return;
      json['data'] = (json['data'] as Json[]).filter((code) => {
        const id = String(code['id']);
        if (!CREATED.has(id)) CREATED.set(id, String(code['updatedAt']));
        return Date.parse(CREATED.get(id) ?? '') >= Date.parse(since);
      });
    }),
    { 'lists.since': ['fails', 'not by updatedAt'], 'jobs.changes': ['fails', 'older codes'] },
  ],
  'large pages without a cursor': [
    on(isList, (json, _draft, { query }) => {
      if (query.get('limit') !== '100') return;
      json['data'] = (json['data'] as Json[]).slice(0, 7);
      json['pagination'] = { nextCursor: null };
    }),
    { 'lists.walk': ['fails', 'smaller pages have more'], ...open(['lists.edits', 'lists.visibility']) },
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
    { 'codes.fields': ['fails', 'updatedAt'], ...open(['lists.edits', 'lists.since']) },
  ],
  'times of codes in whole days': [
    onCodes((code) => (code['updatedAt'] = String(code['updatedAt']).slice(0, 10))),
    { 'codes.fields': ['fails', 'updatedAt'], 'jobs.changes': ['fails'], 'lists.edits': ['unknown'] },
  ],
  'times of codes in whole seconds': [
    onCodes((code) => (code['updatedAt'] = `${String(code['updatedAt']).slice(0, 19)}Z`)),
    {},
  ],
  'no response with one code': [
    always(isCode, replaced(404, failure('not_found'))),
    { 'codes.record': ['fails', 'found'], 'codes.fields': ['unknown'] },
  ],
  'a code that is created twice': [
    on(isList, (json) => {
      const rows = json['data'] as Json[];
      const own = rows.find(({ name }) => String(name).startsWith('qr-service'));
      if (own !== undefined) rows.push({ ...own, id: 'qr_twice' });
    }),
    { 'codes.create': ['fails', 'created twice'], 'jobs.create': ['fails', 'more codes'] },
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
    { 'scans.fields': ['works', 'code in qrId'] },
  ],
  'codes without a short link': [
    onCodes((code) => delete code['publicUrl']),
    {
      'codes.fields': ['differs', 'publicUrl'],
      'codes.redirect': ['fails', 'not a web address'],
      'codes.retargeted': ['unknown'],
      'codes.destination': ['unknown', 'neither'],
      'jobs.link': ['fails'],
    },
  ],
  'a code in two objects': [
    on(isCode, (json) => ({ result: { code: json } })),
    { 'codes.record': ['fails', 'result'], ...open(['codes.fields']) },
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
    {
      'codes.publish': ['unknown', 'approved'],
      ...open(['codes.redirect', 'codes.retargeted', 'codes.destination', 'jobs.publish', 'jobs.change']),
    },
  ],
  'publishing that fails': [
    always(({ path }) => path.endsWith('/publish'), replaced(500, failure('internal'))),
    {
      ...open(['codes.redirect', 'codes.retargeted', 'codes.destination', 'jobs.change']),
      'codes.publish': ['fails'],
      'jobs.publish': ['fails'],
    },
  ],
  // Done means seen
  'a publication that leaves a draft': [
    ignored('/publish'),
    {
      'codes.publish': ['fails', 'still draft'],
      'codes.redirect': ['fails', 'status 404'],
      ...open(['codes.retargeted', 'codes.destination', 'jobs.newLink']),
      'jobs.publish': ['fails', "isn't published"],
      'jobs.link': ['fails'],
    },
  ],
  'a destination that does not change': [
    ignored('/destination'),
    {
      'codes.destination': ['fails', "isn't changed"],
      'codes.retargeted': ['fails', 'still leads to the former target'],
      'lists.edits': ['unknown'],
      'jobs.change': ['fails', "isn't changed"],
      'jobs.newLink': ['fails'],
      'jobs.link': ['works'],
    },
  ],
  'a short link that is gone': [
    onCodes((code) => (code['publicUrl'] = `${seeded.emulator.url}/none`)),
    {
      'codes.redirect': ['fails', 'status 404'],
      ...open(['codes.retargeted', 'codes.destination']),
      'jobs.link': ['fails'],
      'jobs.publish': ['works'],
    },
  ],
  'a short link behind a sign-in': [
    onCodes((code) => (code['publicUrl'] = `${seeded.emulator.url}/v1/public-api/me`)),
    open(['codes.redirect', 'codes.retargeted', 'codes.destination', 'jobs.link']),
  ],
  'a name that comes back in capitals': [
    onCodes((code) => (code['name'] = String(code['name']).toUpperCase())),
    { 'codes.name': ['fails', 'SAFE TO DELETE'], 'jobs.create': ['fails', 'by its name'] },
  ],
  'Latin-1 instead of UTF-8': [
    altering((draft) => {
      if (draft.json === undefined) return;
      draft.bytes = Buffer.from(JSON.stringify(draft.json), 'latin1');
      draft.json = undefined;
    }),
    {
      'codes.name': ['fails', '\uFFFD'],
      'codes.fields': ['fails', "aren't UTF-8"],
      'jobs.create': ['fails'],
      'jobs.changes': ['fails'],
    },
  ],
  'a list from a cache': [
    on(isList, (json, draft) => {
      json['data'] = (json['data'] as Json[]).filter(({ name }) => !String(name).startsWith('qr-service'));
      draft.headers.age = '240';
    }),
    {
      'lists.visibility': ['unknown', 'A cache returns the list, 240 s old.'],
      'lists.edits': ['unknown'],
      'jobs.changes': ['unknown', 'A cache'],
    },
  ],
  'a whole list from a cache': [
    on(isList, (json, draft, { query }) => {
      if (query.has('updatedSince')) return;
      json['data'] = (json['data'] as Json[]).filter(({ name }) => !String(name).startsWith('qr-service'));
      draft.headers.age = '240';
    }),
    { 'lists.visibility': ['unknown', 'all codes'], 'jobs.changes': ['unknown', '240 s'] },
  ],
  'pages by offset': [
    {
      request(request) {
        const { query } = request;
        const cursor = query.get('cursor') ?? 'offset-0';
        if (!isList(request) || !cursor.startsWith('offset-')) return;
        query.set('offset', cursor.slice(7));
        query.set('rows', query.get('limit') ?? '50');
        query.set('limit', '100');
        query.delete('cursor');
      },
      response(draft, { query }) {
        const [offset, rows] = [query.get('offset'), Number(query.get('rows'))];
        if (offset === null || !isSuccess(draft)) return draft;
        const json = draft.json as { data: Json[]; pagination: Json };
        const end = Number(offset) + rows;
        json.pagination['nextCursor'] = end < json.data.length ? `offset-${end}` : null;
        json.data = json.data.slice(Number(offset), end);
        return draft;
      },
    },
    { 'lists.edits': ['fails', 'rows vanish'], 'jobs.changes': ['fails', 'misses it'] },
  ],
  'a PDF that is cut off': [
    {
      response: (draft, { query }) =>
        query.get('format') === 'pdf' ? { ...draft, bytes: draft.bytes.subarray(0, 900) } : draft,
    },
    { 'images.pdf': ['fails', 'cut off'], 'jobs.pdf': ['fails'], 'jobs.png': ['works'] },
  ],
  'no response to an SVG': [
    always(({ query }) => query.get('format') === 'svg', closed),
    { 'images.svg': ['fails', 'no usable'], 'jobs.svg': ['fails'], 'jobs.pdf': ['works'] },
  ],
  'a reset in ISO 8601': [
    altering((draft) => (draft.headers['x-ratelimit-reset'] = '2026-01-01T00:00:00Z')),
    { 'limits.headers': ['differs', "can't read"], 'jobs.create': ['works'], 'jobs.changes': ['works'] },
  ],
  // Account
  'an account without a workspace': [
    on(isMe, () => ({ ok: true })),
    {
      'account.body': ['differs', 'no workspace'],
      'account.scopes': ['works', 'not named'],
    },
  ],
  'scopes of another kind': [
    on(isMe, (json) => ({ ...json, scopes: ['*'] })),
    { 'account.scopes': ['works', 'not named'] },
  ],
  // Connection
  'a sign-in page': [
    always(() => true, replaced(200, PAGE)),
    { ...NOTHING, 'connection.reach': ['fails', /did.*n.t come from the service/] },
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
        ['connection.reach', 'connection.key', 'connection.headers', 'account.body', 'account.scopes'].map(
          (id) => [id, ['works']],
        ),
      ),
      'limits.headers': ['fails', 'refused with 429'],
    },
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
    { ...NOTHING, 'connection.key': ['fails', "Zapier app can't"], 'connection.reach': ['works'] },
  ],
  // Scans
  'scans without a name for them': [
    on(isScans, (json) => ({ ...json, other: json['data'], data: undefined, more: json['data'] })),
    {
      ...open(['scans.fields', 'scans.cursor', 'scans.since']),
      'jobs.scans': ['fails'],
      'scans.list': ['fails', 'other'],
    },
  ],
  'scans without a time': [
    on(isScans, (json) => ({
      ...json,
      data: (json['data'] as Json[]).map(({ scannedAt, ...row }) => ({
        ...row,
        when: `at ${String(scannedAt)}`,
      })),
    })),
    { 'scans.fields': ['works', 'without a time'], 'scans.since': ['unknown'] },
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
  'a second page of scans that repeats the first': [
    asking((request) => {
      askForFew(request);
      if (isScans(request)) request.query.delete('cursor');
    }),
    { 'scans.cursor': ['fails', 'repeats the first'] },
  ],
  'no response to the second page of scans': [
    {
      request: askForFew,
      response: (draft, request) => (isScans(request) && request.query.has('cursor') ? closed(draft) : draft),
    },
    { 'scans.cursor': ['fails', 'no second page'] },
  ],
  'a second page of scans that skips one': [
    {
      request: askForFew,
      ...on(isScans, (json, _draft, { query }) => {
        if (query.has('cursor')) (json['data'] as Json[]).shift();
      }),
    },
    { 'scans.cursor': ['fails', 'skips rows'], 'jobs.scans': ['fails'] },
  ],
  'a since in the future that is refused': [
    always(
      (request) =>
        isScans(request) && Date.parse(request.query.get('since') ?? '') > seeded.clock.now() + 1000,
      replaced(422, failure('validation_failed')),
    ),
    {},
  ],
  'no response to scans': [
    always(isScans, closed),
    {
      ...open(['scans.fields', 'scans.cursor', 'scans.since']),
      'jobs.scans': ['fails'],
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
      'images.png': ['fails', 'text/html'],
      'images.svg': ['fails'],
      'images.pdf': ['fails'],
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
      'images.png': ['fails', '[name] points to [address]'],
      'images.svg': ['fails'],
      'images.pdf': ['fails'],
    },
  ],
  'always a PNG': [
    asking((request) => isImage(request) && request.query.set('format', 'png')),
    {
      'images.svg': ['fails', 'got PNG'],
      'images.pdf': ['fails'],
      'jobs.svg': ['fails'],
      'jobs.png': ['works'],
    },
  ],
  'images that more bytes follow': [
    altering((draft, { query }) => {
      if (['png', 'svg'].includes(query.get('format') ?? ''))
        draft.bytes = Buffer.concat([draft.bytes, Buffer.alloc(3000, ' ')]);
    }),
    {},
  ],
  // Webhooks
  'a secret under another name': [
    on(isSubscribe, ({ secret, ...json }) => ({ ...json, hmacSecret: secret })),
    { 'webhooks.secret': ['fails', 'hmacSecret'] },
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
  "the probe's own address that is refused": [
    always(isSubscribe, replaced(422, failure('validation_failed'))),
    {
      'webhooks.subscription': ['unknown', '--webhook'],
      ...open(['webhooks.secret', 'webhooks.unsubscribe', 'jobs.trigger']),
    },
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
    { 'errors.unauthorized': ['fails', '403 forbidden'] },
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
      'idempotency.conflict': ['differs'],
    },
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
    { 'idempotency.conflict': ['differs', 'duplicate'] },
  ],
  // Limits
  'no end of the window': [
    altering((draft) => delete draft.headers['x-ratelimit-reset']),
    { 'limits.headers': ['differs', 'X-RateLimit-Reset missing'] },
  ],
};

/** What a shape doesn't carry. */
const LOST: Readonly<Record<string, readonly string[]>> = {
  // The connectors read it the same.
  'pages that overlap': ['lists.walk'],
  'a reset in ISO 8601': ['limits.headers'],
  // It depends on the moment, or isn't text of the API.
  'pages that repeat rows': ['lists.walk', 'lists.edits'],
  'pages by offset': ['lists.edits'],
  'a list from a cache': ['lists.walk', 'lists.visibility', 'lists.edits'],
  'a whole list from a cache': ['lists.walk', 'lists.visibility'],
  'a second page of scans that repeats the first': ['scans.cursor'],
  'a second page of scans that skips one': ['scans.cursor'],
  'an updatedSince that is taken for its opposite': ['lists.visibility', 'lists.edits', 'lists.since'],
  'an updatedSince that compares the time of creation': ['lists.since'],
  'times of codes in whole days': ['lists.since'],
  'large pages without a cursor': ['lists.walk', 'lists.visibility', 'lists.edits'],
  'a code that is created twice': ['codes.create'],
  'scopes of another kind': ['account.scopes'],
  'Latin-1 instead of UTF-8': ['codes.fields'],
  'a PDF that is cut off': ['images.pdf'],
  'a short link that is gone': ['codes.destination', 'codes.redirect', 'codes.retargeted'],
  'a short link behind a sign-in': ['codes.destination', 'codes.redirect', 'codes.retargeted'],
  // No connector sends such requests.
  'a wrong key that is accepted': ['errors.unauthorized'],
  'a cursor that is ignored': ['errors.cursor'],
};
/** Nothing is known of a response that didn't come, or that is too large to be kept. */
const NO_RESPONSE = /^no response|^a rate limit that refuses everything|nested too deep/;
const GOOD_KEY = { value: '' };
const IDS: string[] = [];
/** When a code was first listed. */
const CREATED = new Map<string, string>();

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
  const findings = [...report.findings, ...judgeJobs(report.findings)];
  const changed = findings.filter(({ id, area, verdict }) => {
    const [wanted = expected['*']?.[0] ?? usually.get(id)] = expected[id] ?? [];
    return verdict !== wanted && (area !== 'Jobs' || id in expected);
  });
  expect(changed.map(({ details: _details, ...shown }) => shown)).toEqual([]);
  for (const [id, [, text]] of Object.entries(expected)) {
    if (text === undefined || id === '*') continue;
    const { value, explanation } = findings.find((finding) => finding.id === id)!;
    const shown = [value, explanation].join('\n');
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
