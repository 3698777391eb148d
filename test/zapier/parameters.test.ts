import app from 'zapier-qr-service';
import type { Row } from '../../engines/zapier/index.ts';
import { createAppRunner } from '../../engines/zapier/run.ts';
import { REFUSED_ADDRESSES } from '../support/parameterValues.ts';
import { failureOf, MAPPED, startWorld, type World } from './support/world.ts';

const TARGET = 'https://example.com/';

let world: World;
let code: Row;
beforeAll(async () => {
  world = await startWorld();
  code = await world.engine.create('create_qr_code', { name: 'Table 4', targetUrl: TARGET });
});
afterAll(() => world.close());

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
test.each(FIELDS)(
  '$step names its field $key in an error, before any request',
  async ({ step, key, field }) => {
    const others = OTHERS[step]!();
    const wrong = await refusalOf(step, { ...others, [key]: { note: 1 } });
    expect(wrong).toMatchObject({
      name: 'AppError',
      message: expect.stringMatching(`^${field.label} .*an object`),
    });
    if (field.required !== true) return;
    const empty = await refusalOf(step, { ...others, [key]: ' \u200B' });
    expect(empty).toMatchObject({ name: 'HaltedError', message: `${field.label} is empty. Enter a value.` });
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
      () => ({ name: 42, targetUrl: 'https://example.com/a,b', publishNow: 'on' }),
      () => [creation('42', 'https://example.com/a,b'), 'POST /qr/{id}/publish'],
    ],
    [
      'a short link without https',
      'creates.retarget_qr_code',
      () => ({ qrCodeId: String(code['publicUrl']).replace('http://', ''), url: 'example.com' }),
      () => ['GET /qr?limit=100', `POST /qr/${String(code['id'])}/destination {"url":"https://example.com"}`],
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
      () => ['GET /scans?since=2026-01-31T00%3A00%3A00.000Z'],
    ],
  ])('%s: %s', async (_what, step, input, sent) => {
    expect(await sentBy(step, input())).toEqual(sent());
  });

  test.each(REFUSED_ADDRESSES)('refuses %j in each step that takes an address', async (address, problem) => {
    for (const [step, key, label] of [
      ['creates.create_qr_code', 'targetUrl', 'Target URL'],
      ['creates.upsert_qr_code', 'targetUrl', 'Target URL'],
      ['creates.retarget_qr_code', 'url', 'New Target URL'],
    ] as const)
      expect((await refusalOf(step, { ...OTHERS[step]!(), [key]: address })).message).toContain(
        `${label} ${problem}`,
      );
  });

  test("refuses a code's own short link", async () => {
    const { id: qrCodeId, publicUrl } = code;
    for (const [step, input] of [
      ['retarget_qr_code', { url: publicUrl }],
      ['upsert_qr_code', { targetUrl: publicUrl, matchBy: 'id' }],
    ] as const)
      expect((await failureOf(world.engine.create(step, { qrCodeId, ...input }))).message).toMatch(
        /^The target of the QR code "Table 4" \(.*\) is its own short link\./,
      );
  });

  // A JSON number with 19 digits arrives as another number: it would change the neighbor.
  test.each(FIELDS.filter(({ key }) => ['qrCodeId', 'value', 'deduplicationKey', 'name'].includes(key)))(
    '$step refuses a $key that has lost digits',
    async ({ step, key, field }) => {
      const { message } = await refusalOf(step, { ...OTHERS[step]!(), [key]: Number('1234567890123456789') });
      expect(message).toMatch(
        `${field.label} must be text or a number of up to 15 digits, but got 123456789`,
      );
    },
  );

  describe('a name that', () => {
    const named = async (name: string) =>
      world.engine.create('upsert_qr_code', { name, targetUrl: TARGET, matchBy: 'name' });
    const found = async (value: string) =>
      world.engine.searchOrCreate('find_qr_code', { value }, { name: value, targetUrl: TARGET });
    // Pasted from web pages and PDFs, and typed.
    test.each(['Table\u00A04', 'Table\u202F 4', 'Ta\u00ADble\u200B 4', ' Table\t\n4', 'TABLE 4'])(
      'looks like that of a code, %j, means this code',
      async (name) => {
        expect(await named(name)).toMatchObject({ id: code['id'], outcome: 'updated' });
        expect(await found(name)).toMatchObject({ id: code['id'] });
      },
    );

    test('differs visibly is another code', async () => {
      expect(await named('Table 4a')).toMatchObject({ outcome: 'created' });
      expect((await found('Table 4b'))['id']).not.toBe(code['id']);
    });

    test('two codes have is refused before anything is written, and both are named', async () => {
      const create = (name: string) => world.engine.create('create_qr_code', { name, targetUrl: TARGET });
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
});

test('an empty Publish Now publishes the code, even if Zapier turned it into a no', async () => {
  const { apiKey, url: baseUrl } = world.emulator;
  const zapier = createAppRunner(app, { rpcUrl: 'http://127.0.0.1:9', log: () => undefined });
  const statusOf = async (inputDataRaw: unknown) => {
    const inputData = { name: 'Name', targetUrl: TARGET, publishNow: false };
    const bundle = { authData: { apiKey, baseUrl }, inputData, inputDataRaw, meta: {} };
    return ((await zapier.run('creates.create_qr_code.operation.perform', bundle)) as Row)['status'];
  };
  for (const cleared of ['', ' ', null]) expect(await statusOf({ publishNow: cleared })).toBe('published');
  for (const raw of [{ publishNow: 'false' }, { publishNow: '{{1__cell}}' }, {}, null])
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
  test('lists each code once, page by page, and distinguishes codes with the same name', async () => {
    const codes = Array.from({ length: 135 }, () => ({ name: 'Table', targetUrl: TARGET }));
    const large = await startWorld({ seed: { codes } });
    const pages = [await large.engine.dropdown('publish_qr_code', 'qrCodeId')];
    for (let token = pages[0]?.pagingToken; token !== undefined; token = pages.at(-1)?.pagingToken)
      pages.push(await large.engine.dropdown('publish_qr_code', 'qrCodeId', token));
    const choices = pages.flatMap((page) => page.choices);
    const all = await large.engine.poll('qr_changed');
    await large.close();
    expect(pages.length).toBeGreaterThan(1);
    expect(choices).toHaveLength(135);
    expect(new Map(choices.map(({ id, label }) => [id, label]))).toEqual(
      new Map(all.map(({ id, slug }) => [id, `Table (draft, ${String(slug)})`])),
    );
  });

  test('lists nothing in an empty workspace, and fails when its pagination cursor is no longer valid', async () => {
    const empty = await startWorld();
    expect(await empty.engine.dropdown('publish_qr_code', 'qrCodeId')).toEqual({ choices: [] });
    await empty.close();
    const failure = await failureOf(world.engine.dropdown('publish_qr_code', 'qrCodeId', 'forgotten'));
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
