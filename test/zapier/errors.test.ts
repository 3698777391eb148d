import type { Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import type { StepFailure } from '../../engines/zapier/index.ts';
import {
  CODE,
  hangUp,
  ok,
  TRANSIENT_FAULTS,
  serve,
  neverRespond,
  status,
  trickle,
  type RequestHandler,
} from '../support/faultyService/faultyService.ts';
import { PROXY_PAGE, respondWith, serviceError } from '../support/faultyService/serviceErrors.ts';
import { endless } from '../support/jest/endless.ts';
import { startVirtualTime, type VirtualTime } from '../support/jest/virtualTime.ts';
import { some } from '../support/seed.ts';
import { failureOf, startWorld, type World } from './support/world.ts';

let world: World;
let time: VirtualTime;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.close());
/** Almost no jitter, unless a test sets another. Without any, retries that don't wait would never end. */
let jitter: jest.SpiedFunction<() => number>;
beforeEach(() => {
  time = startVirtualTime();
  jitter = jest.spyOn(Math, 'random').mockReturnValue(0.008);
});
afterEach(() => jest.restoreAllMocks());

/** Zapier's own time limit of a run. */
const ZAPIER_ENDS_RUNS_MS = 30_000;
/** No attempt of a run lasts longer. */
const ATTEMPT_MS = 9000;

const busy = (code: number, seconds: number | string): RequestHandler =>
  status(code, { 'Retry-After': String(seconds) }, '<html>busy</html>');

test.each([
  ['the seconds in Retry-After', 429, 120, 0.008, 120],
  ['the seconds in Retry-After of a 503', 503, 45, 0.008, 45],
  ['at most an hour when Retry-After is a date', 429, new Date(Date.now() + 1e8).toUTCString(), 0, 3600],
])('a busy service makes Zapier retry after %s', async (_what, code, retryAfter, random, delay) => {
  jitter.mockReturnValue(random);
  const service = await serve(busy(code, retryAfter));
  const engine = await world.connect('key_of_a_test', service.url);
  const began = Date.now();
  const failure = await failureOf(engine.create('publish_qr_code', { qrCodeId: 'qr_1' }));
  expect(failure).toMatchObject({ name: 'ThrottledError', delay });
  expect(Date.now()).toBe(began);
  expect(service.requests).toHaveLength(1);
});

/** The failure of a step when the service responds like this. */
type Step = (...handlers: RequestHandler[]) => Promise<StepFailure>;

const code = { name: 'Door', targetUrl: 'https://example.com', publishNow: false };
const step =
  (key: string, input: Record<string, unknown>): Step =>
  async (...handlers) => {
    const engine = await world.connect('key_of_a_test', (await serve(...handlers)).url);
    return failureOf(engine.create(key, input));
  };
const read = step('render_qr_code', { qrCodeId: 'qr_1' });
const create = step('create_qr_code', code);
const createWithKey = step('create_qr_code', { ...code, deduplicationKey: 'row-1' });

const looksFirst = expect.stringMatching(
  /A QR code named ".+" may have been created\. It isn't published\. Look for it in the app before/,
);
const runsAgain = expect.not.stringMatching(/may have been created|Look for it in the app/);
const keepsKey = expect.stringMatching(
  /A QR code named "Door" may have been created\. It isn't published\. .*replay this run\./,
);

describe('permanent faults', () => {
  const NETWORK = { name: 'AppError', code: 'network' };
  const expected: Record<keyof typeof TRANSIENT_FAULTS, Partial<StepFailure>> = {
    'the connection was reset': NETWORK,
    'the connection was reset mid-response': NETWORK,
    'the response was truncated JSON': NETWORK,
    'the response was a web page instead of JSON': NETWORK,
    'a proxy returned 503 with a web page': { name: 'AppError', code: 'http_503', status: 503 },
    'the first attempt was still running': { name: 'AppError', code: 'idempotency_in_progress', status: 409 },
    'the rate limit was used up': { name: 'ThrottledError', delay: 1 },
  };
  // Far fewer retries until the time is used up.
  beforeEach(() => jitter.mockReturnValue(0.5));
  const faults = some(
    Object.entries(TRANSIENT_FAULTS) as [keyof typeof TRANSIENT_FAULTS, RequestHandler][],
    3,
  );

  test.each<[string, Step, unknown]>(
    some(
      [
        ['a step that only reads', read, runsAgain],
        ['a create with a deduplication key', createWithKey, keepsKey],
        ['a create without a deduplication key, which is not safe to retry,', create, looksFirst],
      ],
      3,
    ),
  )('fails %s with the right error class', async (_what, run, message) => {
    const failures = [];
    for (const [what, fault] of faults) failures.push({ what, ...(await run(fault)) });
    expect(failures).toMatchObject(
      faults.map(([what]) => ({
        what,
        ...expected[what],
        // Above the rate limit nothing was done.
        message: what === 'the rate limit was used up' ? runsAgain : message,
      })),
    );
  });

  test.each<[string, RequestHandler, Partial<StepFailure>]>([
    ['401', status(401, {}, '{"code":"invalid_api_key"}'), { name: 'ExpiredAuthError' }],
    ["a gateway's 401", status(401, {}, '{"message":"Unauthorized"}'), { name: 'AppError', status: 401 }],
  ])('fails without a retry on %s', async (_what, fault, failure) => {
    // Anything after it would succeed.
    expect(await createWithKey(fault, ok)).toMatchObject(failure);
  });

  test("ends before Zapier's time limit when the response is silent or trickles", async () => {
    const runs: [Step, RequestHandler, unknown][] = [
      [read, trickle, runsAgain],
      [read, neverRespond, runsAgain],
      [createWithKey, neverRespond, keepsKey],
      [create, trickle, looksFirst],
    ];
    for (const [run, fault, message] of some(runs)) {
      const began = Date.now();
      const failure = await run(endless(time, fault, ATTEMPT_MS));
      expect(Date.now() - began).toBeLessThan(ZAPIER_ENDS_RUNS_MS);
      expect(failure).toMatchObject({ name: 'AppError', code: 'timeout', message });
    }
  });
});

