import { closeWorlds, startWorld, type World } from './support/world.ts';

const SEED = {
  codes: ['qr_1', 'qr_2', '7'].map((id, index) => ({
    id,
    name: `Door ${id}`,
    slug: `door-${index + 1}`,
    targetUrl: 'https://example.com',
    status: 'published' as const,
  })),
};

let world: World;
beforeAll(async () => {
  world = await startWorld({ seed: SEED }, { transport: 'stdio' });
});
afterAll(closeWorlds);

const ROW = { name: 'A', targetUrl: 'https://example.com/a' };
/** An ID of 19 digits as a JSON number: the neighbor would be changed. */
const LOST = Number('1234567890123456789');
const TWO = 'https://a.example,https://b.example';
const HIDDEN = 'https://example.com/me\u200Bnu';
const ownLink = () => `${world.emulator.url}/r/door-2?utm_source=print`;
type Args = Record<string, unknown>;

/** How models send arguments and what cells hold, where there is only one way to understand it. */
test.each<[what: string, tool: string, args: Args, data: object]>([
  [
    'a number as text',
    'find_qr_codes',
    { name: 'Door', limit: '1' },
    { nextCursor: expect.stringMatching('list') },
  ],
  ['an array as JSON text', 'create_qr_codes', { rows: JSON.stringify([ROW, ROW]) }, { succeeded: 2 }],
  ['one row without an array', 'create_qr_codes', { rows: ROW }, { succeeded: 1 }],
  [
    'a list of one no',
    'create_qr_codes',
    { rows: [{ ...ROW, name: 7 }], publish: ['off'] },
    { results: [{ outcome: 'created', qrCode: { name: '7' } }] },
  ],
  ['a list of one ID', 'get_qr_code', { code: ['qr_1'] }, { qrCode: { id: 'qr_1' } }],
  ['a short number as an ID', 'get_qr_code', { code: 7 }, { qrCode: { id: '7' } }],
  ['an ID with spaces', 'get_qr_code', { code: ' qr_1\u00A0' }, { qrCode: { id: 'qr_1' } }],
  [
    'an address between invisible characters',
    'retarget_qr_code',
    { code: '7', url: '\u200B https://example.com/x,y?u=https://a.example\u00A0' },
    { qrCode: { targetUrl: 'https://example.com/x,y?u=https://a.example' } },
  ],
  [
    'a name that looks alike',
    'upsert_qr_codes',
    { rows: [{ ...ROW, name: 'Do\u00ADOR\u00A0\tqr_1' }], matchBy: 'name' },
    { succeeded: 1, results: [{ qrCode: { id: 'qr_1' } }] },
  ],
  ['a name to find', 'find_qr_codes', { name: 'door\u00A0qr_1' }, { qrCodes: [{ id: 'qr_1' }] }],
])('understands %s', async (_what, tool, args, expected) => {
  const { isError, data } = await world.server.call(tool, args);
  expect({ isError, data }).toMatchObject({ isError: false, data: expected });
});

/** Arguments that can't be understood, and what the error says. */
test.each<[what: string, tool: string, args: Args, message: string]>([
  ['a code with a name', 'find_qr_codes', { code: 'qr_1', name: 'Door' }, 'name must be left out if code'],
  ['a cursor that was changed', 'list_scans', { cursor: 'abc' }, 'cursor must be the cursor of an earlier'],
  ['an ID that lost digits', 'get_qr_code', { code: LOST }, 'a number of up to 15 digits'],
  ['an ID that would change the path', 'publish_qr_code', { code: '..' }, 'ID'],
  ['no rows', 'create_qr_codes', {}, 'rows must be an array of 1 to 100'],
  ['101 rows', 'upsert_qr_codes', { rows: Array.from({ length: 101 }, () => ROW) }, 'Split longer lists'],
  ['two addresses', 'retarget_qr_code', { code: '7', url: TWO }, 'url holds more than one web address'],
  ['an unknown argument', 'find_qr_codes', { query: 'Door' }, 'find_qr_codes has no argument "query". Use'],
])('refuses %s, before it sends a request', async (_what, tool, args, message) => {
  const before = world.emulator.control.requestCount();
  const { isError, data, text } = await world.server.call(tool, args);
  expect(isError).toBe(true);
  expect(data.error).toMatchObject({ message: text, retryable: false });
  expect(text).toContain(message);
  expect(text).toContain('Try again: with corrected arguments only.');
  expect(world.emulator.control.requestCount()).toBe(before);
});

test.each<[what: string, tool: string, args: () => Args, message: string]>([
  ['a name instead of an ID', 'get_qr_code', () => ({ code: 'Door 1' }), ''],
  ['its own short link', 'retarget_qr_code', () => ({ code: 'qr_2', url: ownLink() }), 'own short link'],
])('%s of %s needs another argument', async (_what, tool, args, message) => {
  const { isError, text } = await world.server.call(tool, args());
  expect(isError).toBe(true);
  expect(text).toContain(message);
  expect(text).toContain('Try again: with corrected arguments only.');
});

/** Rows that can't be read, and what the error says. */
test.each<[what: string, tool: string, row: unknown, message: string]>([
  ['a field that does not exist', 'create_qr_codes', { ...ROW, slug: 'b' }, 'row 2 has no argument "slug".'],
  ['two addresses', 'create_qr_codes', { ...ROW, targetUrl: TWO }, 'targetUrl holds more than one'],
  [
    'an invisible character',
    'create_qr_codes',
    { ...ROW, targetUrl: HIDDEN },
    'holds an invisible character',
  ],
  ['an ID that would change the path', 'upsert_qr_codes', { ...ROW, code: '..' }, 'ID'],
  ['an ID that lost digits', 'upsert_qr_codes', { ...ROW, code: LOST }, 'up to 15 digits'],
  ['a code that is gone', 'upsert_qr_codes', { ...ROW, code: 'qr_gone' }, "qr_gone doesn't exist"],
  // Ignored, the existing code would get a duplicate.
  ['a code under another name', 'upsert_qr_codes', { ...ROW, id: 'qr_1' }, 'Use only code, name, targetUrl.'],
])('a row with %s of %s fails alone', async (_what, tool, bad, message) => {
  const { isError, data } = await world.server.call(tool, { rows: [ROW, bad] });
  expect(isError).toBe(false);
  const [first, second] = data.results;
  expect(first.error).toBeUndefined();
  expect(second).toMatchObject({ outcome: 'failed', error: { retryable: false } });
  expect(second.error.message).toContain(message);
});

test('codes to draw may be JSON text, of which one that is missing or empty fails alone', async () => {
  const args = { codes: '["qr_1", "qr_gone", null]', format: ['SVG'], size: '0' };
  const { isError, text } = await world.server.call('render_qr_codes', args);
  expect(isError).toBe(false);
  expect(text).toMatch(
    /^Drew 1 of 3 as SVG\. 2 rows failed\.[^]*\nRow 2: .*qr_gone[^]*\nRow 3: code is empty/,
  );
});
