import type { Row } from '../../engines/zapier/index.ts';
import { some } from '../support/seed.ts';
import { nextRequest } from './support/deliveries.ts';
import { failureOf, HOOK_URL, MAPPED, startWorld, type World } from './support/world.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
beforeEach(() => {
  // Retries don't wait.
  jest.spyOn(Math, 'random').mockReturnValue(0);
});
afterEach(() => jest.restoreAllMocks());
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

const codesNamed = (name: string) => world.codesNamed(name);

test('publishes the code by default; the short link of a draft does not work', async () => {
  const published = await world.engine.create('create_qr_code', input('Published'));
  const draft = await world.engine.create('create_qr_code', input('Unpublished', { publishNow: false }));
  expect([published['status'], draft['status']]).toEqual(['published', 'draft']);
  expect(await leadsTo(published['publicUrl'])).toBe('https://example.com/menu');
  expect(await leadsTo(draft['publicUrl'])).toBeUndefined();
});

test('sends text with curly braces, quotes and any script unchanged', async () => {
  const name = '{bundle.authData.apiKey} "Tisch" 四 🍜';
  expect(await world.engine.create('create_qr_code', input(name))).toMatchObject({ name });
  const qrCodeId = '{{bundle.authData.apiKey}}';
  const failure = await failureOf(world.engine.create('publish_qr_code', { qrCodeId }));
  expect(failure).toMatchObject({ code: 'not_found' });
  expect(world.emulator.control.requests().at(-1)?.path).toContain(encodeURIComponent(qrCodeId));
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
  expect(again['targetUrl']).toBe('https://example.com/menu');
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
    const url = `https://example.com/?v=${version}`;
    const change = { qrCodeId, url: 'example.com/', urlParameters: { v: version } };
    const moved = await world.engine.create('retarget_qr_code', change);
    expect(moved).toMatchObject({ targetUrl: url });
    expect(await leadsTo(publicUrl)).toBe(url);
  }
  world.emulator.control.archive(String(qrCodeId));
  for (const [step, change] of [
    ['publish_qr_code', /is archived\..* It was not changed\. Restore it/],
    ['retarget_qr_code', /^The destination of the archived QR code .* was updated\..* Restore it/],
  ] as const) {
    const failure = await failureOf(world.engine.create(step, { qrCodeId, url: 'example.com/A' }));
    expect(failure).toMatchObject({ code: 'archived', message: expect.stringMatching(change) });
  }
  world.emulator.control.unarchive(String(qrCodeId));
  expect(await leadsTo(publicUrl)).toBeUndefined();
  await world.engine.create('publish_qr_code', { qrCodeId });
  expect(await leadsTo(publicUrl)).toBe('https://example.com/A');
});

