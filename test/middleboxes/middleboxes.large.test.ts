// nock 15 intercepts all three: undici, axios in n8n and node-fetch in Zapier. nock 14 doesn't intercept undici.
import nock from 'nock';
import { createZapierEngine, type ZapierEngine } from '../../engines/zapier/index.ts';
import { TRUNCATED, FAILURES, HARMLESS, NOW, type Failure } from './responses.ts';
import { TRANSPORTS, type TransportUnderTest, type Outcome } from './transports.ts';

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

/** Responds to every request this way. */
function always(reply: (to: nock.Interceptor) => nock.Scope): void {
  for (const method of ['GET', 'POST'])
    reply(nock(BASE_URL).persist().intercept(/./, method)).on('request', (request: Request) =>
      requests.push(request),
    );
}

const withTitle = (failure: Failure): [string, Failure] => [
  failure.isRetried
    ? `retries ${failure.name}, then explains what happened and what to do`
    : `explains ${failure.name} and what to do, without a retry`,
  failure,
];

/** Expects that the key was only sent to the service, in its header, and is not retained anywhere. */
function expectSecrecy({ retained }: Outcome): void {
  expect(otherHosts).toEqual([]);
  for (const { url, headers } of requests) {
    expect(headers.get('Authorization')).toBe(`Bearer ${KEY}`);
    expect(url).not.toContain(KEY);
  }
  expect(retained).not.toContain(KEY);
}

describe.each(Object.entries(TRANSPORTS))('over %s', (_platform, connect) => {
  let transport: TransportUnderTest;
  beforeAll(async () => {
    transport = await connect({ baseUrl: BASE_URL, apiKey: KEY });
  });
  afterAll(() => transport.close?.());

  describe.each(['publish', 'list'] as const)('%s', (step) => {
    test.each(FAILURES.map(withTitle))('%s', async (_title, failure) => {
      const { reply, text, reference, isRetried } = failure;
      always(reply);
      const outcome = await transport[step]();
      expect(outcome).toMatchObject({
        text: transport.told(text(transport.words), reference),
        ...transport.errorFor(failure),
      });
      expect(requests).toHaveLength(isRetried ? transport.attempts : 1);
      const keys = new Set(requests.map(({ headers }) => headers.get('Idempotency-Key')));
      expect([...keys]).toEqual([step === 'publish' ? expect.stringMatching(/.{16}/) : null]);
      expectSecrecy(outcome);
    });

    test.each(TRUNCATED)('rejects a truncated response %s', async (_how, reply) => {
      always(reply);
      jest.spyOn(AbortSignal, 'timeout').mockImplementation(() => timeout(50));
      const outcome = await transport[step]();
      expect(outcome.text).toMatch(/could not be (?:reached|decoded)|was cut off|did not respond within/);
      expect(requests).toHaveLength(transport.attempts);
      expectSecrecy(outcome);
    });

    test.each(HARMLESS)('reads a response that is %s', async (_how, reply) => {
      always(reply);
      const outcome = await transport[step]();
      expect(outcome).toMatchObject({ ids: ['qr_1'] });
      expectSecrecy(outcome);
    });
  });
});

describe('a Zap', () => {
  let engine: ZapierEngine;
  beforeAll(async () => {
    engine = await createZapierEngine({ auth: { baseUrl: BASE_URL, apiKey: KEY } });
  });
  afterAll(() => engine.close());

  test("doesn't mistake a proxy's 404 page for a missing code", async () => {
    always((to) => to.reply(404, '<html>', { 'Content-Type': 'text/html' }));
    const search = engine.search('find_qr_code', { searchBy: 'id', value: 'qr_1' });
    await expect(search).rejects.toThrow('responded instead');
  });

  test('does not suggest that a code was created if the certificate is not trusted', async () => {
    const expired = Object.assign(new Error('expired'), { code: 'CERT_HAS_EXPIRED' });
    always((to) => to.replyWithError(expired));
    const input = { name: 'Door', targetUrl: 'https://example.com' };
    const failure = await engine.create('create_qr_code', input).catch(String);
    expect(failure).toContain("isn't trusted");
    expect(failure).not.toContain('may have been created');
  });
});
