import { decodeQr } from '../support/decodeQr.ts';
import { closeWorlds, ERAS, startServer, startWorld, type World } from './support/world.ts';

const SCANS = [
  { scannedAt: '2026-01-01T00:00:00.000Z', country: 'DE' },
  { scannedAt: '2026-01-02T00:00:00.000Z', country: 'FR' },
];
const SEED = { codes: [{ name: 'Lobby', targetUrl: 'https://example.com/lobby', scans: SCANS }] };

let world: World;
beforeAll(async () => {
  world = await startWorld({ seed: SEED });
});
afterAll(closeWorlds);

// `call` throws if a result doesn't conform to the tool's output schema.
test('every tool returns what the service has', async () => {
  const { server } = world;
  const targetUrl = 'https://example.com/1';
  const created = await server.call('create_qr_codes', {
    rows: [
      { name: 'Tisch 1', targetUrl },
      { name: '', targetUrl: 'https://example.com/2' },
    ],
    publish: false,
  });
  expect(created.data).toMatchObject({ succeeded: 1, failed: 1 });
  const { id, publicUrl } = created.data.results[0].qrCode;

  const published = await server.call('publish_qr_code', { code: id });
  expect(published.data.qrCode).toMatchObject({ id, name: 'Tisch 1', status: 'published', publicUrl });

  const moved = await server.call('retarget_qr_code', { code: publicUrl, url: 'https://example.org/new' });
  expect(moved.data).toMatchObject({ qrCode: { id }, previousUrl: targetUrl });
  const { headers } = await fetch(publicUrl, { redirect: 'manual' });
  expect(headers.get('location')).toBe('https://example.org/new');

  const got = await server.call('get_qr_code', { code: id });
  expect(got.data.qrCode).toMatchObject({ id, name: 'Tisch 1', targetUrl: 'https://example.org/new' });

  for (const search of [{ code: id }, { code: publicUrl }, { name: 'TISCH' }])
    expect((await server.call('find_qr_codes', search)).data.qrCodes).toMatchObject([{ id }]);
  const all = await server.call('find_qr_codes', { limit: 1 });
  expect(all.text).toContain(
    `There may be more. Narrow the search, or pass the cursor "${all.data.nextCursor}".`,
  );

  const drawn = await server.call('render_qr_codes', { codes: [id] });
  const image = drawn.content.find(({ type }) => type === 'image') as { data: string; mimeType: string };
  expect(image.mimeType).toBe('image/png');
  expect(decodeQr(Buffer.from(image.data, 'base64'))).toBe(publicUrl);

  const scans = await server.call('list_scans', { since: '2026-01-01T12:00:00Z' });
  expect(scans.data.scans).toContainEqual(
    expect.objectContaining({ scannedAt: '2026-01-02T00:00:00.000Z', country: 'FR' }),
  );
  expect(scans.text).not.toContain('2026-01-01');
  expect(scans.data.allowedDimensions).toEqual(['country', 'device', 'os', 'browser', 'referrer']);

  const { data } = await server.call('whoami');
  expect(data).toMatchObject({ workspaceName: world.emulator.workspace.name, unavailableTools: [] });
});

test('errors conform as well', async () => {
  const { server } = world;
  const missing = await server.call('get_qr_code', { code: 'qr_missing' });
  expect(missing).toMatchObject({
    isError: true,
    data: { error: { code: 'not_found', retryable: false } },
  });
  expect(missing.text).toContain('Try again: with corrected arguments only.');
  const { isError, data } = await server.call('find_qr_codes', { code: 'qr_missing' });
  expect(isError).toBe(false);
  expect(data).toEqual({ qrCodes: [] });
});

