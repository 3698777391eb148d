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
    /** What the service tells of a window that ends in so many milliseconds. */
    told: (remaining: number, endsInMs: number): { rateLimit: RateLimit } => ({
      rateLimit: { limit: 100, remaining, resetAt: time + endsInMs },
    }),
    /** Lets calls enter; gives how many got through. */
    enter: async (calls: number, signal?: AbortSignal) => {
      const before = sent.length;
      for (let call = 0; call < calls; call++)
        void Promise.resolve(rateLimiter.acquire(signal)).then(
          (ticket) => sent.push(ticket),
          () => undefined,
        );
      await settle();
      return sent.length - before;
    },
    pass: async (ms: number) => {
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
    const { rateLimiter, sent, told, enter } = world();
    expect(await enter(10)).toBe(1);
    rateLimiter.release(sent[0]!, told(5, 1000));
    await settle();
    expect(sent).toHaveLength(1 + 5);
  });

  it('all run after the first response if the service sends no rate limit', async () => {
    const { rateLimiter, sent, enter } = world();
    await enter(10);
    rateLimiter.release(sent[0]!, { rateLimit: undefined });
    await settle();
    expect(sent).toHaveLength(10);
    expect(await enter(50)).toBe(50);
  });

  it('run one by one while no response arrives', async () => {
    const { rateLimiter, sent, enter } = world();
    await enter(3);
    rateLimiter.release(sent[0]!, undefined);
    await settle();
    expect(sent).toHaveLength(2);
  });

  it('wait for the end of a used-up window, then let one go first', async () => {
    const { rateLimiter, sent, told, enter, pass } = world();
    await enter(4);
    rateLimiter.release(sent[0]!, told(0, 1000));
    await pass(999);
    expect(sent).toHaveLength(1);
    await pass(1);
    expect(sent).toHaveLength(2);
    rateLimiter.release(sent[1]!, told(99, 1000));
    await settle();
    expect(sent).toHaveLength(4);
  });

  it('continue while little of the window is left, counting calls under way', async () => {
    const { rateLimiter, sent, told, enter } = world();
    await enter(1);
    rateLimiter.release(sent[0]!, told(3, 1000));
    expect(await enter(9)).toBe(3);
    // The second of them was counted before the first: its answer tells less.
    rateLimiter.release(sent[2]!, told(1, 1000));
    rateLimiter.release(sent[1]!, told(2, 1000));
    await settle();
    expect(sent).toHaveLength(4);
    rateLimiter.release(sent[3]!, told(0, 1000));
    await settle();
    expect(sent).toHaveLength(4);
  });

  it('wait as long as the service asks when one is refused', async () => {
    const { rateLimiter, sent, told, enter, pass } = world();
    await enter(1);
    rateLimiter.release(sent[0]!, told(50, 1000));
    await enter(1);
    rateLimiter.release(sent[1]!, told(50, 1000), 5000);
    expect(await enter(3)).toBe(0);
    await pass(4999);
    expect(sent).toHaveLength(2);
    await pass(1);
    expect(sent).toHaveLength(3);
  });

  it('continue when the window ends in the past because of clock skew', async () => {
    const { rateLimiter, sent, told, enter } = world();
    await enter(1);
    rateLimiter.release(sent[0]!, told(50, -300_000));
    expect(await enter(40)).toBe(40);
  });

  it.each([
    ['nothing left of a window that is over', -1000],
    ['nothing left of a window without time', 0],
  ])('stay parallel where the service tells of %s', async (_what, endsInMs) => {
    const { rateLimiter, sent, told, enter } = world();
    await enter(1);
    rateLimiter.release(sent[0]!, told(0, endsInMs));
    expect(await enter(40)).toBe(40);
    for (const ticket of sent.slice(1)) rateLimiter.release(ticket, told(0, endsInMs));
    expect(await enter(40)).toBe(40);
  });

  it('keep their order', async () => {
    const { rateLimiter, sent, told, enter, pass } = world();
    await enter(1);
    rateLimiter.release(sent[0]!, told(0, 1000));
    await enter(5);
    await pass(1000);
    rateLimiter.release(sent[1]!, told(99, 1000));
    await settle();
    expect(sent).toEqual([1, 2, 3, 4, 5, 6]);
  });
});

