import { readServedAt } from './servedAt.ts';

const NOON = Date.UTC(2026, 0, 15, 12);

test.each<[string, Record<string, string | string[]>, number | undefined]>([
  ['the Date header', { date: 'Thu, 15 Jan 2026 12:00:00 GMT' }, NOON],
  ['the first of two', { Date: ['Thu, 15 Jan 2026 12:00:00 GMT', 'x'] }, NOON],
  [
    'the date of a cached page minus its age',
    { Date: 'Thu, 15 Jan 2026 12:00:00 GMT', Age: '90' },
    NOON - 90_000,
  ],
  ["the date alone if the age isn't valid", { Date: 'Thu, 15 Jan 2026 12:00:00 GMT', Age: '5.5' }, NOON],
  ['nothing without a date', { Age: '90' }, undefined],
  ['nothing if the date is unreadable', { Date: 'soon' }, undefined],
])('reads %s', (_what, headers, time) => expect(readServedAt(headers)).toBe(time));
