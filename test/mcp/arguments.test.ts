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
test.each<[string, string, Record<string, unknown>, object]>([
  ['a number as text', 'find_qr_codes', { name: 'Door', limit: '1' }, { nextCursor: /list/ }],
  ['null for nothing', 'find_qr_codes', { limit: null, name: null, code: null, updatedSince: null }, {}],
  ['an array as JSON text', 'create_qr_codes', { rows: JSON.stringify([ROW, ROW]) }, { succeeded: 2 }],
  ['one row without an array', 'create_qr_codes', { rows: ROW }, { succeeded: 1 }],
  ['no as text', 'create_qr_codes', { rows: [ROW], publish: 'no' }, { results: [{ outcome: 'created' }] }],
  [
    'a number as a name',
    'upsert_qr_codes',
    { rows: [{ ...ROW, code: null, name: 7 }] },
    { results: [{ qrCode: { name: '7' } }] },
  ],
  ['an ID with spaces', 'get_qr_code', { code: ' qr_1 ' }, { qrCode: { id: 'qr_1' } }],
])('understands %s', async (_name, tool, args, expected) => {
  const { isError, data } = await world.server.call(tool, args);
  expect(isError).toBe(false);
  const { nextCursor } = expected as { nextCursor?: RegExp };
  if (nextCursor === undefined) expect(data).toMatchObject(expected);
  else expect(data.nextCursor).toMatch(nextCursor);
});

/** Arguments that can't be understood, and what the error says. */
test.each<[string, string, Record<string, unknown>, string]>([
  ['a number in words', 'find_qr_codes', { limit: 'many' }, 'limit must be a whole number from 1 to 100'],
  ['a name without letters', 'find_qr_codes', { name: '\u0301' }, 'name must be text with at least one'],
  ['a code with a name', 'find_qr_codes', { code: 'qr_1', name: 'Door' }, 'name must be left out if code'],
  ['a cursor that was changed', 'list_scans', { cursor: 'abc' }, 'cursor must be the cursor of an earlier'],
  ['no code', 'publish_qr_code', {}, 'code is empty.'],
  ['an object as a code', 'get_qr_code', { code: { id: 'qr_1' } }, 'code must be text'],
  ['no rows', 'create_qr_codes', {}, 'rows must be an array of 1 to 100'],
  ['101 rows', 'upsert_qr_codes', { rows: Array.from({ length: 101 }, () => ROW) }, 'Split longer lists'],
  [
    'an argument that does not exist',
    'find_qr_codes',
    { query: 'Door 2' },
    'find_qr_codes has no argument "query". Use only code, name, updatedSince, limit, cursor.',
  ],
])('refuses %s, before it sends a request', async (_name, tool, args, message) => {
  const before = world.emulator.control.requestCount();
  const { isError, data, text } = await world.server.call(tool, args);
  expect(isError).toBe(true);
  expect(data.error).toMatchObject({ message: text, retryable: false });
  expect(text).toContain(message);
  expect(text).toContain('Try again: with corrected arguments only.');
  expect(world.emulator.control.requestCount()).toBe(before);
});

test.each([
  ['a name instead of an ID', 'Door 1'],
  ['an ID that would change the path', '..'],
  ['a short link that no code has', 'https://qr.example/door'],
])('%s needs another argument', async (_name, code) => {
  for (const [tool, args] of [
    ['get_qr_code', { code }],
    ['publish_qr_code', { code }],
    ['render_qr_codes', { codes: [code] }],
  ] as const) {
    const { isError, text } = await world.server.call(tool, args);
    expect(isError).toBe(true);
    expect(text).toContain('Try again: with corrected arguments only.');
  }
});

/** Rows that can't be read, and what the error says. */
test.each<[string, string, unknown, string]>([
  ['no name', 'create_qr_codes', { targetUrl: 'https://example.com' }, 'name is empty.'],
  ['a copy in words', 'create_qr_codes', { ...ROW, copy: 'second' }, 'copy must be a whole number'],
  ['text', 'create_qr_codes', 'B', 'row 2 must be an object with name, targetUrl, copy, but got'],
  ['a field that does not exist', 'create_qr_codes', { ...ROW, slug: 'b' }, 'row 2 has no argument "slug".'],
  ['an ID that would change the path', 'upsert_qr_codes', { ...ROW, code: '..' }, 'ID'],
  ['a code that is gone', 'upsert_qr_codes', { ...ROW, code: 'qr_gone' }, "qr_gone doesn't exist"],
  // Ignored, the existing code would get a duplicate.
  ['a code under another name', 'upsert_qr_codes', { ...ROW, id: 'qr_1' }, 'Use only code, name, targetUrl.'],
])('a row with %s of %s fails alone', async (_name, tool, bad, message) => {
  const { isError, data } = await world.server.call(tool, { rows: [ROW, bad] });
  expect(isError).toBe(false);
  const [first, second] = data.results;
  expect(first.error).toBeUndefined();
  expect(second).toMatchObject({ outcome: 'failed', error: { retryable: false } });
  expect(second.error.message).toContain(message);
});

test('codes to draw may be JSON text, of which one that is missing or empty fails alone', async () => {
  const args = { codes: '["qr_1", "qr_gone", null]', format: 'SVG', size: '0' };
  const { isError, text } = await world.server.call('render_qr_codes', args);
  expect(isError).toBe(false);
  expect(text).toMatch(
    /^Drew 1 of 3 as SVG\. 2 rows failed\.[^]*\nRow 2: .*qr_gone[^]*\nRow 3: code is empty/,
  );
});
