import { scanId, scanTime } from './scan.ts';

describe('a scan', () => {
  it('has its own id, or a stable one made of the whole row', () => {
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
  ])('%j happened at %s', (row, time) => expect(scanTime(row)).toBe(time));

  it('that is nested deeper than JSON can be written has an id all the same', () => {
    const row = JSON.parse('{"a":'.repeat(5000) + '1' + '}'.repeat(5000)) as Record<string, unknown>;
    expect(scanId(row)).toMatch(/^scan-[0-9a-f]{32}$/);
  });

  it('has one id for a moment and its text, and another for a key named __proto__', () => {
    const moment = new Date('2026-01-01T00:00:00Z');
    expect(scanId({ at: moment })).toBe(scanId({ at: moment.toISOString() }));
    expect(scanId(JSON.parse('{"__proto__":{"a":1}}'))).not.toBe(scanId({}));
  });
});
