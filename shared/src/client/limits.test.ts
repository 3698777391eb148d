import { startSimulatedTime, type SimulatedTime } from '../../../test/support/jest/virtualTime.ts';
import type { ApiError } from '../errors/ApiError.ts';
import { QrServiceClient } from './QrServiceClient.ts';
import type { CallOptions } from './RequestExecutor.ts';
import { requestFailed } from './requestFailed.ts';
import type { RetryOptions } from './retry.ts';
import type { TransportRequest, TransportResponse } from './transport.ts';

let time: SimulatedTime;
beforeEach(() => {
  time = startSimulatedTime();
  jest.spyOn(Math, 'random').mockReturnValue(0.5);
});
afterEach(() => jest.restoreAllMocks());

/** A response, and after how many milliseconds. Without one, the request's time limit ends it. */
type Reply = (TransportResponse & { ms?: number }) | 'none';
const reply = (status: number, body: string, headers = {}) => ({ status, headers, body });
const late = (ms: number, response: TransportResponse) => ({ ...response, ms });
const OK = reply(200, '{"id":"qr_1","workspace":{}}');
const BUSY = reply(503, '');
const MADE = reply(200, '{"ok":true}');
const REFUSED = reply(403, '{"code":"quota_exceeded","requestId":"req_1"}');
const QUOTA = { code: 'quota_exceeded' };
const after = (seconds: number) => ({ 'Retry-After': String(seconds) });
const limited = (seconds?: number) =>
  reply(429, '{"code":"rate_limited"}', seconds === undefined ? {} : after(seconds));
const away = (seconds: number) => reply(503, '{"code":"maintenance"}', after(seconds));
const proxyLimited = (seconds: number) => reply(429, '<html>Slow down</html>', after(seconds));
const windowOf = (left: string, seconds: string) => ({
  ...{ 'X-RateLimit-Limit': '99', 'X-RateLimit-Remaining': left, 'X-RateLimit-Reset': seconds },
});

/** A client whose nth request gets the nth reply. Later requests get the last one. */
function clientOf(options: object, replies: Reply[]) {
  const sentAt: number[] = [];
  const transport = async (request: TransportRequest): Promise<TransportResponse> => {
    const response = replies[Math.min(sentAt.push(time.elapsed()), replies.length) - 1]!;
    const wait = response === 'none' ? request.timeoutMs : (response.ms ?? 0);
    await time.wait(wait, request.signal).catch(() => {
      throw requestFailed(request, { timedOut: false });
    });
    if (response === 'none') throw requestFailed(request, { timedOut: true });
    return response;
  };
  const all = {
    baseUrl: 'https://api.example.com',
    apiKey: 'qrs_key',
    transport,
    sleep: time.wait,
    ...options,
  };
  return { client: new QrServiceClient(all), sentAt };
}

const DONE = { raw: {} };
const TIMED_OUT = { kind: 'timeout', message: expect.stringContaining('did not respond') as string };
const CALL_TIMED_OUT = { kind: 'timeout', message: 'The call did not complete within its time limit.' };
const TOO_SLOW = { kind: 'deadline', code: 'deadline', message: 'The service is too slow right now.' };
const UNSENT = expect.stringContaining('This request and those after it were not sent.') as string;
const HOURS = { retryAfterMs: 7_300_000, retryable: true };
const LIMITED = { status: 429, code: 'rate_limited' };
const retry = (limits: RetryOptions) => ({ retry: limits });
const sleeping = (ms: number) => ({ sleep: () => time.wait(ms) });
const NO_TIME = { sleep: () => Promise.reject(new Error('No time.')) };
const LONG = retry({ rateLimitMs: 600_000 });

type Calls = (client: QrServiceClient) => Promise<unknown>;
/** So many calls, one after the other. Only the last may not fail. */
const calls =
  (count: number, options?: CallOptions): Calls =>
  async (client) => {
    for (let call = 1; call < count; call++) await client.me().catch(() => undefined);
    return client.me(options);
  };
const publish =
  (options: CallOptions): Calls =>
  ({ qr }) =>
    qr.publish('qr_1', options);
const publishAgain: Calls = (client) => {
  const call = () => publish({ idempotencyKey: 'k' })(client);
  return call().catch(call);
};
const callsAtOnce: Calls = async (client) => {
  await client.me();
  const later = time.wait(200).then(() => client.me());
  return Promise.all([calls(2)(client), later]);
};

