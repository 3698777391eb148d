import { readDelay, readHeader, readRateLimit, readServedAt } from './headers.ts';
import { identifyScans } from './scan.ts';
import { readTime } from './time.ts';

const MOMENT = '2026-01-15T10:02:11.000Z';

describe('a time', () => {
  const iso = (value: unknown) => new Date(readTime(value) ?? NaN).toJSON() as string | null;

  it.each<unknown>([
    ...['2026-01-15T10:02:11Z', '2026-01-15T10:02:11', '2026-01-15 10:02:11', '2026-01-15t10:02:11z'],
    ...['2026-01-15 10:02:11+00', '2026-01-15 10:02:11 UTC', '2026-01-15 12:02:11 +0200'],
    ...['2026-01-15T12:02:11+02:00', '2026-01-15T05:32:11-0430', 'Thu, 15 Jan 2026 10:02:11 GMT'],
    ...['Thu, 15 Jan 2026 12:02:11 +0200', 1768471331, '1768471331', 1768471331000, '1768471331000'],
  ])('is one moment in any form: %j', (value) => expect(iso(value)).toBe(MOMENT));

  it.each<[unknown, string]>([
    ['2026-01-15', '2026-01-15T00:00:00.000Z'],
    ['2026-01-15T10:02', '2026-01-15T10:02:00.000Z'],
    ['2026-01-15T10:02:11.5', '2026-01-15T10:02:11.500Z'],
    ['2026-01-15T10:02:11.1234567890123Z', '2026-01-15T10:02:11.123Z'],
    ['2024-02-29', '2024-02-29T00:00:00.000Z'],
    ['0001-01-01T00:00:00Z', '0001-01-01T00:00:00.000Z'],
    [1e9, '2001-09-09T01:46:40.000Z'],
    ['1768471331.523456', '2026-01-15T10:02:11.523Z'],
  ])('is read from %j', (value, expected) => expect(iso(value)).toBe(expected));

  it.each<unknown>([
    ...['Invalid Date', '2026-01-15T10:02:11Z.', 'x2026-01-15', '2026-02-30', '2026-13-01', ''],
    ...['20260115T100211Z', '2026-01-15T10:02:11+24:00', '2026-01-15T10:02:11 CET', '2026-01-15T'],
    ...['1768471331e0', '0x6968BC63', 'Thu, 15 Foo 2026 10:02:11 GMT', 'Thu, 15 Jan 2026 10:02:11'],
    ...['on Thu, 15 Jan 2026 10:02:11 GMT', 'Thu, 15 Jan 2026 10:02:11 GMT (late)'],
    ...[null, 0, 20260115, 999_999_999, 1e10, 1e13],
    [MOMENT],
    { date: MOMENT },
  ])('is not read from %j', (value) => expect(readTime(value)).toBeUndefined());
});

it('a header is found under its own name in any case, and under no other', () => {
  const headers = { 'X-Header-6': 'b', 'X-Header-7': ['a', 'c'], DATE: 'Thu, 15 Jan 2026 10:02:11 GMT' };
  expect([readHeader(headers, 'x-HEADER-7'), readHeader(headers, 'Retry-After')]).toEqual(['a', undefined]);
  expect([readServedAt(headers), readServedAt({})]).toEqual([Date.parse(MOMENT), undefined]);
});

