import type { IDataObject, INodeExecutionData, INodeParameters } from 'n8n-workflow';
import { closeServices, serve } from '../support/faultyService/faultyService.ts';
import { REFUSED_ADDRESSES } from '../support/parameterValues.ts';
import { startWorld, type World } from './support/world.ts';
import { action, codeBy, NODE } from './support/workflows.ts';

/*
 * What a cell may hold: one row for each thing that people paste, type and map, and its guard. The core tests how each is
 * read, and in which words it is refused.
 */

const TARGET = 'https://example.com/';

interface Code extends IDataObject {
  id: string;
  publicUrl: string;
}

let world: World;
let code: Code;
beforeAll(async () => {
  world = await startWorld();
  code = await create('Table 4');
});
afterEach(closeServices);
afterAll(() => world.close());

const byRow = (...names: string[]) => Object.fromEntries(names.map((name) => [name, `={{ $json.${name} }}`]));
const CODE = codeBy('id', '={{ $json.code }}');

/** Operations whose parameters are all mapped to the row. */
const OPERATIONS = {
  create: { ...byRow('name', 'targetUrl', 'publish'), options: byRow('deduplicationKey') },
  upsert: { ...byRow('matchBy', 'name', 'targetUrl'), qrCodeId: CODE },
  retarget: { ...byRow('url'), qrCodeId: CODE },
  render: { ...byRow('format'), qrCodeId: CODE, options: byRow('size', 'fileName') },
  publish: { qrCodeId: CODE },
  get: { qrCodeId: CODE },
  find: { ...byRow('search'), exactMatch: true },
  scans: { resource: 'scan', operation: 'getAll', filters: byRow('since') },
} satisfies Record<string, INodeParameters>;
type Operation = keyof typeof OPERATIONS;

/** A row that each operation accepts. */
const VALID = { code: 'qr_1', matchBy: 'id', name: 'A', search: 'A', targetUrl: TARGET, url: TARGET };

const run = (operation: Operation, rows: IDataObject[], own: INodeParameters = {}, timezone = 'UTC') => {
  const workflow = action({ operation, ...OPERATIONS[operation], ...own }, rows);
  return world.engine.runWorkflow({ ...workflow, settings: { timezone } });
};

async function outputs(...args: Parameters<typeof run>): Promise<IDataObject[]> {
  const { data, error } = await run(...args);
  if (error !== undefined) throw error;
  return data[NODE]!.map(({ json }) => json).filter(({ id }) => id !== undefined);
}

async function create(name: string): Promise<Code> {
  const [made] = await outputs('create', [{ name, targetUrl: TARGET }]);
  return made as Code;
}

/** What a run sends, without the IDs of new codes. */
async function sentBy(...args: Parameters<typeof run>): Promise<string[]> {
  const { control } = world.emulator;
  const before = control.requestCount();
  await run(...args);
  const count = control.requestCount() - before;
  const sent = count === 0 ? [] : control.requests().slice(-count);
  return sent.map(({ method, path, request: { body } }) =>
    `${method} ${path.replace('/v1/public-api', '')} ${body ?? ''}`
      .replace(/qr_\w+(?=\/publish)/, '{id}')
      .trim(),
  );
}

/** The message of a run that fails before any request. */
async function refusalOf(operation: Operation, row: IDataObject): Promise<string> {
  const before = world.emulator.control.requestCount();
  const { error } = await run(operation, [{ ...VALID, ...row }]);
  expect(world.emulator.control.requestCount()).toBe(before);
  return error!.message;
}

const creation = (name: string, targetUrl: string) =>
  `POST /qr ${JSON.stringify({ name, mode: 'dynamic', contentType: 'url', content: { targetUrl } })}`;

// As people type and paste it, and as earlier nodes hand it on.
test.each<[string, Operation, () => IDataObject, () => string[], timezone?: string]>([
  [
    'a host, spaces and invisible characters at the ends, a list with one value, a no',
    'create',
    () => ({ name: ['\u00A0Door\u200B'], targetUrl: '\uFEFFexample.com/menu ', publish: 'N' }),
    () => [creation('Door', 'https://example.com/menu')],
  ],
  [
    'a number, a comma in a path, a yes',
    'create',
    () => ({ name: 42, targetUrl: 'https://example.com/a,b', publish: 'on' }),
    () => [creation('42', 'https://example.com/a,b'), 'POST /qr/{id}/publish'],
  ],
  [
    'a short link without https',
    'retarget',
    () => ({ code: code.publicUrl.replace('http://', ''), url: 'example.com' }),
    () => ['GET /qr?limit=100', `POST /qr/${code.id}/destination {"url":"https://example.com"}`],
  ],
  [
    'a number as text, a choice in capitals',
    'render',
    () => ({ code: [code.id], size: ' 300 ', format: 'PDF', status: 'published', fileName: 'a' }),
    () => [`GET /qr/${code.id}/image?format=pdf&size=300`, `GET /qr/${code.id}`],
  ],
  [
    "a day in the workflow's time zone",
    'scans',
    () => ({ since: '2026-01-31' }),
    () => ['GET /scans?since=2026-01-30T18%3A30%3A00.000Z'],
    'Asia/Kolkata',
  ],
  [
    'the earlier one of an hour that exists twice, as summer time ends',
    'scans',
    () => ({ since: '2026-10-25 02:30' }),
    () => ['GET /scans?since=2026-10-25T00%3A30%3A00.000Z'],
    'Europe/Zurich',
  ],
])('%s: %s', async (_what, operation, row, sent, ...timezone) => {
  expect(await sentBy(operation, [row()], {}, ...timezone)).toEqual(sent());
});

