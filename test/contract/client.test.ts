import { inspect } from 'node:util';
import { API_PATH } from '@qr-service/core/connector';
import { QrServiceClient, isApiError, type ApiError, type ClientOptions } from '@qr-service/core';
import { undiciTransport } from '@qr-service/core/undici';
import { startEmulator, type Emulator } from 'qr-service-emulator';

let emulator: Emulator;
beforeAll(async () => {
  emulator = await startEmulator({ port: 0 });
});
afterAll(() => emulator.stop());

const quick = { sleep: () => Promise.resolve() };

function client(options: Partial<ClientOptions> = {}): QrServiceClient {
  return new QrServiceClient({
    baseUrl: emulator.url,
    apiKey: emulator.apiKey,
    transport: undiciTransport(),
    ...quick,
    ...options,
  });
}

async function failure(promise: Promise<unknown>): Promise<ApiError> {
  const error: unknown = await promise.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!isApiError(error)) throw new Error(`expected an ApiError, saw ${inspect(error)}`);
  return error;
}

const input = (name: string) => ({
  name,
  mode: 'dynamic',
  contentType: 'url',
  content: { targetUrl: `https://example.com/${encodeURIComponent(name)}` },
});

async function collect<T>(rows: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const row of rows) all.push(row);
  return all;
}

describe('the account', () => {
  it.each(['authorization', 'api-key'] as const)(
    'is read with the key in the %s header',
    async (authHeader) => {
      const account = await client({ authHeader }).me();
      expect(account.workspace?.id).toBe(emulator.workspace.id);
      expect(account.scopes).toContain('qr:write');
    },
  );

  it.each(['', '/', API_PATH, `${API_PATH}/`])('is read with a base URL that ends with %j', async (end) => {
    const account = await client({ baseUrl: emulator.url + end }).me();
    expect(account.workspace?.id).toBe(emulator.workspace.id);
  });
});

describe('a QR code', () => {
  it('can be created, read, published, given a new destination and rendered', async () => {
    const { qr } = client();
    const created = await qr.create(input('Main door'));
    expect(created).toMatchObject({ name: 'Main door', mode: 'dynamic', contentType: 'url' });
    expect(created.publicUrl).toContain(created.slug);
    expect(await qr.get(created.id)).toEqual(created);

    const published = await qr.publish(created.id);
    expect(published).toMatchObject({ id: created.id, status: 'published' });
    const redirect = await fetch(published.publicUrl, { redirect: 'manual' });
    expect(redirect.headers.get('location')).toBe('https://example.com/Main%20door');

    const retargeted = await qr.retarget(created.id, 'https://example.org/new');
    expect(retargeted.id).toBe(created.id);
    const changed = await fetch(published.publicUrl, { redirect: 'manual' });
    expect(changed.headers.get('location')).toBe('https://example.org/new');
  });

  it('only points where the options allow, in the form that browsers make of an address', async () => {
    const before = emulator.control.requestCount();
    const { qr } = client({ allowedTargets: 'example.com' });
    const leadsAway = { code: 'target_not_allowed', message: "evil.test isn't an allowed destination." };
    const content = { targetUrl: 'https://evil.test/x' };
    await expect(qr.create({ ...input('A'), content })).rejects.toMatchObject(leadsAway);
    await expect(qr.retarget('qr_1', 'https:\\\\evil.test')).rejects.toMatchObject(leadsAway);
    expect(emulator.control.requestCount()).toBe(before);
    const { id, publicUrl } = await qr.publish((await qr.create(input('https://evil.test'))).id);
    await qr.retarget(id, 'https:\\\\EXAMPLE.com\\@evil.test');
    const redirect = await fetch(publicUrl, { redirect: 'manual' });
    expect(redirect.headers.get('location')).toBe('https://example.com/@evil.test');
  });

  it.each([
    ['png', 'image/png'],
    ['svg', 'image/svg+xml'],
    ['pdf', 'application/pdf'],
  ] as const)('can be rendered as %s', async (format, contentType) => {
    const { qr } = client();
    const { id } = await qr.create(input(`As ${format}`));
    const image = await qr.render(id, { format, size: 256 });
    // Not a view of the received bytes, which include the response's headers.
    expect(image.body.buffer.byteLength).toBe(image.body.length);
    expect(image).toMatchObject({ format, contentType, fileName: `${id}.${format}` });
    expect(image.body.length).toBeGreaterThan(100);
  });
});

