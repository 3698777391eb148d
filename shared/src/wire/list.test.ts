import { readPage, readQrCodePage } from './list.ts';

const rows = [{ id: 'a' }, { id: 'b' }];
const pagination = { nextCursor: null };

describe('readPage', () => {
  it.each<[string, unknown]>([
    ['under data', { data: rows, pagination }],
    ['under any name', { qrCodes: rows, pagination }],
    ['in data under any name, beside pagination', { data: { codes: rows }, pagination }],
    ['in data with the whole page', { data: { codes: rows, pagination, allowedDimensions: [] } }],
    ['beside dimensions that are objects', { scans: rows, allowedDimensions: [{ name: 'country' }] }],
    ['beside lists of plain values', { tags: ['a'], things: rows, pagination }],
  ])('finds the rows: %s', (_what, body) => expect(readPage(body)).toEqual({ rows, allowedDimensions: [] }));

  it.each<[string, unknown]>([
    ['under any name', { things: [], pagination }],
    ['in data', { data: { items: [] }, pagination: {} }],
    ['beside dimensions', { scans: [], allowedDimensions: [], pagination }],
  ])('accepts an empty list: %s', (_what, body) => expect(readPage(body).rows).toEqual([]));

  it('returns the cursor and the dimensions, also inside data', () => {
    const page = { scans: rows, pagination: { nextCursor: 'c2' }, allowedDimensions: ['country'] };
    const expected = { rows, nextCursor: 'c2', allowedDimensions: ['country'] };
    expect(readPage(page)).toEqual(expected);
    expect(readPage({ data: page })).toEqual(expected);
  });

  it.each<[string, unknown, RegExp]>([
    ['no list', { message: 'hi', total: 3 }, /keys message, total/],
    ['a list without its envelope', rows, /a list/],
    ['two lists', { ups: rows, downs: rows }, /keys ups, downs/],
    ['a list two levels down', { data: { page: { items: rows } } }, /keys data/],
    ['an empty list without pagination', { errors: [] }, /keys errors/],
    ['only dimensions', { allowedDimensions: [], pagination: {} }, /keys allowedDimensions, pagination/],
    ['a list of numbers', { data: [1] }, /keys data/],
    ['a list with a hole', { data: [{ id: 'a' }, null] }, /keys data/],
    ['one code', { id: 'qr_1', name: 'Door' }, /keys id, name/],
    ['null', null, /null/],
    ['text', '<html>', /a string/],
    ['an empty body', undefined, /an empty body/],
  ])('throws and names what it found: %s', (_what, body, seen) =>
    expect(() => readPage(body)).toThrow(
      expect.objectContaining({
        code: 'unreadable_response',
        message: expect.stringMatching(`expected a list of rows\\. Got .*${seen.source}`) as string,
      }),
    ),
  );

  it.each<[unknown, string | undefined]>([
    ['c2', 'c2'],
    [' padded ', ' padded '],
    [null, undefined],
    ['', undefined],
    [undefined, undefined],
  ])('reads nextCursor %j as %j', (nextCursor, cursor) =>
    expect(readPage({ data: rows, pagination: { nextCursor } }).nextCursor).toBe(cursor),
  );

  it.each([true, false, 7, { after: 'a' }, ['c2']])(
    'throws for the cursor %j, since the rest of the list would be lost',
    (nextCursor) =>
      expect(() => readPage({ data: rows, pagination: { nextCursor } })).toThrow(/expected a valid cursor/),
  );
});

describe('readQrCodePage', () => {
  it('reads flat and wrapped rows and keeps unknown fields and statuses', () => {
    const code = { id: 'qr_1', status: 'paused', color: 'red' };
    expect(readQrCodePage({ data: [code, { qr: code }] }).rows).toEqual([code, code]);
  });

  it('throws and names the keys of a row without an ID', () =>
    expect(() => readQrCodePage({ data: [{ id: 'qr_1' }, { name: 'Door', slug: 'door' }] })).toThrow(
      /expected an ID in each row of the list\. Got the keys name, slug/,
    ));
});
