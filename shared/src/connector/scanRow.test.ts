import { scanRows } from '../wire/scan.ts';
import { SAMPLE_SCAN } from '../contract/samples.ts';
import { SCAN_FIELDS, scanRow } from './scanRow.ts';

const output = (...rows: Record<string, unknown>[]) => scanRows(rows).map(scanRow);

it("keeps the service's fields and adds an ID and a time in UTC", () => {
  const [row] = output({ country: 'CH', timestamp: 1768471331 });
  expect(row).toEqual({
    id: expect.stringMatching(/^scan-[0-9a-f]{32}$/) as string,
    country: 'CH',
    timestamp: 1768471331,
    scannedAt: '2026-01-15T10:02:11.000Z',
  });
});

it.each([
  ['a time without a zone', '2026-01-15T10:02:11', '2026-01-15T10:02:11.000Z'],
  ['an unreadable time', 'soon', null],
  ['no time', undefined, null],
])('outputs %s under scannedAt', (_what, scannedAt, expected) => {
  expect(output({ id: 's1', scannedAt })).toEqual([{ id: 's1', scannedAt: expected }]);
});

it.each([
  ['null', { id: null }],
  ['empty', { id: '' }],
])('replaces an ID that is %s', (_what, own) => {
  const [first, second] = output(own, own);
  expect(first?.id).toMatch(/^scan-/);
  expect(second?.id).toBe(`${first?.id ?? ''}-2`);
});

it('has a field for each key of the sample', () => {
  expect(SCAN_FIELDS.map(({ key }) => key)).toEqual(Object.keys(SAMPLE_SCAN));
});
