import { decideRetry, type RetryInput } from './retry.ts';

const usual: RetryInput = {
  method: 'POST',
  code: 'network',
  hasKey: true,
  attempt: 1,
  maxAttempts: 5,
  elapsedMs: 0,
  budgetMs: 60_000,
  random: 0.5,
};
const status = (status: number, code = `http_${status}`): Partial<RetryInput> => ({ status, code });

describe('decideRetry', () => {
  it.each<[string, Partial<RetryInput>, number | 'stop']>([
    ['network error', {}, 250],
    ['time limit', { code: 'timeout' }, 250],
    ['network error of a GET', { method: 'GET', hasKey: false }, 250],
    ['network error of a DELETE', { method: 'DELETE', hasKey: false }, 250],
    ['network error of a POST without a key', { hasKey: false }, 'stop'],
    ['cancelled by the caller', { code: 'aborted' }, 'stop'],
    ['certificate that is not trusted', { code: 'certificate' }, 'stop'],
    ['redirect', { code: 'redirect' }, 'stop'],
    ['second attempt: twice the wait', { attempt: 2 }, 500],
    ['third attempt', { attempt: 3 }, 1000],
    ['ninth attempt: the wait is capped', { attempt: 9, maxAttempts: 10 }, 10_000],
    ['last attempt', { attempt: 5 }, 'stop'],
    [
      'last attempt after a 429 with a Retry-After',
      { ...status(429), attempt: 5, retryAfterMs: 7000 },
      'stop',
    ],
    ['ninth attempt after a 429 without a Retry-After', { ...status(429), attempt: 9 }, 10_000],
    [
      'ninth attempt while the first is still running',
      { ...status(409, 'idempotency_in_progress'), attempt: 9 },
      10_000,
    ],
    ['no jitter left', { random: 0 }, 0],
    ['401', status(401, 'invalid_api_key'), 'stop'],
    ['403', status(403, 'insufficient_scope'), 'stop'],
    ['404', status(404, 'not_found'), 'stop'],
    ['408', status(408), 250],
    ['409 because the first attempt is still running', status(409, 'idempotency_in_progress'), 250],
    ['409 because the key was used before', status(409, 'idempotency_conflict'), 'stop'],
    ['422', status(422, 'validation_failed'), 'stop'],
    ['429 without Retry-After', status(429, 'rate_limited'), 250],
    ['429 with Retry-After', { ...status(429, 'rate_limited'), retryAfterMs: 7000 }, 7000],
    ['429 with a Retry-After of 0', { ...status(429, 'rate_limited'), retryAfterMs: 0 }, 250],
    [
      '429 with Retry-After for a POST without a key',
      { ...status(429, 'rate_limited'), hasKey: false },
      'stop',
    ],
    ['500', status(500), 250],
    ['501', status(501), 'stop'],
    ['503 with Retry-After', { ...status(503), retryAfterMs: 2000 }, 2250],
    ['a wait that ends within the budget', { ...status(503), retryAfterMs: 50_000, elapsedMs: 9000 }, 50_250],
    ['a wait that leaves no time for an attempt', { ...status(503), elapsedMs: 59_750 }, 'stop'],
    [
      'a wait that ends after the budget',
      { ...status(503), retryAfterMs: 50_000, elapsedMs: 10_000 },
      'stop',
    ],
    [
      'a wait for the rate limit that uses up its own budget',
      { ...status(429), retryAfterMs: 50_000, elapsedMs: 10_000 },
      50_000,
    ],
    [
      'a wait for the rate limit beyond its own budget',
      { ...status(429), retryAfterMs: 50_001, elapsedMs: 10_000 },
      'stop',
    ],
  ])('%s', (_what, change, expected) => {
    expect(decideRetry({ ...usual, ...change }) ?? 'stop').toBe(expected);
  });
});
