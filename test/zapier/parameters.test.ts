import app from 'zapier-qr-service';
import type { Row } from '../../engines/zapier/index.ts';
import { createAppRunner } from '../../engines/zapier/run.ts';
import { CODE, serve } from '../support/faultyService/faultyService.ts';
import { startVirtualTime } from '../support/jest/virtualTime.ts';
import { startListService } from '../support/modelService/listService.ts';
import { some } from '../support/seed.ts';
import { failureOf, MAPPED, startWorld, type World } from './support/world.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.close());

describe('parameters', () => {
  const TARGET = 'https://example.com/';

  let code: Row;
  beforeAll(async () => {
    code = await world.engine.create('create_qr_code', { name: 'Table 4', targetUrl: TARGET });
  });

  const run = (step: string, input: Row): Promise<unknown> => {
    const { engine } = world;
    const [kind, key = ''] = step.split('.');
    if (kind === 'creates') return engine.create(key, input, {}, MAPPED);
    if (kind === 'searches') return engine.search(key, input);
    return ['qr_changed', 'new_scan'].includes(key)
      ? engine.poll(key, input, { isLoadingSample: true })
      : engine.performList(key, input);
  };

  /** The requests of a step, without the IDs of new codes. */
  async function sentBy(step: string, input: Row): Promise<string[]> {
    const { control } = world.emulator;
    const before = control.requestCount();
    await run(step, input);
    const sent = control.requests().slice(before - control.requestCount());
    return sent.map(({ method, path, request: { body } }) =>
      `${method} ${path.replace('/v1/public-api', '')} ${body ?? ''}`
        .replace(/qr_\w+(?=\/publish)/, '{id}')
        .trim(),
    );
  }

  /** Expects a failure before any request. */
  async function refusalOf(step: string, input: Row) {
    const before = world.emulator.control.requestCount();
    const failure = await failureOf(run(step, input));
    expect(world.emulator.control.requestCount()).toBe(before);
    return failure;
  }

  /** Valid inputs of each step that has any. */
  const OTHERS: Record<string, () => Row> = {
    'creates.create_qr_code': () => ({
      name: 'A',
      targetUrl: TARGET,
      publishNow: false,
      deduplicationKey: 'k',
    }),
    'creates.publish_qr_code': () => ({ qrCodeId: code['id'] }),
    'creates.retarget_qr_code': () => ({ qrCodeId: code['id'], url: TARGET }),
    'creates.upsert_qr_code': () => ({ qrCodeId: code['id'], matchBy: 'id', targetUrl: TARGET }),
    'creates.render_qr_code': () => ({ qrCodeId: code['id'], format: 'png' }),
    'searches.find_qr_code': () => ({ value: 'Table 4' }),
    'searches.find_scans': () => ({ limit: 3 }),
    'searches.count_scans': () => ({ since: '2026-01-31' }),
    'triggers.qr_published': () => ({}),
    'triggers.qr_updated': () => ({}),
    'triggers.qr_changed': () => ({}),
    'triggers.new_scan': () => ({}),
    'triggers.other_event': () => ({ event: 'export.ready' }),
  };

  interface Field {
    key: string;
    label: string;
    required?: boolean;
    choices?: unknown;
    list?: boolean;
  }

  /** Every field of every step. */
  const FIELDS = (['creates', 'searches', 'triggers'] as const).flatMap((kind) =>
    Object.entries(app[kind]).flatMap(([key, { operation }]) => {
      const fields = ((operation as { inputFields?: unknown[] }).inputFields ?? []).flatMap((field) =>
        typeof field === 'function'
          ? (field as (z: object, bundle: object) => Field[])({}, { inputData: { matchBy: 'id' } })
          : (field as Field),
      );
      return fields.map((field) => ({ step: `${kind}.${key}`, key: field.key, field }));
    }),
  );

  // The core tests what its readers accept and refuse, and in which words.
  test.each(some(FIELDS, 6))(
    '$step names its field $key in an error, before any request',
    async ({ step, key, field }) => {
      const others = OTHERS[step]!();
      const wrong = await refusalOf(step, { ...others, [key]: { note: { inside: 1 } } });
      expect(wrong).toMatchObject({
        name: 'AppError',
        message: expect.stringMatching(`^${field.label} .*an object`),
      });
      if (field.required !== true) return;
      const empty = await refusalOf(step, { ...others, [key]: ' \u200B' });
      expect(empty).toMatchObject({
        name: 'HaltedError',
        message: `${field.label} is empty. Enter a value.`,
      });
    },
  );

  test('every choice is accepted as its value and as its label, in any case', async () => {
    let compared = 0;
    for (const { step, key, field } of FIELDS) {
      if (!Array.isArray(field.choices)) continue;
      const resultOf = async (text: string) =>
        JSON.stringify(
          await run(step, { ...OTHERS[step]!(), name: 'Table 4', [key]: field.list ? [text] : text }),
        );
      for (const { value, label } of field.choices as { value: string; label: string }[]) {
        const expected = await resultOf(value);
        expect(await resultOf(` ${label.toUpperCase()}`)).toBe(expected);
        compared++;
      }
    }
    expect(compared).toBeGreaterThan(5);
  });

  describe('what a cell may hold', () => {
    const creation = (name: string, targetUrl: string) =>
      `POST /qr ${JSON.stringify({ name, mode: 'dynamic', contentType: 'url', content: { targetUrl } })}`;

    // As people type and paste it, and as line items and earlier steps hand it on.
    test.each<[string, string, () => Row, () => string[]]>([
      [
        'a host, spaces and invisible characters at the ends, a list with one value, a no',
        'creates.create_qr_code',
        () => ({ name: ['\u00A0Door\u200B'], targetUrl: '\uFEFFexample.com/menu ', publishNow: 'N' }),
        () => [creation('Door', 'https://example.com/menu')],
      ],
      [
        'a number, a yes',
        'creates.create_qr_code',
        () => ({ name: 42, targetUrl: 'https://example.com/a,b', publishNow: 'on', urlParameters: ' ' }),
        () => [creation('42', 'https://example.com/a,b'), 'POST /qr/{id}/publish'],
      ],
      [
        'a short link without https',
        'creates.retarget_qr_code',
        () => ({ qrCodeId: String(code['publicUrl']).replace('http://', ''), url: 'example.com' }),
        () => [
          'GET /qr?limit=100',
          `POST /qr/${String(code['id'])}/destination {"url":"https://example.com"}`,
        ],
      ],
      [
        'URL parameters, also blank ones',
        'creates.create_qr_code',
        () => ({
          name: 'Door',
          targetUrl: 'example.com/?utm_source=old#top',
          urlParameters: { utm_source: 'qr', utm_term: '', '': '', utm_campaign: 'Käse & Co' },
          publishNow: 'no',
        }),
        () => [creation('Door', 'https://example.com/?utm_source=qr&utm_campaign=K%C3%A4se%20%26%20Co#top')],
      ],
      [
        'URL parameters of a code that exists',
        'creates.upsert_qr_code',
        () => ({ qrCodeId: code['id'], matchBy: 'id', targetUrl: TARGET, urlParameters: { from: 4 } }),
        () => [
          `GET /qr/${String(code['id'])}`,
          `POST /qr/${String(code['id'])}/destination {"url":"${TARGET}?from=4"}`,
        ],
      ],
      [
        'a number as text',
        'creates.render_qr_code',
        () => ({ qrCodeId: [code['id']], size: ' 300 ', format: 'SVG (for print, at any size)' }),
        () => [`GET /qr/${String(code['id'])}`],
      ],
      [
        'a day',
        'searches.find_scans',
        () => ({ since: '2026-01-31' }),
        () => ['GET /scans?since=2026-01-30T23%3A59%3A59.999Z'],
      ],
    ])('accepts %s (%s)', async (_what, step, input, sent) => {
      expect(await sentBy(step, input())).toEqual(sent());
    });

    test('refuses the name of a file in each step that takes an address', async () => {
      for (const [step, key, label] of [
        ['creates.create_qr_code', 'targetUrl', 'Target URL'],
        ['creates.upsert_qr_code', 'targetUrl', 'Target URL'],
        ['creates.retarget_qr_code', 'url', 'New Target URL'],
      ] as const)
        expect((await refusalOf(step, { ...OTHERS[step]!(), [key]: 'menu.pdf' })).message).toContain(
          `${label} is the name of a file`,
        );
    });

    // Typed as a help text shows it, from a template that nobody filled in, or in another form.
    test.each<[step: string, Row, message: string]>([
      ['creates.create_qr_code', { name: 'Table {{row}}' }, 'Name contains a placeholder'],
      ['creates.upsert_qr_code', { qrCodeId: '', name: '{{name}}' }, 'Name contains a placeholder'],
      [
        'creates.create_qr_code',
        { deduplicationKey: 'm-{{row}}' },
        'Deduplication Key contains a placeholder',
      ],
      [
        'creates.create_qr_code',
        { urlParameters: 'a=1' },
        'URL Parameters must be names and values, but got',
      ],
      ['creates.create_qr_code', { urlParameters: [{ a: 1 }] }, 'URL Parameters must be names and values'],
      ['searches.count_scans', { until: '2026-01-31' }, 'Until must be later than Since ('],
    ])('%s refuses %j', async (step, input, message) => {
      expect((await refusalOf(step, { ...OTHERS[step]!(), ...input })).message).toMatch(message);
    });

    test("refuses a code's own short link, before it is sent if the step has seen the link", async () => {
      const { id, publicUrl } = code;
      for (const [step, input, change] of [
        ['retarget_qr_code', { qrCodeId: publicUrl, url: publicUrl }, 'Nothing was sent.'],
        ['upsert_qr_code', { qrCodeId: id, targetUrl: publicUrl, matchBy: 'id' }, 'Nothing was sent.'],
        ['retarget_qr_code', { qrCodeId: id, url: publicUrl }, 'Its destination was updated, so scans'],
      ] as const) {
        const { message } = await failureOf(world.engine.create(step, input));
        expect(message).toMatch(/^The destination of the QR code "Table 4" \(.*\) is its own short link\./);
        expect(message).toContain(change);
      }
    });

    test('refuses a name that two codes have before anything is written, and names both', async () => {
      const create = (name: string) => world.engine.create('create_qr_code', { name, targetUrl: TARGET });
      const named = (name: string) =>
        world.engine.create('upsert_qr_code', { name, targetUrl: TARGET, matchBy: 'name' });
      const found = (value: string) =>
        world.engine.searchOrCreate('find_qr_code', { value }, { name: value, targetUrl: TARGET });
      const codes = [await create('Bar'), await create('BAR')];
      // Exactly one has this name.
      expect(await found('BAR')).toMatchObject({ id: codes[1]!['id'] });
      for (const failing of [named, found]) {
        const failure = await failureOf(failing('bar'));
        expect(failure.code).toBe('ambiguous_name');
        for (const { id } of codes) expect(failure.message).toContain(`ID ${String(id)}`);
      }
      expect(await world.codesNamed('bar')).toBe(0);
    });
  });

  test('an empty Publish Now publishes the code, even if Zapier turned it into a no', async () => {
    const { apiKey, url: baseUrl } = world.emulator;
    const zapier = createAppRunner(app, { rpcUrl: 'http://127.0.0.1:9', log: () => undefined });
    const statusOf = async (inputDataRaw: unknown) => {
      const inputData = { name: 'Name', targetUrl: TARGET, publishNow: false };
      const bundle = { authData: { apiKey, baseUrl }, inputData, inputDataRaw, meta: {} };
      return ((await zapier.run('creates.create_qr_code.operation.perform', bundle)) as Row)['status'];
    };
    for (const cleared of some(['', ' ', null], 1))
      expect(await statusOf({ publishNow: cleared })).toBe('published');
    for (const raw of some([{ publishNow: 'false' }, { publishNow: '{{1__cell}}' }, {}, null]))
      expect(await statusOf(raw)).toBe('draft');
  });

  test.each([
    ['apiKey', 'API Key'],
    ['baseUrl', 'Base URL'],
  ])('the connection names an invalid %s, without a request and without showing it', async (key, label) => {
    const before = world.emulator.control.requestCount();
    for (const value of [{ hidden: 'hidden' }, ['hidden', 'hidden'], NaN]) {
      const { apiKey, url: baseUrl } = world.emulator;
      const auth = { apiKey, baseUrl, [key]: value as unknown as string };
      const { message } = await failureOf((await world.connect(auth.apiKey, auth.baseUrl)).authTest());
      expect(message).toMatch(new RegExp(`^(The )?${label} `, 'i'));
      expect(message).not.toContain('hidden');
    }
    expect(world.emulator.control.requestCount()).toBe(before);
  });

  describe('QR Code', () => {
    test('lists each code once, the most recently updated first, however the service lists them', async () => {
      const codes = Array.from({ length: 235 }, (_, index) => ({
        id: `qr_${index}`,
        name: 'Table',
        targetUrl: TARGET,
      }));
      const large = await startWorld({ seed: { codes } });
      const { control } = large.emulator;
      control.clock.advance(7_200_000);
      for (const index of [7, 130, 234]) control.rename(`qr_${index}`, 'Renamed');
      for (const listOrder of ['ascending', 'descending', 'id'] as const) {
        control.changeSettings({ listOrder });
        const pages = [await large.engine.dropdown('publish_qr_code', 'qrCodeId')];
        for (let token = pages[0]?.pagingToken; token !== undefined; token = pages.at(-1)?.pagingToken)
          pages.push(await large.engine.dropdown('publish_qr_code', 'qrCodeId', token));
        const choices = pages.flatMap((page) => page.choices);
        const all = await large.engine.poll('qr_changed');
        expect(pages.length).toBeGreaterThan(1);
        expect(choices).toHaveLength(235);
        expect(choices.slice(0, 3).every(({ label }) => label.startsWith('Renamed '))).toBe(true);
        // The slug distinguishes codes with the same name.
        expect(new Map(choices.map(({ id, label }) => [id, label]))).toEqual(
          new Map(all.map(({ id, name, slug }) => [id, `${String(name)} (draft, ${String(slug)})`])),
        );
      }
      await large.close();
    });

    test('lists nothing in an empty workspace, and fails when its pagination cursor is no longer valid', async () => {
      const empty = await startWorld();
      expect(await empty.engine.dropdown('publish_qr_code', 'qrCodeId')).toEqual({ choices: [] });
      await empty.close();
      const failure = await failureOf(world.engine.dropdown('publish_qr_code', 'qrCodeId', '["forgotten"]'));
      expect(failure).toMatchObject({ name: 'AppError', code: 'invalid_cursor' });
    });

    const CHANGES = ['publish_qr_code', 'retarget_qr_code', 'upsert_qr_code', 'render_qr_code'];
    const change = (step: string, qrCodeId: string) =>
      world.engine.create(step, { qrCodeId, url: TARGET, targetUrl: TARGET, matchBy: 'id' });

    // The core tests all forms of links.
    test.each(CHANGES)('may be a short link in %s, and one of no code creates nothing', async (step) => {
      const link = ` ${String(code['publicUrl']).replace('http:', 'HTTPS:')}/?from=print\n`;
      expect(await change(step, link)).toMatchObject({ id: code['id'] });
      const failure = await failureOf(change(step, 'https://qr.example/nobody'));
      expect(failure).toMatchObject({ name: 'AppError', code: 'not_found' });
      expect(failure.message).toContain('No QR code has the short link https://qr.example/nobody. ');
    });
  });
});

