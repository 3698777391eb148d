import { closeWorlds, startWorld, type World } from './support/world.ts';

const SEED = {
  codes: [1, 2, 3].map((nth) => ({ id: `qr_${nth}`, name: `Door ${nth}`, targetUrl: 'https://example.com' })),
};

let world: World;
beforeAll(async () => {
  world = await startWorld({ seed: SEED });
});
afterAll(closeWorlds);

const ROW = { name: 'A', targetUrl: 'https://example.com/a' };

/** How models send arguments, where there is only one way to understand them. */
const UNDERSTOOD: [string, string, Record<string, unknown>, object][] = [
  ['a number as text', 'find_qr_codes', { name: 'Door', limit: '2' }, { more: 1 }],
  ['a decimal without a fraction', 'find_qr_codes', { name: 'Door', limit: 2.0 }, { more: 1 }],
  [
    'null for nothing',
    'find_qr_codes',
    { limit: null, name: null, code: null, updatedSince: null },
    { more: 0 },
  ],
  ['empty text for nothing', 'find_qr_codes', { limit: '', name: ' ', code: '' }, { more: 0 }],
  [
    'fields that do not exist',
    'find_qr_codes',
    { name: 'Door', limit: 1, sort: 'name', page: 2 },
    { more: 2 },
  ],
  ['a day for a time', 'find_qr_codes', { updatedSince: '2001-01-01' }, { more: 0 }],
  ['an array as JSON text', 'create_qr_codes', { rows: JSON.stringify([ROW, ROW]) }, { succeeded: 2 }],
  ['rows as JSON text in an array', 'create_qr_codes', { rows: [JSON.stringify(ROW)] }, { succeeded: 1 }],
  ['one row without an array', 'create_qr_codes', { rows: ROW }, { succeeded: 1 }],
  [
    'the fields of one row',
    'create_qr_codes',
    { ...ROW, publish: false },
    { results: [{ outcome: 'created' }] },
  ],
  [
    'false as text',
    'create_qr_codes',
    { rows: [ROW], publish: 'false' },
    { results: [{ outcome: 'created' }] },
  ],
  [
    'a number as a name',
    'create_qr_codes',
    { rows: [{ ...ROW, name: 7 }] },
    { results: [{ qrCode: { name: '7' } }] },
  ],
  [
    'the fields of one row, and yes for true',
    'upsert_qr_codes',
    { name: 'Upserted', targetUrl: 'https://example.com/upserted', matchBy: 'NAME' },
    { results: [{ outcome: 'created' }] },
  ],
  [
    'rows as JSON text, with a number as a name and null for nothing',
    'upsert_qr_codes',
    { rows: JSON.stringify([{ code: null, name: 12, targetUrl: 'https://example.com/12' }]) },
    { results: [{ qrCode: { name: '12' } }] },
  ],
  [
    'an address without a scheme',
    'retarget_qr_code',
    { code: 'qr_2', url: 'example.com/menu' },
    { qrCode: { targetUrl: 'https://example.com/menu' } },
  ],
  ['an ID with spaces', 'get_qr_code', { code: ' qr_1 ' }, { qrCode: { id: 'qr_1' } }],
];

test.each(UNDERSTOOD)('understands %s', async (_name, tool, args, expected) => {
  const { isError, data } = await world.server.call(tool, args);
  expect(isError).toBe(false);
  expect(data).toMatchObject(expected);
});

/** Arguments that don't exist. A model that relies on one must learn that it had no effect. */
const IGNORED: [string, Record<string, unknown>, string[]][] = [
  ['find_qr_codes', { query: 'Door 2', page: 2 }, ['query', 'page']],
  ['list_scans', { country: 'DE' }, ['country']],
  ['get_qr_code', { code: 'qr_none', full: true }, ['full']],
  [
    'create_qr_codes',
    {
      rows: [
        { ...ROW, slug: 'a' },
        { ...ROW, slug: 'b' },
      ],
      note: 1,
    },
    ['note', 'rows[].slug'],
  ],
  ['create_qr_codes', { ...ROW, slug: 'a' }, ['rows[].slug']],
  ['create_qr_codes', { rows: [ROW], images: 'none', note: 1 }, ['note']],
  ['upsert_qr_codes', { rows: [{ ...ROW, copy: 2 }], publish: false }, ['publish', 'rows[].copy']],
];

test.each(IGNORED)('%s with %j names what it ignores', async (tool, args, ignored) => {
  const { data, text } = await world.server.call(tool, args);
  expect(data.ignoredArguments).toEqual(ignored);
  expect(text.split('\n')[0]).toBe(`Had no effect, as ${tool} has no such argument: ${ignored.join(', ')}.`);
});

test.each([
  [
    'one code, a format in capitals and 0 for nothing',
    { code: 'qr_1', format: 'SVG', size: '0' },
    /^Drew 1 of 1 as SVG\./,
  ],
  [
    'codes as JSON text',
    { codes: '["qr_1", "qr_gone", null]' },
    /^Drew 1 of 3 as PNG\. 2 rows failed\.[^]*\nRow 2: .*qr_gone[^]*\nRow 3: code of row 3 is empty/,
  ],
])('render_qr_codes understands %s', async (_name, args, expected) => {
  const { isError, text } = await world.server.call('render_qr_codes', args);
  expect({ isError, text }).toEqual({ isError: false, text: expect.stringMatching(expected) as string });
});

test('render_qr_codes names what it ignores next to the image', async () => {
  const { text } = await world.server.call('render_qr_codes', { codes: ['qr_1'], color: 'red' });
  expect(text).toContain('Had no effect, as render_qr_codes has no such argument: color.');
});