test('a rejection under a deduplication key needs a new one once the input is corrected, as the errors say', async () => {
  const run = (deduplicationKey: string, targetUrl: string) =>
    world.engine.create('create_qr_code', { name: 'Corrected', targetUrl, deduplicationKey });
  const refusal = await failureOf(run('row-corrected', 'mailto:nobody'));
  expect(refusal).toMatchObject({ name: 'AppError', code: 'validation_failed', status: 422 });
  expect(refusal.message).toMatch(/still fails, use another Deduplication Key\. \(validation_failed, /);
  const conflict = await failureOf(run('row-corrected', 'https://example.com/right'));
  expect(conflict).toMatchObject({ name: 'AppError', code: 'idempotency_conflict' });
  expect(conflict.message).toMatch(
    /an earlier version of this row, or a row with the same number in another Zap\. Type a word for the sheet, then insert a column that never changes, for example menu-7: /,
  );
  await run('row-corrected-2', 'https://example.com/right');
  expect(await codesNamed('Corrected')).toBe(1);
});

describe('Create or Update', () => {
  const upsert = (inputData: Record<string, unknown>, engine = world.engine) =>
    engine.create('upsert_qr_code', { matchBy: 'id', ...inputData }, {}, MAPPED);
  const target = (version: string) => `https://example.com/${version}`;

  test('by name, creates a code once; by an empty ID without a key, creates another', async () => {
    const row = { name: 'Matched', targetUrl: target('A') };
    const first = await upsert({ ...row, matchBy: 'name' });
    const again = await upsert({ ...row, matchBy: 'name' });
    expect([first['outcome'], again['outcome'], again['id']]).toEqual(['created', 'updated', first['id']]);
    expect(await codesNamed('Matched')).toBe(1);
    await upsert(row);
    expect(await codesNamed('Matched')).toBe(2);
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
    const last = 'urlParameters';
    expect(await shown()).toEqual([...first, last]);
    expect(await shown('name')).toEqual([...first, 'name', last]);
    for (const how of ['id', '{{1__how}}'])
      expect(await shown(how)).toEqual([...first, 'qrCodeId', 'name', 'deduplicationKey', last]);
  });

  test('ignores a QR Code that was mapped before Name was chosen', async () => {
    const { id } = await upsert({ ...input('Found by its name'), matchBy: 'name', qrCodeId: 'qr_none' });
    expect(await codesNamed('Found by its name')).toBe(1);
    expect(id).toEqual(expect.any(String));
  });

  test('creates one code per deduplication key, with keys of its own', async () => {
    const row = { name: 'Keyed', targetUrl: target('A'), deduplicationKey: 'row-of-its-own' };
    const first = await upsert(row);
    const again = await upsert(row);
    expect(again['id']).toBe(first['id']);
    expect((await world.engine.create('create_qr_code', row))['id']).not.toBe(first['id']);
    const failure = await failureOf(upsert({ ...row, targetUrl: target('B') }));
    expect(failure).toMatchObject({ name: 'AppError', code: 'idempotency_conflict' });
    // Once the row has its code, the key no longer matters.
    const moved = await upsert({ ...row, qrCodeId: first['publicUrl'], targetUrl: target('B') });
    expect(moved).toMatchObject({ id: first['id'], outcome: 'updated' });
  });

  test('publishes a draft that is mapped, and a run that could not is safe to repeat', async () => {
    const { id } = await world.engine.create('create_qr_code', input('Mapped draft', { publishNow: false }));
    const row = { ...input('Mapped draft'), qrCodeId: id };
    world.emulator.control.failNext({ code: 'approval_required', match: { path: '/qr/*/publish' } });
    expect((await failureOf(upsert(row))).message).toContain('Replaying this run within 24 hours is safe');
    expect(await upsert(row)).toMatchObject({ id, status: 'published', outcome: 'updated' });
  });

  /** How a row finds its code, and whether a rerun creates no duplicate. */
  const ROWS: [how: string, rowOf: (name: string) => object, isSafe: boolean][] = [
    ['matched by name', () => ({ matchBy: 'name' }), true],
    ['with an empty ID and a key', (name) => ({ deduplicationKey: name }), true],
    ['with an empty ID', () => ({}), false],
  ];
  const stepOf = (name: string, rowOf: (name: string) => object) => () =>
    upsert({ name, targetUrl: target('A'), ...rowOf(name) });

  test.each(some(ROWS, 2))(
    'a row %s whose run fails: the error says whether to replay',
    async (how, rowOf, isSafe) => {
      const { control } = world.emulator;
      const publishing = { path: '/qr/*/publish' };
      const [lost, refused, limited] = ['Lost', 'Half done', 'Limited'].map((what) => `${what} ${how}`) as [
        string,
        string,
        string,
      ];
      control.failNext({ drop: 'after', times: 4, match: { method: 'POST', path: '/qr' } });
      const { name, message } = await failureOf(stepOf(lost, rowOf)());
      expect([name, /Look for it in the app before you replay/.test(message)]).toEqual(['AppError', !isSafe]);
      if (isSafe) await stepOf(lost, rowOf)();

      control.failNext({ code: 'approval_required', match: publishing });
      const failure = await failureOf(stepOf(refused, rowOf)());
      expect(failure).toMatchObject({ name: 'AppError', code: 'not_published' });
      expect(/Don't replay this run/.test(failure.message)).toBe(!isSafe);
      if (isSafe) expect(await stepOf(refused, rowOf)()).toMatchObject({ status: 'published' });

      // The rerun of a throttled run publishes its code.
      control.failNext({ code: 'rate_limited', retryAfter: 120, match: publishing });
      expect((await failureOf(stepOf(limited, rowOf)())).name).toBe('ThrottledError');
      const outcome = how === 'matched by name' ? 'updated' : 'created';
      const published = { status: 'published', targetUrl: target('A'), outcome };
      expect(await stepOf(limited, rowOf)()).toMatchObject(published);
      for (const row of [lost, refused, limited]) expect([row, await codesNamed(row)]).toEqual([row, 1]);
    },
  );
});

describe('Create QR Code Image', () => {
  let qrCodeId: unknown;
  beforeAll(async () => {
    ({ id: qrCodeId } = await world.engine.create('create_qr_code', input('Card')));
  });

  const render = (more: Record<string, unknown> = {}) =>
    world.engine.create('render_qr_code', { qrCodeId, ...more });

  test.each([
    ['png', 'image/png', '\u0089PNG\r\n'],
    ['svg', 'image/svg+xml', '<'],
    ['pdf', 'application/pdf', '%PDF-'],
  ])('returns a %s file named after the code, and the short link', async (format, type, start) => {
    const row = await render({ format });
    expect(row).toMatchObject({ id: qrCodeId, format });
    expect(row['publicUrl']).toMatch(/^http/);

    const file = await world.engine.hydrateFile(row['file']);

    expect(file).toMatchObject({ contentType: type, fileName: `Card.${format}` });
    expect(Buffer.from(file.bytes).toString('latin1').startsWith(start)).toBe(true);
  });

  const images = () => world.emulator.control.requests().filter(({ path }) => path.includes('/image')).length;

  const PLACES: [place: string, rowOf: (id: string) => Promise<Row | undefined>][] = [
    ['Create', () => world.engine.create('create_qr_code', input('Card'))],
    [
      'Create or Update',
      () => world.engine.create('upsert_qr_code', { ...input('Card'), matchBy: 'id' }, {}, MAPPED),
    ],
    ['Publish', (id) => world.engine.create('publish_qr_code', { qrCodeId: id })],
    ['Find', async (value) => (await world.engine.search('find_qr_code', { value }))[0]],
    ["Published's test in the editor", async () => (await world.engine.performList('qr_published'))[0]],
    ['Published', async (id) => delivered({ qrId: id, qr: { id, name: 'Card' } })],
    ['Published without data of the code', async (id) => delivered({ qrId: id })],
  ];
  /** The row of a delivery with this data. */
  async function delivered(data: Row): Promise<Row | undefined> {
    const before = world.hooks.requests.length;
    const hook = await world.engine.subscribe('qr_published', HOOK_URL);
    world.emulator.control.emit('qr.published', data);
    const [found] = await hook.receive(await nextRequest(world, before));
    await hook.unsubscribe();
    return found;
  }

  test.each(PLACES)(
    '%s returns images that take no request until a later step uses them',
    async (place, rowOf) => {
      const before = images();
      const found = await rowOf(String(qrCodeId));
      expect(images()).toBe(before);
      const stem = place === 'Published without data of the code' ? String(qrCodeId) : 'Card';
      for (const [key, format] of Object.entries({ imagePng: 'png', imageSvg: 'svg', imagePdf: 'pdf' }))
        expect(await world.engine.hydrateFile(found?.[key])).toMatchObject({ fileName: `${stem}.${format}` });
      expect(images()).toBe(before + 3);
    },
  );

  test('requests the image when the file is downloaded, and at once only in the editor', async () => {
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

  test('returns a new file reference for a changed code, since Zapier caches files', async () => {
    const before = (await render())['file'];
    expect((await render())['file']).toBe(before);
    world.emulator.control.rename(String(qrCodeId), 'Card 2');
    expect((await render())['file']).not.toBe(before);
  });

  test.each<[name: string, stem: string | undefined]>([
    ['メニュー 四', 'メニュー 四'],
    ['../', undefined],
  ])('names the file of a code that is named %j so that people recognize it', async (name, stem) => {
    const { id } = await world.engine.create('create_qr_code', input(name));
    const { file } = await render({ qrCodeId: id, format: 'svg' });
    expect(await world.engine.hydrateFile(file)).toMatchObject({ fileName: `${stem ?? String(id)}.svg` });
  });
});