describe('searches', () => {
  let code: Record<string, unknown>;
  beforeAll(async () => {
    for (const name of ['Table 1', 'Table 10', 'Table 1'])
      code = await world.engine.create('create_qr_code', { name, targetUrl: 'https://example.com' });
  });
  beforeEach(() => {
    // Retries don't wait.
    jest.spyOn(Math, 'random').mockReturnValue(0);
  });
  afterEach(() => {
    world.emulator.control.clearFaults();
    jest.restoreAllMocks();
  });

  const find = (value: unknown, engine = world.engine) => engine.search('find_qr_code', { value });
  const idOf = (found: Record<string, unknown>[]) => found.map(({ id }) => id);
  const link = () => String(code['publicUrl']);

  test.each<[string, () => string]>([
    ['its ID between spaces', () => ` ${String(code['id'])}\n`],
    ['its API URL', () => `${world.emulator.url}/v1/public-api/qr/${String(code['id'])}`],
    ['its short link without the scheme', () => link().replace('http://', '')],
  ])('finds a code by %s', async (_what, value) => {
    expect(idOf(await find(value()))).toEqual([code['id']]);
  });

  test.each(['qr_none', 'https://example.com/none', 'Table'])(
    'returns an empty list when no code matches %p',
    async (value) => {
      expect(await find(value)).toEqual([]);
    },
  );

  /** Names that could be mistaken for something else. */
  const LINKS = ['example.com/menu', 'https://example.com/menu', 'https://api.example/v1/public-api/qr/qr_9'];
  const NAMES = [...LINKS, 'qr_4', '4', '..', 'x'.repeat(200), 'two\nlines 四', '50% off/%41', 'http://['];

  test('"find or create" creates one code for each name, even if the name looks like an ID or a link', async () => {
    for (const name of some(NAMES, 3)) {
      const run = () =>
        world.engine.searchOrCreate(
          'find_qr_code',
          { value: name },
          { name, targetUrl: 'https://a.example' },
        );
      const { id } = await run();
      expect((await run())['id']).toBe(id);
      expect(idOf(await find(name))).toEqual([id]);
    }
  });

  test.each([{}, { deduplicationKey: 'k' }])(
    '"find or create" with %j fails for good if its code may be a draft, as a rerun would find it and succeed',
    async (more) => {
      const run = async (name: string) =>
        world.engine.searchOrCreate(
          'find_qr_code',
          { value: name },
          { name, targetUrl: 'a.example', ...more },
        );
      const limited = `Limited ${JSON.stringify(more)}`;
      const lost = `Lost ${JSON.stringify(more)}`;
      const { control } = world.emulator;
      const retryAfter = 120;
      control.failNext({ code: 'rate_limited', retryAfter, match: { path: '/qr/*/publish' } });
      const failure = await failureOf(run(limited));
      expect(failure).toMatchObject({ name: 'AppError', code: 'not_published' });
      expect(failure.message).toMatch(/then publish it with .* Don't replay this run: .* return the draft/);
      expect(await run(limited)).toMatchObject({ status: 'draft' });

      control.failNext({ drop: 'after', times: 4, match: { method: 'POST', path: '/qr' } });
      const unknown = await failureOf(run(lost));
      expect(unknown).toMatchObject({ name: 'AppError', code: 'network' });
      expect(unknown.message).toContain('Look for it in the app before you replay this run.');
    },
  );

  /** A service with these codes, whose IDs have another form. */
  async function serviceWith(
    codes: { id: unknown; name: string; slug?: string; publicUrl?: string; status?: string }[],
    missing = 404,
  ) {
    const { url, requests } = await serve((request, response) => {
      const [, id] = /\/qr\/([^?]+)/.exec(request.url ?? '') ?? [];
      const rows = codes.map((row) => ({ slug: 'slug', updatedAt: '2026-01-01T00:00:00.000Z', ...row }));
      const row = rows.find((one) => String(one.id) === id || one.slug === id);
      response.setHeader('content-type', 'application/json');
      if (id === undefined) response.end(JSON.stringify({ data: rows }));
      else if (row !== undefined) response.end(JSON.stringify(row));
      else
        response
          .writeHead(missing)
          .end(JSON.stringify({ code: missing === 404 ? 'not_found' : 'validation_failed', message: 'No.' }));
    });
    return { engine: await world.connect('key_of_a_test', url), requests };
  }

  test.each(some([400, 404, 422], 1))(
    'finds numeric and short IDs, and names if the service rejects other IDs with %i',
    async (missing) => {
      const codes = [
        { id: '12', name: 'Door' },
        { id: 'abc', name: '7' },
        { id: '7', name: 'Window' },
      ];
      const { engine } = await serviceWith(codes, missing);
      expect(idOf(await find('12', engine))).toEqual(['12']);
      expect(idOf(await find('abc', engine))).toEqual(['abc']);
      // Ambiguous text is a name, as people type names.
      expect(idOf(await find('7', engine))).toEqual(['abc']);
      expect(idOf(await find('Door', engine))).toEqual(['12']);
      expect(await find('none_4', engine)).toEqual([]);
    },
  );

  test('prefers a link over an equal name, and never mistakes a slug for an ID', async () => {
    const publicUrl = 'https://r.example/door';
    const { engine } = await serviceWith([
      { id: 'qr_1', name: publicUrl },
      { id: 'qr_2', name: 'Door', slug: 'door_2', publicUrl },
    ]);
    expect(idOf(await find(publicUrl, engine))).toEqual(['qr_2']);
    expect(idOf(await find('r.example/door/', engine))).toEqual(['qr_2']);
    expect(await find('door_2', engine)).toEqual([]);
  });

  test.each(some([403, 404, 410], 1))(
    'fails if a proxy responds with %i to what looks like an ID, so that "find or create" does not create a duplicate',
    async (refusal) => {
      const proxy = { status: refusal, body: '<html>' };
      world.emulator.control.failNext({ match: { path: '/qr/*' }, times: Infinity, ...proxy });
      const create = { name: 'qr_1', targetUrl: 'https://a.example' };
      await failureOf(world.engine.searchOrCreate('find_qr_code', { value: 'qr_1' }, create));
      expect(await world.codesNamed('qr_1')).toBe(0);
    },
  );

  test('finds a likely ID with one request', async () => {
    const { engine, requests } = await serviceWith([{ id: 'qr_7hK2pQ', name: 'Door' }]);
    expect(await find('qr_7hK2pQ', engine)).toHaveLength(1);
    expect(requests).toHaveLength(1);
  });

  test('fails for good if there is no time to read all codes, and says what to do', async () => {
    const time = startVirtualTime();
    const rows = Array.from({ length: 1000 }, (_, at) => ({
      ...CODE,
      id: `qr_${at}`,
      name: `Code ${at}`,
      publicUrl: `https://r.example/${at}`,
    }));
    const responds = () => time.advance(2000);
    const { url, requests } = await startListService({ rows, pageSize: 5, responds });
    const engine = await world.connect('key_of_a_test', url);
    expect(await find('r.example/19', engine)).toMatchObject([{ id: 'qr_19' }]);
    const code = { name: 'Not a code', targetUrl: 'https://a.example' };
    for (const search of [
      () => engine.searchOrCreate('find_qr_code', { value: code.name }, code),
      () => engine.create('upsert_qr_code', { ...code, matchBy: 'name' }),
      () => engine.create('publish_qr_code', { qrCodeId: 'r.example/none' }),
    ]) {
      const began = Date.now();
      expect(await failureOf(search())).toMatchObject({
        name: 'AppError',
        code: 'search_limit',
        message: "This workspace has more QR codes than can be searched in 20 seconds. Use the QR code's ID.",
      });
      expect(Date.now() - began).toBeLessThan(25_000);
    }
    expect(requests.map(({ method }) => method)).not.toContain('POST');
  });
});
