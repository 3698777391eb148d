import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { serve } from '../support/faultyService/faultyService.ts';
import { some } from '../support/seed.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import {
  closeWorlds,
  requestsOf,
  startServer,
  startWorld,
  type CheckedResult,
  type McpServerUnderTest,
  type World,
} from './support/world.ts';

describe('rows', () => {
  let world: World;
  /** Another process, which doesn't know what the first one has done. */
  let other: McpServerUnderTest;
  beforeAll(async () => {
    world = await startWorld();
    other = await startServer(world.emulator);
  });
  /** The server remembers its rows: each test has its own. */
  let testNumber = 0;
  beforeEach(() => {
    world.emulator.control.reset();
    testNumber += 1;
  });
  afterAll(closeWorlds);

  const name = (number: number) => `Table ${testNumber}.${number}`;
  const url = (path: string | number) => `https://example.com/${testNumber}/${path}`;
  const row = (at: number, path: string | number = at) => ({ name: name(at), targetUrl: url(path) });
  const rows = (count: number) => Array.from({ length: count }, (_, index) => row(index + 1));
  const CREATE = 'create_qr_codes';
  const UPSERT = 'upsert_qr_codes';
  const create = (args: object) => world.server.call(CREATE, { ...args });
  const upsert = (args: object) => world.server.call(UPSERT, { ...args });
  const outcomes = ({ data }: CheckedResult) =>
    data.results.map(({ outcome }: { outcome: string }) => outcome) as string[];
  const idsOf = ({ data }: CheckedResult) =>
    data.results.map(({ qrCode }: { qrCode?: { id: string } }) => qrCode?.id) as string[];
  const codes = async () => (await world.server.call('find_qr_codes', { limit: 100 })).data.qrCodes;
  const leadsTo = async (publicUrl: unknown) =>
    (await fetch(String(publicUrl), { redirect: 'manual' })).headers.get('location');
  type Fault = Parameters<World['emulator']['control']['failNext']>[0];
  const POST_QR = { method: 'POST', path: '/qr' };
  const LOST: Fault = { times: Infinity, drop: 'after', match: POST_QR };

  describe.each([CREATE, UPSERT])('rows of %s', (tool) => {
    const call = (args: object, settings = {}) => world.server.call(tool, { ...args }, settings);

    test('succeed or fail alone, all at once, with progress that only increases', async () => {
      const bad = { ...row(12), targetUrl: 'menu.pdf' };
      const unnamed = { ...row(13), name: '{{name}}' };
      const args = { rows: rows(30).with(11, bad).with(12, unnamed) };
      const { data, isError, text } = await call(args, { onprogress: () => undefined });
      expect(isError).toBe(false);
      expect(data).toMatchObject({ succeeded: 28, failed: 2 });
      expect(data.results[29]).toMatchObject({ row: 30, qrCode: { name: name(30), status: 'published' } });
      const error = { code: 'validation_failed', retryable: false, message: expect.any(String) as string };
      expect(data.results[11]).toEqual({ row: 12, outcome: 'failed', error });
      expect(data.results[12].error.message).toMatch(/^name contains a placeholder/);
      expect(text.split('\n')).toHaveLength(31);
      expect(text.length).toBeLessThan(6000);
      expect(await codes()).toHaveLength(28);
      const steps = world.server.progress.map(({ progress }) => progress);
      expect(steps).toEqual([...new Set(steps)].sort((a, b) => a - b));
      expect(world.server.progress.splice(0).at(-1)).toMatchObject({ progress: 30, total: 30 });
    });

    test.each<[string, Fault, outcome: string, says: RegExp]>([
      [
        "aren't published",
        { code: 'approval_required', match: { path: '/qr/*/publish' } },
        'not_published',
        /^The QR code qr_\w+ was created but not published.*publish it with publish_qr_code\. .*again with the same row in this session is safe too/s,
      ],
      ['may exist, as responses were lost,', LOST, 'failed', /won't create a duplicate/],
    ])('that %s say so, and repeating them publishes that code', async (_what, fault, outcome, says) => {
      world.emulator.control.failNext(fault);
      const { data } = await call({ rows: [row(1)] });
      expect(data).toMatchObject({ succeeded: 0, failed: 1, results: [{ outcome }] });
      expect(data.results[0].error.message).toMatch(says);
      world.emulator.control.clearFaults();
      const again = await call({ rows: [row(1)] });
      expect(again.data).toMatchObject({ succeeded: 1, results: [{ qrCode: { status: 'published' } }] });
      expect(await codes()).toHaveLength(1);
    });
  });

  test('repeated rows return the same code; another copy or another session creates another', async () => {
    const first = await create({ rows: [row(1), row(2), row(1)] });
    const [one, two] = idsOf(first);
    expect(first.data.results).toMatchObject([{}, {}, { repeated: true, qrCode: { id: one } }]);
    const second = await create({ rows: [row(1), { ...row(1), copy: 2 }, { ...row(1), copy: '2' }] });
    const [same, copy, sameCopy] = idsOf(second);
    expect([same, sameCopy]).toEqual([one, copy]);
    expect(second.text).toContain('set copy to create another');
    const [elsewhere] = idsOf(await other.call(CREATE, { rows: [row(1)] }));
    expect(new Set([one, two, copy, elsewhere]).size).toBe(4);
    expect(await codes()).toHaveLength(4);
  });

  test.each([
    ['all scopes', undefined],
    ['a key that may only write', ['qr:write'] as const],
  ])('a repeated row returns its code as it is now, with %s', async (_what, scopes) => {
    const { control, apiKey } = world.emulator;
    const key = scopes === undefined ? apiKey : control.createKey({ scopes: [...scopes] }).apiKey;
    const server = await startServer({ ...world.emulator, apiKey: key });
    const call = (args: object) => server.call(CREATE, { rows: [row(1)], ...args });
    const [code] = idsOf(await call({ publish: false }));
    await server.call('publish_qr_code', { code });
    await server.call('retarget_qr_code', { code, url: url('new') });
    for (const publish of [true, false]) {
      const [result] = (await call({ publish })).data.results;
      expect(result).toMatchObject({ repeated: true, qrCode: { id: code, name: name(1) } });
      expect(result.qrCode.status).not.toBe('draft');
      // Whether somebody else has changed it, only a key that reads can tell.
      expect(result.qrCode.targetUrl).toBe(scopes === undefined ? url('new') : undefined);
    }
    // The service has forgotten its Idempotency-Key.
    control.clock.advance(25 * 60 * 60 * 1000);
    expect(idsOf(await call({}))).toEqual([code]);
    expect(await codes()).toHaveLength(1);
  });

  test("a repeated row whose code isn't found fails instead of creating a second code", async () => {
    const [id] = idsOf(await create({ rows: [row(1)] }));
    world.emulator.control.delete(id!);
    const { data, text } = await create({ rows: [row(1), { ...row(1), copy: 2 }] });
    expect(data.results).toMatchObject([
      { outcome: 'failed', error: { code: 'not_visible', retryable: true } },
      { outcome: 'published' },
    ]);
    expect(text).toContain(`The service doesn't find the new QR code "${name(1)}" (ID ${id})`);
  });

  test('a failure that every row would have stops the call; a quota stops only new codes', async () => {
    const { control } = world.emulator;
    const list = idsOf(await upsert({ rows: rows(20) })).map((code) => ({ code, targetUrl: url('next') }));
    control.failNext({ code: 'workspace_mismatch', match: { path: '/qr/*/destination' } });
    expect((await upsert({ rows: list })).data).toMatchObject({ succeeded: 19, failed: 1 });
    control.failNext({ code: 'quota_exceeded', match: POST_QR });
    expect((await upsert({ rows: [row(99), ...list] })).data).toMatchObject({ succeeded: 20, failed: 1 });

    control.failNext({ code: 'quota_exceeded', times: Infinity, match: POST_QR });
    const before = control.requestCount();
    const { data, isError, text } = await create({ rows: rows(100).map((one) => ({ ...one, copy: 3 })) });
    expect(isError).toBe(true);
    expect(data).toMatchObject({ succeeded: 0, failed: 100 });
    expect(control.requestCount() - before).toBeLessThanOrEqual(10);
    expect(text).toContain('90 rows not sent after that.');
  });

  test('upserting a list creates, updates or leaves its codes unchanged', async () => {
    const first = await upsert({ rows: rows(3) });
    expect(outcomes(first)).toEqual(['created', 'created', 'created']);
    const [one, two, three] = first.data.results.map(({ qrCode }: { qrCode: object }) => qrCode);
    const list = [
      { code: one.id, targetUrl: url('new') },
      { code: two.publicUrl, name: 'Renamed in the list', targetUrl: url(2) },
      { code: three.publicUrl, targetUrl: url('third') },
      row(4),
    ];
    const second = await upsert({ rows: list });
    expect(outcomes(second)).toEqual(['updated', 'unchanged', 'updated', 'created']);
    expect(second.data.results[1].qrCode.name).toBe(name(2));
    const previous = second.data.results.map(({ previousUrl }: { previousUrl?: string }) => previousUrl);
    expect(previous).toEqual([url(1), undefined, url(3), undefined]);
    expect(second.text).toMatch(/^Created 1, updated 2 and left 1 unchanged of 4\.\n/);
    expect(second.text).toContain(`(pointed to ${url(1)} before)`);
    expect(await leadsTo(three.publicUrl)).toBe(url('third'));
    const before = requestsOf(world.emulator).length;
    expect(outcomes(await upsert({ rows: list.slice(0, 3) }))).toEqual(Array(3).fill('unchanged'));
    expect(requestsOf(world.emulator).slice(before).join()).not.toContain('POST');
  });

  test('rows with one name and two destinations fail and name each other', async () => {
    const { data } = await upsert({ rows: [row(1), row(2), row(2, 'later')], matchBy: 'name' });
    expect(data.results).toMatchObject([
      { outcome: 'created' },
      { outcome: 'failed', error: { code: 'conflicting_rows' } },
      { outcome: 'failed', error: { message: expect.stringContaining('in row 2 and') as string } },
    ]);
  });

  test('a repeated row without a code updates the code that it created', async () => {
    const first = await upsert({ rows: [row(1), row(1), row(2), row(1)] });
    expect(outcomes(first)).toEqual(['created', 'unchanged', 'created', 'unchanged']);
    const [code] = idsOf(first);
    const created = await create({ rows: [row(1)] });
    expect(created.data.results).toMatchObject([{ repeated: true, qrCode: { id: code } }]);
    await world.server.call('retarget_qr_code', { code, url: url('elsewhere') });
    const again = await upsert({ rows: [row(1)] });
    expect(again.data.results).toMatchObject([{ outcome: 'updated', qrCode: { id: code } }]);
    expect(await leadsTo(again.data.results[0].qrCode.publicUrl)).toBe(url(1));
    expect(await codes()).toHaveLength(2);
  });

  test('upsert_qr_codes finds a code that create_qr_codes created before lists show it', async () => {
    const late = await startWorld({ visibleAfterMs: 3_600_000 });
    const { data } = await late.server.call(CREATE, { rows: [row(1)] });
    const { id, publicUrl } = data.results[0].qrCode;
    for (const args of [{ ...row(1, 'B') }, { code: publicUrl, targetUrl: url('C') }]) {
      const { data: updated } = await late.server.call(UPSERT, { rows: [args], matchBy: 'name' });
      expect(updated.results).toMatchObject([{ outcome: 'updated', qrCode: { id } }]);
    }
    expect(await leadsTo(publicUrl)).toBe(url('C'));
  });
});

describe('images', () => {
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
    folder = temporaryFolder();
    world = await startWorld({ seed: SEED });
    server = await startServer(world.emulator, { args: ['--out', folder] });
  });
  afterEach(() => {
    for (const name of readdirSync(folder)) rmSync(join(folder, name));
  });
  afterAll(closeWorlds);

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
  ])('without --out, a %s is attached to the result', async (format, image) => {
    const result = await world.server.call('render_qr_codes', { codes: ['qr_1'], format });
    expect(result.text).toContain(`Drew 1 of 1 as ${format.toUpperCase()}.\nThe images follow`);
    // Many clients show a model nothing but the structured content, if there is any.
    expect(result.data).toBeUndefined();
    expect(attachedIn(result)).toEqual([image]);
  });

  test.each(some(['create_qr_codes', 'upsert_qr_codes', 'render_qr_codes'], 2))(
    'of %s that fit one result are those of its first rows, whichever is drawn first',
    async (tool) => {
      let drawn = 0;
      const held: (() => void)[] = [];
      const service = await serve(({ url = '', method }, response, body) => {
        if (url.endsWith('/me')) return response.end('{}');
        const { name = url.split('/')[4] } = (body === '' ? {} : JSON.parse(body)) as { name?: string };
        const code = { id: name, name, status: 'published', publicUrl: `https://r.example/${name}` };
        if (!url.includes('/image'))
          return response.writeHead(method === 'POST' ? 201 : 200).end(JSON.stringify(code));
        const send = () =>
          response.writeHead(200, { 'Content-Type': 'image/svg+xml' }).end(Buffer.alloc(400_000, '<svg>'));
        drawn += 1;
        // The first one comes last.
        if (url.includes('/qr_1/')) return held.push(send);
        send();
        if (drawn === 4) for (const sendFirst of held) sendFirst();
        return undefined;
      });
      const other = await startServer({ url: service.url, apiKey: 'key' });
      const ids = ['qr_1', 'qr_2', 'qr_3', 'qr_4'];
      const rows = ids.map((name) => ({ name, targetUrl: 'https://example.com/' }));
      const format = 'svg';
      const args = tool === 'render_qr_codes' ? { codes: ids, format } : { rows, images: format };
      const result = await other.call(tool, args);
      expect(attachedIn(result)).toEqual(
        ['qr_1', 'qr_2'].map((id) => `image/svg+xml qr://codes/${id}.svg <svg`),
      );
      expect(result.text).toMatch(
        /\nRow 1: .*attached\nRow 2: .*attached\nRow 3: .*images are too large.*--out\.[^\n]*\nRow 4: .*images are too large[^\n]*$/,
      );
    },
  );

  test('with --out, each code is drawn once and written to a file, and a missing one fails alone', async () => {
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
    // The short link of a draft doesn't work, however often its image is printed.
    expect(drawn.text).toMatch(/\nRow 1: Door · .*\/r\/door · draft · ID qr_1 · image .*door\.svg\n/);
    expect(attachedIn(drawn)).toEqual([]);
    expect(readFileSync(join(folder, 'door.svg'), 'utf8')).toContain('<svg');
    // The list is read once, too.
    expect(control.requestCount() - before).toBeLessThanOrEqual(8);
    const hints = ({ tools }: McpServerUnderTest) =>
      tools.find(({ name }) => name === 'render_qr_codes')?.annotations;
    expect(hints(world.server)).toMatchObject({ readOnlyHint: true });
    expect(hints(server)).toMatchObject({ destructiveHint: true, idempotentHint: true });
  });

  describe.each(some(['create_qr_codes', 'upsert_qr_codes'], 1))('images of %s', (tool) => {
    const row = (at: number) => ({ name: `${tool} ${at}`, targetUrl: `https://example.com/${at}` });
    const rows = (count: number) => Array.from({ length: count }, (_, index) => row(index + 1));

    test('are written to --out or attached, and a repeated row has the same image', async () => {
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
      expect(attachedIn(attached)).toEqual(
        ids.map((id: string) => `image/svg+xml qr://codes/${id}.svg <svg`),
      );
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
      expect({ isError, text }).toMatchObject({
        isError: true,
        text: expect.stringContaining('exports:read'),
      });
      expect(requestsOf(world.emulator).at(-1)).toBe('GET /me');
    });
  });
});
