import { closeServices, CODE, serve } from '../support/faultyService/faultyService.ts';
import { failureOf, MAPPED, startWorld, type World } from './support/world.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
beforeEach(() => {
  // Retries don't wait.
  jest.spyOn(Math, 'random').mockReturnValue(0);
});
afterEach(() => {
  jest.restoreAllMocks();
  closeServices();
});
afterAll(() => world.close());

const input = (name: string, more: Record<string, unknown> = {}) => ({
  name,
  targetUrl: 'https://example.com/menu',
  ...more,
});

/** Target of the short link; undefined if the link doesn't work. */
async function leadsTo(publicUrl: unknown): Promise<string | undefined> {
  const response = await fetch(String(publicUrl), { redirect: 'manual' });
  return response.headers.get('location') ?? undefined;
}

async function codesNamed(name: string): Promise<number> {
  return (await world.engine.search('find_qr_code', { value: name })).length;
}

test('creates a draft whose short link does not work yet', async () => {
  const code = await world.engine.create('create_qr_code', input('Unpublished', { publishNow: false }));
  expect(code).toMatchObject({ name: 'Unpublished', status: 'draft' });
  expect(await leadsTo(code['publicUrl'])).toBeUndefined();
});

test('publishes the code by default', async () => {
  const code = await world.engine.create('create_qr_code', input('Published'));
  expect(code).toMatchObject({ status: 'published' });
  expect(await leadsTo(code['publicUrl'])).toBe('https://example.com/menu');
});

test('sends text with curly braces, quotes and any script unchanged', async () => {
  const name = '{{bundle.authData.apiKey}} "Tisch" 四 🍜';
  expect(await world.engine.create('create_qr_code', input(name))).toMatchObject({ name });
});

test('creates one code per deduplication key, and another one without a key', async () => {
  const create = (key?: string) =>
    world.engine.create(
      'create_qr_code',
      input('Once', key === undefined ? {} : { deduplicationKey: key, publishNow: true }),
    );
  const first = await create('row-1');
  world.emulator.control.clock.advance(5000);
  const again = await create('row-1');
  // A replayed code may have been changed since.
  expect([first['targetUrl'], again['targetUrl']]).toEqual(['https://example.com/menu', null]);
  expect(again['id']).toBe(first['id']);
  expect(await codesNamed('Once')).toBe(1);
  await create('row-2');
  await create();
  await create();
  expect(await codesNamed('Once')).toBe(4);
});

test('publishing and updating act each time, even on the same day', async () => {
  const { id: qrCodeId, publicUrl } = await world.engine.create('create_qr_code', input('Back and forth'));
  for (const version of ['A', 'B', 'A']) {
    const url = `https://example.com/${version}`;
    const moved = await world.engine.create('retarget_qr_code', {
      qrCodeId,
      url: url.replace('https://', ''),
    });
    expect(moved).toMatchObject({ targetUrl: url });
    expect(await leadsTo(publicUrl)).toBe(url);
  }
  world.emulator.control.archive(String(qrCodeId));
  for (const [step, change] of [
    ['publish_qr_code', /is archived\..* It was not changed\. Restore it/],
    ['retarget_qr_code', /^The destination of the archived QR code .* was updated\..* Restore it/],
  ] as const) {
    const failure = await failureOf(world.engine.create(step, { qrCodeId, url: 'example.com/A' }));
    expect(failure).toMatchObject({
      code: 'archived',
      message: expect.stringMatching(change),
    });
  }
  world.emulator.control.unarchive(String(qrCodeId));
  expect(await leadsTo(publicUrl)).toBeUndefined();
  await world.engine.create('publish_qr_code', { qrCodeId });
  expect(await leadsTo(publicUrl)).toBe('https://example.com/A');
});

test('creating again with the same key publishes a code that was archived since', async () => {
  const { control } = world.emulator;
  const run = () => world.engine.create('create_qr_code', input('Kept', { deduplicationKey: 'row-kept' }));
  const { id, publicUrl } = await run();
  control.archive(String(id));
  control.unarchive(String(id));
  expect(await run()).toMatchObject({ id, status: 'published' });
  expect(await leadsTo(publicUrl)).toBe('https://example.com/menu');
});

