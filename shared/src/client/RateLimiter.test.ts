import { getEventListeners } from 'node:events';
import { RateLimiter, WaitTooLongError } from './RateLimiter.ts';

const settle = () => new Promise((resolve) => setImmediate(resolve));
const NO_HEADERS = { rateLimit: undefined };

/** A clock that the test moves, and a sleep that follows it. */
function world(maxWaitMs = 60_000) {
  let time = 1_000_000;
  let sent = 0;
  const sleeping = new Set<{ until: number; wake: () => void }>();
  const rateLimiter = new RateLimiter({
    now: () => time,
    maxWaitMs,
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        const sleeper = { until: time + ms, wake: resolve };
        sleeping.add(sleeper);
        signal?.addEventListener('abort', () => {
          sleeping.delete(sleeper);
          reject(new Error('aborted'));
        });
      }),
  });
  return {
    rateLimiter,
    sleepers: () => sleeping.size,
    /** What the service reports about a window that ends in so many milliseconds. */
    windowOf: (remaining: number, endsInMs: number) => ({
      rateLimit: { limit: 100, remaining, resetAt: time + endsInMs },
    }),
    /** Starts calls, and returns how many have been sent since the start. */
    acquire: async (calls: number, signal?: AbortSignal) => {
      const count = () => void (sent += 1);
      for (let call = 0; call < calls; call++)
        void Promise.resolve(rateLimiter.acquire(signal)).then(count, () => undefined);
      await settle();
      return sent;
    },
    /** Ends calls this way, and returns how many have been sent since the start. */
    release: async (calls: number, ...response: Parameters<RateLimiter['release']>) => {
      for (let call = 0; call < calls; call++) rateLimiter.release(...response);
      await settle();
      return sent;
    },
    /** Moves the clock, and returns how many calls have been sent since the start. */
    advance: async (ms: number) => {
      time += ms;
      const due = [...sleeping].filter(({ until }) => until <= time);
      for (const sleeper of due) if (sleeping.delete(sleeper)) sleeper.wake();
      await settle();
      return sent;
    },
  };
}