describe('after a 429', () => {
  const NONE = { rateLimit: undefined };

  it.each([
    ['without headers', () => NONE],
    ['with headers', (told: (remaining: number, ms: number) => object) => told(0, 5000)],
  ])('%s one call goes ahead alone, then all go at once as before', async (_what, headers) => {
    const { rateLimiter, sent, told, enter, pass } = world();
    await enter(1);
    rateLimiter.release(sent[0]!, NONE);
    expect(await enter(3)).toBe(3);
    const answer = headers(told) as typeof NONE;
    for (const ticket of sent.slice(1)) rateLimiter.release(ticket, answer, 5000);
    expect(await enter(20)).toBe(0);
    await pass(5000);
    expect(sent).toHaveLength(5);
    rateLimiter.release(sent[4]!, NONE);
    await pass(0);
    expect(sent).toHaveLength(4 + 20);
    for (const ticket of sent.slice(5)) rateLimiter.release(ticket, NONE);
    expect(await enter(50)).toBe(50);
  });

  it('all wait for the longest time that a call of the burst was asked to wait', async () => {
    const { rateLimiter, sent, enter, pass } = world();
    await enter(1);
    rateLimiter.release(sent[0]!, NONE);
    await enter(3);
    for (const [index, ms] of [2000, 7000, 3000].entries()) rateLimiter.release(sent[index + 1]!, NONE, ms);
    await enter(2);
    await pass(6999);
    expect(sent).toHaveLength(4);
    await pass(1);
    expect(sent).toHaveLength(5);
  });

  it('calls that were refused go before new ones', async () => {
    const { rateLimiter, sent, enter, pass } = world();
    await enter(1);
    rateLimiter.release(sent[0]!, NONE, 1000);
    const order: string[] = [];
    const line = (what: string, wasRefused: boolean) =>
      Promise.resolve(rateLimiter.acquire(undefined, wasRefused)).then(() => order.push(what));
    void line('new', false);
    void line('refused', true);
    await pass(1000);
    rateLimiter.release(2, NONE);
    await pass(0);
    expect(order).toEqual(['refused', 'new']);
  });

  it('a call that hangs since before does not hold the others up', async () => {
    const { rateLimiter, sent, told, enter, pass } = world();
    await enter(1);
    rateLimiter.release(sent[0]!, told(2, 1000));
    expect(await enter(5)).toBe(2);
    await pass(1000);
    expect(sent).toHaveLength(4);
    rateLimiter.release(sent[3]!, told(99, 1000));
    await pass(0);
    expect(sent).toHaveLength(6);
  });

  it('headers that are no longer sent hold nobody up once their window is over', async () => {
    const { rateLimiter, sent, told, enter, pass } = world();
    await enter(1);
    rateLimiter.release(sent[0]!, told(1, 1000));
    await pass(1000);
    await enter(1);
    rateLimiter.release(sent[1]!, NONE);
    expect(await enter(30)).toBe(30);
  });
});

describe('a waiting call', () => {
  it('ends at once when it is cancelled and leaves no timer', async () => {
    const { rateLimiter, sent, told, enter, sleepers } = world();
    await enter(1);
    rateLimiter.release(sent[0]!, told(0, 1000));
    const controller = new AbortController();
    const waiting = rateLimiter.acquire(controller.signal);
    await settle();
    expect(sleepers()).toBe(1);
    controller.abort(new Error('cancelled'));
    await expect(waiting).rejects.toThrow('cancelled');
    expect(sleepers()).toBe(0);
  });

  it('fails with the time to wait once a second call confirms that the window is too far away', async () => {
    const { rateLimiter, sent, told, enter, pass } = world(20_000);
    await enter(1);
    rateLimiter.release(sent[0]!, told(0, 90_000));
    expect(await enter(1)).toBe(1);
    const waiting = rateLimiter.acquire(undefined);
    rateLimiter.release(sent[1]!, told(0, 90_000), 90_000);
    await expect(waiting).rejects.toBeInstanceOf(WaitTooLongError);
    await expect(rateLimiter.acquire(undefined)).rejects.toMatchObject({ retryAfterMs: 90_000 });
    // After a while one call asks again, and the others follow when it gets through.
    await pass(10_000);
    expect(await enter(3)).toBe(1);
    rateLimiter.release(sent[2]!, told(50, 90_000));
    await pass(0);
    expect(sent).toHaveLength(5);
  });

  it('fails in other words where it is no limit but a pause of the service', async () => {
    const { rateLimiter, sent, enter } = world(20_000);
    await enter(1);
    rateLimiter.release(sent[0]!, { rateLimit: undefined }, 90_000, true);
    await enter(1);
    const waiting = rateLimiter.acquire(undefined);
    rateLimiter.release(sent[1]!, { rateLimit: undefined }, 90_000, true);
    await expect(waiting).rejects.toMatchObject({
      isPause: true,
      message: expect.stringContaining('asks everybody to wait another 90 seconds') as string,
    });
  });

  it('is sent although one call alone was refused for longer than anybody waits', async () => {
    const { rateLimiter, sent, enter, pass } = world(20_000);
    await enter(1);
    rateLimiter.release(sent[0]!, { rateLimit: undefined });
    await enter(1);
    rateLimiter.release(sent[1]!, { rateLimit: undefined }, 90_000);
    expect(await enter(5)).toBe(1);
    rateLimiter.release(sent[2]!, { rateLimit: undefined });
    await pass(0);
    expect(sent).toHaveLength(7);
  });

  it("fails if the platform doesn't let it wait", async () => {
    const sleep = () => Promise.reject(new Error('no time'));
    const rateLimiter = new RateLimiter({ now: () => 0, sleep, maxWaitMs: 60_000 });
    const ticket = await rateLimiter.acquire(undefined);
    rateLimiter.release(ticket, { rateLimit: { limit: 1, remaining: 0, resetAt: 7000 } });
    await expect(rateLimiter.acquire(undefined)).rejects.toMatchObject({ retryAfterMs: 7000 });
  });
});
