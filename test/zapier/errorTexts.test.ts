import { isErrorCode, sentence } from '@qr-service/core/connector';
import type { ZapierEngine } from '../../engines/zapier/index.ts';
import {
  CODE,
  closeServices,
  hangUp,
  neverRespond,
  serve,
  status,
  TRANSIENT_FAULTS,
  type RequestHandler,
} from '../support/faultyService/faultyService.ts';
import {
  problemsWith,
  requestIdOf,
  respondWith,
  SERVICE_ERRORS,
  type ServiceError,
} from '../support/faultyService/serviceErrors.ts';
import { endless } from '../support/jest/endless.ts';
import { startVirtualTime, type VirtualTime } from '../support/jest/virtualTime.ts';
import { errorTextProblems, requestIdAtEnd } from './support/errorTextProblems.ts';
import { failureOf, HOOK_URL, startWorld, type World } from './support/world.ts';

const WORDS = {
  credential: 'connection',
  rerun: 'run this step again',
  otherwise: 'If it keeps failing, contact support.',
};
const CREATE = { name: 'Door', targetUrl: 'nope', publishNow: false };
const ONE = { qrCodeId: 'qr_1' };

/** The key and the input of each step. */
const STEPS = {
  Create: ['create_qr_code', CREATE],
  'Create with a key': ['create_qr_code', { ...CREATE, deduplicationKey: 'k' }],
  'Create, at publishing': ['create_qr_code', { ...CREATE, publishNow: true }],
  'Create with a key, at publishing': [
    'create_qr_code',
    { ...CREATE, publishNow: true, deduplicationKey: 'k' },
  ],
  Publish: ['publish_qr_code', ONE],
  Render: ['render_qr_code', ONE],
  Retarget: ['retarget_qr_code', { ...ONE, url: 'nope' }],
  'Create or retarget': ['upsert_qr_code', { name: 'Door', targetUrl: 'nope' }],
  'Create or retarget with a key': [
    'upsert_qr_code',
    { name: 'Door', targetUrl: 'nope', deduplicationKey: 'k' },
  ],
  'Create or retarget by name': ['upsert_qr_code', { matchByName: true, name: 'Door', targetUrl: 'nope' }],
  'Create or retarget by ID': ['upsert_qr_code', { ...ONE, targetUrl: 'nope' }],
  'Create or retarget, at publishing': ['upsert_qr_code', { name: 'Door', targetUrl: 'nope' }],
  'Create or retarget by name, at publishing': [
    'upsert_qr_code',
    { matchByName: true, name: 'Window', targetUrl: 'nope' },
  ],
} as const satisfies Record<string, readonly [string, Record<string, unknown>]>;
type Name = keyof typeof STEPS;
const NAMES = Object.keys(STEPS) as Name[];
/** Steps whose texts don't only depend on the error code. */
const DISTINCT: readonly Name[] = [
  'Create',
  'Create with a key',
  'Create, at publishing',
  'Create or retarget by name, at publishing',
];

let world: World;
let engine: ZapierEngine;
let respond: RequestHandler;
let time: VirtualTime;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.close());
beforeEach(async () => {
  time = startVirtualTime();
  const service = await serve((request, response, body) => respond(request, response, body));
  engine = await world.connect('key_of_a_test', service.url);
});
afterEach(() => {
  jest.restoreAllMocks();
  closeServices();
});

/** The error of a step when the service responds with an error. */
async function textOf(error: ServiceError, name: Name): Promise<string> {
  const fail = respondWith(error);
  respond = (request, response, body) => {
    const isPublishing = request.url?.endsWith('/publish') === true;
    if (name.endsWith('at publishing') && !isPublishing)
      response.end(JSON.stringify(request.url?.includes('/qr?') === true ? { data: [CODE] } : CODE));
    else fail(request, response, body);
  };
  const [key, input] = STEPS[name];
  return (await failureOf(engine.create(key, { ...input }))).message;
}

const CASES = Object.entries(SERVICE_ERRORS);

