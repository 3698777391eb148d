// nock 15 intercepts all three: undici, axios in n8n and node-fetch in Zapier. nock 14 doesn't intercept undici.
import nock from 'nock';
import {
  echo,
  serve,
  SLOW_RESPONSES,
  status,
  type RequestHandler,
} from '../support/faultyService/faultyService.ts';
import { endless } from '../support/jest/endless.ts';
import { startVirtualTime } from '../support/jest/virtualTime.ts';
import { FAILURES, HARMLESS, NOW, TRUNCATED, type ConnectionError } from './responses.ts';
import { TRANSPORTS, type TransportUnderTest } from './transports.ts';

const KEY = 'qrs_the_key_of_these_tests';

/** Requests to the service, oldest first. */
let requests: { url: string; authorization: unknown; key: unknown }[] = [];
/** Other hosts that requests were addressed to. */
let otherHosts: string[] = [];
let reply: RequestHandler = status(200);

const noteHost = ({ url }: Request) => {
  const { hostname } = new URL(url);
  // The service itself, and the engine's stand-in for Zapier's own services.
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

/** Makes each connection to the service fail. Only nock can: a real server has a name and a certificate. */
function failConnections(to: string, code: ConnectionError): void {
  for (const method of ['GET', 'POST'])
    nock(to)
      .persist()
      .intercept(/./, method)
      .replyWithError(Object.assign(new Error(code), { code }))
      .on('request', ({ url, headers }: Request) => {
        const [authorization, key] = ['Authorization', 'Idempotency-Key'].map((name) => headers.get(name));
        requests.push({ url, authorization, key });
      });
}

/** Lets the time limits of each request pass soon after the start of its response: node-fetch waits for a lost rest. */
function untilLimit(response: RequestHandler): RequestHandler {
  const limits: AbortController[] = [];
  jest.spyOn(AbortSignal, 'timeout').mockImplementation(() => {
    limits.push(new AbortController());
    return limits.at(-1)!.signal;
  });
  return (...request) => {
    const current = limits.splice(0);
    response(...request);
    setTimeout(() => {
      for (const limit of current) limit.abort(new DOMException('Too late.', 'TimeoutError'));
    }, 30);
  };
}

describe.each(Object.entries(TRANSPORTS))('over %s', (name, connect) => {
  let baseUrl: string;
  let transport: TransportUnderTest;
  beforeAll(async () => {
    const service = await serve((request, response, body) => {
      const { authorization, 'idempotency-key': key } = request.headers;
      requests.push({ url: request.url ?? '', authorization, key });
      reply(request, response, body);
    });
    baseUrl = service.url;
    transport = await connect({ baseUrl, apiKey: KEY });
  });
  afterAll(() => transport.close?.());

  /** Publishes a code at a service that responds to every request this way. The key only goes there, in its header. */
  async function publish(response: RequestHandler | ConnectionError) {
    if (typeof response === 'string') failConnections(baseUrl, response);
    else reply = response;
    const outcome = await transport.publish();
    expect(otherHosts).toEqual([]);
    for (const { url, authorization } of requests) {
      expect(authorization).toBe(`Bearer ${KEY}`);
      expect(url).not.toContain(KEY);
    }
    expect(outcome.retained).not.toContain(KEY);
    return outcome;
  }

  test.each(TRUNCATED)('rejects a truncated response %s', async (_how, response) => {
    const { text } = await publish(untilLimit(response));
    expect(text).toMatch(/could not be (?:reached|decoded)|was cut off|did not respond within/);
    expect(requests).toHaveLength(transport.attempts);
  });

  test.each(SLOW_RESPONSES)('times out on %s', async (_what, response) => {
    const { text } = await publish(endless(startVirtualTime(), response));
    expect(text).toMatch(/did not respond within \d+ seconds/);
  });

  test('fails on endless headers', async () => {
    const { text } = await publish((_request, { socket }) =>
      socket?.write(`HTTP/1.1 200 OK\r\n${'X-Long: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\r\n'.repeat(1e4)}`),
    );
    expect(text).toMatch(/could not be reached/);
  });

  test('an error that echoes the request shows neither the key nor control characters', async () => {
    const { text = '', retained } = await publish(echo);
    expect(text.length).toBeLessThan(2500);
    expect(text).toMatch(/^[^\p{C}]+$/u);
    expect(retained).not.toContain(KEY.slice(0, 12));
  });

  test.each(HARMLESS)('reads a response that is %s', async (_how, response) => {
    expect(await publish(response)).toMatchObject({ id: 'qr_1' });
  });

  // The core reads the response in the same way over each transport, so one has all the failures.
  const failures = name === 'undici' ? FAILURES : FAILURES.slice(0, 2);
  test.each(failures)('explains %s and what to do', async (_what, response, says, isRetried) => {
    const { text } = await publish(response);
    expect(text?.replaceAll(/:\d+/g, '')).toContain(says);
    expect(requests).toHaveLength(isRetried ? transport.attempts : 1);
    const keys = new Set(requests.map(({ key }) => key));
    expect([...keys]).toEqual([expect.stringMatching(/.{16}/)]);
  });
});
