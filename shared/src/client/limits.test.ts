import { startSimulatedTime, type SimulatedTime } from '../../../test/support/jest/virtualTime.ts';
import type { ApiError } from '../errors/ApiError.ts';
import { PlatformClient } from './PlatformClient.ts';
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

/** A response, and after how many seconds. Without one, the request's time limit ends it. */
type Reply = (TransportResponse & { after?: number }) | 'none';
const reply = (status: number, body: string, headers = {}) => ({ status, headers, body });
const late = (after: number, response: TransportResponse) => ({ ...response, after });
const OK = reply(200, '{"id":"qr_1","workspace":{}}');
const BUSY = reply(503, '');
const MADE = reply(200, '{"ok":true}');
const REFUSED = reply(403, '{"code":"quota_exceeded","requestId":"req_1"}');
const after = (seconds: number) => ({ 'Retry-After': String(seconds) });
const limited = (seconds: number) => reply(429, '{"code":"rate_limited"}', after(seconds));
const UNTIMED = reply(429, '{"code":"rate_limited"}');
const away = (seconds: number) => reply(503, '{"code":"maintenance"}', after(seconds));
const proxyLimited = (seconds: number) => reply(429, '<html>Slow down</html>', after(seconds));
const windowOf = (left: string, seconds: string) => ({
  'X-RateLimit-Limit': '99',
  'X-RateLimit-Remaining': left,
  'X-RateLimit-Reset': seconds,
});
const used = (response: TransportResponse, left = '0', seconds = '5') => ({
  ...response,
  headers: windowOf(left, seconds),
});

/** A client whose nth request gets the nth reply. Later requests get the last one. */
function clientOf(options: object, replies: Reply[]) {
  const sentAt: number[] = [];
  const transport = async (request: TransportRequest): Promise<TransportResponse> => {
    const response = replies[Math.min(sentAt.push(time.elapsed()), replies.length) - 1]!;
    const wait = response === 'none' ? request.timeoutMs : (response.after ?? 0) * 1000;
    await time.wait(wait, request.signal).catch(() => {
      throw requestFailed(request, { timedOut: false });
    });
    if (response === 'none') throw requestFailed(request, { timedOut: true });
    return response;
  };
  const usual = { baseUrl: 'https://api.example.com', apiKey: 'qrs_key', sleep: time.wait };
  return { client: new PlatformClient({ ...usual, transport, ...options }), sentAt };
}

const DONE = { raw: {} };
const BOTH = [DONE, DONE];
const PUBLISHED = { id: 'qr_1', ok: true };
const AWAY = { status: 503 };
const timedOut = (seconds: number) => ({
  code: 'timeout',
  message: `api.example.com did not respond within ${seconds} seconds.`,
});
const TOO_LATE = { code: 'timeout', message: 'The call did not complete within its time limit.' };
const TOO_SLOW = { code: 'deadline', message: 'The service is too slow right now.', idempotencyKey: 'K' };
const HOURS = { retryAfterMs: 7_300_000, retryable: true };
const LONG_AWAY = { ...AWAY, ...HOURS };
const LIMITED = { status: 429, code: 'rate_limited' };
const UNSENT = expect.stringContaining('This request and those after it were not sent.') as string;
const LONG_LIMIT = { ...LIMITED, ...HOURS, message: UNSENT };
const QUOTA = { code: 'quota_exceeded' };
const retry = (limits: RetryOptions) => ({ retry: limits });
const budget = (seconds: number) => retry({ budgetMs: seconds * 1000 });
const waits = (seconds: number) => retry({ rateLimitMs: seconds * 1000 });
const sleeping = (seconds: number) => ({ sleep: () => time.wait(seconds * 1000) });
const NINE = { timeoutMs: 9000 };
const TWICE = retry({ maxAttempts: 2 });
const NO_TIME = { sleep: () => Promise.reject(new Error('No time.')) };