test.each(REFUSED_ADDRESSES)(
  'refuses %j in each operation that takes an address',
  async (address, problem) => {
    for (const [operation, key, label] of [
      ['create', 'targetUrl', 'Target URL'],
      ['upsert', 'targetUrl', 'Target URL'],
      ['retarget', 'url', 'New Target URL'],
    ] as const)
      expect(await refusalOf(operation, { [key]: address })).toContain(`${label} ${problem}`);
  },
);

test("refuses a code's own short link", async () => {
  const { id, publicUrl } = code;
  const row = { code: id, matchBy: 'id', url: publicUrl, targetUrl: publicUrl };
  for (const operation of ['retarget', 'upsert'] as const)
    expect((await run(operation, [row])).error?.message).toMatch(
      /^The target of the QR code "Table 4" \(.*\) is its own short link/,
    );
});

// A JSON number with 19 digits arrives as another number: it would change the neighbor.
test.each<[Operation, string, string]>([
  ...(['get', 'publish', 'retarget', 'render', 'upsert'] as const).map(
    (operation): [Operation, string, string] => [operation, 'code', 'QR Code'],
  ),
  ['create', 'name', 'Name'],
  ['create', 'deduplicationKey', 'Deduplication Key'],
  ['find', 'search', 'Name or Short Link'],
])('%s refuses a %s that has lost digits', async (operation, key, label) => {
  expect(await refusalOf(operation, { [key]: Number('1234567890123456789') })).toMatch(
    `${label} must be text or a number of up to 15 digits, but got 123456789`,
  );
});

describe('a name that', () => {
  const named = (...names: string[]) =>
    outputs(
      'upsert',
      names.map((name) => ({ name, targetUrl: TARGET, matchBy: 'name' })),
    );
  const found = (search: string) => outputs('find', [{ search }]);

  // Pasted from web pages and PDFs, and typed.
  test.each(['Table\u00A04', 'Table\u202F 4', 'Ta\u00ADble\u200B 4', ' Table\t\n4', 'TABLE 4'])(
    'looks like that of a code, %j, means this code',
    async (name) => {
      expect(await named(name)).toMatchObject([{ id: code.id }]);
      expect(await found(name)).toMatchObject([{ id: code.id }]);
    },
  );

  test('looks like that of another row of the run means the same new code', async () => {
    const rows = await named('Bar 1', 'Bar\u00A01', 'BAR 1', 'Bar 2');
    expect(rows.map(({ outcome }) => outcome)).toEqual(['created', 'unchanged', 'unchanged', 'created']);
    expect(new Set(rows.map(({ id }) => id)).size).toBe(2);
  });

  test('differs visibly is another code', async () => {
    expect(await named('Table 4a')).toMatchObject([{ outcome: 'created' }]);
    expect(await found('Table 4b')).toEqual([]);
  });

  test('two codes have, also in another case, is refused, and both are named', async () => {
    const codes = [await create('Twin'), await create('TWIN')];
    expect(await named('TWIN')).toMatchObject([{ id: codes[1]!.id }]);
    codes.push(await create('TWIN'));
    for (const [name, fitting] of [
      ['TWIN', codes.slice(1)],
      ['twin', codes],
    ] as const) {
      const { error } = await run('upsert', [{ name, targetUrl: TARGET, matchBy: 'name' }]);
      for (const { id } of fitting) expect(error!.description).toContain(`ID ${id}`);
    }
  });
});

test("Include Input Fields keeps the row's own id, status and updatedAt beside the code's", async () => {
  const own = { id: 7, status: 'ready to print', updatedAt: '2026-01-31', note: 'window' };
  const [row] = await outputs('retarget', [{ ...own, code: code.id, url: TARGET }], {
    includeInputFields: true,
  });
  expect(row).toMatchObject({ id: code.id, status: 'published', note: 'window', targetUrl: TARGET });
  expect(row).toMatchObject({ input_id: 7, input_status: own.status, input_updatedAt: own.updatedAt });
  const [same] = await outputs('retarget', [{ id: code.id, code: code.id, url: TARGET }], {
    includeInputFields: true,
  });
  expect(same).not.toHaveProperty('input_id');
});

describe('an image', () => {
  async function download(type: string, body: string, format = 'svg'): Promise<INodeExecutionData | Error> {
    const { url } = await serve((_request, response) =>
      response.writeHead(200, { 'Content-Type': type }).end(body),
    );
    const engine = await world.engineWith({ baseUrl: url });
    const row = { code: 'qr_1', slug: 'door', id: 'qr_1', status: 'published', format };
    const { data, error } = await engine.runWorkflow(
      action({ operation: 'render', ...OPERATIONS.render }, [row]),
    );
    return error ?? data[NODE]![0]!;
  }

  test.each([
    [
      'an SVG with a namespace',
      'image/svg+xml',
      '<svg:svg xmlns:svg="http://www.w3.org/2000/svg"/>',
      'image/svg+xml',
    ],
    ['an SVG after a long comment', 'text/xml', `<!-- ${'Drawn. '.repeat(1000)}--><svg/>`, 'image/svg+xml'],
    ['a PDF after a line break', 'application/x-pdf', '\r\n%PDF-1.7', 'application/pdf'],
  ])('%s is a file', async (what, type, body, mimeType) => {
    expect(await download(type, body, /svg|pdf/i.exec(what)![0])).toMatchObject({
      binary: { data: { mimeType } },
    });
  });

  test('that is a web page with a drawing is an error', async () => {
    expect(await download('text/html', '<html><body><svg></svg>')).toMatchObject({
      message: expect.stringMatching(/^Expected a PNG, SVG or PDF, but got text\/html/),
    });
  });
});
