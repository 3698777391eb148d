import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { closeServices, serve } from '../support/faultyService/faultyService.ts';
import {
  closeWorlds,
  requestsOf,
  startServer,
  startWorld,
  type CheckedResult,
  type McpServerUnderTest,
  type World,
} from './support/world.ts';

const SEED = {
  codes: [
    { id: 'qr_1', name: 'Door', slug: 'door', targetUrl: 'https://example.com' },
    { id: 'qr_2', name: 'Desk', slug: 'con', targetUrl: 'https://example.com' },
  ],
};

let world: World;
/** With the folder of --out. */
let server: McpServerUnderTest;
let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'images-'));
  world = await startWorld({ seed: SEED });
  server = await startServer(world.emulator, { args: ['--out', folder] });
});
afterEach(() => {
  for (const name of readdirSync(folder)) rmSync(join(folder, name));
});
afterAll(async () => {
  await closeWorlds();
  closeServices();
  rmSync(folder, { recursive: true });
});

const paths = ({ data }: CheckedResult) => data.results.map(({ image }: { image?: string }) => image);

/** The images in a result, in their order, as the start of their bytes. */
const attachedIn = ({ content }: CheckedResult) =>
  content.flatMap((part) => {
    if (part.type === 'image')
      return [`${part.mimeType} ${Buffer.from(part.data, 'base64').toString('latin1', 1, 4)}`];
    if (part.type !== 'resource') return [];
    const { resource } = part;
    const bytes =
      'text' in resource ? resource.text : Buffer.from(resource.blob, 'base64').toString('latin1');
    return [`${resource.mimeType} ${resource.uri} ${bytes.slice(0, 4)}`];
  });

test.each([
  ['png', 'image/png PNG'],
  ['svg', 'image/svg+xml qr://codes/qr_1.svg <svg'],
  ['pdf', 'application/pdf qr://codes/qr_1.pdf %PDF'],
])('without --out, a %s is not written but attached', async (format, image) => {
  const result = await world.server.call('render_qr_codes', { codes: ['qr_1'], format });
  expect(result.text).toContain(`Drew 1 of 1 as ${format.toUpperCase()}.\nThe images follow`);
  // Many clients show a model nothing but the structured content, if there is any.
  expect(result.data).toBeUndefined();
  expect(attachedIn(result)).toEqual([image]);
});

/** Draws two codes of a service whose images have this body. */
async function drawAs(body: string | Buffer) {
  const service = await serve(({ url = '' }, response) =>
    url.endsWith('/me')
      ? response.end('{}')
      : response.writeHead(200, { 'Content-Type': 'image/svg+xml' }).end(body),
  );
  const other = await startServer({ url: service.url, apiKey: 'key' });
  return other.call('render_qr_codes', { codes: ['qr_1', 'qr_2'], format: 'svg' });
}

test.each([
  ['too large for a result', Buffer.alloc(600_000, '<svg>'), 1, /images are too large.*--out\. Try again/],
  ['an SVG after a long comment', `<!--${'x'.repeat(5000)}--><svg/>`, 2, /Drew 2/],
  ['a web page with a drawing', '<!DOCTYPE html><body><svg/></body>', 0, /Expected a PNG, SVG or PDF, but/],
])('what the service sends may be %s', async (_what, body, count, says) => {
  const drawn = await drawAs(body);
  expect(attachedIn(drawn)).toHaveLength(count);
  expect(drawn.text).toMatch(says);
});

test('with --out, codes become files, each drawn once, and one that is missing fails alone', async () => {
  const { control } = world.emulator;
  const { data: found } = await server.call('find_qr_codes');
  const links = found.qrCodes.map(({ publicUrl }: { publicUrl: string }) => publicUrl);
  const before = control.requestCount();
  const args = { codes: ['qr_1', 'qr_gone', ...links, 'qr_1'], format: 'svg' };
  const drawn = await server.call('render_qr_codes', args);
  expect(drawn.data).toMatchObject({ succeeded: 4, failed: 1 });
  expect(paths(drawn)).toEqual(
    ['door.svg', undefined, 'door.svg', 'qr-con.svg', 'door.svg'].map((name) => name && join(folder, name)),
  );
  expect(drawn.data.results[1].error).toMatchObject({ code: 'not_found' });
  expect(attachedIn(drawn)).toEqual([]);
  expect(readFileSync(join(folder, 'door.svg'), 'utf8')).toContain('<svg');
  // The list is read once, too.
  expect(control.requestCount() - before).toBeLessThanOrEqual(8);
  const hints = ({ tools }: McpServerUnderTest) =>
    tools.find(({ name }) => name === 'render_qr_codes')?.annotations;
  expect(hints(world.server)).toMatchObject({ readOnlyHint: true });
  expect(hints(server)).toMatchObject({ readOnlyHint: false, destructiveHint: false, idempotentHint: true });
});

describe.each(['create_qr_codes', 'upsert_qr_codes'])('images of %s', (tool) => {
  const row = (at: number) => ({ name: `${tool} ${at}`, targetUrl: `https://example.com/${at}` });
  const rows = (count: number) => Array.from({ length: count }, (_, index) => row(index + 1));

  test('are files in the folder of --out, or else attached; a repeated row repeats its image', async () => {
    const images = 'svg';
    const drawn = await server.call(tool, { rows: [...rows(3), ...rows(1)], images });
    expect(drawn.data).toMatchObject({ succeeded: 4, failed: 0 });
    expect(paths(drawn)[3]).toBe(paths(drawn)[0]);
    expect(readdirSync(folder)).toHaveLength(3);
    const { slug } = drawn.data.results[0].qrCode;
    expect(paths(drawn)[0]).toBe(join(folder, `${slug}.svg`));

    const attached = await world.server.call(tool, { rows: [row(8), row(9), row(8)], images });
    expect(paths(attached)).toEqual(Array(3).fill('attached'));
    const ids = attached.data.results.map(({ qrCode }: { qrCode: { id: string } }) => qrCode.id);
    expect(ids[2]).toBe(ids[0]);
    expect(attachedIn(attached)).toEqual(ids.map((id: string) => `image/svg+xml qr://codes/${id}.svg <svg`));
  });

  test('that fail say that the code exists, and how to get the image', async () => {
    const { control } = world.emulator;
    control.failNext({ status: 400, times: 2, match: { path: '/qr/*/image' } });
    const { data, isError, text } = await server.call(tool, { rows: rows(2), images: 'pdf' });
    expect(isError).toBe(false);
    expect(data).toMatchObject({ succeeded: 2, failed: 0 });
    for (const { imageError } of data.results) expect(imageError).not.toMatch(/create|upsert/i);
    expect(text).toContain('The code exists, but there is no image of it.');
  });

  test('are refused before anything is created if the key may not draw', async () => {
    const { control } = world.emulator;
    const { apiKey } = control.createKey({ scopes: ['qr:read', 'qr:write'] });
    const other = await startServer({ ...world.emulator, apiKey });
    const { isError, text } = await other.call(tool, { rows: rows(1), images: 'png' });
    expect({ isError, text }).toMatchObject({ isError: true, text: expect.stringContaining('exports:read') });
    expect(requestsOf(world.emulator).at(-1)).toBe('GET /me');
  });
});