/** `at`: when the requests are sent, and when the last call ends. */
type Row = [replies: Reply[], outcome: object, at: number[], options?: object, calls?: Calls];
it.each<[what: string, row: Row]>([
  ['the budget limits attempts and waits', [['none'], TIMED_OUT, [0, 30_250, 60_000]]],
  ['the budget limits an attempt', [['none'], TIMED_OUT, [0, 10_000], retry({ budgetMs: 10_000 })]],
  ['the budget allows one attempt', [['none'], TIMED_OUT, [0, 90_000], { timeoutMs: 90_000 }]],
  ['a client without retries sends a call once', [[BUSY, OK], { status: 503 }, [0, 0], { retry: false }]],
  ['a slow wait uses up the budget', [[BUSY], { status: 503 }, [0, 60_000], sleeping(60_000)]],
  ['a slow wait leaves the rest', [[BUSY, 'none'], TIMED_OUT, [0, 59_000, 60_000], sleeping(59_000)]],
  [
    'a wait for the rate limit uses up nothing of the budget',
    [[limited(59), late(59_000, BUSY), OK], DONE, [0, 59_000, 118_500, 118_500]],
  ],
  [
    'waits for the rate limit have a limit of their own',
    [[limited(9)], LIMITED, [0, 9000, 9000], retry({ rateLimitMs: 17_000 })],
  ],
  [
    'an attempt that the rate limit refuses does not count',
    [[limited(1), BUSY, OK], DONE, [0, 1000, 1500, 1500], retry({ maxAttempts: 2 })],
  ],
  [
    'a write whose refusal is replayed is not sent under a new key once the budget is used up',
    [[late(1000, REFUSED)], QUOTA, [0, 1000, 2000], retry({ budgetMs: 1000 }), publishAgain],
  ],
  [
    "a call's own time limit includes its waits",
    [[limited(5), 'none'], CALL_TIMED_OUT, [0, 5000, 12_000], {}, calls(1, { timeoutMs: 12_000 })],
  ],
  [
    'all requests of a call share its time limit, and a write that succeeded returns what it knows',
    [
      [late(6000, MADE), 'none'],
      { id: 'qr_1', ok: true },
      [0, 6000, 10_000],
      {},
      publish({ timeoutMs: 10_000 }),
    ],
  ],
  [
    'a used-up window delays the next call',
    [[{ ...OK, headers: windowOf('0', '5') }], DONE, [0, 5000, 5000], {}, calls(2)],
  ],
  [
    'a client that cannot wait sends each call at once, and only once',
    [[{ ...BUSY, headers: windowOf('0', '5') }], { status: 503 }, [0, 0, 0], { sleep: undefined }, calls(2)],
  ],
  [
    'a rate limit without a Retry-After is retried with growing delays as long as calls may wait',
    [[limited()], LIMITED, [0, 250, 750, 1750, 3750, 7750, 15_750, 25_750, 35_750, 45_750, 55_750, 55_750]],
  ],
  [
    'a rate limit is not retried at once because the last window is over',
    [
      [{ ...OK, headers: windowOf('9', '1') }, late(5000, limited()), OK],
      DONE,
      [0, 0, 5250, 5250],
      {},
      calls(2),
    ],
  ],
  [
    'all calls wait for a service that says when it is back, beyond their budgets',
    [
      [OK, late(100, away(120)), late(100, OK)],
      [DONE, DONE],
      [0, 0, 120_350, 120_450, 120_450, 120_550],
      LONG,
      callsAtOnce,
    ],
  ],
  [
    'a call waits for the service for exactly as long as calls may wait',
    [[away(2), OK], DONE, [0, 2250, 2250], retry({ rateLimitMs: 2250 })],
  ],
  [
    'a call fails if the service is back later than calls may wait, but the next one is sent',
    [[OK, away(7300)], { status: 503, ...HOURS }, [0, 0, 0, 0], LONG, calls(3)],
  ],
  [
    'all calls fail, unsent, if the rate limit lasts longer than they may wait',
    [[OK, limited(7300)], { ...LIMITED, ...HOURS, message: UNSENT }, [0, 0, 0], LONG, calls(3)],
  ],
  ["a proxy's 429 blocks no other call", [[proxyLimited(120), OK], DONE, [0, 0, 0], {}, calls(2)]],
  [
    'a wait that a platform refuses ends with the error that says how long it is',
    [[proxyLimited(5)], { code: 'http_429', retryAfterMs: 5000 }, [0, 0], NO_TIME],
  ],
  [
    'a wait that a platform refuses ends with `deadline` if no error says how long it is',
    [[BUSY], { ...TOO_SLOW, idempotencyKey: 'K' }, [0, 0], NO_TIME, publish({ idempotencyKey: 'K' })],
  ],
])('%s', async (_what, [replies, outcome, at, options = {}, run = calls(1)]) => {
  const { client, sentAt } = clientOf(options, replies);
  expect(await time.run(run(client).catch((error: unknown) => error))).toMatchObject(outcome);
  expect([...sentAt, time.elapsed()]).toEqual(at);
});

const code = 'rate_limited';
type Limited = [status: number, left: string, body: unknown, waitMs?: number | undefined, seconds?: string];
it.each<[what: string, row: Limited]>([
  ['at its own limit', [429, '0', { code }, 50_000]],
  ['while the window still has room', [429, '90', { code }]],
  ['that is over', [429, '0', { code }, undefined, '0']],
  ['for another error', [400, '0', { code: 'broken' }]],
  ["for a proxy's page", [429, '0', '<html>Slow down</html>']],
])(
  'the rest of the window %s is the time to wait, or not',
  async (_what, [status, left, body, waitMs, seconds = '50']) => {
    const { client } = clientOf({ retry: false }, [{ status, headers: windowOf(left, seconds), body }]);
    const error = (await time.run(client.me().catch((thrown: unknown) => thrown))) as ApiError;
    expect([error.status, error.retryAfterMs]).toEqual([status, waitMs]);
    expect(client.rateLimit).toMatchObject({ limit: 99, remaining: Number(left) });
  },
);

it.each<[what: string, response: TransportResponse, call: typeof publish]>([
  ['a wait for the rate limit', late(1, limited(30)), (options) => calls(1, options)],
  ['a wait between attempts', late(1, BUSY), (options) => calls(1, options)],
  ['a read of what was published', late(4, MADE), publish],
])("%s ends with `aborted` for the caller's signal", async (_what, response, call) => {
  const controller = new AbortController();
  time.after(5, () => controller.abort());
  const { client } = clientOf({}, [response]);
  const canceled = { kind: 'aborted', message: 'The request was canceled.', unsent: false };
  const run = call({ signal: controller.signal, timeoutMs: 50_000 });
  await expect(time.run(run(client))).rejects.toMatchObject(canceled);
  const again = client.me({ signal: controller.signal });
  await expect(time.run(again)).rejects.toMatchObject({ ...canceled, unsent: true });
});