describe('an error', () => {
  it.each<[string, () => Promise<unknown>, Partial<ApiError>]>([
    [
      'an unknown code',
      () => client().qr.get('qr_none'),
      { status: 404, code: 'not_found', retryable: false },
    ],
    ['an unknown key', () => client({ apiKey: 'nobody' }).me(), { status: 401, code: 'invalid_api_key' }],
    ['invalid input', () => client().qr.retarget('qr_none', 'nowhere'), { retryable: false }],
    [
      'an invalid cursor',
      () => client().qr.listPage({ cursor: 'nonsense' }),
      { status: 422, code: 'invalid_cursor' },
    ],
    [
      'a key that lacks the scope',
      () =>
        client({ apiKey: emulator.control.createKey({ scopes: ['qr:read'] }).apiKey }).qr.create(input('No')),
      { status: 403, code: 'insufficient_scope', details: { required: 'qr:write', granted: ['qr:read'] } },
    ],
  ])('for %s contains the status, code and details from the service', async (_what, call, expected) => {
    expect(await failure(call())).toMatchObject({ ...expected, requestId: expect.any(String) as string });
  });

  it('does not show the key, nor does the client', async () => {
    const { apiKey } = emulator.control.createKey({ scopes: [] });
    const refused = client({ apiKey });
    const error = await failure(refused.qr.get('qr_none'));
    for (const shown of [
      inspect(error, { depth: 9 }),
      JSON.stringify(error),
      inspect(refused, { depth: 9 }),
      JSON.stringify(refused),
    ])
      expect(shown).not.toContain(apiKey);
  });
});

describe('retries', () => {
  const named = async (name: string) =>
    (await collect(client().qr.list())).filter((code) => code.name === name);

  it.each<[string, { status?: number; drop?: 'before' | 'after' }]>([
    ['the service was unavailable', { status: 503 }],
    ['the request was lost', { drop: 'before' }],
    ['the response was lost after the code was created', { drop: 'after' }],
  ])('create one code when %s', async (what, fault) => {
    emulator.control.failNext({ times: 2, ...fault });
    const created = await client().qr.create(input(what));
    expect((await named(what)).map((code) => code.id)).toEqual([created.id]);
  });

  it('create one subscription with one secret when the response was lost', async () => {
    const before = emulator.control.subscriptions().length;
    emulator.control.failNext({ times: 1, drop: 'after' });
    const made = await client().webhooks.subscribe({
      url: 'https://hooks.example.com/c',
      eventTypes: ['qr.created'],
    });
    expect(emulator.control.subscriptions()).toHaveLength(before + 1);
    expect(made.secret.length).toBeGreaterThan(15);
  });

  it("use the caller's idempotency key", async () => {
    const options = { idempotencyKey: 'row-17' };
    const first = await client().qr.create(input('Own key'), options);
    const second = await client().qr.create(input('Own key'), options);
    expect(second.id).toBe(first.id);
    expect((await failure(client().qr.create(input('Other'), options))).code).toBe('idempotency_conflict');
  });

  it('can be continued with the idempotency key from the error', async () => {
    emulator.control.failNext({ times: 1, drop: 'after' });
    const lost: unknown = await client({ retry: false })
      .qr.create(input('Lost'))
      .catch((thrown: unknown) => thrown);
    const { idempotencyKey } = lost as { idempotencyKey: string };
    const again = await client().qr.create(input('Lost'), { idempotencyKey });
    expect((await named('Lost')).map((code) => code.id)).toEqual([again.id]);
  });
});
