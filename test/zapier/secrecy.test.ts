import { createRequire } from 'node:module';
import app from 'zapier-qr-service';
import { startPlatform, type ZapierPlatform } from '../../engines/zapier/platform.ts';
import { createAppRunner, type LogLine } from '../../engines/zapier/run.ts';
import {
  closeServices,
  serve,
  status,
  type RequestHandler,
  type FaultyService,
} from '../support/faultyService/faultyService.ts';
import { startVirtualTime, type VirtualTime } from '../support/jest/virtualTime.ts';
import { nowSeconds, signedAnew } from './support/deliveries.ts';
import { failureOf } from './support/world.ts';

const API_KEY = 'qrs_live_key_not_to_be_shown';
const SECRET = 'whsec_secret_not_to_be_shown';
/** Any text of the bundle, also for an input that must be a web address. */
const PAYLOAD = 'https://payload.example/not-to-be-shown';
const HIDDEN = /not.to.be.shown/;

const event = { id: 'evt_1', type: 'qr.created', workspaceId: 'ws', occurredAt: '', data: { note: PAYLOAD } };
const rawBody = JSON.stringify(event);
const { headers } = signedAnew({ headers: {}, rawBody }, SECRET, nowSeconds());
const subscribeData = { id: 'wh_1', secret: SECRET };
const delivery = {
  subscribeData,
  rawRequest: { method: 'POST', querystring: '', headers, content: rawBody },
  cleanedRequest: { content: event },
};

let platform: ZapierPlatform;
/** A service that redirects every request, which ends a call immediately, and the other host. */
let redirecting: string;
let elsewhere: FaultyService;
const logs: LogLine[] = [];
const require = createRequire(__filename);
beforeAll(async () => {
  // In tests Zapier's handler leaves out part of what it adds to errors of live runs.
  (require('zapier-platform-core/src/constants') as { IS_TESTING: boolean }).IS_TESTING = false;
  platform = await startPlatform();
  elsewhere = await serve(status(200, {}, PAYLOAD));
  redirecting = (await serve(status(302, { location: elsewhere.url }, PAYLOAD))).url;
});
let time: VirtualTime;
beforeEach(() => {
  time = startVirtualTime();
});
afterEach(() => jest.restoreAllMocks());
afterAll(async () => {
  await platform.close();
  closeServices();
});

/** Runs a method of the app with a connection to a service that redirects every request. */
function run(
  method: string,
  bundle: Record<string, unknown>,
  { rpcUrl } = platform,
  ofApp: object = app,
): Promise<unknown> {
  const runner = createAppRunner(ofApp, { rpcUrl, log: (line) => logs.push(line) });
  const authData = { apiKey: API_KEY, baseUrl: redirecting };
  return runner.run(method, { authData, inputData: { note: PAYLOAD }, meta: {}, ...bundle });
}

test.each([[undefined], [{ id: 'wh_1', secret: '' }]])(
  'explains a missing signing secret (%j) and the fix without showing the bundle',
  async (kept) => {
    // Zapier's CLI runs it without a request, too.
    const step = run('triggers.qr_created.operation.perform', { subscribeData: kept });
    const failure = await failureOf(step);
    expect(failure).toMatchObject({ name: 'AppError', code: 'missing_secret' });
    expect(failure.message).toMatch(/signing secret.*missing.*Turn the Zap off and on again/);
    expect(`${failure.message} ${failure.stack}`).not.toMatch(HIDDEN);
  },
);

/** The app with one instant trigger of each kind. The others are created by the same function. */
const { qr_created, feedback_response_received, other_event, qr_changed, new_scan } = app.triggers;
const smallApp = {
  ...app,
  triggers: { qr_created, feedback_response_received, other_event, qr_changed, new_scan },
};

/** Its functions, by the names that Zapier calls them with. */
const functions = new Map<string, (z: unknown, bundle: unknown) => unknown>();
function collect(value: unknown, name: string): void {
  if (typeof value === 'function') functions.set(name, value as (z: unknown, bundle: unknown) => unknown);
  else if (typeof value === 'object' && value !== null)
    for (const [key, part] of Object.entries(value)) collect(part, name === '' ? key : `${name}.${key}`);
}
collect(smallApp, '');

const full = {
  authData: { apiKey: API_KEY, baseUrl: 'http://127.0.0.1:9' },
  inputData: {
    // Errors show it.
    name: 'Table 4',
    targetUrl: PAYLOAD,
    url: PAYLOAD,
    qrCodeId: 'qr_1',
    format: 'png',
    value: PAYLOAD,
    publishNow: true,
    workspaceName: PAYLOAD,
  },
  meta: {},
  targetUrl: `https://a.example/${PAYLOAD}`,
  ...delivery,
};

const VALID = { format: 'png', publishNow: true, targetUrl: 'https://a.example', url: 'https://a.example' };

