import { getEventListeners } from 'node:events';
import type { RateLimit } from '../wire/rateLimit.ts';
import { RateLimiter, WaitTooLongError } from './RateLimiter.ts';

/** A clock that the test moves, and a sleep that follows it. */
function world(maxWaitMs = 60_000) {
  let time = 1_000_000;
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
  const sent: number[] = [];
  return {
    rateLimiter,
    sent,
    sleepers: () => sleeping.size,
    /** What the service reports about a window that ends in so many milliseconds. */
    windowOf: (remaining: number, endsInMs: number): { rateLimit: RateLimit } => ({
      rateLimit: { limit: 100, remaining, resetAt: time + endsInMs },
    }),
    /** Starts calls; returns how many were sent. */
    acquire: async (calls: number, signal?: AbortSignal) => {
      const before = sent.length;
      for (let call = 0; call < calls; call++)
        void Promise.resolve(rateLimiter.acquire(signal)).then(
          (ticket) => sent.push(ticket),
          () => undefined,
        );
      await settle();
      return sent.length - before;
    },
    advance: async (ms: number) => {
      time += ms;
      for (const sleeper of sleeping) {
        if (sleeper.until > time) continue;
        sleeping.delete(sleeper);
        sleeper.wake();
      }
      await settle();
    },
  };
}

const settle = () => new Promise((resolve) => setImmediate(resolve));