describe.each(ERAS)('a client of the %s era', (era) => {
  test('lists all tools with their annotations and calls one', async () => {
    const server = await startServer(world.emulator, { era });
    expect(server.client.getNegotiatedProtocolVersion()).toBe(era === 'legacy' ? '2025-11-25' : '2026-07-28');
    const hints = server.tools.map(({ name, annotations }) => [
      name,
      annotations?.readOnlyHint,
      annotations?.destructiveHint,
    ]);
    expect(hints).toEqual([
      ['create_qr_codes', false, false],
      ['find_qr_codes', true, false],
      ['get_qr_code', true, false],
      ['publish_qr_code', false, false],
      ['retarget_qr_code', false, true],
      ['upsert_qr_codes', false, true],
      ['render_qr_codes', true, false],
      ['list_scans', true, false],
      ['whoami', true, false],
    ]);
    expect(server.client.getInstructions()).toMatch(/archives, deletes or renames a code: .*https:/);
    expect(server.client.getServerVersion()).toMatchObject({
      websiteUrl: expect.stringMatching(/^https:/),
      icons: [{ src: expect.stringMatching(/^data:image\/svg\+xml;base64,/) }],
    });
    const cached = { ttlMs: 3_600_000, cacheScope: 'private' };
    expect(await server.client.listTools()).toMatchObject(era === 'legacy' ? {} : cached);
    // All of it is in the model's context.
    expect(JSON.stringify(server.tools).length).toBeLessThan(18_000);
    for (const { name, title, description = '', inputSchema } of server.tools) {
      expect(title).toBeTruthy();
      // What it does, when to use it, what it returns and what it never does.
      expect(`${name}: ${description}`).toMatch(/^\w+: [A-Z]\w+s .*\bUse it\b.*\bnever\b/s);
      for (const property of Object.values(inputSchema.properties ?? {}))
        expect(property).toHaveProperty('description', expect.stringMatching(/\.$/));
    }
    expect((await server.call('whoami')).isError).toBe(false);
  });
});

describe('a destination', () => {
  const tool = 'retarget_qr_code';
  const [A, B] = ['https://example.com/a', 'https://example.com/b'];
  let code: string;
  const destination = async (id = code) => {
    const { publicUrl } = (await world.server.call('get_qr_code', { code: id })).data.qrCode;
    return (await fetch(publicUrl, { redirect: 'manual' })).headers.get('location');
  };
  const changeElsewhere = async (id: string) => {
    const { url, apiKey } = world.emulator;
    await fetch(`${url}/v1/public-api/qr/${id}/destination`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${apiKey}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ url: 'https://example.com/elsewhere' }),
    });
  };
  beforeAll(async () => {
    world.emulator.control.reset();
    const rows = [{ name: 'Moved', targetUrl: 'https://example.com' }];
    const { data } = await world.server.call('create_qr_codes', { rows });
    code = data.results[0].qrCode.id;
  });

  test('is the last one that was asked for, although an earlier call is still under way', async () => {
    const { control } = world.emulator;
    control.failNext({ status: 503, match: { path: '/qr/*/destination' } });
    const urls = [B, A, B, A];
    const results = await Promise.all(urls.map((url) => world.server.call(tool, { code, url })));
    expect(results.slice(1).map(({ data }) => data.previousUrl)).toEqual(urls.slice(0, -1));
    expect(await destination()).toBe(urls.at(-1));
  });

  test('that somebody else has changed is not known', async () => {
    await changeElsewhere(code);
    expect((await world.server.call('get_qr_code', { code })).data.qrCode).not.toHaveProperty('targetUrl');
    expect((await world.server.call(tool, { code, url: A })).data).not.toHaveProperty('previousUrl');
  });

  test.each(['publish_qr_code', 'create_qr_codes'])(
    'of a draft that somebody else has changed is not known to %s either',
    async (publishing) => {
      const row = { name: `Draft for ${publishing}`, targetUrl: A };
      const created = await world.server.call('create_qr_codes', { rows: [row], publish: false });
      const { id } = created.data.results[0].qrCode;
      await changeElsewhere(id);
      const published = await world.server.call(
        publishing,
        publishing === 'publish_qr_code' ? { code: id } : { rows: [row] },
      );
      expect(published.text).toContain('published');
      expect(published.text).not.toContain('points to');
      const { data } = await world.server.call('upsert_qr_codes', { rows: [{ code: id, targetUrl: A }] });
      expect(data.results).toMatchObject([{ outcome: 'updated' }]);
      expect(await destination(id)).toBe(A);
    },
  );

  test.each(['retarget_qr_code', 'upsert_qr_codes'])(
    'is set again after all responses were lost and somebody else has changed it, by %s',
    async (name) => {
      const { control } = world.emulator;
      const call = () =>
        world.server.call(name, name === tool ? { code, url: B } : { rows: [{ code, targetUrl: B }] });
      control.failNext({ drop: 'after', times: Infinity, match: { path: '/qr/*/destination' } });
      expect((await call()).isError).toBe(true);
      control.clearFaults();
      await changeElsewhere(code);
      expect((await call()).isError).toBe(false);
      expect(await destination()).toBe(B);
      await world.server.call(tool, { code, url: A });
    },
  );
});
