import { QrServiceClient, type QrCode } from '@qr-service/core';
import { identifyScans } from '@qr-service/core/connector';
import { undiciTransport } from '@qr-service/core/undici';
import { startEmulator, type Emulator } from 'qr-service-emulator';
import { shaped, WIRE_SHAPES } from '../support/wireShapes.ts';

const HOOK = { url: 'https://hooks.example.com/a', eventTypes: ['qr.created', 'qr.published'] };
const WINDOW_SECONDS = 40;

describe.each(WIRE_SHAPES)('%s', (_name, shape) => {
  /** Moves the clock of both sides. */
  let ahead = 0;
  const now = () => Date.now() + ahead;
  let emulator: Emulator;
  let client: QrServiceClient;

  beforeAll(async () => {
    const rateLimit = { limit: 5000, windowSeconds: WINDOW_SECONDS };
    emulator = await startEmulator({ ...shaped(shape), rateLimit, now });
    const transport = undiciTransport();
    const sleep = () => Promise.resolve();
    const { url: baseUrl, apiKey } = emulator;
    // One configuration for all shapes.
    client = new QrServiceClient({ baseUrl, apiKey, transport, sleep, now });
  });
  afterAll(() => emulator.stop());

  const create = (name: string) =>
    client.qr.create({
      name,
      mode: 'dynamic',
      contentType: 'url',
      content: { targetUrl: `https://example.com/${name}` },
    });

  /** Codes created ten seconds apart. */
  async function createApart(count: number): Promise<QrCode[]> {
    const codes: QrCode[] = [];
    for (let nth = 0; nth < count; nth++) {
      codes.push(await create(`Code-${nth}`));
      ahead += 10_000;
    }
    return codes;
  }

  it('returns empty lists for an empty workspace', async () => {
    expect(await collect(client.qr.list())).toEqual([]);
    expect(await collect(client.scans.list())).toEqual([]);
  });

  it('returns the workspace and the scopes of the key', async () => {
    const account = await client.me();
    expect(account.workspace).toEqual(emulator.workspace);
    expect(account.scopes).toEqual(expect.arrayContaining(['qr:read', 'webhooks:write']));
  });

  it('creates a code and reads it again', async () => {
    const created = await create('Door');
    expect(created).toMatchObject({ name: 'Door', mode: 'dynamic', contentType: 'url', folderId: null });
    expect(await client.qr.get(created.id)).toEqual(created);
  });

  it('returns the updated code after publishing and after updating the destination', async () => {
    const { id, publicUrl } = await create('Menu');
    const published = await client.qr.publish(id);
    expect(published).toMatchObject({ id, name: 'Menu', status: 'published', publicUrl });
    const retargeted = await client.qr.retarget(id, 'https://example.org/new');
    expect(retargeted).toEqual(await client.qr.get(id));
    expect(retargeted.updatedAt > published.updatedAt).toBe(true);
    const { headers } = await fetch(publicUrl, { redirect: 'manual' });
    expect(headers.get('location')).toBe('https://example.org/new');
  });

  it('lists each code once with any page size', async () => {
    const ids = (await createApart(7)).map(({ id }) => id);
    const small = (await collect(client.qr.list({ limit: 3 }))).map(({ id }) => id);
    const large = (await collect(client.qr.list())).map(({ id }) => id);
    expect(small).toEqual(large);
    expect(new Set(small).size).toBe(small.length);
    expect(small).toEqual(expect.arrayContaining(ids));
    const pages = await collect(client.qr.list({ limit: 3 }).pages());
    expect(pages).toHaveLength(Math.ceil(small.length / 3) + Number(shape.listEnd === 'feed'));
    expect(pages.at(-1)).not.toHaveProperty('nextCursor');
  });

  it('lists the codes updated since a time', async () => {
    const [before, at, after] = await createApart(3);
    const names = async (updatedSince: string) =>
      (await collect(client.qr.list({ updatedSince, limit: 1 }))).map(({ id }) => id);
    const aSecondEarlier = new Date(Date.parse(at!.updatedAt) - 1000).toISOString();
    expect((await names(aSecondEarlier)).sort()).toEqual([at!.id, after!.id].sort());
    const exact = shape.listSince === 'exclusive' ? [after!.id] : [at!.id, after!.id];
    expect((await names(at!.updatedAt)).sort()).toEqual(exact.sort());
    expect(await names(new Date(now() + 60_000).toISOString())).not.toContain(before!.id);
    expect(await names(new Date(now() + 60_000).toISOString())).toEqual([]);
  });

  it('lists scans with IDs that stay the same', async () => {
    const { id, publicUrl } = await client.qr.publish((await create('Scanned')).id);
    for (let nth = 0; nth < 3; nth++) {
      await fetch(publicUrl, {
        redirect: 'manual',
        headers: { 'User-Agent': 'Mozilla/5.0 (iPhone) Safari' },
      });
      ahead += 1000;
    }
    const ids = async (limit: number) =>
      identifyScans((await collect(client.scans.list({ limit }))).filter((row) => row['qrId'] === id)).map(
        (scan) => scan.id,
      );
    const found = await ids(2);
    expect(new Set(found).size).toBe(3);
    expect(await ids(50)).toEqual(found);
    const { allowedDimensions } = await client.scans.listPage();
    expect(allowedDimensions).toEqual(['country', 'device', 'os', 'browser', 'referrer']);
  });

  it('subscribes with the signing secret, and unsubscribes if the service supports it', async () => {
    const made = await client.webhooks.subscribe(HOOK);
    const kept = emulator.control.subscriptions().find(({ id }) => id === made.id);
    expect(made).toEqual({ id: kept?.id, secret: kept?.secret, ...HOOK });

    const { unsubscribe = 204 } = shape;
    const gone = unsubscribe < 300 ? ['removed', 'already-gone'] : ['already-gone', 'already-gone'];
    for (const expected of unsubscribe === 405 ? ['unsupported'] : gone)
      expect(await client.webhooks.unsubscribe(made.id)).toBe(expected);
  });

  it('returns the rate limit and its reset time', async () => {
    const before = now();
    await client.me();
    const { limit, remaining, resetAt } = client.rateLimit!;
    expect(limit).toBe(5000);
    expect(remaining).toBeLessThan(5000);
    expect(resetAt - before).toBeGreaterThanOrEqual(0);
    expect(resetAt - now()).toBeLessThanOrEqual(WINDOW_SECONDS * 1000 + 1000);
  });
});

async function collect<T>(rows: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const row of rows) all.push(row);
  return all;
}