describe('concurrent calls', () => {
  it('wait for the first response, then run up to the rate limit', async () => {
    const { windowOf, acquire, release } = world();
    expect(await acquire(10)).toBe(1);
    expect(await release(1, windowOf(5, 1000))).toBe(1 + 5);
  });

  it('all run after the first response if the service sends no rate limit', async () => {
    const { rateLimiter, acquire, release } = world();
    await acquire(10);
    expect(await release(1, NO_HEADERS)).toBe(10);
    expect(await acquire(50)).toBe(60);
    expect(rateLimiter.acquire(undefined)).toBeUndefined();
  });

  it('run one by one while no response arrives', async () => {
    const { acquire, release } = world();
    await acquire(3);
    expect(await release(1, undefined)).toBe(2);
  });

  it('wait for the end of a used-up window, then send one, and the others as its response allows', async () => {
    const { windowOf, acquire, release, advance } = world();
    const { signal } = new AbortController();
    await acquire(4, signal);
    await release(1, windowOf(0, 1000));
    expect([await advance(999), await advance(1)]).toEqual([1, 2]);
    await release(1, windowOf(0, 1000));
    expect([await advance(999), await advance(1)]).toEqual([2, 3]);
    expect(await release(1, windowOf(99, 1000))).toBe(4);
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  it('continue while requests are left in the window, counting calls in flight', async () => {
    const { windowOf, acquire, release, advance } = world();
    await acquire(1);
    await release(1, windowOf(3, 1000));
    expect(await acquire(9)).toBe(1 + 3);
    // The last of them was counted first: within a window, the lowest number and the earliest end count.
    await release(1, windowOf(0, 1400));
    await release(1, windowOf(2, 1400));
    expect(await release(1, windowOf(1, 1400))).toBe(4);
    expect([await advance(999), await advance(1)]).toEqual([4, 5]);
  });

  it.each([-1000, 0])('stay parallel if a used-up window ends in %d ms', async (endsInMs) => {
    const { windowOf, acquire, release } = world();
    await acquire(1);
    await release(1, windowOf(0, endsInMs));
    expect(await acquire(40)).toBe(41);
    await release(40, windowOf(0, endsInMs));
    expect(await acquire(40)).toBe(81);
  });

  it("aren't blocked at the end of a window by a call that hangs", async () => {
    const { windowOf, acquire, release, advance } = world();
    await acquire(1);
    await release(1, windowOf(2, 1000));
    expect(await acquire(5)).toBe(3);
    await release(1, undefined);
    expect(await advance(1000)).toBe(5);
    expect(await release(1, windowOf(99, 1000))).toBe(6);
  });

  it('continue after a window that ends too late to wait for, one by one', async () => {
    const { windowOf, acquire, release } = world(20_000);
    await acquire(3);
    expect(await release(1, windowOf(0, 90_000))).toBe(2);
    expect(await release(1, windowOf(0, 90_000))).toBe(3);
    await acquire(3);
    expect(await release(1, windowOf(7, 90_000))).toBe(6);
  });
});

describe('after a refusal', () => {
  it.each([
    ['without headers', 0],
    ['with headers', 5000],
  ])('%s one call is sent, then all that its response allows', async (_what, endsInMs) => {
    const { windowOf, acquire, release, advance } = world();
    await acquire(1);
    await release(1, NO_HEADERS);
    expect(await acquire(3)).toBe(4);
    await release(3, { ...(endsInMs === 0 ? NO_HEADERS : windowOf(0, endsInMs)), refusedMs: 5000 });
    expect(await acquire(20)).toBe(4);
    expect([await advance(4999), await advance(1)]).toEqual([4, 5]);
    expect(await release(1, NO_HEADERS)).toBe(24);
  });

  it('all wait for the longest time that a call was asked to wait, with one timer', async () => {
    const { acquire, release, advance, sleepers } = world();
    await acquire(1);
    await release(1, NO_HEADERS);
    await acquire(4);
    for (const refusedMs of [2000, 7000, 3000]) {
      await release(1, { ...NO_HEADERS, refusedMs });
      await acquire(1);
    }
    // It was sent before the refusals.
    await release(1, NO_HEADERS);
    expect(sleepers()).toBe(1);
    expect([await advance(6999), await advance(1)]).toEqual([5, 6]);
  });

  it('fail at once with the time to wait if that is too long, until it is over', async () => {
    const { rateLimiter, windowOf, acquire, release, advance, sleepers } = world(20_000);
    await acquire(1);
    await release(1, windowOf(1, 1000));
    await acquire(1);
    const waiting = rateLimiter.acquire(undefined);
    await release(1, { ...windowOf(0, 1000), refusedMs: 90_000 });
    await expect(waiting).rejects.toEqual(new WaitTooLongError(90_000));
    await advance(60_000);
    const message = 'The rate limit is used up. This request and those after it were not sent.';
    await expect(rateLimiter.acquire(undefined)).rejects.toMatchObject({ retryAfterMs: 30_000, message });
    expect(sleepers()).toBe(0);
    await advance(30_000);
    expect(await acquire(3)).toBe(3);
  });
});

describe('a waiting call', () => {
  it('fails at once when it is cancelled, and leaves no timer', async () => {
    const { rateLimiter, windowOf, acquire, release, sleepers } = world();
    await acquire(1);
    await release(1, windowOf(0, 1000));
    await expect(rateLimiter.acquire(AbortSignal.abort(new Error('before')))).rejects.toThrow('before');
    const controllers = [new AbortController(), new AbortController()];
    const waiting = controllers.map(({ signal }) => rateLimiter.acquire(signal));
    for (const [index, timers] of [1, 0].entries()) {
      controllers[index]!.abort(new Error('cancelled'));
      await expect(waiting[index]).rejects.toThrow('cancelled');
      expect(sleepers()).toBe(timers);
    }
  });

  it.each<[what: string, sleep: () => Promise<void>, result: unknown]>([
    ["fails if the platform doesn't let it wait", () => Promise.reject(new Error('no time')), 7000],
    ['is sent when its sleep ends, even if the clock has not moved', () => Promise.resolve(), undefined],
  ])('%s', async (_what, sleep, result) => {
    const rateLimiter = new RateLimiter({ now: () => 0, sleep, maxWaitMs: 60_000 });
    await rateLimiter.acquire(undefined);
    rateLimiter.release({ rateLimit: { limit: 1, remaining: 0, resetAt: 7000 } });
    const waiting = rateLimiter
      .acquire(undefined)
      ?.catch((error: unknown) => (error as WaitTooLongError).retryAfterMs);
    expect(await waiting).toBe(result);
  });
});
