import { readPage, readQrCodePage } from './list.ts';

const rows = [{ id: 'a' }, { id: 'b' }];

describe('readPage', () => {
  it.each<[string, unknown]>([
    ['a top-level array', rows],
    ...['data', 'items', 'results', 'qrs', 'qrCodes', 'codes', 'scans', 'webhooks'].map(
      (key): [string, unknown] => [`under ${key}`, { [key]: rows }],
    ),
    ['under the only other array', { things: rows, allowedDimensions: ['country'] }],
    ['one level down', { data: { items: rows } }],
    ['one level down under an unknown name', { page: { things: rows } }],
    ['one level down, the envelope outside', { data: { codes: rows }, pagination: { nextCursor: null } }],
    ['under a known name beside an unknown one', { warnings: [{ text: 'old' }], items: rows }],
    ['one level down beside an unknown name', { warnings: [{ text: 'old' }], data: { items: rows } }],
    ['under a known name beside another level', { meta: { items: [] }, errors: [], data: { items: rows } }],
    ["under the known name that isn't empty", { data: [], codes: rows }],
    ['beside dimensions that are objects', { things: rows, allowedDimensions: [{ name: 'country' }] }],
    ['beside lists of plain values', { tags: ['a'], things: rows }],
  ])('finds the rows: %s', (_what, body) => expect(readPage(body).rows).toEqual(rows));

  it.each<[string, unknown]>([
    ['a top-level array', []],
    ['under a known name', { items: [] }],
    ['under a known name one level down', { data: { items: [] } }],
    ['under a known name beside an unknown one', { data: [], warnings: [{ text: 'old' }] }],
    ['one level down beside an unknown name', { data: { items: [] }, warnings: [{ text: 'old' }] }],
    ['under an unknown name beside pagination', { things: [], pagination: { nextCursor: null } }],
    ['under an unknown name beside dimensions', { things: [], allowedDimensions: [] }],
    ['under an unknown name one level down', { page: { things: [], pagination: {} } }],
    ['under an unknown name, pagination outside', { page: { things: [] }, pagination: {} }],
  ])('accepts an empty list: %s', (_what, body) => expect(readPage(body).rows).toEqual([]));

  it.each([null, '', undefined])('returns no cursor when nextCursor is %j', (nextCursor) =>
    expect(readPage({ data: rows, gone: null, pagination: { nextCursor } })).toEqual({
      rows,
      allowedDimensions: [],
    }),
  );

  it('returns the cursor and the dimensions, even one level down', () => {
    const inner = { scans: rows, pagination: { nextCursor: 'c2' }, allowedDimensions: ['country'] };
    const expected = { rows, nextCursor: 'c2', allowedDimensions: ['country'] };
    expect(readPage(inner)).toEqual(expected);
    expect(readPage({ data: inner })).toEqual(expected);
  });

  it.each<[string, unknown, RegExp]>([
    ['no list', { message: 'hi', total: 3 }, /keys message, total/],
    ['two lists with unknown names', { ups: rows, downs: rows }, /keys ups, downs/],
    ['two lists with unknown names, one empty', { ups: [], downs: rows, pagination: {} }, /keys ups, downs/],
    ['two levels with lists', { ups: { items: rows }, downs: { items: rows } }, /ups \(items\), downs/],
    ['a list two levels down', { data: { page: { items: rows } } }, /keys data \(page\)/],
    ['an empty list with an unknown name and no envelope', { errors: [] }, /keys errors/],
    ['an empty list one level down without an envelope', { page: { errors: [] } }, /page \(errors\)/],
    ['only dimensions', { allowedDimensions: [], pagination: {} }, /keys allowedDimensions, pagination/],
    ['a list of numbers', { data: [1] }, /keys data/],
    ['a list of numbers beside another', { data: [1], warnings: [{ text: 'old' }] }, /keys data, warnings/],
    ['a list with a hole', { data: [{ id: 'a' }, null] }, /keys data/],
    ['one code', { id: 'qr_1', name: 'Door' }, /keys id, name/],
    ['an empty object', {}, /an empty object/],
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

  it.each<[unknown, string]>([
    [{ pagination: { nextCursor: 'c2' } }, 'c2'],
    [{ nextCursor: 'c2' }, 'c2'],
    [{ meta: { nextCursor: 'c2' } }, 'c2'],
    [{ pagination: { nextCursor: 7 } }, '7'],
    [{ pagination: { nextCursor: ' padded ' } }, ' padded '],
  ])('returns the cursor of %j', (rest, cursor) =>
    expect(readPage({ data: rows, ...(rest as object) }).nextCursor).toBe(cursor),
  );

  it('reads a cursor of at most 4,096 characters', () => {
    const read = (length: number) => readPage({ data: rows, nextCursor: 'c'.repeat(length) });
    expect(read(4096).nextCursor).toHaveLength(4096);
    expect(() => read(4097)).toThrow(/expected a valid cursor/);
  });

  it('trusts the cursor in pagination over any other', () => {
    const body = { data: rows, meta: { nextCursor: 'other' }, pagination: { nextCursor: null } };
    expect(readPage(body)).not.toHaveProperty('nextCursor');
  });

  it.each([true, false, { after: 'a' }, ['c2']])(
    'throws for the cursor %j, since the rest of the list would be lost',
    (nextCursor) =>
      expect(() => readPage({ data: rows, pagination: { nextCursor } })).toThrow(/expected a valid cursor/),
  );
});

describe('readQrCodePage', () => {
  it('reads flat and wrapped rows and keeps unknown fields and statuses', () => {
    const code = { id: 'qr_1', status: 'paused', color: 'red' };
    expect(readQrCodePage({ data: [code, { qr: code }] }).rows).toEqual([code, code]);
    const live = { ...code, slug: 'door' };
    const stats = { id: 'st_1', scans: 3 };
    expect(readQrCodePage({ data: [{ code: live, stats }] }).rows).toEqual([live]);
  });

  it("does not mistake a row's folder for the code", () =>
    expect(() => readQrCodePage({ data: [{ name: 'Door', folder: { id: 'fld_1' } }] })).toThrow(
      /expected an ID in each row of the list\. Got the keys name, folder \(id\)/,
    ));

  it('throws and names the keys of a row without an ID', () =>
    expect(() => readQrCodePage({ data: [{ id: 'qr_1' }, { name: 'Door', slug: 'door' }] })).toThrow(
      /expected an ID in each row of the list\. Got the keys name, slug/,
    ));
});
