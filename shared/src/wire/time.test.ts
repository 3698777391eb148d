import { fc } from '../../../test/support/fastCheck.ts';
import { runs } from '../../../test/support/seed.ts';
import { scanTime } from './scan.ts';
import { readTime } from './time.ts';

const iso = (value: unknown) => {
  const ms = readTime(value);
  return ms === undefined ? undefined : new Date(ms).toISOString();
};
const MOMENT = '2026-01-15T10:02:11.000Z';
const MIDNIGHT = '2026-01-15T00:00:00.000Z';

describe('readTime', () => {
  it.each<[unknown, string]>([
    ['2026-01-15T10:02:11Z', MOMENT],
    ['2026-01-15T10:02:11', MOMENT],
    ['2026-01-15 10:02:11', MOMENT],
    [' 2026-01-15 10:02:11\n', MOMENT],
    ['2026-01-15t10:02:11z', MOMENT],
    ['20260115T100211Z', MOMENT],
    ['2026-01-15 10:02:11 UTC', MOMENT],
    ['2026-01-15 10:02:11+00', MOMENT],
    ['2026-01-15T12:02:11+02:00', MOMENT],
    ['2026-01-15T05:32:11-0430', MOMENT],
    ['2026-01-15', MIDNIGHT],
    ['20260115', MIDNIGHT],
    ['2026-01-14T24:00:00', MIDNIGHT],
    ['2026-01-14T23:59:60Z', MIDNIGHT],
    ['2026-01-15T10:02', '2026-01-15T10:02:00.000Z'],
    ['2026-01-15T10:02:11.5', '2026-01-15T10:02:11.500Z'],
    ['2026-01-15T10:02:11,123456789Z', '2026-01-15T10:02:11.123Z'],
    ['2026-01-15T10:02:11.1234567890123Z', '2026-01-15T10:02:11.123Z'],
    ['2026-01-15T10Z', '2026-01-15T10:00:00.000Z'],
    ['2026-01-15T10+02', '2026-01-15T08:00:00.000Z'],
    ['2026-01-15T9:00:00Z', '2026-01-15T09:00:00.000Z'],
    ['2024-02-29', '2024-02-29T00:00:00.000Z'],
    ['0001-01-01T00:00:00Z', '0001-01-01T00:00:00.000Z'],
    ['+010000-01-01T00:00:00.000Z', '+010000-01-01T00:00:00.000Z'],
    ['Thu, 15 Jan 2026 10:02:11 GMT', MOMENT],
    ['Thu, 15 Jan 2026 12:02:11 +0200', MOMENT],
    ['Thursday, 15-Jan-26 10:02:11 GMT', MOMENT],
    ['Thu Jan 15 10:02:11 2026', MOMENT],
    [1768471331, MOMENT],
    ['1768471331', MOMENT],
    [1768471331.5, '2026-01-15T10:02:11.500Z'],
    ['1768471331.123456', '2026-01-15T10:02:11.123Z'],
    [1768471331000, MOMENT],
    ['1768471331000', MOMENT],
    [1768471331000000, MOMENT],
    ['1768471331000000', MOMENT],
    ['1768471331000000000', MOMENT],
  ])('reads %j', (value, expected) => expect(iso(value)).toBe(expected));

  it.each<unknown>([
    'soon 5',
    'May 5',
    '5',
    'table 4, 2026',
    '2026',
    '2026-01',
    '2026-02-30',
    '2026-13-01',
    '2026-00-10',
    '2026-0115',
    '2026-01-15T25:00:00Z',
    '2026-01-15T10:61:00Z',
    '2026-01-15T10:02:11+24:00',
    '2026-01-15T10:02:11 CET',
    '2026-01-15T',
    '2026-01-15Tnoon',
    '2026-01-15T9',
    '2026-01-15T900',
    '01/02/2026',
    '15.01.2026',
    'Thu, 15 Foo 2026 10:02:11 GMT',
    'Thu, 32 Jan 2026 10:02:11 GMT',
    '20260115100211',
    '1e12',
    '0x19BC0A2F',
    '-1768471331',
    '+999999-01-01',
    '+275760-09-13T00:00:01Z',
    '2026-01-15T10:02:11Z'.padEnd(100),
    '',
    0,
    5,
    20260115,
    1e11,
    -1768471331,
    NaN,
    Infinity,
    null,
    undefined,
    true,
    [2026],
    { date: MOMENT },
  ])('does not read %j as a time', (value) => expect(readTime(value)).toBeUndefined());

  it('reads every format of any Date as the same time, with and without its zone', () => {
    const moment = fc.date({ noInvalidDate: true });
    fc.assert(
      fc.property(moment, (date) => {
        expect(readTime(date.toISOString())).toBe(date.getTime());
        expect(readTime(date.toISOString().replace('T', ' ').replace('Z', ''))).toBe(date.getTime());
      }),
      { numRuns: runs(50, 1000) },
    );
  });

  it('returns a valid time or undefined for any text', () => {
    const part = fc.constantFrom(
      '2026',
      '-',
      '01',
      '15',
      'T',
      ' ',
      ':',
      '10',
      '.',
      '9',
      'Z',
      '+',
      'Jan',
      ',',
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 20 }), (parts) => {
        const time = readTime(parts.join('')) ?? 0;
        expect(new Date(time).getTime()).toBe(time);
      }),
      { numRuns: runs(100, 2000) },
    );
  });
});

it.each(['2026-01-15T10:02:11', '2026-01-15 10:02:11', '1768471331'])('a scan of %j is read in UTC', (at) =>
  expect(scanTime({ at: 'soon 5', scannedAt: at })).toBe(MOMENT),
);
