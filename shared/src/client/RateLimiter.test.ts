import { getEventListeners } from 'node:events';
import { RateLimiter, WaitTooLongError } from './RateLimiter.ts';

/**
 * What happens to how many calls, and how many have been sent by then: `start 9 → 1`, `end 1, 5 left for 1000 → 6` (what
 * the response reports, in milliseconds), `end 1, refused for 5000 → 6`, `lose 1 → 6` (no response), or `pass 999 → 6` (time).
 */
const STEP = /^(start|end|lose|pass) (\d+)(?:, (\d+) left for (-?\d+))?(?:, refused for (\d+))? → \d+$/;

/** A clock that the test moves, and a sleep that follows it. */
function world(maxWaitMs = 60_000) {
  let time = 1_000_000;
  const counts = { sent: 0, waiting: 0 };
  const sleeping = new Set<{ until: number; wake: () => void }>();
  const { signal } = new AbortController();
  const limiter = new RateLimiter({
    now: () => time,
    maxWaitMs,
    sleep: (ms, stop) =>
      new Promise((wake, reject) => {
        const sleeper = { until: time + ms, wake };
        sleeping.add(sleeper);
        stop?.addEventListener('abort', () => {
          sleeping.delete(sleeper);
          reject(new Error('stopped'));
        });
      }),
  });
  const start = () => {
    counts.waiting += 1;
    const over = (sent: number) => () => {
      counts.waiting -= 1;
      counts.sent += sent;
    };
    void Promise.resolve(limiter.acquire(signal)).then(over(1), over(0));
  };
  const pass = (ms: number) => {
    time += ms;
    for (const sleeper of sleeping)
      if (sleeper.until <= time) {
        sleeping.delete(sleeper);
        sleeper.wake();
      }
  };
  return {
    limiter,
    timers: () => sleeping.size,
    /** Takes the steps. Each waiting call listens to its signal once, and all wait with one timer. */
    take: async (steps: string) => {
      for (const step of steps.split(/;\s+/)) {
        const [, what, count, remaining, resetMs, refusedMs] = STEP.exec(step)!;
        const rateLimit =
          resetMs === undefined
            ? undefined
            : { limit: 100, remaining: Number(remaining), resetAt: time + Number(resetMs) };
        const response = { rateLimit, ...(refusedMs !== undefined && { refusedMs: Number(refusedMs) }) };
        if (what === 'pass') pass(Number(count));
        else
          for (let call = 0; call < Number(count); call++)
            if (what === 'start') start();
            else limiter.release(what === 'lose' ? undefined : response);
        await new Promise(setImmediate);
        expect(step.replace(/\d+$/, String(counts.sent))).toBe(step);
        expect([step, getEventListeners(signal, 'abort').length]).toEqual([step, counts.waiting]);
        expect([step, sleeping.size <= Math.min(counts.waiting, 1)]).toEqual([step, true]);
      }
    },
  };
}

