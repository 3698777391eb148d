import { closeServices, serve } from '../support/faultyService/faultyService.ts';
import { closeWorlds, startServer, startWorld, type World } from './support/world.ts';

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
afterAll(async () => {
  await closeWorlds();
  closeServices();
});

const ROW = { name: 'A', targetUrl: 'https://example.com/a' };
/** An ID of 19 digits as a JSON number: the neighbor would be changed. */
const LOST = Number('1234567890123456789');
type Args = Record<string, unknown>;

/** How models send arguments and what cells hold, where there is only one way to understand it. */
test.each<[what: string, tool: string, args: Args, data: object]>([
  ['a number as text', 'find_qr_codes', { name: 'Door', limit: '1' }, { nextCursor: /list/ }],
  ['null for nothing', 'find_qr_codes', { limit: null, name: null, code: null, updatedSince: null }, {}],
  ['an array as JSON text', 'create_qr_codes', { rows: JSON.stringify([ROW, ROW]) }, { succeeded: 2 }],
  ['one row without an array', 'create_qr_codes', { rows: ROW }, { succeeded: 1 }],
  ['no as text', 'create_qr_codes', { rows: [ROW], publish: 'off' }, { results: [{ outcome: 'created' }] }],
  ['a list of one yes', 'create_qr_codes', { rows: [ROW], publish: ['y'] }, { succeeded: 1 }],
  ['a list of one ID', 'get_qr_code', { code: ['qr_1'] }, { qrCode: { id: 'qr_1' } }],
  [
    'a number as a name',
    'upsert_qr_codes',
    { rows: [{ ...ROW, name: 7 }] },
    { results: [{ qrCode: { name: '7' } }] },
  ],
  ['a short number as an ID', 'get_qr_code', { code: 7 }, { qrCode: { id: '7' } }],
  ['an ID with spaces', 'get_qr_code', { code: ' qr_1\u00A0' }, { qrCode: { id: 'qr_1' } }],
  [
    'an address between invisible characters',
    'retarget_qr_code',
    { code: '7', url: '\u200B https://example.com/x,y?u=https://a.example\u00A0' },
    { qrCode: { targetUrl: 'https://example.com/x,y?u=https://a.example' } },
  ],
  ...['Door\u00A0qr_1', 'DOOR  QR_1', 'Do\u00ADor\tqr_1'].map((name): [string, string, Args, object] => [
    `the name ${JSON.stringify(name)}`,
    'upsert_qr_codes',
    { rows: [{ ...ROW, name }], matchBy: 'name' },
    { succeeded: 1, results: [{ qrCode: { id: 'qr_1' } }] },
  ]),
  ['a name to find', 'find_qr_codes', { name: 'door\u00A0qr_1' }, { qrCodes: [{ id: 'qr_1' }] }],
])('understands %s', async (_what, tool, args, expected) => {
  const { isError, data } = await world.server.call(tool, args);
  expect(isError).toBe(false);
  const { nextCursor } = expected as { nextCursor?: RegExp };
  if (nextCursor === undefined) expect(data).toMatchObject(expected);
  else expect(data.nextCursor).toMatch(nextCursor);
});