type Calls = (client: PlatformClient) => Promise<unknown>;
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
const publishOnce = publish({ idempotencyKey: 'K' });
const publishAgain: Calls = (client) => {
  const call = () => publish({ idempotencyKey: 'again' })(client);
  return call().catch(call);
};
const atOnce: Calls = async (client) => {
  await client.me();
  return Promise.all([client.me(), time.wait(200).then(() => client.me())]);
};
const LIMIT = { totalTimeoutMs: 12_000 };

/** `at`: at which seconds the requests are sent, and the last call ends. */
type Row = [replies: Reply[], outcome: object, at: number[], options?: object, calls?: Calls];
it.each<[what: string, row: Row]>([
  ['attempts and waits share a budget', [['none'], timedOut(60), [0, 30.25, 60]]],
  ['the budget limits an attempt', [['none'], timedOut(10), [0, 10], budget(10)]],
  ['a first attempt has its own limit', [['none'], timedOut(9), [0, 9], { ...NINE, retry: false }]],
  [
    'the last one ends with the budget',
    [['none'], timedOut(20), [0, 9.25, 18.75, 20], { ...budget(20), ...NINE }],
  ],
  ['the budget allows one attempt', [['none'], timedOut(90), [0, 90], { timeoutMs: 90_000 }]],
  ['a client without retries sends a call once', [[BUSY, OK], AWAY, [0, 0], { retry: false }]],
  ['a slow wait uses up the budget', [[BUSY], AWAY, [0, 60], sleeping(60)]],
  ['a slow wait leaves the rest', [[BUSY, 'none'], timedOut(60), [0, 59, 60], sleeping(59)]],
  ['rate-limit waits cost no budget', [[limited(59), late(59, BUSY), OK], DONE, [0, 59, 118.5, 118.5]]],
  ['waits for the rate limit have their own limit', [[limited(9)], LIMITED, [0, 9, 9], waits(17)]],
  ['a refusal by the rate limit is no attempt', [[limited(1), BUSY, OK], DONE, [0, 1, 1.5, 1.5], TWICE]],
  ['a replay without budget is final', [[late(1, REFUSED)], QUOTA, [0, 1, 2], budget(1), publishAgain]],
  ["a call's limit includes its waits", [[limited(5), 'none'], TOO_LATE, [0, 5, 12], {}, calls(1, LIMIT)]],
  ["a call's limit includes its read", [[late(6, MADE), 'none'], PUBLISHED, [0, 6, 12], {}, publish(LIMIT)]],
  ["a client's limit for whole calls applies to each", [[limited(5), 'none'], TOO_LATE, [0, 5, 12], LIMIT]],
  ["a call's limit for an attempt", [['none', OK], DONE, [0, 5.25, 5.25], {}, calls(1, { timeoutMs: 5000 })]],
  [
    "a call's own limit replaces the client's",
    [[late(6, MADE), OK], PUBLISHED, [0, 6, 6], { totalTimeoutMs: 5000 }, publish(LIMIT)],
  ],
  ['a call of two requests says why it may not wait', [[limited(20)], LIMITED, [0, 0], {}, publish(LIMIT)]],
  ['a used-up window delays the next call', [[used(OK)], DONE, [0, 5, 5], {}, calls(2)]],
  [
    'without a sleep, calls are sent at once',
    [[used(BUSY)], AWAY, [0, 0, 0], { sleep: undefined }, calls(2)],
  ],
  [
    'waits without a Retry-After grow up to a limit',
    [[UNTIMED], LIMITED, [0, 0.25, 0.75, 1.75, 3.75, 7.75, 15.75, 25.75, 35.75, 45.75, 55.75, 55.75]],
  ],
  [
    'a rate limit is not retried at once because the last window is over',
    [[used(OK, '9', '1'), late(5, UNTIMED), OK], DONE, [0, 0, 5.25, 5.25], {}, calls(2)],
  ],
  [
    'all calls wait for a service that says when it is back, beyond their budgets',
    [[OK, late(0.1, away(120)), late(0.1, OK)], BOTH, [0, 0, 120.35, 120.45, 120.55], waits(600), atOnce],
  ],
  ['a call waits for the service as long as it may', [[away(2), OK], DONE, [0, 2.25, 2.25], waits(2.25)]],
  ['a long absence blocks no later call', [[OK, away(7300)], LONG_AWAY, [0, 0, 0, 0], waits(600), calls(3)]],
  ['a long rate limit fails all calls', [[OK, limited(7300)], LONG_LIMIT, [0, 0, 0], waits(600), calls(3)]],
  ["a proxy's 429 blocks no other call", [[proxyLimited(120), OK], DONE, [0, 0, 0], {}, calls(2)]],
  [
    'an error names a wait that a platform refuses',
    [[proxyLimited(5)], { retryAfterMs: 5000 }, [0, 0], NO_TIME],
  ],
  ['a pause that it refuses is a `deadline`', [[BUSY], TOO_SLOW, [0, 0], NO_TIME, publishOnce]],
])('%s', async (_what, [replies, outcome, at, options = {}, run = calls(1)]) => {
  const { client, sentAt } = clientOf(options, replies);
  expect(await time.run(run(client).catch((error: unknown) => error))).toMatchObject(outcome);
  expect([...sentAt, time.elapsed()].map((ms) => ms / 1000)).toEqual(at);
});

