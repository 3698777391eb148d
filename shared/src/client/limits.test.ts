import { startSimulatedTime, type SimulatedTime } from '../../../test/support/jest/virtualTime.ts';
import type { ClientOptions } from './configuration.ts';
import type { ApiError } from '../errors/ApiError.ts';
import { QrServiceClient } from './QrServiceClient.ts';
import { requestFailed } from './requestFailed.ts';
import type { TransportRequest, TransportResponse } from './transport.ts';

const OK: TransportResponse = { status: 200, headers: {}, body: '{"id":"qr_1","workspace":{}}' };
const limited = (seconds?: number): TransportResponse => ({
  status: 429,
  headers: seconds === undefined ? {} : { 'Retry-After': String(seconds) },
  body: '{"code":"rate_limited"}',
});
const BUSY: TransportResponse = { status: 503, headers: {}, body: '' };

let time: SimulatedTime;
beforeEach(() => {
  time = startSimulatedTime();
  jest.spyOn(Math, 'random').mockReturnValue(0.5);
});
afterEach(() => jest.restoreAllMocks());

/** A client whose nth request gets the nth response after its delay. Later requests get the last one. */
function clientOf(
  options: Partial<ClientOptions>,
  ...responses: [ms: number, response: TransportResponse | 'none'][]
) {
  const requests: { at: number; timeoutMs: number }[] = [];
  const transport = async (request: TransportRequest): Promise<TransportResponse> => {
    requests.push({ at: time.elapsed(), timeoutMs: request.timeoutMs });
    const [ms, response] = responses[Math.min(requests.length, responses.length) - 1]!;
    const wait = response === 'none' ? request.timeoutMs : ms;
    await Promise.race([time.wait(wait), aborted(request.signal)]).catch(() => {
      throw requestFailed(request, { timedOut: false });
    });
    if (response === 'none') throw requestFailed(request, { timedOut: true });
    return response;
  };
  const sleep = (ms: number, signal?: AbortSignal) => Promise.race([time.wait(ms), aborted(signal)]);
  const all = { baseUrl: 'https://api.example.com', apiKey: 'qrs_key', transport, sleep, ...options };
  return { client: new QrServiceClient(all), requests };
}

const aborted = (signal: AbortSignal | undefined) =>
  new Promise<never>((_resolve, reject) => {
    const abort = () => reject(new Error('aborted'));
    if (signal?.aborted === true) abort();
    signal?.addEventListener('abort', abort);
  });
const outcomeOf = (call: Promise<object>) => time.run(call.catch((error: unknown) => error as object));

