import { QrServiceClient, type ApiError, type ClientOptions, isTransportError } from '@qr-service/core';
import { API_PATH } from '@qr-service/core/connector';
import { undiciTransport } from '@qr-service/core/undici';
import { startEmulator, type Emulator } from 'qr-service-emulator';
import { ok, serve, status, TRANSIENT_FAULTS } from '../support/faultyService/faultyService.ts';

describe('the client', () => {
  let emulator: Emulator;
  beforeAll(async () => {
    emulator = await startEmulator({ port: 0 });
  });
  afterAll(() => emulator.stop());

  function client(options: Partial<ClientOptions> = {}): QrServiceClient {
    return new QrServiceClient({
      baseUrl: emulator.url,
      apiKey: emulator.apiKey,
      transport: undiciTransport(),
      sleep: () => Promise.resolve(),
      ...options,
    });
  }

  const errorOf = (call: Promise<unknown>) => call.then(String, (error: unknown) => error as ApiError);

  const input = (name: string) => ({
    name,
    mode: 'dynamic',
    contentType: 'url',
    content: { targetUrl: `https://example.com/${encodeURIComponent(name)}` },
  });

  it.each<[Partial<ClientOptions>, end: string]>([
    [{ authHeader: 'authorization' }, ''],
    [{ authHeader: 'api-key' }, '/'],
    [{}, API_PATH],
    [{}, `${API_PATH}/`],
  ])('the account is read with %j and a base URL that ends with "%s"', async (options, end) => {
    const account = await client({ ...options, baseUrl: emulator.url + end }).me();
    expect(account.workspace?.id).toBe(emulator.workspace.id);
  });

  describe('a QR code', () => {
    it('is refused a target outside allowedTargets, read as a browser reads it, before any request', async () => {
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

  describe('retries', () => {
    const idsOf = async (name: string) => {
      const ids: string[] = [];
      for await (const code of client().qr.list()) if (code.name === name) ids.push(code.id);
      return ids;
    };

    it.each<[string, { status?: number; drop?: 'before' | 'after' }]>([
      ['the service was unavailable', { status: 503 }],
      ['the request was lost', { drop: 'before' }],
      ['the response was lost after the code was created', { drop: 'after' }],
    ])('create one code when %s', async (what, fault) => {
      emulator.control.failNext({ times: 2, ...fault });
      const created = await client().qr.create(input(what));
      expect(await idsOf(what)).toEqual([created.id]);
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
      const other = client().qr.create(input('Other'), options);
      expect(await errorOf(other)).toMatchObject({ code: 'idempotency_conflict' });
    });

    it('can be resumed with the idempotency key from the error', async () => {
      emulator.control.failNext({ times: 1, drop: 'after' });
      const lost = (await errorOf(client({ retry: false }).qr.create(input('Lost')))) as ApiError;
      const { idempotencyKey = '' } = lost;
      const again = await client().qr.create(input('Lost'), { idempotencyKey });
      expect(await idsOf('Lost')).toEqual([again.id]);
    });
  });
});

describe('faults', () => {
  function client(baseUrl: string, options: Partial<ClientOptions> = {}): QrServiceClient {
    const sleep = () => Promise.resolve();
    return new QrServiceClient({
      baseUrl,
      apiKey: 'qrs_a_key',
      transport: undiciTransport(),
      sleep,
      ...options,
    });
  }

  const kindOf = (call: Promise<unknown>) =>
    call.then(
      () => undefined,
      (error: unknown) => isTransportError(error) && error.code,
    );

  const content = { targetUrl: 'https://e.example/' };
  const input = { name: 'Door', mode: 'dynamic', contentType: 'url', content };

  it.each(Object.entries(TRANSIENT_FAULTS))(
    'a POST is retried with its own idempotency key when %s',
    async (_what, fault) => {
      const { url, requests } = await serve(fault, ok);
      for (let call = 1; call <= 2; call++) expect((await client(url).qr.create(input)).id).toBe('qr_1');
      const [lost, retried, other] = requests.map(({ idempotencyKey }) => idempotencyKey);
      expect(requests).toHaveLength(3);
      expect(lost).toMatch(/.{16,}/);
      expect(retried).toBe(lost);
      expect(other).not.toBe(lost);
    },
  );

  it.each([301, 302, 307, 308])('a redirect (%d) is never followed, so the API key stays', async (code) => {
    const elsewhere = await serve(ok);
    const here = await serve(status(code, { Location: elsewhere.url }));
    for (const authHeader of ['authorization', 'api-key'] as const)
      expect(await kindOf(client(here.url, { authHeader }).me())).toBe('redirect');
    expect(elsewhere.requests).toEqual([]);
  });

  it('canceling a call aborts its request, and a call canceled before it starts sends none', async () => {
    const controller = new AbortController();
    const { url, requests } = await serve(() => controller.abort());
    for (let call = 1; call <= 2; call++)
      expect(await kindOf(client(url).me({ signal: controller.signal }))).toBe('aborted');
    expect(requests).toHaveLength(1);
  });
});
