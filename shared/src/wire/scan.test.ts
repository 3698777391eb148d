import { SAMPLE_SCAN, SCAN_FIELDS } from '../contract/fields.ts';
import { scanRows } from './scan.ts';

const scanId = (row: Record<string, unknown>) => scanRows([row])[0]?.id ?? '';
const scanTime = (row: Record<string, unknown>) => scanRows([row])[0]?.scannedAt;

describe('a scan', () => {
  it('has its own ID, or a stable one derived from the row', () => {
    expect(scanId({ id: 's1' })).toBe('s1');
    expect(scanId({ scanId: 7 })).toBe('7');
    expect(scanId({ a: 1, b: { c: 2, d: 3 } })).toBe(scanId({ b: { d: 3, c: 2 }, a: 1 }));
    expect(scanId({ a: 1 })).not.toBe(scanId({ a: 2 }));
  });

  it.each<[Record<string, unknown>, string | null]>([
    [{ scannedAt: '2026-01-01T00:00:00Z' }, '2026-01-01T00:00:00.000Z'],
    [{ timestamp: 1767225600 }, '2026-01-01T00:00:00.000Z'],
    [{ at: 1767225600000 }, '2026-01-01T00:00:00.000Z'],
    [{ country: 'CH' }, null],
    [{ scannedAt: '2026-01-15T10:02:11' }, '2026-01-15T10:02:11.000Z'],
    [{ scannedAt: 'soon' }, null],
  ])('reads the time of %j as %s', (row, time) => expect(scanTime(row)).toBe(time));

  it('has another ID with a key named __proto__', () =>
    expect(scanId(JSON.parse('{"__proto__":{"a":1}}'))).not.toBe(scanId({})));
});

describe('scanRows', () => {
  const ids = (rows: Record<string, unknown>[], seen?: Set<string>) =>
    scanRows(rows, seen).map(({ id }) => id);
  const alike = { qrId: 'qr_1', scannedAt: '2026-01-15T10:02:11Z' };
  const base = scanId(alike);

  it('treats rows without an ID that are alike in every field as one scan', () => {
    const swiss = { ...alike, country: 'CH' };
    expect(ids([alike, { ...alike }, swiss, { ...alike }])).toEqual([base, scanId(swiss)]);
  });

  it.each(['id', 'scanId'])('treats rows with the same %s as one scan', (key) => {
    const rows = [{ [key]: 's1' }, { [key]: 's2' }, { [key]: 's1', country: 'CH' }, { [key]: 7 }];
    expect(ids(rows)).toEqual(['s1', 's2', '7']);
  });

  it('ignores an empty ID and does not use another field instead', () => {
    const row = { id: '', scanId: null, qrId: 'qr_1' };
    expect(ids([row, row])).toEqual([scanId(row)]);
  });

  it('ignores a numeric ID that JSON has rounded', () => {
    const json = '[{"id":1234567890123456789,"at":1},{"id":1234567890123456790,"at":2}]';
    const [one, two] = JSON.parse(json) as [Record<string, unknown>, Record<string, unknown>];
    expect(ids([one, two, { ...one, scanId: 's1' }])).toEqual([scanId(one), scanId(two), 's1']);
    expect(scanId(one)).toMatch(/^scan-/);
  });

  it('continues over pages', () => {
    const seen = new Set<string>();
    const pages = [[alike, { id: 's1' }], [alike], [{ id: 's1' }, alike, { id: 's2' }]];
    expect(pages.flatMap((page) => ids(page, seen))).toEqual([base, 's1', 's2']);
    expect([...seen]).toEqual([base, 's1', 's2']);
  });

  it("keeps the service's fields", () => {
    const scan = { ...alike, country: 'CH', id: 's1' };
    expect(scanRows([scan])).toEqual([{ ...scan, scannedAt: '2026-01-15T10:02:11.000Z' }]);
  });
});

it('has a field for each key of the sample', () => {
  expect(SCAN_FIELDS.map(({ key }) => key)).toEqual(Object.keys(SAMPLE_SCAN));
});