it.each([
  [1, 60, 1],
  [10, 90, 10],
  [1000, 6030, 10],
])('%i calls to a silent service fail in %i seconds, %i at once', async (count, seconds, atOnce) => {
  const { client, sentAt } = clientOf({}, ['none']);
  await time.run(Promise.allSettled(Array.from({ length: count }, () => client.me())));
  const inFlight = sentAt.map((at) => sentAt.filter((other) => other <= at && at < other + 29_750).length);
  expect(Math.max(...inFlight)).toBe(atOnce);
  expect(time.elapsed() / 1000).toBeLessThanOrEqual(seconds);
});

type Limited = [status: number, left: string, body: string, waitMs?: number | undefined, seconds?: string];
it.each<[what: string, row: Limited]>([
  ['at its own limit', [429, '0', UNTIMED.body, 50_000]],
  ['while the window still has room', [429, '90', UNTIMED.body]],
  ['that is over', [429, '0', UNTIMED.body, undefined, '0']],
  ['for another error', [400, '0', '{"code":"broken"}']],
  ["for a proxy's page", [429, '0', '<html>Slow down</html>']],
])('the rest of the window %s is the time to wait, or not', async (_what, row) => {
  const [status, left, body, waitMs, seconds = '50'] = row;
  const { client } = clientOf({ retry: false }, [{ status, headers: windowOf(left, seconds), body }]);
  const error = (await time.run(client.me().catch((thrown: unknown) => thrown))) as ApiError;
  expect([error.status, error.retryAfterMs]).toEqual([status, waitMs]);
  expect(client.rateLimit).toMatchObject({ limit: 99, remaining: Number(left) });
});

it.each<[what: string, response: Reply, call: typeof publish]>([
  ['a wait for the rate limit', limited(30), (options) => calls(1, options)],
  ['a wait between attempts', BUSY, (options) => calls(1, options)],
  ['a read of what was published', late(0.004, MADE), publish],
])("%s ends with `aborted` for the caller's signal", async (_what, response, call) => {
  const controller = new AbortController();
  const { signal } = controller;
  time.after(5, () => controller.abort());
  const { client } = clientOf({}, [response]);
  const canceled = { code: 'aborted', message: 'The request was canceled.', unsent: false };
  const run = call({ signal, totalTimeoutMs: 50_000 });
  await expect(time.run(run(client))).rejects.toMatchObject(canceled);
  await expect(time.run(client.me({ signal }))).rejects.toMatchObject({ ...canceled, unsent: true });
});
