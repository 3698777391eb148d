import { startSimulatedTime, type SimulatedTime } from '../../../test/support/jest/virtualTime.ts';
import type { ClientOptions } from './configuration.ts';
import { describeError } from '../connector/describeError.ts';
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
    await Promise.race([time.wait(wait), aborted(request.signal)]);
    if (response === 'none') throw requestFailed(request, { timedOut: true });
    return response;
  };
  const sleep = (ms: number, signal?: AbortSignal) => Promise.race([time.wait(ms), aborted(signal)]);
  const client = new QrServiceClient({
    baseUrl: 'https://api.example.com',
    apiKey: 'qrs_key',
    transport,
    sleep,
    ...options,
  });
  return { client, requests };
}

const aborted = (signal: AbortSignal | undefined) =>
  new Promise<never>((_resolve, reject) => {
    const abort = () => reject(new Error('aborted'));
    if (signal?.aborted === true) abort();
    signal?.addEventListener('abort', abort);
  });
const outcomeOf = (call: Promise<object>) => time.run(call.catch((error: unknown) => error as object));

describe('the budget of a call', () => {
  it.each([60_000, 45_000, 10_000])(
    'of %d ms limits its attempts and the waits between them',
    async (budgetMs) => {
      const { client, requests } = clientOf({ retry: { budgetMs } }, [0, 'none']);
      expect(await outcomeOf(client.me())).toMatchObject({ kind: 'timeout' });
      expect(time.elapsed()).toBeLessThanOrEqual(budgetMs);
      expect(time.elapsed()).toBeGreaterThan(budgetMs - 20_000);
      for (const { at, timeoutMs } of requests) expect(at + timeoutMs).toBeLessThanOrEqual(budgetMs + 1);
    },
  );

  it('limits the wait for a first attempt that is still running, instead of the attempts', async () => {
    jest.spyOn(Math, 'random').mockReturnValue(0.5);
    const running: TransportResponse = {
      status: 409,
      headers: {},
      body: '{"code":"idempotency_in_progress"}',
    };
    const { client, requests } = clientOf({}, ...Array<[number, TransportResponse]>(7).fill([10, running]), [
      10,
      OK,
    ]);
    await outcomeOf(client.qr.publish('qr_1'));
    expect(requests.map(({ at }) => at)).toHaveLength(9);
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
});

describe('a rate limit', () => {
  it('without a Retry-After is retried with growing delays, for as long as calls may wait for it', async () => {
    jest.spyOn(Math, 'random').mockReturnValue(0.5);
    const { client, requests } = clientOf({}, [0, limited()]);
    expect(await outcomeOf(client.me())).toMatchObject({ code: 'rate_limited' });
    expect(requests.map(({ at }) => at)).toEqual([
      0, 250, 750, 1750, 3750, 7750, 15_750, 25_750, 35_750, 45_750, 55_750,
    ]);
  });

  it('does not count as an attempt, even if the service refuses a call again and again', async () => {
    const refused: [number, TransportResponse] = [10, limited(1)];
    const { client, requests } = clientOf(
      { retry: { maxAttempts: 2 } },
      [0, OK],
      refused,
      [20, OK],
      refused,
      [10, OK],
    );
    await time.run(client.me());
    await time.run(Promise.all([client.me(), client.me()]));
    expect(requests).toHaveLength(5);
  });

  const code = 'rate_limited';
  it.each<[retryAfterMs: number | undefined, what: string, status: number, remaining: string, body: unknown]>(
    [
      [50_000, 'at its own limit', 429, '0', { code }],
      [undefined, 'while the window still has room', 429, '90', { code }],
      [undefined, 'for another error', 400, '0', { code: 'broken' }],
      [undefined, "for a proxy's page", 429, '0', '<html>Slow down</html>'],
    ],
  )(
    'without a Retry-After lasts %p ms, the rest of the window, %s',
    async (ms, _what, status, left, body) => {
      const headers = { 'X-RateLimit-Limit': '99', 'X-RateLimit-Remaining': left, 'X-RateLimit-Reset': '50' };
      const { client } = clientOf({ retry: false }, [0, { status, headers, body }]);
      const error = (await outcomeOf(client.me())) as ApiError;
      expect([error.status, error.retryAfterMs]).toEqual([status, ms]);
    },
  );

  it('does not retry at once because the reported window is already over', async () => {
    const headers = { 'X-RateLimit-Limit': '9', 'X-RateLimit-Remaining': '9', 'X-RateLimit-Reset': '1' };
    const { client, requests } = clientOf({}, [0, { ...OK, headers }], [5000, limited()], [0, OK]);
    jest.spyOn(Math, 'random').mockReturnValue(0.5);
    await time.run(Promise.all([client.me(), client.me()]));
    expect(requests[2]!.at - requests[1]!.at).toBe(5250);
  });
});

describe('a service that says when it is back', () => {
  const away = (seconds: number): TransportResponse => ({
    status: 503,
    headers: { 'Retry-After': String(seconds) },
    body: '{"code":"maintenance","message":"Back soon."}',
  });
  const retry = { rateLimitMs: 600_000 };

  it('makes all calls wait together, even beyond their own budgets', async () => {
    jest.spyOn(Math, 'random').mockReturnValue(0);
    const { client, requests } = clientOf({ retry }, [0, OK], [100, away(120)], [100, OK]);
    await time.run(client.me());
    await time.run(
      Promise.all([client.me().then(() => client.me()), time.wait(200).then(() => client.me())]),
    );
    expect(requests.map(({ at }) => at)).toEqual([0, 0, 120_100, 120_200, 120_200]);
  });

  it('fails calls with retryAfterMs, without a retry, if the wait is longer than calls may wait', async () => {
    const { client, requests } = clientOf({ retry }, [0, OK], [0, away(7300)]);
    await time.run(client.me());
    const calls = Array.from({ length: 20 }, () => client.me().catch((error: unknown) => error));
    const errors = await time.run(Promise.all(calls));
    const expected = { status: 503, retryAfterMs: 7_300_000, retryable: true };
    for (const error of errors) expect(error).toMatchObject(expected);
    expect(describeError(errors[0]).description).toContain('Wait 3 hours, then retry.');
    expect(requests).toHaveLength(21);
    expect(time.elapsed()).toBe(0);
  });
});

describe('a 429 page of a proxy', () => {
  const page = (seconds: number): TransportResponse => ({
    status: 429,
    headers: { 'Content-Type': 'text/html', 'Retry-After': String(seconds) },
    body: '<html>Slow down</html>',
  });
  const retry = { rateLimitMs: 3_600_000 };

  it('is retried within the budget, however long calls may wait for the rate limit', async () => {
    const { client, requests } = clientOf({ retry }, [0, page(30)], [0, OK]);
    expect(await outcomeOf(client.me())).not.toHaveProperty('code');
    expect(requests.map(({ at }) => at)).toEqual([0, 30_000]);
  });

  it('that asks for longer fails the call and blocks no other', async () => {
    const { client, requests } = clientOf({ retry }, [0, page(120)], [0, OK]);
    expect(await outcomeOf(client.me())).toMatchObject({ code: 'http_429', retryAfterMs: 120_000 });
    expect(await outcomeOf(client.me())).not.toHaveProperty('code');
    expect(requests.map(({ at }) => at)).toEqual([0, 0]);
  });
});

describe('a platform that refuses to wait', () => {
  it('fails a call with `deadline`, not with the error of a signal', async () => {
    const sleep = () => Promise.reject(new Error('The time is used up.'));
    const { client } = clientOf({ sleep }, [0, BUSY]);
    const error = await outcomeOf(client.qr.publish('qr_1', { idempotencyKey: 'k' }));
    expect(error).toMatchObject({ kind: 'deadline', code: 'deadline', idempotencyKey: 'k' });
    expect(describeError(error)).toEqual({
      message: 'The service is too slow right now',
      description: 'Wait a few minutes, then retry.',
      reference: '',
    });
  });

  it.each<[string, TransportResponse]>([
    ['for the rate limit', limited(30)],
    ['between attempts', BUSY],
  ])("reports `aborted` for the caller's signal in a wait %s", async (_what, response) => {
    jest.spyOn(Math, 'random').mockReturnValue(0.5);
    const controller = new AbortController();
    time.after(5, () => controller.abort());
    const { client } = clientOf({}, [1, response]);
    const message = 'The request was canceled.';
    expect(await outcomeOf(client.me({ signal: controller.signal }))).toMatchObject({
      kind: 'aborted',
      message,
    });
  });
});

describe('the time limit of a call of several requests', () => {
  it('covers all of them', async () => {
    const { client, requests } = clientOf({}, [6000, { ...OK, body: '{"ok":true}' }], [0, 'none']);
    const published = client.qr.publish('qr_1', { timeoutMs: 10_000 });
    // The write succeeded, so it returns what it knows.
    expect(await outcomeOf(published)).toMatchObject({ id: 'qr_1' });
    expect(time.elapsed()).toBe(10_000);
    expect(requests).toHaveLength(2);
  });
});
