import { summarize, type Report } from '../../packages/probe/src/report/Report.ts';
import type { Alteration, Draft, SeenRequest } from './support/altered.ts';
import { findingOf, startSeeded, stopProbed, verdictsOf, type Seeded } from './support/probeEmulator.ts';

type Json = Record<string, unknown>;
/** What lines of the report become: the verdict, and part of the value or the explanation. */
type Expected = Record<string, [verdict: string, text?: string]>;

const isList = ({ method, path }: SeenRequest) => method === 'GET' && path === '/qr';
const isCreate = ({ method, path }: SeenRequest) => method === 'POST' && path === '/qr';
const isScans = ({ path }: SeenRequest) => path === '/scans';
const isSubscribe = ({ method, path }: SeenRequest) => method === 'POST' && path === '/webhooks';
const isRemoval = ({ method }: SeenRequest) => method === 'DELETE';
const isImage = ({ path }: SeenRequest) => path.endsWith('/image');
const isPublish = ({ path }: SeenRequest) => path.endsWith('/publish');
const isLink = ({ path }: SeenRequest) => path.includes('/r/');

const asking = (request: Alteration['request'] & object): Alteration => ({ request });
const altering = (response: Alteration['response'] & object): Alteration => ({ response });

/** Changes successful responses to some requests. */
const on = (
  matches: (request: SeenRequest) => boolean,
  change: (json: Json, request: SeenRequest) => unknown,
): Alteration =>
  altering((draft, request) => {
    if (!matches(request) || draft.status >= 300) return;
    draft.json = change(draft.json as Json, request) ?? draft.json;
  });

/** Changes each code, wherever it is. */
function eachCode(json: unknown, change: (code: Json) => unknown): void {
  if (typeof json !== 'object' || json === null) return;
  if ('slug' in json) change(json);
  else for (const inner of Object.values(json)) eachCode(inner, change);
}
const onCodes = (change: (code: Json) => unknown) => altering((draft) => eachCode(draft.json, change));

const PAGE = '<html>Sign in</html>';
const failure = (code: string) => ({ error: code, message: code, code, requestId: 'req_1' });

/** Responds to some requests with something else. */
const always = (
  matches: (request: SeenRequest) => boolean,
  status: number,
  body: Json | string = {},
  headers: Draft['headers'] = {},
): Alteration =>
  altering((draft, request) => {
    if (!matches(request)) return;
    const isText = typeof body === 'string';
    Object.assign(draft, { status, json: isText ? undefined : body, bytes: Buffer.from(isText ? body : '') });
    delete draft.headers['location'];
    Object.assign(draft.headers, { 'content-type': isText ? 'text/html' : 'application/json' }, headers);
  });

/** Accepts a request without doing it. */
const ignored = (end: string): Alteration => ({
  request(request) {
    if (request.path.endsWith(end)) request.path = `/qr/none${end}`;
  },
  ...always(({ path }) => path.endsWith(end), 200, { ok: true }),
});

const all = () => true;
const open = (...ids: string[]): Expected => Object.fromEntries(ids.map((id) => [id, ['unknown']]));
const AFTER_CREATING = open('retry', 'publish', 'link', 'change', 'newLink', 'visible');
const AFTER_PUBLISHING = open('link', 'change', 'newLink');
/** Without a connection, nothing else is known. */
const NOTHING: Expected = { '*': ['unknown'] };