/** Bundles that Zapier never sends, each of which breaks the code in a different place. */
const hostile: [what: string, bundle: Record<string, unknown>][] = [
  ['every field filled in', {}],
  ['no input', { inputData: null }],
  ['blank inputs', { inputData: allOf(' ') }],
  ['input that is a string', { inputData: PAYLOAD }],
  ['inputs that are objects', { inputData: allOf({ note: PAYLOAD }) }],
  ['inputs that are lists', { inputData: allOf([PAYLOAD, { secret: SECRET }]) }],
  // The error for an invalid choice or address shows the value, so these are valid.
  ['inputs with control characters', { inputData: { ...allOf(`\u0000\n${PAYLOAD}`), ...VALID } }],
  ['no connection', { authData: null }],
  ['a key that is an object', { authData: { apiKey: { key: API_KEY }, baseUrl: 'http://127.0.0.1:9' } }],
  ['an invalid base URL', { authData: { apiKey: API_KEY, baseUrl: `http://[${PAYLOAD}` } }],
  ['a base URL with a password', { authData: { apiKey: API_KEY, baseUrl: `https://u:${SECRET}@a.example` } }],
  ['no meta', { meta: null }],
  ['no delivery', { rawRequest: null, cleanedRequest: null }],
  ['headers that are a list', { rawRequest: { headers: [SECRET, PAYLOAD], content: rawBody } }],
  ['a body that is not text', { rawRequest: { headers, content: { note: PAYLOAD } } }],
  ['no subscription', { subscribeData: null, targetUrl: null }],
  ['a secret that is not text', { subscribeData: { id: 'wh_1', secret: [SECRET] } }],
];

function allOf(value: unknown): Record<string, unknown> {
  return Object.fromEntries(Object.keys(full.inputData).map((key) => [key, value]));
}

/** What a call threw, as text; empty if it didn't throw. */
async function thrownBy(call: () => unknown): Promise<string> {
  try {
    await call();
    return '';
  } catch (error) {
    const { name, message, stack } = error as Error;
    return `${name} ${message} ${stack ?? ''}`;
  }
}

test.each(hostile)(
  'no function leaks anything or follows a redirect when called with %s',
  async (_what, bundle) => {
    const before = logs.length;
    expect(functions.size).toBeGreaterThanOrEqual(3 * 4 + 2 + 4 + 1 + 3);
    const given = { ...full, authData: { apiKey: API_KEY, baseUrl: redirecting }, ...bundle };
    const thrown = [...functions.keys()].map((method) =>
      thrownBy(() => run(method, given, platform, smallApp)),
    );
    for (const text of await Promise.all(thrown)) expect(text).not.toMatch(HIDDEN);
    expect(elsewhere.requests).toEqual([]);
    const lines = logs.slice(before);
    expect(JSON.stringify(lines)).not.toMatch(new RegExp(`${API_KEY}|${SECRET}`));
    expect(JSON.stringify(lines.filter(({ type }) => type !== 'http'))).not.toMatch(HIDDEN);
  },
);

/** A `z` whose every method fails with the whole bundle in its error. */
function failingTools(log: string[]): unknown {
  const fail = (): never => {
    throw new Error(JSON.stringify(full));
  };
  const reject = () => Promise.reject(new Error(JSON.stringify(full)));
  return {
    errors: require('zapier-platform-core/src/errors') as unknown,
    request: reject,
    cache: { get: reject, set: reject, delete: reject },
    console: { log: (line: string) => void log.push(line) },
    dehydrateFile: fail,
    stashFile: reject,
  };
}

test('no function leaks anything when network, cache and file store fail with the bundle in their errors', async () => {
  const log: string[] = [];
  const calls = [...functions].map(async ([name, call]) => {
    try {
      await call(failingTools(log), full);
      return undefined;
    } catch (error) {
      const { message, stack = '', doNotContextify } = error as Error & { doNotContextify?: boolean };
      return { name, shows: HIDDEN.test(`${message} ${stack}`), doNotContextify };
    }
  });
  const failures = (await Promise.all(calls)).filter((failure) => failure !== undefined);
  // Zapier adds the bundle to the text of any other error.
  expect(failures).toEqual(failures.map(({ name }) => ({ name, shows: false, doNotContextify: true })));
  expect(failures.length).toBeGreaterThan(10);
  expect(log.join('\n')).not.toMatch(HIDDEN);
});

test.each<[string, RequestHandler]>([
  ['is down', status(503)],
  ['never responds', () => time.advance(5_000)],
  [
    'forgets',
    (_request, response, body) =>
      response
        .writeHead(200, { 'content-type': 'application/json' })
        .end(JSON.stringify({ ...(JSON.parse(body) as object), result: null })),
  ],
])('accepts a genuine delivery in time when the cache %s', async (what, respond) => {
  const { url: rpcUrl } = await serve(respond);
  const before = logs.length;
  const began = Date.now();
  const rows = await run('triggers.qr_created.operation.perform', delivery, { ...platform, rpcUrl });
  expect(rows).toMatchObject([{ eventId: 'evt_1', note: PAYLOAD }]);
  expect(Date.now() - began).toBeLessThan(15_000);
  const said = logs.slice(before).map(({ message }) => message);
  if (what !== 'forgets') expect(said.join('\n')).toMatch(/cache didn't respond/);
  expect(said.join('\n')).not.toMatch(HIDDEN);
});