/** Arguments that can't be understood, and what the error says. */
test.each<[what: string, tool: string, args: Args, message: string]>([
  ['a number in words', 'find_qr_codes', { limit: 'many' }, 'limit must be a whole number from 1 to 100'],
  ['a name without letters', 'find_qr_codes', { name: '\u0301' }, 'name must be text with at least one'],
  ['a code with a name', 'find_qr_codes', { code: 'qr_1', name: 'Door' }, 'name must be left out if code'],
  ['a cursor that was changed', 'list_scans', { cursor: 'abc' }, 'cursor must be the cursor of an earlier'],
  ['no code', 'publish_qr_code', {}, 'code is empty.'],
  ['an object as a code', 'get_qr_code', { code: { id: 'qr_1' } }, 'code must be text'],
  ['an ID that lost digits', 'get_qr_code', { code: LOST }, 'a number of up to 15 digits'],
  ['no rows', 'create_qr_codes', {}, 'rows must be an array of 1 to 100'],
  ['101 rows', 'upsert_qr_codes', { rows: Array.from({ length: 101 }, () => ROW) }, 'Split longer lists'],
  ['yes in other words', 'create_qr_codes', { rows: [ROW], publish: 'maybe' }, 'publish must be'],
  [
    'two addresses',
    'retarget_qr_code',
    { code: 'qr_1', url: 'https://a.example,https://b.example' },
    'url holds more than one web address',
  ],
  [
    'an argument that does not exist',
    'find_qr_codes',
    { query: 'Door 2' },
    'find_qr_codes has no argument "query". Use only code, name, updatedSince, limit, cursor.',
  ],
])('refuses %s, before it sends a request', async (_what, tool, args, message) => {
  const before = world.emulator.control.requestCount();
  const { isError, data, text } = await world.server.call(tool, args);
  expect(isError).toBe(true);
  expect(data.error).toMatchObject({ message: text, retryable: false });
  expect(text).toContain(message);
  expect(text).toContain('Try again: with corrected arguments only.');
  expect(world.emulator.control.requestCount()).toBe(before);
});

test.each([
  ['a name instead of an ID', { code: 'Door 1' }],
  ['an ID that would change the path', { code: '..' }],
  ['a short link that no code has', { code: 'https://qr.example/door' }],
  ["the code's own short link", { code: 'qr_2', url: 'OWN' }, 'is its own short link'],
])('%s needs another argument', async (_what, { code, url }: { code: string; url?: string }, says = '') => {
  const args = { code, url: url && `${world.emulator.url}/r/door-2?utm_source=print` };
  const tools = url === undefined ? ['get_qr_code', 'publish_qr_code'] : ['retarget_qr_code'];
  for (const tool of tools) {
    const { isError, text } = await world.server.call(tool, JSON.parse(JSON.stringify(args)) as Args);
    expect(isError).toBe(true);
    expect(text).toContain(says);
    expect(text).toContain('Try again: with corrected arguments only.');
  }
});

/** Rows that can't be read, and what the error says. */
test.each<[what: string, tool: string, row: unknown, message: string]>([
  ['no name', 'create_qr_codes', { targetUrl: 'https://example.com' }, 'name is empty.'],
  ['a copy in words', 'create_qr_codes', { ...ROW, copy: 'second' }, 'copy must be a whole number'],
  ['text', 'create_qr_codes', 'B', 'row 2 must be an object with name, targetUrl, copy, but got'],
  ['a field that does not exist', 'create_qr_codes', { ...ROW, slug: 'b' }, 'row 2 has no argument "slug".'],
  [
    'two addresses',
    'create_qr_codes',
    { name: 'B', targetUrl: 'https://a.example https://b.example' },
    'targetUrl holds more than one web address',
  ],
  [
    'an invisible character in an address',
    'create_qr_codes',
    { name: 'B', targetUrl: 'https://example.com/me\u200Bnu' },
    "targetUrl holds an invisible character after 'https://example.com/me'",
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

test.each([
  [
    'an SVG after a long comment',
    `<!--${'x'.repeat(5000)}--><svg xmlns="http://www.w3.org/2000/svg"/>`,
    true,
  ],
  ['an HTML page with a drawing', '<!DOCTYPE html><body><svg/></body>', false],
])('%s as an image', async (_what, body, isImage) => {
  const service = await serve(({ url = '' }, response) =>
    url.endsWith('/me')
      ? response.end('{}')
      : response.writeHead(200, { 'Content-Type': 'image/svg+xml' }).end(body),
  );
  const server = await startServer({ url: service.url, apiKey: 'key' });
  const { isError, text } = await server.call('render_qr_codes', { codes: ['qr_1'], format: 'svg' });
  expect(isError).toBe(!isImage);
  expect(text).toContain(isImage ? 'Drew 1 of 1 as SVG.' : 'Expected a PNG, SVG or PDF, but got');
});
