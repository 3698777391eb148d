// nock 15 intercepts all three: undici, axios in n8n and node-fetch in Zapier. nock 14 doesn't intercept undici.
import nock from 'nock';
import { FAILURES, HARMLESS, NOW, TRUNCATED } from './responses.ts';
import { TRANSPORTS, type TransportUnderTest } from './transports.ts';

const BASE_URL = 'https://qr.example';
const KEY = 'qrs_the_key_of_these_tests';

const timeout = AbortSignal.timeout.bind(AbortSignal);

/** Requests sent to the service, oldest first. */
let requests: Request[] = [];
/** Other hosts that requests were addressed to. */
let otherHosts: string[] = [];

const noteHost = ({ url }: Request) => {
  const { hostname } = new URL(url);
  // The engine's stand-in for Zapier's own services.
  if (hostname !== '127.0.0.1') otherHosts.push(hostname);
};

beforeAll(() => {
  nock.disableNetConnect();
  nock.enableNetConnect('127.0.0.1');
  nock.emitter.on('no match', noteHost);
});
beforeEach(() => {
  requests = [];
  otherHosts = [];
  // No wait between attempts.
  jest.spyOn(Math, 'random').mockReturnValue(0);
  jest.spyOn(Date, 'now').mockReturnValue(NOW);
});
afterEach(() => {
  nock.cleanAll();
  jest.restoreAllMocks();
});
afterAll(() => {
  nock.emitter.off('no match', noteHost);
  nock.enableNetConnect();
  // nock patches Node.js itself, which would affect the next test file in this process.
  nock.restore();
});

/** Publishes a code at a service that responds to every request this way. The key only goes there, in its header. */
async function publish(over: TransportUnderTest, reply: (to: nock.Interceptor) => nock.Scope) {
  const note = (request: Request) => requests.push(request);
  for (const method of ['GET', 'POST'])
    reply(nock(BASE_URL).persist().intercept(/./, method)).on('request', note);
  const outcome = await over.publish();
  expect(otherHosts).toEqual([]);
  for (const { url, headers } of requests) {
    expect(headers.get('Authorization')).toBe(`Bearer ${KEY}`);
    expect(url).not.toContain(KEY);
  }
  expect(outcome.retained).not.toContain(KEY);
  return outcome;
}

describe.each(Object.entries(TRANSPORTS))('over %s', (name, connect) => {
  let transport: TransportUnderTest;
  beforeAll(async () => {
    transport = await connect({ baseUrl: BASE_URL, apiKey: KEY });
  });
  afterAll(() => transport.close?.());

  test.each(TRUNCATED)('rejects a truncated response %s', async (_how, reply) => {
    jest.spyOn(AbortSignal, 'timeout').mockImplementation(() => timeout(50));
    const { text } = await publish(transport, reply);
    expect(text).toMatch(/could not be (?:reached|decoded)|was cut off|did not respond within/);
    expect(requests).toHaveLength(transport.attempts);
  });

  test.each(HARMLESS)('reads a response that is %s', async (_how, reply) => {
    expect(await publish(transport, reply)).toMatchObject({ id: 'qr_1' });
  });

  // The core reads the response in the same way over each transport, so one has all the failures.
  const failures = name === 'undici' ? FAILURES : FAILURES.slice(0, 2);
  test.each(failures)('explains %s and what to do', async (_what, reply, says, isRetried) => {
    const { text } = await publish(transport, reply);
    expect(text).toContain(says);
    expect(requests).toHaveLength(isRetried ? transport.attempts : 1);
    const keys = new Set(requests.map(({ headers }) => headers.get('Idempotency-Key')));
    expect([...keys]).toEqual([expect.stringMatching(/.{16}/)]);
  });
});