const DEPARTURES: Record<string, [alteration: Alteration, expected: Expected]> = {
  // Connection
  'a key that is refused': [
    always(all, 401, failure('invalid_api_key')),
    { ...NOTHING, connection: ['fails', 'expired'] },
  ],
  'an address that is refused': [
    always(all, 403, failure('ip_not_allowed')),
    { ...NOTHING, connection: ['fails', 'allow-list'] },
  ],
  'a key that is accepted only in the other header': [
    asking(({ headers }) => delete headers['Authorization']),
    { ...NOTHING, connection: ['fails', 'Run the probe again with --auth-header api-key.'] },
  ],
  'a sign-in page': [always(all, 200, PAGE), { ...NOTHING, connection: ['fails', 'come from the service'] }],
  'another server': [
    always(all, 404, { message: 'Cannot GET' }),
    { ...NOTHING, connection: ['fails', 'Base URL'] },
  ],
  'no response at all': [always(all, 0), { ...NOTHING, connection: ['fails', 'Check Base URL'] }],
  'scopes of another kind': [
    on(
      ({ path }) => path === '/me',
      (json) => ({ ...json, scopes: ['*'] }),
    ),
    { connection: ['works', 'accepted'] },
  ],
  'errors without a code': [
    altering((draft) => {
      if (draft.status >= 400 && draft.json !== undefined) draft.json = { message: 'No.' };
    }),
    { errors: ['fails', 'status 404 without a code'] },
  ],
  'an unknown code that gets 400': [
    altering((draft, { path }) => {
      if (draft.status === 404 && path.startsWith('/qr'))
        Object.assign(draft, { status: 400, json: failure('bad') });
    }),
    { errors: ['fails', '400 bad'] },
  ],
  'no rate-limit headers': [
    altering(({ headers }) => delete headers['x-ratelimit-reset']),
    { limits: ['differs', 'not stated'] },
  ],
  'a rate limit that refuses everything but the account': [
    always(({ path }) => path !== '/me', 429, failure('rate_limited'), { 'retry-after': '86400' }),
    { ...NOTHING, connection: ['works'], limits: ['works'] },
  ],
  // Writing
  'a creation that returns no code': [
    on(isCreate, () => ({ job: { id: 'job_1' } })),
    { ...AFTER_CREATING, create: ['fails', 'job'] },
  ],
  'an Idempotency-Key that is ignored': [
    asking(({ headers }) => delete headers['Idempotency-Key']),
    { retry: ['fails', 'created a second code'] },
  ],
  'a retry that is refused': [
    altering((draft, request) => {
      if (!isCreate(request) || draft.headers['idempotency-replayed'] === undefined) return;
      Object.assign(draft, { status: 409, json: failure('idempotency_conflict') });
    }),
    { retry: ['fails', 'must return the first response'] },
  ],
  'a publication that does nothing': [
    ignored('/publish'),
    { ...AFTER_PUBLISHING, publish: ['fails', 'still draft'] },
  ],
  'a publication that needs an approval': [
    always(isPublish, 422, failure('approval_required')),
    { ...AFTER_PUBLISHING, publish: ['unknown', 'approved'] },
  ],
  'a publication that fails': [
    always(isPublish, 500, failure('internal')),
    { ...AFTER_PUBLISHING, publish: ['fails', 'status 500'] },
  ],
  'a short link that is gone': [
    always(isLink, 404, PAGE),
    { link: ['fails', 'status 404'], ...open('change', 'newLink') },
  ],
  'a short link behind a sign-in': [
    always(isLink, 401, PAGE),
    { link: ['unknown', 'Open it yourself'], ...open('change', 'newLink') },
  ],
  'codes without a short link': [
    onCodes((code) => delete code['publicUrl']),
    { link: ['fails', "publicUrl isn't a web address"], ...open('change', 'newLink') },
  ],
  'a short link that works after three seconds': [
    altering((draft, request) => {
      if (isLink(request) && seeded.clock.now() < (FIRST_VISIT.time ||= seeded.clock.now()) + 3000)
        Object.assign(draft, { status: 404, headers: {} });
    }),
    { link: ['works', 'after 3.'] },
  ],
  'a destination that does not change': [
    ignored('/destination'),
    { change: ['fails', 'not changed'], newLink: ['fails', 'leads to the former target'] },
  ],
  // Reading
  'a list that can not be read': [
    on(isList, ({ data }) => ({ codesA: data, codesB: data })),
    { list: ['fails', 'codesA'], visible: ['fails', 'codesA'], ...open('pages', 'since') },
  ],
  'a list in no order': [
    on(isList, (json) => {
      const [first, ...rest] = json['data'] as Json[];
      json['data'] = first === undefined ? [] : [...rest.slice(0, 1), first, ...rest.slice(1)];
    }),
    { list: ['works', 'not in the order of changes'] },
  ],
  'a cursor that is ignored': [
    asking((request) => isList(request) && request.query.delete('cursor')),
    { pages: ['fails', '4 pages with 4 of 10 codes'] },
  ],
  'pages without nextCursor': [
    on(isList, (json) => ({ ...json, pagination: {} })),
    { pages: ['fails', '1 page with 4 of 10 codes'] },
  ],
  'pages that overlap': [
    on(isList, (json, { query }) => {
      const rows = json['data'] as Json[];
      if (query.get('limit') === '4') json['data'] = [...rows.slice(0, 1), ...rows];
    }),
    { pages: ['differs', 'codes repeat'] },
  ],
  'an updatedSince that is ignored': [
    asking((request) => isList(request) && request.query.delete('updatedSince')),
    { since: ['differs', 'ignored'] },
  ],
  'an updatedSince that is taken for its opposite': [
    on(isList, (json, { query }) => {
      if (query.has('updatedSince')) json['data'] = [];
    }),
    { since: ['fails', 'polling misses it'], visible: ['unknown', 'not within 2'] },
  ],
  'scans without a time': [
    on(isScans, ({ data, ...json }) => ({
      ...json,
      data: (data as Json[]).map(({ scannedAt: _, ...row }) => row),
    })),
    { scans: ['differs', 'by ID alone'], scansSince: ['unknown', 'readable time'] },
  ],
  'a second page of scans that repeats the first': [
    {
      request(request) {
        if (!isScans(request)) return;
        request.query.set('limit', '5');
        request.query.delete('cursor');
      },
    },
    { scans: ['fails', 'repeats the first'], scansSince: ['unknown'] },
  ],
  'visits that never become scans': [
    on(isScans, (json) => {
      json['data'] = (json['data'] as Json[]).filter(({ scannedAt }) =>
        String(scannedAt).startsWith('2026-01'),
      );
    }),
    { scans: ['works', "16 scans, the probe's own not within"] },
  ],
  'pages instead of images': [
    always(isImage, 200, PAGE),
    { png: ['fails', 'text/html'], svg: ['fails'], pdf: ['fails'] },
  ],
  'always a PNG': [
    asking((request) => isImage(request) && request.query.set('format', 'png')),
    { svg: ['fails', 'Expected svg, but got png'], pdf: ['fails', 'got png'] },
  ],
  'a PDF that is cut off': [
    altering((draft, { query }) => {
      if (query.get('format') === 'pdf') draft.bytes = draft.bytes.subarray(0, 900);
    }),
    { pdf: ['fails', 'cut off'] },
  ],
  // Webhooks
  'a secret under an unknown name': [
    on(isSubscribe, ({ secret, ...json }) => ({ ...json, hmacKey: secret })),
    { subscribe: ['fails', 'hmacKey'], unsubscribe: ['unknown'] },
  ],
  'a subscription that is refused': [
    always(isSubscribe, 403, failure('quota_exceeded')),
    { subscribe: ['fails', 'quota'], unsubscribe: ['unknown'] },
  ],
  "the probe's own address that is refused": [
    always(isSubscribe, 422, failure('validation_failed')),
    { subscribe: ['unknown', 'Run the probe again with --webhook.'], unsubscribe: ['unknown'] },
  ],
  'no way to unsubscribe': [
    always(isRemoval, 405, failure('method_not_allowed')),
    { unsubscribe: ['differs', 'Remove subscriptions in the app'] },
  ],
  'unsubscribing that finds nothing': [
    always(isRemoval, 404, failure('not_found')),
    { unsubscribe: ['fails', 'take this response for its removal'] },
  ],
};

