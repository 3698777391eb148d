import { RequestThrottle } from '../nodes/QrServiceTrigger/RequestThrottle.ts';

const MINUTE_MS = 60_000;

test('allows a trigger one request per five minutes, and fewer while nothing changes', () => {
  const throttle = new RequestThrottle();
  const allowed: number[] = [];
  for (let minute = 0; minute < 24 * 60; minute++)
    for (let delivery = 0; delivery < 10; delivery++)
      if (throttle.allows('a', 'same', minute * MINUTE_MS)) allowed.push(minute);
  expect(allowed).toEqual([0, 5, 15, 35, 75, 155, 315, 555, 795, 1035, 1275]);
});

test('allows a request immediately when the data in n8n changes, and for other triggers', () => {
  const throttle = new RequestThrottle();
  expect(throttle.allows('a', 'first', 0)).toBe(true);
  expect(throttle.allows('a', 'first', 1)).toBe(false);
  expect(throttle.allows('b', 'first', 1)).toBe(true);
  expect(throttle.allows('a', 'second', 1)).toBe(true);
  expect(throttle.allows('a', 'second', 5 * MINUTE_MS)).toBe(false);
  expect(throttle.allows('a', 'second', 5 * MINUTE_MS + 1)).toBe(true);
});