test.each(CASES)(
  '%s: every step says what happened and what to do, and ends with the IDs',
  async (what, error) => {
    const requestId = requestIdOf(error);
    for (const name of isErrorCode(what) ? NAMES : DISTINCT) {
      const text = await textOf(error, name);
      const [told = text] = text.split(/ (?:Error code|HTTP status): /);
      const [, title = told, description = ''] = /^(.+?)\. (.*)$/.exec(told) ?? [];
      expect([text, problemsWith(title.replace(/\.$/, ''), description)]).toEqual([text, []]);
      expect([text, errorTextProblems(text)]).toEqual([text, []]);
      // To this step, a code that isn't found is one to create.
      if (name !== 'Create or retarget by ID' || what !== 'not_found')
        expect(requestIdAtEnd(text)).toBe(requestId);
      if (!name.startsWith('Create')) continue;
      expect(told).not.toMatch(/\b(run|execute|repeat)\b.*\bagain\b/i);
      // A replay must be safe due to the key, or the text must warn of it.
      if (name === 'Create, at publishing' || name === 'Create or retarget, at publishing')
        expect(told).not.toMatch(/(?<!Don't )\breplay/i);
    }
  },
);

test.each(CASES)('%s: an update of the destination has exactly these words', async (_what, error) => {
  const text = await textOf(error, 'Retarget');
  const said = [error.title, error.advice(WORDS)].map(sentence).join(' ').trim();
  expect(text.slice(0, said.length)).toBe(said);
  expect(text.slice(said.length)).toMatch(
    /^ (Error code: \w+|HTTP status: \d+ \(.+\)|HTTP status: \d+)(\. Request ID: req_17)?$/,
  );
});

test.each<[keyof typeof SERVICE_ERRORS, string]>([
  [
    "a proxy's page",
    "The QR code qr_1 was created but not published: the response didn't come from the service. A proxy, firewall or sign-in page may have responded instead. It may not be able to reach the service. The code exists as a draft: Door (https://r.example/door). Wait a few minutes, then publish it with the Publish QR Code step (ID qr_1). Don't replay this run: without a Deduplication Key it would create a duplicate. HTTP status: 502 (text/html, from nginx)",
  ],
  [
    'an unknown code',
    "The QR code qr_1 was created but not published: Not tonight. The code exists as a draft: Door (https://r.example/door). Publish it with the Publish QR Code step (ID qr_1). Don't replay this run: without a Deduplication Key it would create a duplicate. If you need help, give the request ID to support. Error code: moon_phase. Request ID: req_17",
  ],
])('%s: an unpublished code has exactly these words', async (what, text) => {
  expect(await textOf(SERVICE_ERRORS[what]!, 'Create, at publishing')).toBe(text);
});

/** How to run a failing step. */
type Run = () => Promise<unknown>;

const withService =
  (handler: RequestHandler, run: Run): Run =>
  () => {
    respond = handler;
    return run();
  };
const json =
  (body: unknown): RequestHandler =>
  (_request, response) =>
    response.end(JSON.stringify(body));
const create = (key: string, input: Record<string, unknown>) => () => engine.create(key, input);
const publish = create('publish_qr_code', ONE);
const search = (searchBy: string, value: string) => () => engine.search('find_qr_code', { searchBy, value });
const poll = (key: string) => () => engine.poll(key);
const connect =
  (baseUrl: string, apiKey = 'key_of_a_test') =>
  async () =>
    (await world.connect(apiKey, baseUrl)).authTest();

/** An endless list, each page of which takes some milliseconds. */
function endlessPages({ rows, ms }: { rows: number; ms: number }): RequestHandler {
  let page = 0;
  return (_request, response) => {
    time.advance(ms);
    page += 1;
    const data = Array.from({ length: rows }, (_, index) => ({ ...CODE, id: `qr_${page}_${index}` }));
    response.end(JSON.stringify({ data, pagination: { nextCursor: `c${page}` } }));
  };
}

/** All other errors: the start of each, and its cause. */
const OTHERS: Record<string, Run> = {
  'Name is empty.': create('create_qr_code', { name: ' ' }),
  'Size must be a whole number, 1 or more, but got "big".': create('render_qr_code', { ...ONE, size: 'big' }),
  'Publish Now must be yes or no': create('create_qr_code', { ...CREATE, publishNow: 'maybe' }),
  'Format must be one of PNG, SVG, PDF, but got "gif".': create('render_qr_code', { ...ONE, format: 'gif' }),
  'Search By must be one of': search('slug', 'x'),
  'Deduplication Key must be text or a number of up to 15 digits': create('create_qr_code', {
    ...CREATE,
    deduplicationKey: 2 ** 60,
  }),
  'Invalid QR code ID.': create('publish_qr_code', { qrCodeId: '..' }),
  'No QR code has the short link https://r.example/none. Check the value, or fill in Name': withService(
    json([CODE]),
    create('upsert_qr_code', { qrCodeId: 'https://r.example/none', targetUrl: 'https://example.com' }),
  ),
  'The QR code https://r.example/none doesn\'t exist, but another has the name "Door".': withService(
    json([CODE]),
    create('upsert_qr_code', { qrCodeId: 'https://r.example/none', name: 'Door', targetUrl: 'https://e.co' }),
  ),
  '2 QR codes have the name "Door".': withService(
    json([CODE, { ...CODE, id: 'qr_2' }]),
    create('upsert_qr_code', { matchByName: true, name: 'Door', targetUrl: 'https://example.com' }),
  ),
  'The QR code "Door" (https://r.example/door, ID qr_1) is archived': withService(
    json([{ ...CODE, status: 'archived' }]),
    create('upsert_qr_code', { matchByName: true, name: 'Door', targetUrl: 'https://example.com' }),
  ),
  'Another run requested a QR code for "Door" in the last 24 hours, with other values': withService(
    ({ method }, response) =>
      method === 'GET'
        ? response.end('{"data":[]}')
        : response.writeHead(409).end('{"code":"idempotency_conflict","message":"No."}'),
    create('upsert_qr_code', { matchByName: true, name: 'Door', targetUrl: 'https://example.com' }),
  ),
  'Match by Name must be yes or no': create('upsert_qr_code', { ...CREATE, matchByName: 'maybe' }),
  'No QR code has the short link https://r.example/none.': withService(
    json([CODE]),
    create('publish_qr_code', { qrCodeId: 'https://r.example/none' }),
  ),
  'None of the first 5000 QR codes matches, and the workspace has more.': withService(
    endlessPages({ rows: 100, ms: 0 }),
    search('name', 'None'),
  ),
  '127.0.0.1 could not be reached.': connect('http://127.0.0.1:9'),
  "Base URL isn't a valid URL.": connect('nonsense'),
  'Base URL contains a user name, a query or a fragment.': connect('https://api.example/?key=1'),
  'The API key is empty.': connect('https://api.example', ' '),
  'The API key contains invalid characters.': connect('https://api.example', 'a key'),
  "The server at Base URL isn't the service's API.": withService(
    status(404, { 'Content-Type': 'text/html' }, '<html>'),
    () => engine.authTest(),
  ),
  '127.0.0.1 could not be reached. Check Base URL': withService(hangUp, publish),
  "The response was cut off or isn't valid JSON.": withService(
    TRANSIENT_FAULTS['the response was truncated JSON'],
    publish,
  ),
  "The response didn't come from the service.": withService(
    TRANSIENT_FAULTS['the response was a web page instead of JSON'],
    publish,
  ),
  'The request was redirected to login.example.': withService(
    status(302, { Location: 'https://login.example/' }),
    publish,
  ),
  '127.0.0.1 did not respond within 9 seconds.': () =>
    withService(endless(time, neverRespond, 9000), publish)(),
  'Unexpected response: expected a QR code.': withService(json({ some: 1, thing: 2 }), publish),
  'Unexpected response: expected a list of rows.': withService(json({ some: 1 }), poll('qr_changed')),
  'Unexpected response: expected one signing secret.': withService(json({ id: 'wh_1' }), () =>
    engine.subscribe('qr_created', HOOK_URL),
  ),
  'The service returned the same cursor twice': withService(
    json({ data: [CODE], pagination: { nextCursor: 'c' } }),
    poll('qr_changed'),
  ),
  'Too many QR codes changed': withService(endlessPages({ rows: 1, ms: 100 }), poll('qr_changed')),
  'There were too many scans': withService(endlessPages({ rows: 1, ms: 100 }), poll('new_scan')),
  'The service is too slow right now.': withService(endlessPages({ rows: 0, ms: 4000 }), poll('qr_changed')),
  '127.0.0.1 could not be reached. The QR code may have been created anyway': withService(
    hangUp,
    create('create_qr_code', CREATE),
  ),
  'The API key is missing, revoked or expired. Create a new API key': withService(
    status(401, {}, '{"code":"invalid_api_key"}'),
    () => engine.dropdown('publish_qr_code', 'qrCodeId'),
  ),
};

test.each(Object.entries(OTHERS))(
  '"%s …" says what to do, and ends with the reference for support',
  async (start, run) => {
    const { message } = await failureOf(run());
    expect(message.replaceAll(/(127\.0\.0\.1):\d+/g, '$1').slice(0, start.length)).toBe(start);
    expect([message, errorTextProblems(message)]).toEqual([message, []]);
  },
);

test.each(['Out of cheese (request 8f14-c3)', 'Request ID 8f14-c3. Out of cheese', '8f14-c3'])(
  'moves the request ID in the message "%s" out of the first sentence',
  async (message) => {
    const body = JSON.stringify({ code: 'odd', message, requestId: '8f14-c3' });
    respond = status(400, {}, body);
    const text = (await failureOf(publish())).message;
    expect(text).toMatch(/^The service refused the request\. /);
    expect(text).toMatch(/\. Error code: odd\. Request ID: 8f14-c3$/);
  },
);

test('puts the reason of a failed connection at the end', async () => {
  const { message } = await failureOf(connect('http://127.0.0.1:9')());
  expect(message).toBe(
    '127.0.0.1:9 could not be reached. Check Base URL in the connection and that the service is up, then test the connection again. Error code: ECONNREFUSED',
  );
});
