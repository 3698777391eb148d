import { RefusalLog } from '../nodes/QrServiceTrigger/LogThrottle.ts';

test('reports the first refusal of a kind at once, then one a minute with the number of others', () => {
  const log = new RefusalLog();
  expect(log.count('missing_header', 0)).toBe(0);
  const counts = Array.from({ length: 10_000 }, (_, nth) => log.count('missing_header', 1 + 6 * nth));
  expect(new Set(counts)).toEqual(new Set([undefined]));
  expect(log.count('signature_mismatch', 59_999)).toBe(0);
  expect(log.count('missing_header', 60_000)).toBe(10_000);
  expect(log.count('missing_header', 120_000)).toBe(0);
});
