import { ERROR_CODES } from '@qr-service/core/connector';
import type { ResponseDraft } from 'qr-service-emulator';
import { summarize, type Report } from '../../packages/probe/src/report/Report.ts';
import type { Alteration, SeenRequest } from './support/altered.ts';
import { findingOf, startSeeded, stopProbed, verdictsOf, type Seeded } from './support/probeEmulator.ts';

describe('departures', () => {
  type Json = Record<string, unknown>;
  const isList = ({ method, path }: SeenRequest) => method === 'GET' && path === '/qr';
  const isCreate = ({ method, path }: SeenRequest) => method === 'POST' && path === '/qr';
  const isScans = ({ path }: SeenRequest) => path === '/scans';
  const isSubscribe = ({ method, path }: SeenRequest) => method === 'POST' && path === '/webhooks';
  const isRemoval = ({ method }: SeenRequest) => method === 'DELETE';
  const isImage = ({ path }: SeenRequest) => path.endsWith('/image');
  const isPublish = ({ path }: SeenRequest) => path.endsWith('/publish');
  const isLink = ({ path }: SeenRequest) => path.includes('/r/');
  const isMe = ({ path }: SeenRequest) => path === '/me';
  const isUpdate = ({ path }: SeenRequest) => path.endsWith('/destination');
  const all = () => true;

  /** Lines that depend on others, codes of errors, and texts. */
  const LINK = 'link, change, newLink';
  const CHANGE = 'change, newLink';
  const UNSUBSCRIBE = 'unsubscribe unknown';
  const NOT_CREATED = `retry, publish, visible, ${LINK} unknown`;
  const NOT_UPDATED = 'newLink unknown: This depends on "Update the destination"';
  const APPROVAL = 'approval_required';
  const QUOTA = 'quota_exceeded';
  const INVALID = 'validation_failed';
  const OWN = 'Run the probe again with --webhook.';
  const AS_REMOVED = 'read this as already deleted';

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
    headers: ResponseDraft['headers'] = {},
  ): Alteration =>
    altering((draft, request) => {
      if (!matches(request)) return;
      const isText = typeof body === 'string';
      Object.assign(draft, {
        status,
        json: isText ? undefined : body,
        bytes: Buffer.from(isText ? body : ''),
      });
      delete draft.headers['location'];
      Object.assign(draft.headers, { 'content-type': isText ? 'text/html' : 'application/json' }, headers);
    });
  const refusing = (matches: (request: SeenRequest) => boolean, status: number, code: string) =>
    always(matches, status, failure(code));

  /** Accepts a request without doing it. */
  const ignored = (end: string): Alteration => ({
    request(request) {
      if (request.path.endsWith(end)) request.path = `/qr/none${end}`;
    },
    ...always(({ path }) => path.endsWith(end), 200, { ok: true }),
  });

  const without = (header: string) => asking(({ headers }) => Reflect.deleteProperty(headers, header));
  const ignoring = (parameter: string) =>
    asking((request) => isList(request) && request.query.delete(parameter));
  /** Changes the rows of successful responses to some requests. */
  const onRows = (matches: typeof isList, change: (rows: Json[], request: SeenRequest) => Json[]) =>
    on(matches, (json, request) => ({ ...json, data: change(json['data'] as Json[], request) }));

  const NO_CODES = altering((draft) => {
    if (draft.status >= 400 && draft.json !== undefined) draft.json = { message: 'No.' };
  });
  const BAD_REQUEST = altering((draft, { path }) => {
    if (draft.status === 404 && path.startsWith('/qr'))
      Object.assign(draft, { status: 400, json: failure('bad') });
  });
  const NO_REPLAY = altering((draft, request) => {
    if (isCreate(request) && draft.headers['idempotency-replayed'] !== undefined)
      Object.assign(draft, { status: 409, json: failure('idempotency_conflict') });
  });
  const SLOW_LINK = altering((draft, request) => {
    if (isLink(request) && seeded.clock.now() < (FIRST_VISIT.time ||= seeded.clock.now()) + 3000)
      Object.assign(draft, { status: 404, headers: {} });
  });
  /** An edge cache keeps the first redirect for a while. */
  const cached = (seconds: number): Alteration => {
    let kept: { location: string; until: number } | undefined;
    return altering(({ headers }, request) => {
      if (!isLink(request)) return;
      const now = seeded.clock.now();
      if (kept === undefined || now > kept.until)
        kept = { location: headers['location']!, until: now + seconds * 1000 };
      headers['location'] = kept.location;
    });
  };
  /** Each code shows where it leads. */
  const showing = (fieldsOf: (url: string) => Json): Alteration => {
    let url = 'https://example.com/';
    return altering((draft, request) => {
      if (isUpdate(request) && draft.status < 300) url = 'https://example.org/';
      eachCode(draft.json, (code) => Object.assign(code, fieldsOf(url)));
    });
  };
  const both = (first: Alteration, second: Alteration) =>
    altering((draft, request) => {
      first.response?.(draft, request);
      second.response?.(draft, request);
    });
  const SHOWN = showing((targetUrl) => ({ content: { targetUrl } }));
  const SHOWN_ELSEWHERE = showing((href) => ({ destination: { default: { href } } }));
  const FIXED_AND_SHOWN: Alteration = {
    ...ignored('/destination'),
    ...both(
      ignored('/destination'),
      onCodes((code) => Object.assign(code, { targetUrl: 'https://example.com/' })),
    ),
  };
  /** Lists since a time show a row a minute late. */
  const isLate = (time: unknown) => Date.parse(String(time)) > seeded.clock.now() - 60_000;
  const LATE_SINCE = onRows(isList, (rows, { query }) =>
    query.has('updatedSince') ? rows.filter(({ updatedAt }) => !isLate(updatedAt)) : rows,
  );
  const LATE_SCANS = onRows(isScans, (rows, { query }) =>
    query.has('since') ? rows.filter(({ scannedAt }) => !isLate(scannedAt)) : rows,
  );
  const NO_SCANS_SINCE = onRows(isScans, (rows, { query }) => (query.has('since') ? [] : rows));
  const SAME_SCANS = asking((request) => {
    if (!isScans(request)) return;
    request.query.set('limit', '5');
    request.query.delete('cursor');
  });
  const CUT_PDF = altering((draft, { query }) => {
    if (query.get('format') === 'pdf') draft.bytes = draft.bytes.subarray(0, 900);
  });
  const ANY_SCOPE = on(isMe, (json) => ({ ...json, scopes: ['*'] }));
  const UNKNOWN_LISTS = on(isList, ({ data }) => ({ codesA: data, codesB: data }));
  const SWAPPED = onRows(isList, (rows) => rows.toReversed());
  const OVERLAP = onRows(isList, (rows, { query }) =>
    query.get('limit') === '4' ? [...rows.slice(0, 1), ...rows] : rows,
  );
  const NOT_SINCE = onRows(isList, (rows, { query }) => (query.has('updatedSince') ? [] : rows));
  const NO_QR_IDS = onRows(isScans, (rows) => rows.map(({ qrId: _, ...row }) => row));
  const NO_TIMES = onRows(isScans, (rows) => rows.map(({ scannedAt: _, ...row }) => row));
  const OLD_SCANS = onRows(isScans, (rows) =>
    rows.filter(({ scannedAt }) => String(scannedAt).startsWith('2026-01')),
  );
  const ONLY_PNG = asking((request) => isImage(request) && request.query.set('format', 'png'));
  const OTHER_SECRET = on(isSubscribe, ({ secret, ...json }) => ({ ...json, hmacKey: secret }));
  const BUSY = always(({ path }) => path !== '/me', 429, failure('rate_limited'), { 'retry-after': '86400' });
  const NO_LINKS = onCodes((code) => delete code['publicUrl']);
  const NO_CURSOR = on(isList, (json) => ({ ...json, pagination: {} }));
  const NO_RESET = altering(({ headers }) => delete headers['x-ratelimit-reset']);
  const A_JOB = on(isCreate, () => ({ job: { id: 'job_1' } }));

  /**
   * Each departure, with the lines of the report that change: the verdict, and part of the value or the explanation.
   * All others stay as they are, except that without a connection nothing is known.
   */
  const DEPARTURES: [what: string, alteration: Alteration, ...lines: string[]][] = [
    // Connection
    ['a key that is refused', refusing(all, 401, 'invalid_api_key'), 'connection fails: expired'],
    ['an address that is refused', refusing(all, 403, 'ip_not_allowed'), 'connection fails: allow-list'],
    ['a key for the other header', without('Authorization'), 'connection fails: --auth-header api-key.'],
    ['a sign-in page', always(all, 200, PAGE), 'connection fails: come from the service'],
    ['another server', always(all, 404, { message: 'Cannot GET' }), 'connection fails: Base URL'],
    ['no response at all', always(all, 0), 'connection fails: Wait a few minutes'],
    ['scopes of another kind', ANY_SCOPE, 'connection works: accepted'],
    ['errors without a code', NO_CODES, 'errors fails: status 404 without a code'],
    ['an unknown code that gets 400', BAD_REQUEST, 'errors fails: 400 bad'],
    ['no rate-limit headers', NO_RESET, 'limits differs: not stated'],
    ['a rate limit for everything but the account', BUSY, 'connection works', 'limits works', '* unknown'],
    // Writing
    ['a creation that returns no code', A_JOB, 'create fails: job', NOT_CREATED],
    ['a full quota of codes', refusing(isCreate, 403, QUOTA), 'create unknown: quota', NOT_CREATED],
    ['an Idempotency-Key that is ignored', without('Idempotency-Key'), 'retry fails: created a second code'],
    ['a retry that is refused', NO_REPLAY, 'retry fails: must return the first response'],
    ['a publication that does nothing', ignored('/publish'), 'publish fails: still draft', `${LINK} unknown`],
    [
      'a need for approval',
      refusing(isPublish, 422, APPROVAL),
      'publish unknown: approved',
      `${LINK} unknown`,
    ],
    ['a failed publication', refusing(isPublish, 500, 'x'), 'publish fails: status 500', `${LINK} unknown`],
    ['a short link that is gone', always(isLink, 404, PAGE), 'link fails: status 404', `${CHANGE} unknown`],
    [
      'a link with a sign-in',
      always(isLink, 401, PAGE),
      'link unknown: Open it yourself',
      `${CHANGE} unknown`,
    ],
    ['no short link', NO_LINKS, "link fails: publicUrl isn't a valid URL", `${CHANGE} unknown`],
    ['a short link that works after three seconds', SLOW_LINK, 'link works: after 3.'],
    ['a fixed target', ignored('/destination'), 'change fails: not changed', NOT_UPDATED],
    ['a fixed target that codes show', FIXED_AND_SHOWN, 'change fails: not changed', NOT_UPDATED],
    ['a refused update', refusing(isUpdate, 403, 'x'), 'change fails: status 403', NOT_UPDATED],
    ['a failed update', refusing(isUpdate, 500, 'x'), 'change fails: status 500', NOT_UPDATED],
    ['a full quota of updates', refusing(isUpdate, 403, QUOTA), 'change unknown: quota', NOT_UPDATED],
    ['a redirect that is cached for 5 s', cached(5), 'newLink works'],
    ['a redirect that is cached for 30 s', cached(30), 'change unknown: may be cached', NOT_UPDATED],
    [
      'a cached redirect and codes that show their target',
      both(SHOWN, cached(30)),
      'newLink unknown: may be cached',
    ],
    [
      'a cached redirect and codes that show their target elsewhere',
      both(SHOWN_ELSEWHERE, cached(600)),
      'newLink unknown: may be cached',
    ],
    // Reading
    ['no clear list', UNKNOWN_LISTS, 'list fails: codesA', 'visible fails: codesA', 'pages, since unknown'],
    ['a list in no order', SWAPPED, 'list works: 10 codes'],
    ['a cursor that is ignored', ignoring('cursor'), 'pages fails: 4 pages with 4 of 10 codes'],
    ['pages without nextCursor', NO_CURSOR, 'pages fails: 1 page with 4 of 10 codes'],
    ['a limit that is ignored', ignoring('limit'), 'pages unknown: 1 page with 10 codes'],
    ['pages that overlap', OVERLAP, 'pages differs: codes repeat'],
    ['an updatedSince that is ignored', ignoring('updatedSince'), 'since differs: ignored'],
    ['no codes since a time', NOT_SINCE, "since fails: isn't listed", 'visible unknown: not within 2'],
    ['codes since a time that are late', LATE_SINCE, 'visible unknown: look back five minutes'],
    ['no scans since a time', NO_SCANS_SINCE, "scansSince fails: isn't listed", 'scans works: not within'],
    ['scans since a time that are late', LATE_SCANS, "scans works: 's own not within"],
    ['scans without a time', NO_TIMES, 'scans differs: by ID alone', 'scansSince unknown: readable time'],
    ['scans without a code', NO_QR_IDS, "scans differs: filters and counts by code don't work"],
    ['a second page like the first', SAME_SCANS, 'scans fails: repeats the first', 'scansSince unknown'],
    ['visits that never become scans', OLD_SCANS, "scans works: 16 scans, the probe's own not within"],
    ['pages, not images', always(isImage, 200, PAGE), 'png fails: text/html', 'svg, pdf fails'],
    ['always a PNG', ONLY_PNG, 'svg fails: Expected svg, but got png', 'pdf fails: got png'],
    ['a PDF that is cut off', CUT_PDF, 'pdf fails: cut off'],
    // Webhooks
    ['a secret under an unknown name', OTHER_SECRET, 'subscribe fails: hmacKey', 'unsubscribe unknown'],
    ['no subscriptions', refusing(isSubscribe, 403, 'none'), 'subscribe fails: status 403', UNSUBSCRIBE],
    ['a full quota of subscriptions', refusing(isSubscribe, 403, QUOTA), 'subscribe unknown', UNSUBSCRIBE],
    ['an unwanted address', refusing(isSubscribe, 422, INVALID), `subscribe unknown: ${OWN}`, UNSUBSCRIBE],
    ['no way to unsubscribe', refusing(isRemoval, 405, 'none'), 'unsubscribe differs: in the app'],
    [
      'unsubscribing finds nothing',
      refusing(isRemoval, 404, 'not_found'),
      `unsubscribe fails: ${AS_REMOVED}`,
    ],
  ];

  const FIRST_VISIT = { time: 0 };
  let seeded: Seeded;
  let usual: Report;

  beforeAll(async () => {
    seeded = await startSeeded();
    usual = await seeded.probe();
  });
  beforeEach(() => seeded.emulator.control.reset());
  afterAll(stopProbed);

  test('confirms every requested job of a service without departures', () => {
    const { deliver, ...rest } = verdictsOf(usual);
    expect(deliver).toBe('unknown');
    expect(new Set(Object.values(rest))).toEqual(new Set(['works']));
  });

  test.each(DEPARTURES)('reports %s and nothing else', async (_what, alteration, ...lines) => {
    const report = await seeded.probe({}, alteration);
    const named = new Map(
      lines.flatMap((line) => {
        const [, ids, verdict, text = ''] = /^(.+?) (works|differs|fails|unknown)(?:: (.+))?$/.exec(line)!;
        return ids!.split(', ').map((id) => [id, { verdict, text }] as const);
      }),
    );
    const isConnected = named.get('connection')?.verdict !== 'fails';
    const rest = isConnected ? named.get('*')?.verdict : 'unknown';
    const wanted = Object.entries(verdictsOf(usual)).map(([id, usually]) => [
      id,
      named.get(id)?.verdict ?? rest ?? usually,
    ]);
    expect(verdictsOf(report)).toEqual(Object.fromEntries(wanted));
    const { verdict: worst, headline, exit } = summarize(report);
    expect(headline.endsWith(', with limits.')).toBe(worst === 'differs');
    if (!isConnected) expect(exit).toBe(2);
    named.delete('*');
    for (const [id, { text }] of named) {
      const { value, explanation } = findingOf(report, id);
      expect([value, explanation].join('\n')).toContain(text);
    }
  });

  /** Each request, and the documented codes with which it may be refused. */
  const REQUESTS = { isList, isCreate, isPublish, isUpdate, isImage, isScans, isSubscribe, isRemoval };
  const CIRCUMSTANCES = [
    'insufficient_scope',
    QUOTA,
    'rate_limited',
    APPROVAL,
    'contrast_check_failed',
  ] as const;

  test.each(Object.entries(REQUESTS))(
    'the key, the workspace or the moment is no fault: %s',
    async (_what, matches) => {
      for (const code of CIRCUMSTANCES) {
        seeded.emulator.control.reset();
        const { findings } = await seeded.probe({}, refusing(matches, ERROR_CODES[code].status, code));
        expect(findings.filter(({ verdict }) => verdict === 'fails')).toEqual([]);
        expect(findings.filter(({ verdict }) => verdict === 'unknown').length).toBeGreaterThan(1);
      }
    },
  );

  const FAULTS = [
    'workspace_mismatch',
    'not_found',
    'idempotency_conflict',
    'validation_failed',
    'new',
  ] as const;

  test.each(FAULTS)('any other refusal of an own code is one: %s', async (code) => {
    for (const [matches, id] of [
      [isPublish, 'publish'],
      [isUpdate, 'change'],
      [isImage, 'png'],
    ] as const) {
      seeded.emulator.control.reset();
      const report = await seeded.probe({}, refusing(matches, 422, code));
      expect(findingOf(report, id).verdict).toBe('fails');
    }
  });

  test('a line shows its requests with their responses', async () => {
    const report = await seeded.probe({}, always(isPublish, 200, { ok: true }));
    const [publish, ...reads] = findingOf(report, 'publish').requests;
    expect(publish).toMatch(/^POST \/qr\/qr_\w+\/publish → 200, \d+ ms$/);
    expect(reads.at(-1)).toMatch(/^GET \/qr\/qr_\w+ → 200, \d+ ms$/);
  });

  test("each line that wasn't checked says why", () => {
    for (const { verdict, explanation } of usual.findings)
      if (verdict === 'unknown') expect(explanation).toMatch(/\.$/);
  });
});
