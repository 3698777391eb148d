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
    rows: [{ name: 'Tisch 1', targetUrl }],
    publish: false,
  });
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

test('a code that does not exist is an error where it is needed, and an empty list where it is searched', async () => {
  const code = 'qr_missing';
  const error = { code: 'not_found', retryable: false };
  expect(await world.server.call('get_qr_code', { code })).toMatchObject({ isError: true, data: { error } });
  expect((await world.server.call('find_qr_codes', { code })).data).toMatchObject({ qrCodes: [] });
});

describe.each(ERAS)('a client of the %s era', (era) => {
  test('lists all tools with their annotations and calls one', async () => {
    const server = await startServer(world.emulator, { era });
    expect(server.client.getNegotiatedProtocolVersion()).toBe(era === 'legacy' ? '2025-11-25' : '2026-07-28');
    const hints = server.tools.map(({ name, annotations: of }) => [
      name,
      of?.readOnlyHint,
      of?.destructiveHint,
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
  const [A, B] = ['https://example.com/a', 'https://example.com/b'];
  let code: string;
  const retarget = (url: string) => world.server.call('retarget_qr_code', { code, url });
  const upsert = (targetUrl: string) => world.server.call('upsert_qr_codes', { rows: [{ code, targetUrl }] });
  const publish = () => world.server.call('publish_qr_code', { code });
  const destination = async () => {
    const { publicUrl } = (await world.server.call('get_qr_code', { code })).data.qrCode;
    return (await fetch(publicUrl, { redirect: 'manual' })).headers.get('location');
  };
  /** As somebody else does it. */
  const changeElsewhere = async () => {
    const { url, apiKey } = world.emulator;
    await fetch(`${url}/v1/public-api/qr/${code}/destination`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${apiKey}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ url: 'https://example.com/elsewhere' }),
    });
  };
  beforeEach(async () => {
    const row = { name: expect.getState().currentTestName, targetUrl: A };
    const { data } = await world.server.call('create_qr_codes', { rows: [row], publish: false });
    code = data.results[0].qrCode.id;
  });

  test('is the last one that was asked for, although an earlier call is still under way', async () => {
    world.emulator.control.failNext({ status: 503, match: { path: '/qr/*/destination' } });
    const results = await Promise.all([B, A, B, A].map(retarget));
    expect(results.map(({ data }) => data.previousUrl)).toEqual([A, B, A, B]);
    await publish();
    expect(await destination()).toBe(A);
    world.emulator.control.failNext({ status: 503, match: { path: '/qr' } });
    await Promise.all([A, B, A, B].map(upsert));
    expect(await destination()).toBe(B);
  });

  test('that somebody else has changed is not known', async () => {
    await changeElsewhere();
    expect((await publish()).text).toMatch(/published(?!.*points to)/);
    expect((await world.server.call('get_qr_code', { code })).data.qrCode).not.toHaveProperty('targetUrl');
    expect((await upsert(A)).data.results).toMatchObject([{ outcome: 'updated' }]);
    await changeElsewhere();
    expect((await retarget(A)).data).not.toHaveProperty('previousUrl');
    expect(await destination()).toBe(A);
  });

  test('is unknown after a lost response', async () => {
    const { control } = world.emulator;
    await publish();
    control.failNext({ drop: 'after', times: Infinity, match: { path: '/qr/*/destination' } });
    expect((await retarget(B)).isError).toBe(true);
    control.clearFaults();
    const [result] = (await upsert(A)).data.results;
    expect(result).toMatchObject({ outcome: 'updated' });
    expect(result).not.toHaveProperty('previousUrl');
    expect(await destination()).toBe(A);
  });
});