// Zapier's HTTP client alone would wait for the rest of a body with a Content-Length.
test.each<[string, Record<string, string>, (socket: Socket) => unknown]>([
  ['closed', { 'Content-Length': '500' }, (socket) => socket.end()],
  ['reset', { 'Content-Length': '500' }, (socket) => socket.resetAndDestroy()],
  ['closed between chunks', {}, (socket) => socket.end()],
  ['closed in gzip', { 'Content-Encoding': 'gzip', 'Content-Length': '500' }, (socket) => socket.end()],
])('retries at once when the connection is %s mid-response', async (_how, headers, cut) => {
  const began = Date.now();
  const service = await serve(({ socket }, response) => {
    response.writeHead(200, headers);
    response.write(gzipSync('{"id": "qr_1"}').subarray(0, 12), () => cut(socket));
  }, ok);
  const engine = await world.connect('key_of_a_test', service.url);
  expect(await engine.create('create_qr_code', code)).toMatchObject({ id: 'qr_1' });
  expect(service.requests).toHaveLength(2);
  expect(Date.now() - began).toBeLessThan(ATTEMPT_MS);
});

describe('an automatic rerun by Zapier', () => {
  test.each<[string, RequestHandler[], number]>([
    ['the service was down and asked to wait', [busy(503, 45)], 45],
    ['it may have acted before the rate limit was used up', [hangUp, busy(429, 120)], 120],
    ['it may have acted before a last, longer wait', [status(503), busy(503, 90)], 90],
  ])('needs a deduplication key for a create when %s', async (_what, handlers, delay) => {
    expect(await createWithKey(...handlers)).toMatchObject({ name: 'ThrottledError', delay });
    expect(await create(...handlers)).toMatchObject({ name: 'AppError', message: looksFirst });
  });

  test.each([401, 403])(
    'after a lost response and then a %i could create a duplicate without a key, so the error warns of it',
    async (refusal) => {
      expect(await create(hangUp, status(refusal))).toMatchObject({ name: 'AppError', message: looksFirst });
    },
  );

  test('needs no key for a create when nothing was created, and nobody is asked to replay as well', async () => {
    const message = expect.stringMatching(
      /Wait 120 seconds, then test again\. Zapier runs a live Zap again by itself\./,
    );
    expect(await create(busy(429, 120))).toMatchObject({ name: 'ThrottledError', delay: 120, message });
  });

  test.each(['publish_qr_code', 'retarget_qr_code'])(
    'is safe for %s without a key, since it leads to the same state',
    async (key) => {
      const failure = await step(key, { qrCodeId: 'qr_1', url: 'https://example.com' })(busy(503, 45));
      expect(failure).toMatchObject({ name: 'ThrottledError', delay: 45 });
    },
  );
});

// The core tests the texts of all errors.
describe('the text of an error', () => {
  /** What a new code's creation or publication says if the service responds like this. */
  const textOf = async (respond: RequestHandler) =>
    (await step('create_qr_code', publishing)(respond)).message;
  const publishing = { ...code, publishNow: true };

  test("about a refused IP address says that Zapier's addresses change, and ends with the code", async () => {
    expect(await textOf(respondWith(serviceError('ip_not_allowed', '')))).toMatch(
      /IP address of this request\. Zapier calls from changing IP addresses\. Remove the key's IP restriction .* \(ip_not_allowed, request req_17\)$/,
    );
  });

  test('for an unpublished code has exactly these words', async () => {
    const message = await textOf((request, response, body) => {
      if (request.url?.endsWith('/publish') === true) respondWith(PROXY_PAGE)(request, response, body);
      else response.end(JSON.stringify(CODE));
    });
    expect(message).toBe(
      'The QR code qr_1 was created but not published: The response didn\'t come from the service. The code exists as a draft: "Door" (ID qr_1, https://r.example/door). A proxy, firewall or sign-in page may have responded instead. Wait a few minutes, then publish it with the Publish QR Code step. Replaying this run within 24 hours is safe too: it publishes this code. (status 502, text/html, from nginx)',
    );
  });

  test('of a list that is too slow makes Zapier retry later', async () => {
    let page = 0;
    const { url } = await serve((_request, response) => {
      time.advance(4000);
      page += 1;
      response.end(JSON.stringify({ data: [], pagination: { nextCursor: `c${page}` } }));
    });
    const failure = await failureOf((await world.connect('key_of_a_test', url)).poll('qr_changed'));
    expect(failure).toMatchObject({ name: 'ThrottledError', delay: 60 });
    expect(failure.message).toMatch(/^The service is too slow right now\. /);
  });
});
