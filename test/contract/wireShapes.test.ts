import { QrServiceClient, isApiError, type ApiError, type QrCode } from '@qr-service/core';
import { scanRows } from '@qr-service/core/connector';
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

  /** One configuration for all shapes. */
  const connect = (apiKey: string) =>
    new QrServiceClient({
      baseUrl: emulator.url,
      apiKey,
      transport: undiciTransport(),
      sleep: () => Promise.resolve(),
      now,
    });

  beforeAll(async () => {
    const rateLimit = { limit: 5000, windowSeconds: WINDOW_SECONDS };
    emulator = await startEmulator({ ...shaped(shape), rateLimit, now });
    client = connect(emulator.apiKey);
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

  it('renders a code', async () => {
    const { id } = await create('Poster');
    expect(await client.qr.render(id, { format: 'svg' })).toMatchObject({
      format: 'svg',
      fileName: `${id}.svg`,
    });
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
      scanRows((await collect(client.scans.list({ limit }))).filter((row) => row['qrId'] === id)).map(
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

    const outcomes: Record<string, [string, string]> = {
      204: ['removed', 'already-gone'],
      200: ['removed', 'already-gone'],
      404: ['already-gone', 'already-gone'],
      410: ['already-gone', 'already-gone'],
      405: ['unsupported', 'unsupported'],
      501: ['unsupported', 'unsupported'],
    };
    for (const expected of outcomes[shape.unsubscribe ?? 204]!) {
      expect(await client.webhooks.unsubscribe(made.id)).toBe(expected);
    }
  });

  it.each<[string, () => Promise<unknown>, number, string]>([
    ['an unknown code', () => client.qr.get('qr_none'), 404, 'not_found'],
    ['an unknown API key', () => connect('nobody').me(), 401, 'invalid_api_key'],
    ['a key that lacks the scope', () => connect(limitedKey()).scans.listPage(), 403, 'insufficient_scope'],
    ['an invalid URL', () => client.qr.retarget('qr_none', 'nowhere'), 404, 'not_found'],
    ['an invalid cursor', () => client.qr.listPage({ cursor: 'x', limit: 9 }), 422, 'invalid_cursor'],
  ])('reports %s by its code', async (_what, call, status, code) => {
    const error = await failure(call());
    expect(error).toMatchObject({ status, code, retryable: false });
    expect(error.requestId).toMatch(/^req_/);
    if (code === 'insufficient_scope')
      expect(error.details).toEqual({ required: 'analytics:read', granted: ['qr:read'] });
  });

  it.each([429, 503])('retries after a %d', async (status) => {
    emulator.control.failNext(status === 429 ? { code: 'rate_limited' } : { status });
    expect((await create(`After-${status}`)).name).toBe(`After-${status}`);
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

  function limitedKey(): string {
    return emulator.control.createKey({ scopes: ['qr:read'] }).apiKey;
  }
});

describe('an unexpected response throws an error that describes it instead of an empty result:', () => {
  /** A client of a service that always responds this way. */
  function clientOf(body: unknown): { client: QrServiceClient; sent: string[] } {
    const sent: string[] = [];
    const client = new QrServiceClient({
      baseUrl: 'https://api.example.com',
      apiKey: 'key',
      retry: false,
      transport: ({ method, url }) => {
        sent.push(`${method} ${new URL(url).pathname}`);
        const json = method === 'DELETE' ? '' : JSON.stringify(body);
        return Promise.resolve({ status: method === 'DELETE' ? 204 : 200, headers: {}, body: json });
      },
    });
    return { client, sent };
  }

  const input = {
    name: 'Door',
    mode: 'dynamic',
    contentType: 'url',
    content: { targetUrl: 'https://a.example' },
  };

  it.each<[string, unknown, (client: QrServiceClient) => Promise<unknown>, RegExp]>([
    [
      'a list in an unknown format',
      { total: 3, page: { number: 1 } },
      ({ qr }) => qr.listPage(),
      /total, page/,
    ],
    ['an empty list under an unknown name', { errors: [] }, ({ qr }) => collect(qr.list()), /errors/],
    [
      'a subscription in one of two wrappers',
      { a: { id: 'wh_1', secret: 's-e-c' }, b: { id: 'wh_2', secret: 's-e-d' } },
      ({ webhooks }) => webhooks.subscribe(HOOK),
      /keys a, b/,
    ],
    ['scans in an unknown format', { rows: 'none' }, ({ scans }) => collect(scans.list()), /rows/],
    ['two lists', { ups: [{ id: 'a' }], downs: [{ id: 'b' }] }, ({ qr }) => qr.listPage(), /ups, downs/],
    ['a new code without an ID', { name: 'Door', slug: 'door' }, ({ qr }) => qr.create(input), /name, slug/],
    [
      'a code without an ID',
      { qr: { name: 'Door', slug: 'door' } },
      ({ qr }) => qr.get('qr_1'),
      /the keys qr/,
    ],
    ['an account that is a list', [{ id: 'ws_1' }], (client) => client.me(), /a list/],
    [
      'a subscription without an ID',
      { secret: 's-e-c' },
      ({ webhooks }) => webhooks.subscribe(HOOK),
      /secret/,
    ],
    [
      'an image that is JSON',
      { url: 'https://a.example/a.png' },
      ({ qr }) => qr.render('qr_1'),
      /Expected a PNG, SVG or PDF/,
    ],
  ])('%s', async (_what, body, call, seen) => {
    const error: unknown = await call(clientOf(body).client).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({
      code: 'unreadable_response',
      message: expect.stringMatching(seen) as string,
    });
    expect((error as Error).message).not.toContain('s-e-c');
  });

  it.each<[string, Record<string, unknown>]>([
    ['no secret', { id: 'wh_1', url: HOOK.url }],
    ['two different secrets', { id: 'wh_1', secret: 's-e-c', signingSecret: 's-e-d' }],
    [
      'two different secrets, one of them nested',
      { secret: 's-e-c', subscription: { id: 'wh_1', secret: 's-e-d' } },
    ],
  ])('a subscription with %s, which is then removed', async (_what, body) => {
    const { client, sent } = clientOf(body);
    const error: unknown = await client.webhooks.subscribe(HOOK).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'unreadable_response' });
    expect((error as Error).message).toMatch(/expected one signing secret\. .* removed again/);
    expect((error as Error).message).not.toMatch(/s-e-[cd]/);
    expect(sent).toEqual(['POST /v1/public-api/webhooks', 'DELETE /v1/public-api/webhooks/wh_1']);
  });
});

async function collect<T>(rows: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const row of rows) all.push(row);
  return all;
}

async function failure(promise: Promise<unknown>): Promise<ApiError> {
  const error: unknown = await promise.catch((thrown: unknown) => thrown);
  if (!isApiError(error)) throw new Error(`expected an ApiError, saw ${String(error)}`);
  return error;
}