describe('a delay', () => {
  const now = Date.parse('2026-01-01T00:00:00Z');
  const DAY = 86_400_000;

  it.each<[string, string, number]>([
    ['seconds', '7', 7000],
    ['a fraction of a second', '0.25', 250],
    ['epoch seconds', String(now / 1000 + 9), 9000],
    ['an HTTP date', 'Thu, 01 Jan 2026 00:00:05 GMT', 5000],
    ['an HTTP date in the past', 'Wed, 31 Dec 2025 23:00:00 GMT', 0],
    ['one below the smallest epoch second', '999999999', DAY],
    ['the smallest epoch second', '1000000000', 0],
    ['more digits than a number can represent', '9'.repeat(400), DAY],
  ])('is read from %s', (_what, value, ms) => expect(readDelay(value, now)).toBe(ms));

  const WITHOUT_ZONE = 'Thu, 01 Jan 2026 00:00:05';
  // Date.parse accepts a word and a number.
  it.each(['-5', '+5', '1e3', '5, 7', 'soon', 'soon 5', WITHOUT_ZONE, undefined])(
    'is not read from %j',
    (value) => expect(readDelay(value, now)).toBeUndefined(),
  );

  it('is used for the rate limit, which needs all three headers', () => {
    const headers = { 'x-ratelimit-limit': '100', 'X-RateLimit-Remaining': '0', 'x-rateLimit-reset': '3' };
    expect(readRateLimit(headers, now)).toEqual({ limit: 100, remaining: 0, resetAt: now + 3000 });
    for (const name of Object.keys(headers))
      for (const value of [undefined, 'x', '1x', 'x1'])
        expect(readRateLimit({ ...headers, [name]: value }, now)).toBeUndefined();
  });
});

describe('scans', () => {
  type Row = Record<string, unknown>;
  const ids = (rows: Row[], seen?: Set<string>) => identifyScans(rows, seen).map(({ id }) => id);
  const parse = (json: string) => JSON.parse(json) as Row;
  const alike = { qrId: 'qr_1', scannedAt: '2026-01-15T10:02:11Z' };
  const rounded = parse('{"id":1234567890123456789,"at":1}');
  const IN_ORDERS = ['{"a":1,"b":{"c":2,"d":3}}', '{"b":{"d":3,"c":2},"a":1}'].map(parse);
  const HASH = expect.stringMatching(/^scan-[\da-f]{32}$/) as string;

  it.each<[row: Row, id: string, scannedAt: string | null]>([
    [{ id: 's1', scanId: 's2', scannedAt: '2026-01-15T10:02:11' }, 's1', MOMENT],
    [{ id: '', scanId: 7, timestamp: 1768471331 }, '7', MOMENT],
    [{ scanId: 's1', scannedAt: 'soon', at: 1768471331000 }, 's1', MOMENT],
    [{ ...rounded, scanId: 's1' }, 's1', null],
    [rounded, HASH, null],
    [{ id: '', scanId: null, qrId: 'qr_1', country: 'CH' }, HASH, null],
  ])('keep their fields, and have an ID and a time: %j', (row, id, scannedAt) =>
    expect(identifyScans([row])).toEqual([{ ...row, id, scannedAt }]),
  );

  it.each<[what: string, rows: Row[], kept: number[]]>([
    ['have the same id', [{ id: 's1' }, { id: 's2' }, { id: 's1', country: 'CH' }], [0, 1]],
    ['have the same scanId', [{ scanId: 7 }, { scanId: 7, country: 'CH' }, { scanId: 's1' }], [0, 2]],
    ['are alike in every field', [alike, { ...alike }, { ...alike, country: 'CH' }, alike], [0, 2]],
    ['have the same fields in another order', IN_ORDERS, [0]],
    ['share only a rounded ID', [rounded, parse('{"id":1234567890123456790,"at":2}')], [0, 1]],
    ['share all but a key named __proto__', [parse('{"__proto__":{"a":1}}'), {}], [0, 1]],
  ])('are one only if they really are: they %s', (_what, rows, kept) =>
    expect(ids(rows)).toEqual(kept.map((index) => ids([rows[index]!])[0])),
  );

  it('are the same one on another page', () => {
    const seen = new Set<string>();
    const pages = [[alike, { id: 's1' }], [alike], [{ id: 's1' }, alike, { id: 's2' }]];
    const expected = [...ids([alike]), 's1', 's2'];
    expect(pages.flatMap((page) => ids(page, seen))).toEqual(expected);
    expect([...seen]).toEqual(expected);
  });
});
