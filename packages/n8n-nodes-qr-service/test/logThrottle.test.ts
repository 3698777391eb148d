import { LogThrottle } from '../nodes/QrServiceTrigger/LogThrottle.ts';

test('logs the first message of a kind immediately, then one per minute with the number of suppressed ones', () => {
  const throttle = new LogThrottle();
  expect(throttle.count('missing_header', 0)).toBe(0);
  const counts = Array.from({ length: 10_000 }, (_, nth) => throttle.count('missing_header', 1 + 6 * nth));
  expect(new Set(counts)).toEqual(new Set([undefined]));
  expect(throttle.count('signature_mismatch', 59_999)).toBe(0);
  expect(throttle.count('missing_header', 60_000)).toBe(10_000);
  expect(throttle.count('missing_header', 120_000)).toBe(0);
});