describe('the budget of a call', () => {
  it.each([60_000, 10_000])('of %d ms limits its attempts and the waits between them', async (budgetMs) => {
    const { client, requests } = clientOf({ retry: { budgetMs } }, [0, 'none']);
    expect(await outcomeOf(client.me())).toMatchObject({ kind: 'timeout' });
    expect(time.elapsed()).toBeLessThanOrEqual(budgetMs);
    expect(time.elapsed()).toBeGreaterThan(budgetMs - 20_000);
    for (const { at, timeoutMs } of requests) expect(at + timeoutMs).toBeLessThanOrEqual(budgetMs + 1);
  });

  it('limits the wait for a first attempt that is still running, instead of the attempts', async () => {
    const running = { status: 409, headers: {}, body: '{"code":"idempotency_in_progress"}' };
    const { client, requests } = clientOf({}, ...Array<[number, TransportResponse]>(7).fill([10, running]), [
      10,
      OK,
    ]);
    await outcomeOf(client.qr.publish('qr_1'));
    expect(requests).toHaveLength(9);
  });

  it('counts no attempt that the service refused for its rate limit', async () => {
    const refused = Array<[number, TransportResponse]>(5).fill([10, limited(1)]);
    const { client, requests } = clientOf({}, ...refused, [0, BUSY], [0, OK]);
    expect(await outcomeOf(client.me())).not.toHaveProperty('code');
    expect(requests).toHaveLength(7);
  });

  it('is used up by a wait that takes longer than it should', async () => {
    const { client, requests } = clientOf({ sleep: () => time.wait(100_000) }, [0, BUSY]);
    expect(await outcomeOf(client.me())).toMatchObject({ status: 503 });
    expect(requests).toHaveLength(1);
  });

  it('defaults to the time limit of an attempt if that is longer', async () => {
    const { client, requests } = clientOf({ timeoutMs: 90_000 }, [0, 'none']);
    await outcomeOf(client.me());
    expect(requests).toEqual([{ at: 0, timeoutMs: 90_000 }]);
  });

  it('is not used up by a wait for the rate limit', async () => {
    const { client, requests } = clientOf({}, [10, limited(58)], [20_000, BUSY], [10, OK]);
    expect(await outcomeOf(client.me())).not.toHaveProperty('code');
    expect(requests).toHaveLength(3);
  });

  it('adds up with the budget for the rate limit', async () => {
    const retry = { budgetMs: 30_000, rateLimitMs: 40_000, maxAttempts: 50 };
    const { client } = clientOf({ retry }, [2000, limited(9)]);
    expect(await outcomeOf(client.me())).toMatchObject({ code: 'rate_limited', retryAfterMs: 9000 });
    expect(time.elapsed()).toBeLessThanOrEqual(70_000);
  });

  it("never exceeds the call's own time limit", async () => {
    const { client } = clientOf({}, [10, limited(5)], [0, 'none']);
    const message = 'The call did not complete within its time limit.';
    expect(await outcomeOf(client.me({ timeoutMs: 12_000 }))).toMatchObject({ kind: 'timeout', message });
    expect(time.elapsed()).toBe(12_000);
  });

  it('is shared by the requests of a call, and a write that succeeded returns what it knows', async () => {
    const { client, requests } = clientOf({}, [6000, { ...OK, body: '{"ok":true}' }], [0, 'none']);
    expect(await outcomeOf(client.qr.publish('qr_1', { timeoutMs: 10_000 }))).toMatchObject({ id: 'qr_1' });
    expect([time.elapsed(), requests.length]).toEqual([10_000, 2]);
  });
});

it('the rate limit in the headers of a response paces the next calls', async () => {
  const headers = { 'X-RateLimit-Limit': '9', 'X-RateLimit-Remaining': '0', 'X-RateLimit-Reset': '5' };
  const { client, requests } = clientOf({}, [0, { ...OK, headers }]);
  await time.run(client.me().then(() => client.me()));
  expect(requests.map(({ at }) => at)).toEqual([0, 5000]);
  expect(client.rateLimit).toMatchObject({ limit: 9, remaining: 0 });
});

it('a client that cannot wait sends each call at once, and only once', async () => {
  const { client, requests } = clientOf({ sleep: undefined } as object, [0, BUSY]);
  await time.run(Promise.allSettled([client.me(), client.me()]));
  expect(requests.map(({ at }) => at)).toEqual([0, 0]);
});

describe('a rate limit without a Retry-After', () => {
  it('is retried with growing delays, for as long as calls may wait for it', async () => {
    const { client, requests } = clientOf({}, [0, limited()]);
    expect(await outcomeOf(client.me())).toMatchObject({ code: 'rate_limited' });
    const seconds = requests.map(({ at }) => at / 1000);
    expect(seconds).toEqual([0, 0.25, 0.75, 1.75, 3.75, 7.75, 15.75, 25.75, 35.75, 45.75, 55.75]);
  });

  const code = 'rate_limited';
  it.each<[retryAfterMs: number | undefined, what: string, status: number, left: string, body: unknown]>([
    [50_000, 'at its own limit', 429, '0', { code }],
    [undefined, 'while the window still has room', 429, '90', { code }],
    [undefined, 'for another error', 400, '0', { code: 'broken' }],
    [undefined, "for a proxy's page", 429, '0', '<html>Slow down</html>'],
  ])('lasts %p ms, the rest of the window, %s', async (retryAfterMs, _what, status, left, body) => {
    const headers = { 'X-RateLimit-Limit': '99', 'X-RateLimit-Remaining': left, 'X-RateLimit-Reset': '50' };
    const { client } = clientOf({ retry: false }, [0, { status, headers, body }]);
    const error = (await outcomeOf(client.me())) as ApiError;
    expect([error.status, error.retryAfterMs]).toEqual([status, retryAfterMs]);
  });

  it('is not retried at once because the reported window is already over', async () => {
    const headers = { 'X-RateLimit-Limit': '9', 'X-RateLimit-Remaining': '9', 'X-RateLimit-Reset': '1' };
    const { client, requests } = clientOf({}, [0, { ...OK, headers }], [5000, limited()], [0, OK]);
    await time.run(Promise.all([client.me(), client.me()]));
    expect(requests[2]!.at - requests[1]!.at).toBe(5250);
  });
});