test('creating again with the same key fails if the code is still archived', async () => {
  const archived = input('Archived', { deduplicationKey: 'row-archived' });
  const { id } = await world.engine.create('create_qr_code', archived);
  world.emulator.control.archive(String(id));
  const failure = await failureOf(world.engine.create('create_qr_code', archived));
  expect(failure).toMatchObject({ name: 'AppError', code: 'archived' });
  expect(failure.message).toMatch(
    /^The QR code "Archived" \(ID qr_\w+, .*\) is archived\. .* Restore it in the app, then publish it\.$/,
  );
});

test('retries a lost response without creating a duplicate', async () => {
  world.emulator.control.failNext({ drop: 'after' });
  await world.engine.create('create_qr_code', input('Lost response'));
  expect(await codesNamed('Lost response')).toBe(1);
});

test('names an invalid ID of a code without a request', async () => {
  const before = world.emulator.control.requestCount();
  const failure = await failureOf(world.engine.create('publish_qr_code', { qrCodeId: '..' }));
  expect(failure).toMatchObject({
    name: 'AppError',
    message: expect.stringMatching(/^Invalid QR code ID\. Use the ID/),
  });
  expect(world.emulator.control.requestCount()).toBe(before);
});

describe('a rejection under a deduplication key', () => {
  const refusedFor = async (key: string, inputData: Record<string, unknown>, engine = world.engine) => {
    const failure = await failureOf(engine.create(key, inputData));
    expect(failure).toMatchObject({ name: 'AppError', code: 'validation_failed' });
    expect(failure.message).toMatch(/still fails, use another Deduplication Key\. \(validation_failed, /);
    return failure;
  };

  test('no longer applies once its cause is fixed, and later runs return the same code', async () => {
    const responses = new Map<unknown, [status: number, body: object]>();
    let isFixed = false;
    // Replays the first response to a key, as the service does.
    const service = await serve((request, response) => {
      const key = request.headers['idempotency-key'];
      const requestId = `req_${responses.size}`;
      const first = responses.get(key);
      const refusal = { code: 'validation_failed', message: 'No.', requestId };
      const [status, body] =
        first ?? (isFixed ? [201, { ...CODE, id: `qr_${responses.size}` }] : [422, refusal]);
      responses.set(key, [status, body]);
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    });
    const engine = await world.connect('qrs_key_of_a_test', service.url);
    const once = input('Fixed', { deduplicationKey: 'row-fixed', publishNow: false });
    await refusedFor('create_qr_code', once, engine);
    await refusedFor('create_qr_code', once, engine);
    isFixed = true;
    const first = await engine.create('create_qr_code', once);
    expect(await engine.create('create_qr_code', once)).toEqual(first);
  });

  test('needs a new key once the input is corrected, as the error says', async () => {
    const run = (deduplicationKey: string, targetUrl: string) =>
      world.engine.create('create_qr_code', { name: 'Corrected', targetUrl, deduplicationKey });
    expect(await failureOf(run('row-corrected', 'mailto:nobody'))).toMatchObject({
      code: 'validation_failed',
    });
    const conflict = await failureOf(run('row-corrected', 'https://example.com/right'));
    expect(conflict).toMatchObject({ code: 'idempotency_conflict' });
    expect(conflict.message).toContain('If you set a Deduplication Key, use a new one.');
    await run('row-corrected-2', 'https://example.com/right');
    expect(await codesNamed('Corrected')).toBe(1);
  });

  test('that the service does not store also results in one code', async () => {
    const once = input('Quota', { deduplicationKey: 'row-quota' });
    world.emulator.control.failNext({ code: 'quota_exceeded' });
    expect(await failureOf(world.engine.create('create_qr_code', once))).toMatchObject({
      code: 'quota_exceeded',
    });
    const first = await world.engine.create('create_qr_code', once);
    expect((await world.engine.create('create_qr_code', once))['id']).toBe(first['id']);
    expect(await codesNamed('Quota')).toBe(1);
    const edited = input('Edited', { deduplicationKey: 'row-quota' });
    expect(await failureOf(world.engine.create('create_qr_code', edited))).toMatchObject({
      code: 'idempotency_conflict',
    });
  });
});

test('shows a long or unusual name and link of a code on one line', async () => {
  const made = {
    ...CODE,
    slug: 'door',
    name: `Door\n\u0000${'x'.repeat(500)}`,
    publicUrl: `https://r.example/${'y'.repeat(500)}`,
  };
  const service = await serve(
    (_request, response) => response.end(JSON.stringify(made)),
    (_request, response) => response.writeHead(403).end('{"code":"quota_exceeded"}'),
  );
  const engine = await world.connect('qrs_key_of_a_test', service.url);
  const { message } = await failureOf(engine.create('create_qr_code', input('A', { publishNow: true })));
  expect(message).toMatch(
    /The code exists as a draft: "Door {2}x{34}…" \(ID qr_\w+, https:\/\/r\.example\/y+…\. /,
  );
  expect(message.length).toBeLessThan(900);
});

describe('Create or Update', () => {
  const upsert = (inputData: Record<string, unknown>, engine = world.engine) =>
    engine.create('upsert_qr_code', { matchBy: 'id', ...inputData }, {}, MAPPED);
  const target = (version: string) => `https://example.com/${version}`;
  const sentSince = (before: number) =>
    world.emulator.control
      .requests()
      .slice(before - world.emulator.control.requestCount())
      .filter(({ method }) => method === 'POST')
      .map(({ path }) => path.replace(/^\/v1\/public-api|qr_\w+/g, ''));

  test('creates one code for a name where it is matched, and another without a key or a match', async () => {
    const row = { name: 'Matched', targetUrl: target('A') };
    const [first, again] = [
      await upsert({ ...row, matchBy: 'name' }),
      await upsert({ ...row, matchBy: 'name' }),
    ];
    expect([first['outcome'], again['outcome'], again['id']]).toEqual(['created', 'updated', first['id']]);
    expect(await codesNamed('Matched')).toBe(1);
    await upsert(row);
    expect(await codesNamed('Matched')).toBe(2);
    // Also without Zapier's lock.
    const atOnce = ['A', 'B'].map((version) =>
      upsert({ name: 'At once', targetUrl: target(version), matchBy: 'name' }),
    );
    await Promise.allSettled(atOnce);
    expect(await codesNamed('At once')).toBe(1);
  });

  test.each([{}, { qrCodeId: '' }, { qrCodeId: null }])(
    'fails without a request if its QR Code is left blank, as each run would create a code (%j)',
    async (raw) => {
      const before = world.emulator.control.requestCount();
      const row = { ...input('Not mapped'), matchBy: 'id', qrCodeId: '' };
      const failure = await failureOf(world.engine.create('upsert_qr_code', row, {}, raw));
      expect(failure).toMatchObject({ name: 'AppError', code: 'invalid_input' });
      expect(failure.message).toMatch(
        /^QR Code isn't mapped, so each run would create a new code\. Map the /,
      );
      expect(world.emulator.control.requestCount()).toBe(before);
    },
  );

  test('shows only the fields that Match By needs', async () => {
    const shown = async (matchBy?: string) =>
      (await world.engine.inputFields('creates.upsert_qr_code', { matchBy })).map(({ key }) => key);
    const first = ['targetUrl', 'matchBy'];
    expect(await shown()).toEqual(first);
    expect(await shown('name')).toEqual([...first, 'name']);
    expect(await shown('id')).toEqual([...first, 'qrCodeId', 'name', 'deduplicationKey']);
    expect(await shown('{{1__how}}')).toEqual([...first, 'qrCodeId', 'name', 'deduplicationKey']);
  });

  test('ignores a QR Code that was mapped before Name was chosen', async () => {
    const { id } = await upsert({ ...input('Found by its name'), matchBy: 'name', qrCodeId: 'qr_none' });
    expect(await codesNamed('Found by its name')).toBe(1);
    expect(id).toEqual(expect.any(String));
  });

  test('changes and creates nothing for a name that two codes have', async () => {
    const row = { name: 'Twice', targetUrl: target('A') };
    const made = [await upsert(row), await upsert(row)];
    const before = world.emulator.control.requestCount();
    const failure = await failureOf(upsert({ ...row, matchBy: 'name', targetUrl: target('B') }));
    expect(failure).toMatchObject({ name: 'AppError', code: 'ambiguous_name' });
    for (const { id } of made) expect(failure.message).toContain(`ID ${String(id)}`);
    expect(sentSince(before)).toEqual([]);
  });

  test('creates one code per deduplication key, with keys of its own', async () => {
    const row = { name: 'Keyed', targetUrl: target('A'), deduplicationKey: 'row-of-its-own' };
    const [first, again] = [await upsert(row), await upsert(row)];
    expect(again['id']).toBe(first['id']);
    expect((await world.engine.create('create_qr_code', row))['id']).not.toBe(first['id']);
    const failure = await failureOf(upsert({ ...row, targetUrl: target('B') }));
    expect(failure).toMatchObject({ name: 'AppError', code: 'idempotency_conflict' });
    // Once the row has its code, the key no longer matters.
    const moved = await upsert({ ...row, qrCodeId: first['publicUrl'], targetUrl: target('B') });
    expect(moved).toMatchObject({ id: first['id'], outcome: 'updated' });
  });

  /** How a row names its code, and whether a rerun creates no duplicate. */
  const ROWS: [how: string, rowOf: (name: string) => object, isSafe: boolean][] = [
    ['by name', () => ({ matchBy: 'name' }), true],
    ['by nothing, with a key', (name) => ({ deduplicationKey: name }), true],
    ['by nothing', () => ({}), false],
  ];
  const stepOf = (name: string, rowOf: (name: string) => object) => () =>
    upsert({ name, targetUrl: target('A'), ...rowOf(name) });

  test.each(ROWS)(
    'after a lost response, a row named %s says whether to replay',
    async (how, rowOf, isSafe) => {
      const name = `Lost ${how}`;
      const run = stepOf(name, rowOf);
      world.emulator.control.failNext({ drop: 'after', times: 4, match: { method: 'POST', path: '/qr' } });
      const failure = await failureOf(run());
      expect(failure.name).toBe('AppError');
      expect(/Look for it in the app before you replay/.test(failure.message)).toBe(!isSafe);
      if (isSafe) await run();
      expect(await codesNamed(name)).toBe(1);
    },
  );

  test.each(ROWS)(
    'a row named %s whose code was not published says whether to replay',
    async (how, rowOf, isSafe) => {
      const name = `Half done ${how}`;
      const run = stepOf(name, rowOf);
      world.emulator.control.failNext({ code: 'approval_required', match: { path: '/qr/*/publish' } });
      const failure = await failureOf(run());
      expect(failure).toMatchObject({ name: 'AppError', code: 'not_published' });
      expect(/Don't replay this run/.test(failure.message)).toBe(!isSafe);
      if (isSafe) expect(await run()).toMatchObject({ status: 'published' });
      expect(await codesNamed(name)).toBe(1);

      // The rerun of a throttled run publishes its code.
      const limited = stepOf(`Limited ${how}`, rowOf);
      const retryAfter = 120;
      world.emulator.control.failNext({ code: 'rate_limited', retryAfter, match: { path: '/qr/*/publish' } });
      expect((await failureOf(limited())).name).toBe('ThrottledError');
      const outcome: unknown = expect.any(String);
      expect(await limited()).toMatchObject({ status: 'published', targetUrl: target('A'), outcome });
      expect(await codesNamed(`Limited ${how}`)).toBe(1);
    },
  );

  test.each<[fault: string, status: number, code: string, name: string]>([
    ['cursor', 422, 'invalid_cursor', 'AppError'],
    ['rate limit', 429, 'rate_limited', 'ThrottledError'],
  ])('creates nothing if the list ends with an error: %s', async (_fault, status, code, name) => {
    const service = await serve(
      (_request, response) => response.end(JSON.stringify({ data: [CODE], pagination: { nextCursor: 'c' } })),
      (_request, response) =>
        response
          .writeHead(status, status === 429 ? { 'Retry-After': '300' } : {})
          .end(JSON.stringify({ code })),
    );
    const engine = await world.connect('qrs_key_of_a_test', service.url);
    const row = { name: 'None', targetUrl: target('A'), matchBy: 'name' };
    expect(await failureOf(upsert(row, engine))).toMatchObject({ name });
    expect(service.requests.filter(({ method }) => method === 'POST')).toEqual([]);
  });
});

describe('Create QR Code Image', () => {
  let qrCodeId: unknown;
  let slug: unknown;
  beforeAll(async () => {
    ({ id: qrCodeId, slug } = await world.engine.create('create_qr_code', input('Card')));
  });

  const render = (more: Record<string, unknown> = {}) =>
    world.engine.create('render_qr_code', { qrCodeId, ...more });

  test.each([
    ['png', 'image/png', '\u0089PNG\r\n'],
    ['svg', 'image/svg+xml', '<'],
    ['pdf', 'application/pdf', '%PDF-'],
  ])('returns a %s file named after the slug, and the short link', async (format, type, start) => {
    const row = await render({ format });
    expect(row).toMatchObject({ id: qrCodeId, format });
    expect(row['publicUrl']).toMatch(/^http/);

    const file = await world.engine.hydrateFile(row['file']);

    expect(file).toMatchObject({ contentType: type, fileName: `${String(slug)}.${format}` });
    expect(Buffer.from(file.bytes).toString('latin1').startsWith(start)).toBe(true);
  });

  test('requests the image when the file is downloaded, and at once only in the editor', async () => {
    const images = () =>
      world.emulator.control.requests().filter(({ path }) => path.includes('/image')).length;
    const before = images();
    const row = await render();
    expect(images()).toBe(before);
    await world.engine.hydrateFile(row['file']);
    expect(images()).toBe(before + 1);

    const inEditor = (engine = world.engine, size = 300) =>
      engine.create('render_qr_code', { qrCodeId, size }, { isLoadingSample: true });
    await world.engine.hydrateFile((await inEditor())['file']);
    expect(images()).toBe(before + 3);
    expect(await failureOf(inEditor(world.engine, 1e9))).toMatchObject({ code: 'validation_failed' });
    const { apiKey } = world.emulator.control.createKey({ scopes: ['qr:read'] });
    expect(await failureOf(inEditor(await world.connect(apiKey)))).toMatchObject({
      code: 'insufficient_scope',
    });
  });

  test('sends the size to the service', async () => {
    const width = async (size: number) => {
      const { bytes } = await world.engine.hydrateFile((await render({ size }))['file']);
      return Buffer.from(bytes).readUInt32BE(16);
    };
    expect(await width(600)).toBeGreaterThan(await width(200));
  });

  test('returns a new file reference for a changed code, since Zapier caches files', async () => {
    const before = (await render())['file'];
    expect((await render())['file']).toBe(before);
    world.emulator.control.rename(String(qrCodeId), 'Card 2');
    expect((await render())['file']).not.toBe(before);
  });

  test("names the file after the ID when the slug isn't a valid file name", async () => {
    const { file } = await render({ format: 'svg' });
    const odd = String(file).replace(JSON.stringify(slug), JSON.stringify('../menu'));
    expect(odd).not.toBe(file);
    expect(await world.engine.hydrateFile(odd)).toMatchObject({ fileName: `${String(qrCodeId)}.svg` });
  });
});
