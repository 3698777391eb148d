import { fc } from '../../../test/support/fastCheck.ts';
import type { QrCode, ScanRow } from '../contract/types.ts';
import { ApiError } from '../errors/ApiError.ts';
import { checkPeriod, ScanCounter, type ScanFilter } from './ScanCounter.ts';
import { readScannedCodes } from './scannedCodes.ts';

const at = (minute: number) => new Date(Date.UTC(2026, 0, 31, 22, minute)).toISOString();
const scan = (minute: number, qrId?: string, more = {}): ScanRow => ({
  scannedAt: at(minute),
  ...(qrId === undefined ? {} : { qrId }),
  ...more,
});

const apiError = (status: number) =>
  new ApiError({ status, code: 'refused', message: '', method: 'GET', path: '/qr/a', retryable: false });

function count(filter: ScanFilter, rows: ScanRow[]): ScanCounter {
  const counter = new ScanCounter(filter);
  for (const row of rows) counter.add(row);
  return counter;
}

it('counts by code and by day, from the start of a period to its end', () => {
  const rows = [scan(-1, 'a'), scan(0, 'a'), scan(30, 'b'), scan(59, 'b'), scan(60, 'b')];
  const counter = count({ since: at(0), until: at(60), timeZone: 'Europe/Berlin' }, rows);
  expect(counter).toMatchObject({ read: 5, scans: 3, withoutCode: 0, readUntil: at(60) });
  expect(counter.byCode()).toEqual([
    ['b', 2],
    ['a', 1],
  ]);
  expect(counter.byDay()).toEqual([['2026-01-31', 3]]);
  expect(count({ timeZone: 'Asia/Tokyo' }, rows).byDay()).toEqual([['2026-02-01', 5]]);
  expect(count({}, rows).byDay()).toEqual([['2026-01-31', 5]]);
  // Where midnight is at half past an hour in UTC.
  expect(count({ timeZone: 'Asia/Kolkata' }, [scan(-211), scan(-210), scan(-180)]).byDay()).toEqual([
    ['2026-01-31', 1],
    ['2026-02-01', 2],
  ]);
});

it('counts scans that name no code, or no time, apart', () => {
  const rows = [scan(0, 'a'), scan(1), { qrId: 'a' }];
  const all = count({ since: at(0) }, rows);
  expect(all).toMatchObject({ scans: 3, withoutCode: 1 });
  expect(all.byCode()).toEqual([
    ['a', 2],
    ['', 1],
  ]);
  expect(all.byDay()[0]).toEqual(['', 1]);
  expect(count({ qrCodeId: 'a' }, rows)).toMatchObject({ scans: 2, withoutCode: 1 });
});

it('counts rows with one ID, and rows alike in every field, once', () => {
  const rows = [scan(0, 'a', { id: 's1' }), scan(9, 'a', { scanId: 's1' }), scan(1, 'a'), scan(1, 'a')];
  expect(count({}, rows)).toMatchObject({ read: 2, scans: 2 });
});

it('asks for a millisecond more than the period', () => {
  expect(new ScanCounter({ since: at(0) }).query).toEqual({ since: '2026-01-31T21:59:59.999Z' });
  expect(new ScanCounter({}).query).toEqual({});
});

it.each([
  ['a row long after the period, in a list that goes forward', [0, 20], true],
  ['one in the minutes in which others may still follow', [0, 19], false],
  ['a list that goes back', [40, 20], false],
  ['one whose first row became visible late', [51, 60], false],
  ['a single row', [40], false],
  ['none', [], false],
])('ends after %s: %j is %s', (_case, minutes, isOver) => {
  const rows = minutes.map((minute) => scan(minute));
  expect(count({ until: at(10) }, rows).isOver).toBe(isOver);
});

it('counts each scan of a period once, however late it is listed and however pages shift', () => {
  const arrivals = fc.array(fc.tuple(fc.nat(60), fc.nat(9), fc.constantFrom('a', 'b')), { maxLength: 60 });
  fc.assert(
    fc.property(arrivals, fc.nat(7), fc.nat(60), fc.nat(60), (scans, shift, since, length) => {
      const rows = scans.map(([minute, late, qrId], id) => ({
        seenAt: minute + late,
        row: scan(minute, qrId, { id }),
      }));
      // In the order of arrival, in pages that repeat the end of the one before.
      rows.sort((a, b) => a.seenAt - b.seenAt);
      const until = since + length;
      const counter = new ScanCounter({ qrCodeId: 'a', since: at(since), until: at(until) });
      for (let start = 0; start < rows.length && !counter.isOver; start += 10)
        for (const { row } of rows.slice(Math.max(0, start - shift), start + 10)) counter.add(row);
      const expected = scans.filter(
        ([minute, _late, qrId]) => qrId === 'a' && minute >= since && minute < until,
      );
      expect(counter.scans).toBe(expected.length);
    }),
  );
});

it('reads the codes of scans, without those that were deleted and without the scope for any', async () => {
  const code = { id: 'a', name: 'Table 4' } as QrCode;
  const byId = (id: string) => Promise.resolve(id === 'a' ? code : undefined);
  expect(await readScannedCodes({ byId }, ['a', 'gone'])).toEqual({ codes: new Map([['a', code]]) });
  const required = (...ids: string[]) => readScannedCodes({ byId }, ['a', 'gone'], ids);
  await expect(required('gone')).rejects.toThrow("QR code gone doesn't exist");
  expect((await required('a')).codes.size).toBe(1);
  const failing = (status: number) => ({ byId: () => Promise.reject(apiError(status)) });
  expect(await readScannedCodes(failing(403), ['a'], ['a'])).toEqual({
    codes: new Map(),
    refused: apiError(403),
  });
  await expect(readScannedCodes(failing(500), ['a'])).rejects.toThrow(apiError(500));
});

it('refuses a period that ends before it starts', () => {
  const labels = { since: 'Since', until: 'Until' };
  expect(() => checkPeriod({ since: at(1), until: at(1) }, labels)).toThrow(`later than Since (${at(1)})`);
  for (const period of [{ since: at(0), until: at(1) }, { since: at(1) }, { until: at(1) }])
    expect(() => checkPeriod(period, labels)).not.toThrow();
});
