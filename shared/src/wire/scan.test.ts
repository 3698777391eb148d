import { scanId, scanTime } from './scan.ts';

describe('a scan', () => {
  it('has its own ID, or a stable one derived from the row', () => {
    expect(scanId({ id: 's1' })).toBe('s1');
    expect(scanId({ scanId: 7 })).toBe('7');
    expect(scanId({ a: 1, b: { c: 2, d: 3 } })).toBe(scanId({ b: { d: 3, c: 2 }, a: 1 }));
    expect(scanId({ a: 1 })).not.toBe(scanId({ a: 2 }));
  });

  it.each<[Record<string, unknown>, string | undefined]>([
    [{ scannedAt: '2026-01-01T00:00:00Z' }, '2026-01-01T00:00:00.000Z'],
    [{ timestamp: 1767225600 }, '2026-01-01T00:00:00.000Z'],
    [{ at: 1767225600000 }, '2026-01-01T00:00:00.000Z'],
    [{ country: 'CH' }, undefined],
  ])('reads the time of %j as %s', (row, time) => expect(scanTime(row)).toBe(time));

  it('has an ID even if it is nested deeper than JSON.stringify can go', () => {
    const row = JSON.parse('{"a":'.repeat(5000) + '1' + '}'.repeat(5000)) as Record<string, unknown>;
    expect(scanId(row)).toMatch(/^scan-[0-9a-f]{32}$/);
  });

  it('has the same ID with a Date or its text, and another with a key named __proto__', () => {
    const moment = new Date('2026-01-01T00:00:00Z');
    expect(scanId({ at: moment })).toBe(scanId({ at: moment.toISOString() }));
    expect(scanId(JSON.parse('{"__proto__":{"a":1}}'))).not.toBe(scanId({}));
  });
});