it.each([
  ['wait for the first response, then run up to the rate limit', 'start 10 → 1; end 1, 5 left for 1000 → 6'],
  [
    'all run after the first response if the service sends no rate limit',
    'start 10 → 1; end 1 → 10; start 50 → 60',
  ],
  [
    'run ten at once after a failure without a response, until a response reports the window',
    `start 40 → 1; pass 29000 → 1; lose 1 → 11; lose 2 → 13; end 1, 5 left for 60000 → 13; lose 4 → 13;
     lose 1 → 14; lose 4 → 18`,
  ],
  [
    'run ten at once if a window ends while no response arrives',
    `start 1 → 1; end 1, 3 left for 1000 → 1; start 40 → 4; lose 1 → 5; pass 1000 → 6; lose 1 → 13;
     lose 10 → 23`,
  ],
  [
    'run ten at once if calls fail without a response after their window, with none waiting',
    `start 1 → 1; end 1, 20 left for 1000 → 1; start 12 → 13; pass 1000 → 13; lose 12 → 13; start 20 → 23`,
  ],
  [
    'run one by one again after a window in which responses arrive',
    `start 30 → 1; lose 1 → 11; end 10, 20 left for 1000 → 30; end 19 → 30; pass 1000 → 30; start 9 → 31`,
  ],
  [
    'all run after failures without a response if the service sends no rate limit',
    'start 40 → 1; lose 1 → 11; end 1 → 40; lose 5 → 40; start 50 → 90',
  ],
  [
    'stay within a window, and wait out a refusal, even if calls fail without a response',
    `start 1 → 1; end 1, 4 left for 9000 → 1; start 40 → 5; lose 2 → 7; end 1, refused for 5000 → 7; lose 3 → 7;
     pass 4999 → 7; pass 1 → 8; lose 1 → 18`,
  ],
  [
    'wait for the end of a used-up window, then send one, and the others as its response allows',
    `start 4 → 1; end 1, 0 left for 60000 → 1; pass 59999 → 1; pass 1 → 2;
     end 1, 0 left for 1000 → 2; pass 999 → 2; pass 1 → 3; end 1, 99 left for 1000 → 4`,
  ],
  [
    'run up to the lowest number until the earliest end that the responses of a window report',
    `start 1 → 1; end 1, 3 left for 1000 → 1; start 9 → 4; end 1, 0 left for 1400 → 4;
     end 1, 2 left for 1400 → 4; end 1, 1 left for 1400 → 4; pass 999 → 4; pass 1 → 5`,
  ],
  [
    'run up to the rate limit of a new window once a response reports it',
    `start 1 → 1; end 1, 3 left for 1000 → 1; start 3 → 4; pass 1000 → 4; end 1, 9 left for 1000 → 4; start 9 → 11`,
  ],
  [
    'send one first in a window that is not known',
    'start 1 → 1; end 1, 5 left for 1000 → 1; pass 1000 → 1; start 9 → 2',
  ],
  [
    'stay within a window that a response does not report',
    'start 1 → 1; end 1, 3 left for 1000 → 1; start 9 → 4; end 1 → 5',
  ],
  ...['-1000', '0'].map((ms) => [
    `stay parallel if a used-up window ends in ${ms} ms`,
    `start 1 → 1; end 1, 0 left for ${ms} → 1; start 40 → 41; end 40, 0 left for ${ms} → 41; start 40 → 81`,
  ]),
  [
    "aren't blocked at the end of a window by a call that hangs",
    `start 1 → 1; end 1, 2 left for 1000 → 1; start 5 → 3; lose 1 → 4; pass 1000 → 5;
     end 1, 99 left for 1000 → 6`,
  ],
  [
    'continue one by one after a window that ends too late to wait for',
    `start 3 → 1; end 1, 0 left for 90000 → 2; end 1, 0 left for 90000 → 3; start 3 → 3;
     end 1, 7 left for 90000 → 6`,
  ],
  ...['', ', 0 left for 5000'].map((window) => [
    `wait after a refusal${window}, then send one, and all that its response allows`,
    `start 1 → 1; end 1 → 1; start 3 → 4; end 3${window}, refused for 60000 → 4; start 20 → 4;
     pass 59999 → 4; pass 1 → 5; end 1 → 24`,
  ]),
  [
    'send one first when a refusal is over',
    'start 1 → 1; end 1 → 1; start 3 → 4; end 3, refused for 5000 → 4; pass 5000 → 4; start 9 → 5',
  ],
  [
    'wait together for the longest time that any was asked to wait',
    `start 1 → 1; end 1 → 1; start 4 → 5; end 1, refused for 2000 → 5; start 1 → 5;
     end 1, refused for 7000 → 5; start 1 → 5; end 1, refused for 3000 → 5; start 1 → 5;
     end 1 → 5; pass 6999 → 5; pass 1 → 6`,
  ],
])('concurrent calls %s', (_what, steps) => world().take(steps));

it('calls fail at once with the time to wait if that is too long, until it is over', async () => {
  const { limiter, take, timers } = world(20_000);
  await take('start 1 → 1; end 1, 1 left for 1000 → 1; start 1 → 2');
  const waiting = limiter.acquire(undefined);
  limiter.release({ rateLimit: undefined, refusedMs: 90_000 });
  await expect(waiting).rejects.toEqual(new WaitTooLongError(90_000));
  await take('pass 60000 → 2');
  const message = 'The rate limit is used up. This request and those after it were not sent.';
  await expect(limiter.acquire(undefined)).rejects.toMatchObject({ retryAfterMs: 30_000, message });
  expect(timers()).toBe(0);
  await take('pass 30000 → 2; start 3 → 3; end 1 → 5');
  expect(limiter.acquire(undefined)).toBeUndefined();
});

it('a waiting call fails at once when it is cancelled, and leaves no timer', async () => {
  const { limiter, take, timers } = world();
  await take('start 1 → 1; end 1, 0 left for 1000 → 1');
  await expect(limiter.acquire(AbortSignal.abort(new Error('before')))).rejects.toThrow('before');
  const controllers = [new AbortController(), new AbortController()];
  const waiting = controllers.map(({ signal }) => limiter.acquire(signal));
  for (const [index, left] of [1, 0].entries()) {
    controllers[index]!.abort(new Error('cancelled'));
    await expect(waiting[index]).rejects.toThrow('cancelled');
    expect(timers()).toBe(left);
  }
});

it.each<[what: string, sleep: () => Promise<void>, result: unknown]>([
  ["fails if the platform doesn't let it wait", () => Promise.reject(new Error('no time')), 7000],
  ['is sent when its sleep ends, even if the clock has not moved', () => Promise.resolve(), undefined],
])('a waiting call %s', async (_what, sleep, result) => {
  const limiter = new RateLimiter({ now: () => 0, sleep, maxWaitMs: 60_000 });
  await limiter.acquire(undefined);
  limiter.release({ rateLimit: { limit: 1, remaining: 0, resetAt: 7000 } });
  const waiting = limiter.acquire(undefined)?.catch((error: unknown) => error);
  expect(((await waiting) as WaitTooLongError | undefined)?.retryAfterMs).toBe(result);
});
