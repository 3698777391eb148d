import { readDelay, readHeader, readRateLimit } from './headers.ts';

it('a header is found under its own name in any case, and under no other', () => {
  const headers = { 'X-Header-6': 'b', 'X-Header-7': 'a' };
  expect([readHeader(headers, 'x-HEADER-7'), readHeader(headers, 'Retry-After')]).toEqual(['a', undefined]);
});

describe('readDelay', () => {
  const now = Date.parse('2026-01-01T00:00:00Z');
  it.each<[string, string | undefined, number | undefined]>([
    ['seconds', '7', 7000],
    ['a fraction of a second', '0.25', 250],
    ['epoch seconds', String(now / 1000 + 9), 9000],
    ['epoch milliseconds', String(now + 1500), 1500],
    ['an HTTP date', 'Thu, 01 Jan 2026 00:00:05 GMT', 5000],
    ['the past', String(now / 1000 - 60), 0],
    ['more than a day', '86401', 86_400_000],
    ['a negative number', '-5', undefined],
    ['an HTTP date in the past', 'Wed, 31 Dec 2025 23:00:00 GMT', 0],
    ['one below the smallest epoch second', '999999999', 86_400_000],
    ['the smallest epoch second', '1000000000', 0],
    ['the smallest epoch millisecond', '100000000000', 0],
    ['more digits than a number can represent', '9'.repeat(400), 86_400_000],
    ['junk', 'soon', undefined],
    ['a word and a number, which Date.parse accepts', 'soon 5', undefined],
    ['a date without its zone', 'Thu, 01 Jan 2026 00:00:05', undefined],
    ['an exponent', '1e3', undefined],
    ['a sign', '+5', undefined],
    ['two numbers', '5, 7', undefined],
    ['nothing', undefined, undefined],
  ])('reads %s', (_what, value, ms) => expect(readDelay(value, now)).toBe(ms));

  it('is used for the rate limit, which needs all three headers', () => {
    const headers = { 'x-ratelimit-limit': '100', 'X-RateLimit-Remaining': '0', 'x-rateLimit-reset': '3' };
    expect(readRateLimit(headers, now)).toEqual({ limit: 100, remaining: 0, resetAt: now + 3000 });
    for (const name of Object.keys(headers))
      for (const value of [undefined, 'x', '1x', 'x1'])
        expect(readRateLimit({ ...headers, [name]: value }, now)).toBeUndefined();
  });
});