describe('a service that says when it is back', () => {
  const body = '{"code":"maintenance"}';
  const away = (seconds: number) => ({ ...BUSY, headers: { 'Retry-After': String(seconds) }, body });
  const retry = { rateLimitMs: 600_000 };

  it('makes all calls wait together, even beyond their own budgets', async () => {
    const { client, requests } = clientOf({ retry }, [0, OK], [100, away(120)], [100, OK]);
    await time.run(client.me());
    const later = time.wait(200).then(() => client.me());
    await time.run(Promise.all([client.me().then(() => client.me()), later]));
    expect(requests.map(({ at }) => at)).toEqual([0, 0, 120_350, 120_450, 120_450]);
  });

  it('fails calls with retryAfterMs, without a retry, if the wait is longer than calls may wait', async () => {
    const { client, requests } = clientOf({ retry }, [0, OK], [0, away(7300)]);
    await time.run(client.me());
    const calls = Array.from({ length: 20 }, () => client.me().catch((error: unknown) => error));
    const expected = { status: 503, retryAfterMs: 7_300_000, retryable: true };
    for (const error of await time.run(Promise.all(calls))) expect(error).toMatchObject(expected);
    expect([time.elapsed(), requests.length]).toEqual([0, 21]);
    // It may be back for others earlier.
    await outcomeOf(client.me());
    expect(requests).toHaveLength(22);
  });

  it('fails the calls after a rate limit that lasts too long, unsent, with the time to wait', async () => {
    const { client, requests } = clientOf({ retry }, [0, OK], [0, limited(7300)]);
    for (let call = 1; call <= 2; call++) await outcomeOf(client.me());
    const message = expect.stringContaining('This request and those after it were not sent.') as string;
    const expected = { status: 429, code: 'rate_limited', retryable: true, retryAfterMs: 7_300_000, message };
    expect(await outcomeOf(client.me())).toMatchObject(expected);
    expect(requests).toHaveLength(2);
  });

  it("blocks no other call if it is a proxy's 429 page", async () => {
    const page = { status: 429, headers: { 'Retry-After': '120' }, body: '<html>Slow down</html>' };
    const { client, requests } = clientOf({ retry }, [0, page], [0, OK]);
    expect(await outcomeOf(client.me())).toMatchObject({ code: 'http_429', retryAfterMs: 120_000 });
    expect(await outcomeOf(client.me())).not.toHaveProperty('code');
    expect(requests.map(({ at }) => at)).toEqual([0, 0]);
  });
});

describe('a wait', () => {
  it('that a platform refuses fails the call with the time that the response asks for, if it does', async () => {
    const page = { status: 429, headers: { 'Retry-After': '5' }, body: '<html>Slow down</html>' };
    const { client } = clientOf({ sleep: () => Promise.reject(new Error('No time.')) }, [0, page]);
    expect(await outcomeOf(client.me())).toMatchObject({ code: 'http_429', retryAfterMs: 5000 });
  });

  it('that a platform refuses fails the call with `deadline`, not with the error of a signal', async () => {
    const sleep = () => Promise.reject(new Error('The time is used up.'));
    const { client } = clientOf({ sleep }, [0, BUSY]);
    const error = await outcomeOf(client.qr.publish('qr_1', { idempotencyKey: 'k' }));
    const message = 'The service is too slow right now.';
    expect(error).toMatchObject({ kind: 'deadline', code: 'deadline', message, idempotencyKey: 'k' });
  });

  it.each<[string, TransportResponse]>([
    ['for the rate limit', limited(30)],
    ['between attempts', BUSY],
  ])("%s ends with `aborted` for the caller's signal", async (_what, response) => {
    const controller = new AbortController();
    time.after(5, () => controller.abort());
    const { client } = clientOf({}, [1, response]);
    const canceled = { kind: 'aborted', message: 'The request was canceled.', unsent: false };
    const call = client.me({ signal: controller.signal, timeoutMs: 50_000 });
    expect(await outcomeOf(call)).toMatchObject(canceled);
    const again = client.me({ signal: controller.signal });
    expect(await outcomeOf(again)).toMatchObject({ ...canceled, unsent: true });
  });
});