test('arguments that exist are never called ignored', async () => {
  for (const [, tool, args] of UNDERSTOOD.filter(([name]) => name !== 'fields that do not exist'))
    expect((await world.server.call(tool, args)).text).not.toContain('no effect');
});

/** Arguments that can't be understood, and the argument that the error names. */
const REFUSED: [string, string, Record<string, unknown>, string][] = [
  ['a number in words', 'find_qr_codes', { limit: 'many' }, 'limit'],
  ['a number out of bounds', 'find_qr_codes', { limit: 1000 }, 'limit'],
  ['a time in words', 'list_scans', { since: 'yesterday' }, 'since'],
  ['an unknown format', 'render_qr_codes', { codes: ['qr_1'], format: 'gif' }, 'format'],
  ['no code', 'publish_qr_code', {}, 'code'],
  ['an object as a code', 'get_qr_code', { code: { id: 'qr_1' } }, 'code'],
  ['a word for an address', 'retarget_qr_code', { code: 'qr_1', url: 'example' }, 'url'],
  ['an address that runs a script', 'retarget_qr_code', { code: 'qr_1', url: 'javascript:alert(1)' }, 'url'],
  ['an address without a host', 'retarget_qr_code', { code: 'qr_1', url: 'https:///menu' }, 'url'],
  ['no rows', 'create_qr_codes', {}, 'rows'],
  ['an empty array', 'create_qr_codes', { rows: [] }, 'rows'],
  ['101 rows', 'create_qr_codes', { rows: Array.from({ length: 101 }, () => ROW) }, 'rows'],
  ['text that is not JSON', 'create_qr_codes', { rows: 'A,https://example.com' }, 'rows'],
  ['an answer that is neither yes nor no', 'create_qr_codes', { rows: [ROW], publish: 'later' }, 'publish'],
  ['a choice that is neither', 'upsert_qr_codes', { rows: [ROW], matchBy: 'maybe' }, 'matchBy'],
  ['nothing to update', 'upsert_qr_codes', {}, 'rows'],
];

test.each(REFUSED)('refuses %s, before it sends a request', async (_name, tool, args, argument) => {
  const before = world.emulator.control.requestCount();
  const { isError, data, text } = await world.server.call(tool, args);
  expect(isError).toBe(true);
  expect(data.error).toMatchObject({ argument, retryable: false });
  expect(text).toContain(argument);
  expect(text).toContain('Try again: with corrected arguments only.');
  expect(world.emulator.control.requestCount()).toBe(before);
});

test.each([
  ['a name instead of an ID', 'Door 1'],
  ['an ID that would change the path', '..'],
  ['a short link that no code has', 'https://qr.example/door'],
])('%s names the argument', async (_name, code) => {
  for (const [tool, argument] of [
    ['get_qr_code', 'code'],
    ['publish_qr_code', 'code'],
    ['render_qr_codes', 'codes'],
  ] as const) {
    const { data, text } = await world.server.call(tool, { [argument]: code });
    expect(data.error).toMatchObject({ argument, retryable: false });
    expect(text).toContain('Try again: with corrected arguments only.');
  }
});

/** Rows that can't be read, and what the error names. */
const BAD_ROWS: [string, unknown, string][] = [
  ['no name', { targetUrl: 'https://example.com' }, 'name of row 2'],
  ['no address', { name: 'B' }, 'targetUrl of row 2'],
  ['a copy that is no number', { ...ROW, copy: 'second' }, 'copy of row 2'],
  ['text', 'B', 'row 2'],
  ['null', null, 'row 2'],
  ['an array', ['B', 'https://example.com'], 'row 2'],
  ['its own publish', { ...ROW, name: 'B', publish: false }, 'publish of row 2'],
];

test.each(BAD_ROWS)('a row with %s fails alone', async (_name, bad, argument) => {
  const { isError, data } = await world.server.call('create_qr_codes', { rows: [ROW, bad] });
  expect(isError).toBe(false);
  expect(data.results).toMatchObject([{ outcome: 'published' }, { outcome: 'failed', error: { argument } }]);
});

/** The same for rows that may name an existing code. */
const BAD_UPSERTS: [string, unknown, string][] = [
  ['neither a code nor a name', { targetUrl: 'https://example.com' }, 'name of row 2'],
  ['no address', { code: 'qr_1' }, 'targetUrl of row 2'],
  ['a word for an address', { code: 'qr_1', targetUrl: 'example' }, 'targetUrl of row 2'],
  ['an object as a code', { code: { id: 'qr_1' }, targetUrl: 'https://example.com' }, 'code of row 2'],
  ['an ID that would change the path', { code: '..', targetUrl: 'https://example.com' }, 'code of row 2'],
  ['a code that is gone and no name', { code: 'qr_gone', targetUrl: 'https://example.com' }, 'code of row 2'],
  ['text', 'qr_1', 'row 2'],
  ['null', null, 'row 2'],
  ['its own choice', { ...ROW, name: 'B', matchBy: 'name' }, 'matchBy of row 2'],
];

test.each(BAD_UPSERTS)('a row to create or update with %s fails alone', async (_name, bad, argument) => {
  const { isError, data } = await world.server.call('upsert_qr_codes', { rows: [ROW, bad] });
  expect(isError).toBe(false);
  const [first, second] = data.results;
  expect(first.error).toBeUndefined();
  expect(second).toMatchObject({ outcome: 'failed', error: { argument, retryable: false } });
});