describe('concurrent calls', () => {
  it('wait for the first response, then run up to the rate limit', async () => {
    const { rateLimiter, sent, windowOf, acquire } = world();
    expect(await acquire(10)).toBe(1);
    rateLimiter.release(sent[0]!, windowOf(5, 1000));
    await settle();
    expect(sent).toHaveLength(1 + 5);
  });

  it('all run after the first response if the service sends no rate limit', async () => {
    const { rateLimiter, sent, acquire } = world();
    await acquire(10);
    rateLimiter.release(sent[0]!, { rateLimit: undefined });
    await settle();
    expect(sent).toHaveLength(10);
    expect(await acquire(50)).toBe(50);
    expect(rateLimiter.acquire(undefined)).toBe(61);
  });

  it('run one by one while no response arrives', async () => {
    const { rateLimiter, sent, acquire } = world();
    await acquire(3);
    rateLimiter.release(sent[0]!, undefined);
    await settle();
    expect(sent).toHaveLength(2);
  });

  it('wait for the end of a used-up window, then send one as a probe', async () => {
    const { rateLimiter, sent, windowOf, acquire, advance } = world();
    const { signal } = new AbortController();
    await acquire(4, signal);
    rateLimiter.release(sent[0]!, windowOf(0, 1000));
    await advance(999);
    expect(sent).toHaveLength(1);
    await advance(1);
    expect(sent).toHaveLength(2);
    rateLimiter.release(sent[1]!, windowOf(0, 1000));
    await advance(999);
    expect(sent).toHaveLength(2);
    await advance(1);
    rateLimiter.release(sent[2]!, windowOf(99, 1000));
    await settle();
    expect(sent).toHaveLength(4);
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  it('continue while requests are left in the window, counting calls in flight', async () => {
    const { rateLimiter, sent, windowOf, acquire, advance } = world();
    await acquire(1);
    rateLimiter.release(sent[0]!, windowOf(3, 1000));
    expect(await acquire(9)).toBe(3);
    // The last of them was counted first: responses to earlier ones can only lower what is left.
    rateLimiter.release(sent[3]!, windowOf(0, 1400));
    rateLimiter.release(sent[1]!, windowOf(2, 1400));
    rateLimiter.release(sent[2]!, windowOf(1, 1400));
    await advance(999);
    expect(sent).toHaveLength(4);
    await advance(1);
    expect(sent).toHaveLength(5);
  });

  it('wait as long as the service asks when one is refused', async () => {
    const { rateLimiter, sent, windowOf, acquire, advance } = world();
    await acquire(1);
    rateLimiter.release(sent[0]!, windowOf(50, 1000));
    await acquire(2);
    rateLimiter.release(sent[1]!, windowOf(50, 1000), 5000);
    // It was sent before the refusal.
    rateLimiter.release(sent[2]!, windowOf(50, 1000));
    expect(await acquire(3)).toBe(0);
    await advance(4999);
    expect(sent).toHaveLength(3);
    await advance(1);
    expect(sent).toHaveLength(4);
  });

  it.each([
    ['no requests left in a window that is over', -1000],
    ['no requests left in a window without a duration', 0],
  ])('stay parallel if the service reports %s', async (_what, endsInMs) => {
    const { rateLimiter, sent, windowOf, acquire } = world();
    await acquire(1);
    rateLimiter.release(sent[0]!, windowOf(0, endsInMs));
    expect(await acquire(40)).toBe(40);
    for (const ticket of sent.slice(1)) rateLimiter.release(ticket, windowOf(0, endsInMs));
    expect(await acquire(40)).toBe(40);
  });

  it('keep their order', async () => {
    const { rateLimiter, sent, windowOf, acquire, advance } = world();
    await acquire(1);
    rateLimiter.release(sent[0]!, windowOf(0, 1000));
    await acquire(5);
    await advance(1000);
    rateLimiter.release(sent[1]!, windowOf(99, 1000));
    await settle();
    expect(sent).toEqual([1, 2, 3, 4, 5, 6]);
  });
});

describe('after a 429', () => {
  const NONE = { rateLimit: undefined };

  it.each([
    ['without headers', () => NONE],
    ['with headers', (windowOf: (remaining: number, ms: number) => object) => windowOf(0, 5000)],
  ])('%s one call is sent as a probe, then all continue in parallel', async (_what, headers) => {
    const { rateLimiter, sent, windowOf, acquire, advance } = world();
    await acquire(1);
    rateLimiter.release(sent[0]!, NONE);
    expect(await acquire(3)).toBe(3);
    const response = headers(windowOf) as typeof NONE;
    for (const ticket of sent.slice(1)) rateLimiter.release(ticket, response, 5000);
    expect(await acquire(20)).toBe(0);
    await advance(5000);
    expect(sent).toHaveLength(5);
    rateLimiter.release(sent[4]!, NONE);
    await advance(0);
    expect(sent).toHaveLength(4 + 20);
    for (const ticket of sent.slice(5)) rateLimiter.release(ticket, NONE);
    expect(await acquire(50)).toBe(50);
  });

  it('all wait for the longest time that a call of the burst was asked to wait', async () => {
    const { rateLimiter, sent, acquire, advance, sleepers } = world();
    await acquire(1);
    rateLimiter.release(sent[0]!, NONE);
    await acquire(3);
    for (const [index, ms] of [2000, 7000, 3000].entries()) {
      rateLimiter.release(sent[index + 1]!, NONE, ms);
      await acquire(1);
    }
    expect(sleepers()).toBe(1);
    await advance(6999);
    expect(sent).toHaveLength(4);
    await advance(1);
    expect(sent).toHaveLength(5);
  });

  it('calls that were refused go before new ones', async () => {
    const { rateLimiter, sent, acquire, advance } = world();
    await acquire(1);
    rateLimiter.release(sent[0]!, NONE, 1000);
    const order: string[] = [];
    const send = (what: string, wasRefused?: boolean) =>
      Promise.resolve(rateLimiter.acquire(undefined, wasRefused)).then(() => order.push(what));
    void send('new');
    void send('refused', true);
    await advance(1000);
    rateLimiter.release(2, NONE);
    await advance(0);
    expect(order).toEqual(['refused', 'new']);
  });

  it('a call that was already hanging does not block the others', async () => {
    const { rateLimiter, sent, windowOf, acquire, advance } = world();
    await acquire(1);
    rateLimiter.release(sent[0]!, windowOf(2, 1000));
    expect(await acquire(5)).toBe(2);
    await advance(1000);
    rateLimiter.release(sent[1]!, undefined);
    await advance(0);
    expect(sent).toHaveLength(4);
    rateLimiter.release(sent[3]!, windowOf(99, 1000));
    await advance(0);
    expect(sent).toHaveLength(6);
  });

  it("headers that are no longer sent don't block calls after their window", async () => {
    const { rateLimiter, sent, windowOf, acquire, advance, sleepers } = world();
    await acquire(1);
    rateLimiter.release(sent[0]!, windowOf(1, 1000));
    expect([await acquire(2), sleepers()]).toEqual([1, 1]);
    rateLimiter.release(sent[1]!, NONE);
    expect([await acquire(0), sent.length, sleepers()]).toEqual([1, 3, 0]);
    expect(await acquire(1)).toBe(0);
    await advance(1000);
    rateLimiter.release(sent[3]!, NONE);
    expect(await acquire(30)).toBe(30);
  });
});

describe('a waiting call', () => {
  it('fails at once when it is cancelled, and leaves no timer', async () => {
    const { rateLimiter, sent, windowOf, acquire, sleepers } = world();
    await acquire(1);
    rateLimiter.release(sent[0]!, windowOf(0, 1000));
    const controller = new AbortController();
    await expect(rateLimiter.acquire(AbortSignal.abort(new Error('before')))).rejects.toThrow('before');
    const waiting = rateLimiter.acquire(controller.signal);
    const other = new AbortController();
    const refused = rateLimiter.acquire(other.signal, true);
    controller.abort(new Error('cancelled'));
    await expect(waiting).rejects.toThrow('cancelled');
    expect(sleepers()).toBe(1);
    other.abort(new Error('cancelled, too'));
    await expect(refused).rejects.toThrow('cancelled, too');
    expect(sleepers()).toBe(0);
  });

  it('fails with the time to wait once a second call confirms that the wait is too long', async () => {
    const { rateLimiter, sent, windowOf, acquire, advance, sleepers } = world(20_000);
    await acquire(1);
    rateLimiter.release(sent[0]!, windowOf(2, 90_000));
    // Calls in flight may not be counted yet.
    expect(await acquire(3)).toBe(2);
    rateLimiter.release(sent[1]!, windowOf(0, 90_000));
    await settle();
    expect(sent).toHaveLength(4);
    const waiting = rateLimiter.acquire(undefined);
    expect(sleepers()).toBe(0);
    rateLimiter.release(sent[3]!, windowOf(0, 90_000), 90_000);
    await expect(waiting).rejects.toEqual(new WaitTooLongError(90_000));
    rateLimiter.release(sent[2]!, windowOf(0, 90_000), 90_000);
    const message = 'The rate limit is used up. This request and those after it were not sent.';
    await expect(rateLimiter.acquire(undefined)).rejects.toMatchObject({ retryAfterMs: 90_000, message });
    // After a while one call is sent as a probe, and the others follow once it is accepted.
    await advance(10_000);
    expect(await acquire(3)).toBe(1);
    rateLimiter.release(sent[4]!, { rateLimit: undefined });
    await advance(0);
    expect(sent).toHaveLength(7);
  });

  it('fails with another message if the service announced a pause', async () => {
    const { rateLimiter, sent, acquire } = world(20_000);
    await acquire(1);
    rateLimiter.release(sent[0]!, { rateLimit: undefined }, 90_000, true);
    await acquire(1);
    const waiting = rateLimiter.acquire(undefined);
    rateLimiter.release(sent[1]!, { rateLimit: undefined }, 90_000, true);
    await expect(waiting).rejects.toMatchObject({
      isPause: true,
      message: expect.stringContaining('asks all clients to wait another 90 seconds') as string,
    });
  });

  it('is sent even if one other call was refused for longer than calls may wait', async () => {
    const { rateLimiter, sent, acquire, advance } = world(20_000);
    await acquire(1);
    rateLimiter.release(sent[0]!, { rateLimit: undefined });
    await acquire(1);
    rateLimiter.release(sent[1]!, { rateLimit: undefined }, 90_000);
    expect(await acquire(5)).toBe(1);
    rateLimiter.release(sent[2]!, { rateLimit: undefined });
    await advance(0);
    expect(sent).toHaveLength(7);
  });

  it("fails if the platform doesn't let it wait", async () => {
    const sleep = () => Promise.reject(new Error('no time'));
    const rateLimiter = new RateLimiter({ now: () => 0, sleep, maxWaitMs: 60_000 });
    const ticket = await rateLimiter.acquire(undefined);
    rateLimiter.release(ticket, { rateLimit: { limit: 1, remaining: 0, resetAt: 7000 } });
    await expect(rateLimiter.acquire(undefined)).rejects.toMatchObject({
      retryAfterMs: 7000,
      isPause: false,
    });
  });

  it('is sent when its sleep ends, even if the clock has not moved', async () => {
    const sleep = () => Promise.resolve();
    const rateLimiter = new RateLimiter({ now: () => 0, sleep, maxWaitMs: 60_000 });
    const ticket = await rateLimiter.acquire(undefined);
    rateLimiter.release(ticket, { rateLimit: { limit: 1, remaining: 0, resetAt: 7000 } });
    expect(await rateLimiter.acquire(undefined)).toBe(2);
  });
});
