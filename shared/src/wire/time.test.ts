import { fc } from '../../../test/support/fastCheck.ts';
import { runs } from '../../../test/support/seed.ts';
import { readTime } from './time.ts';

const iso = (value: unknown) => {
  const ms = readTime(value);
  return ms === undefined ? undefined : new Date(ms).toISOString();
};
const MOMENT = '2026-01-15T10:02:11.000Z';

describe('readTime', () => {
  it.each<unknown>([
    ...['2026-01-15T10:02:11Z', '2026-01-15T10:02:11', '2026-01-15 10:02:11', '2026-01-15t10:02:11z'],
    ...['2026-01-15 10:02:11+00', '2026-01-15 10:02:11 UTC', '2026-01-15 12:02:11 +0200'],
    ...['2026-01-15T12:02:11+02:00', '2026-01-15T05:32:11-0430', 'Thu, 15 Jan 2026 10:02:11 GMT'],
    'Thu, 15 Jan 2026 12:02:11 +0200',
    ...[1768471331, '1768471331', 1768471331000, '1768471331000'],
  ])('reads %j as one moment', (value) => expect(iso(value)).toBe(MOMENT));

  it.each<[unknown, string]>([
    ['2026-01-15', '2026-01-15T00:00:00.000Z'],
    ['2026-01-15T10:02', '2026-01-15T10:02:00.000Z'],
    ['2026-01-15T10:02:11.5', '2026-01-15T10:02:11.500Z'],
    ['2026-01-15T10:02:11.1234567890123Z', '2026-01-15T10:02:11.123Z'],
    ['2024-02-29', '2024-02-29T00:00:00.000Z'],
    ['0001-01-01T00:00:00Z', '0001-01-01T00:00:00.000Z'],
    [1e9, '2001-09-09T01:46:40.000Z'],
    [1768471331.5, '2026-01-15T10:02:11.500Z'],
    ['1768471331.123456', '2026-01-15T10:02:11.123Z'],
  ])('reads %j', (value, expected) => expect(iso(value)).toBe(expected));

  it.each<unknown>([
    ...[
      'Invalid Date',
      '2026-01-15T10:02:11Z.',
      'x2026-01-15',
      '2026-02-30',
      '2026-13-01',
      '20260115T100211Z',
    ],
    ...['2026-01-15T10:02:11+24:00', '2026-01-15T10:02:11 CET', '2026-01-15T', '1768471331e0', '0x6968BC63'],
    ...[
      'Thu, 15 Foo 2026 10:02:11 GMT',
      'Thu, 15 Jan 2026 10:02:11',
      '',
      null,
      ['2026-01-15'],
      { date: MOMENT },
    ],
    ...[0, 20260115, 999_999_999, 1e10, 1e13],
  ])('does not read %j as a time', (value) => expect(readTime(value)).toBeUndefined());

  it('reads every format of any Date as the same time, with and without its zone', () => {
    const [min, max] = [new Date('1000-01-01'), new Date('9999-12-31')];
    const moment = fc.date({ min, max, noInvalidDate: true });
    fc.assert(
      fc.property(moment, (date) => {
        const iso = date.toISOString();
        for (const text of [iso, iso.replace('T', ' ').replace('Z', '')])
          expect(readTime(text)).toBe(date.getTime());
        expect(readTime(date.toUTCString())).toBe(Math.floor(date.getTime() / 1000) * 1000);
      }),
      { numRuns: runs(50, 1000) },
    );
  });
});