const FIRST_VISIT = { time: 0 };
let seeded: Seeded;
let usual: Report;

beforeAll(async () => {
  seeded = await startSeeded();
  usual = await seeded.probe();
});
beforeEach(() => seeded.emulator.control.reset());
afterAll(stopProbed);

test('a service that does everything: all jobs work that the options ask for', () => {
  const { deliver, ...rest } = verdictsOf(usual);
  expect(deliver).toBe('unknown');
  expect(new Set(Object.values(rest))).toEqual(new Set(['works']));
});

test.each(Object.entries(DEPARTURES))('finds %s, and nothing else', async (_what, [alteration, expected]) => {
  const report = await seeded.probe({}, alteration);
  const { '*': rest, ...named } = expected;
  const wanted = Object.entries(verdictsOf(usual)).map(([id, usually]) => [
    id,
    named[id]?.[0] ?? (rest?.[0] || usually),
  ]);
  expect(verdictsOf(report)).toEqual(Object.fromEntries(wanted));
  if (named['connection']?.[0] === 'fails') expect(summarize(report).exit).toBe(2);
  for (const [id, [, text = '']] of Object.entries(named)) {
    const { value, explanation } = findingOf(report, id);
    expect([value, explanation].join('\n')).toContain(text);
  }
});

test('a line shows its requests, each with what came back', async () => {
  const report = await seeded.probe({}, always(isPublish, 200, { ok: true }));
  const [publish, ...reads] = findingOf(report, 'publish').requests;
  expect(publish).toMatch(/^POST \/qr\/qr_\w+\/publish → 200, \d+ ms$/);
  expect(reads.at(-1)).toMatch(/^GET \/qr\/qr_\w+ → 200, \d+ ms$/);
});

test('each line that is unknown says why', () => {
  for (const { verdict, explanation } of usual.findings)
    if (verdict === 'unknown') expect(explanation).toMatch(/\.$/);
});
