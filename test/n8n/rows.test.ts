import type { IDataObject, INodeExecutionData, INodeParameters } from 'n8n-workflow';
import type { RunOptions } from '../../engines/n8n/index.ts';
import { CODE, serve } from '../support/faultyService/faultyService.ts';
import { until } from '../support/jest/until.ts';
import { some } from '../support/seed.ts';
import { action, codeBy, CREATE_LIVE, NODE, UPSERT } from './support/workflows.ts';
import { startWorld, type World } from './support/world.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.close());

describe('Create or Update', () => {
  beforeEach(async () => {
    world.emulator.control.reset();
    // What the process remembers of a key's codes doesn't count for another key.
    const { apiKey } = world.emulator.control.createKey();
    world.engine = await world.engineWith({ apiKey });
  });

  interface Row {
    [key: string]: string | undefined;
    code?: string;
    name?: string;
    url?: string;
  }

  const BY_REFERENCE = { ...UPSERT, matchBy: 'id' };
  const A = 'https://example.com/a';
  const B = 'https://example.com/b';

  const table = (at: number | string, url = A): Row => ({ name: `Table ${at}`, url });
  const tables = (count: number) => Array.from({ length: count }, (_, at) => table(at));
  const CONTINUE = { onError: 'continueRegularOutput' } as const;

  interface Options extends RunOptions {
    parameters?: INodeParameters;
    settings?: Parameters<typeof action>[2];
    engine?: World['engine'];
  }

  const workflow = (rows: Row[], { parameters = UPSERT, settings }: Options = {}) =>
    action(parameters, rows, settings);

  function run(rows: Row[], options: Options = {}) {
    const { engine = world.engine, parameters: _p, settings: _s, ...runOptions } = options;
    return engine.runWorkflow(workflow(rows, options), runOptions);
  }

  async function upsert(rows: Row[], options: Options = {}): Promise<INodeExecutionData[]> {
    const { data, error } = await run(rows, options);
    if (error !== undefined) throw error;
    return data[NODE] ?? [];
  }

  const outcomes = (items: INodeExecutionData[]) => items.map(({ json }) => json['outcome'] ?? json['error']);
  const ids = (items: INodeExecutionData[]) => items.map(({ json }) => json['id'] as string);

  async function create(name: string, targetUrl = A): Promise<{ id: string; publicUrl: string }> {
    const { data } = await world.engine.runWorkflow(action(CREATE_LIVE, [{ name, targetUrl }]));
    return data[NODE]![0]!.json as { id: string; publicUrl: string };
  }

  const leadsTo = async (publicUrl: unknown) =>
    (await fetch(publicUrl as string, { redirect: 'manual' })).headers.get('location');

  async function allCodes(): Promise<Record<string, unknown>[]> {
    const { data } = await world.engine.runWorkflow(action({ operation: 'getAll', returnAll: true }));
    return data[NODE]!.map(({ json }) => json).filter(({ id }) => id !== undefined);
  }

  /** Requests to the API since `begin`, such as `POST /qr/{id}/publish`. */
  function watchRequests() {
    const { emulator } = world;
    const before = emulator.control.requestCount();
    return () => {
      const count = emulator.control.requestCount() - before;
      if (count === 0) return [];
      const latest = emulator.control.requests().slice(-count);
      return latest.map(({ method, path }) =>
        `${method} ${path.replace(/^.*public-api/, '').replace(/\?.*/, '')}`.replace(/\/qr_\w+/, '/{id}'),
      );
    };
  }

  test('keeps one code for each name, ID or link, and sends no request for a row that is up to date', async () => {
    const door = await create('Door');
    const rows = [
      { code: door.id, name: 'Other', url: B },
      table(1),
      { code: door.publicUrl, name: 'Other', url: B },
      table(1),
      { name: 'Door', url: A },
      table(2, B),
    ];
    const first = await upsert(rows);
    expect(outcomes(first)).toEqual(['updated', 'created', 'unchanged', 'unchanged', 'updated', 'created']);
    expect(first.map(({ json }) => json['targetUrl'])).toEqual(rows.map(({ url }) => url));
    for (const { json } of first.slice(3)) expect(await leadsTo(json['publicUrl'])).toBe(json['targetUrl']);
    expect(await allCodes()).toHaveLength(3);
    const requests = watchRequests();
    const second = await upsert(rows.slice(3));
    expect(outcomes(second)).toEqual(['unchanged', 'unchanged', 'unchanged']);
    expect(ids(second)).toEqual(ids(first).slice(3));
    expect(requests()).toEqual(['GET /qr']);
  });

  test('compares the destination with its URL parameters', async () => {
    const parameter = [{ name: 'utm_source', value: '={{ $json.source }}' }];
    const parameters = { ...UPSERT, options: { urlParameters: { parameter } } };
    const results = [];
    for (const source of ['qr', 'qr', 'poster'])
      results.push(...(await upsert([{ ...table(1), source }], { parameters })));
    expect(outcomes(results)).toEqual(['created', 'unchanged', 'updated']);
    expect(await leadsTo(results[2]!.json['publicUrl'])).toBe(`${A}?utm_source=poster`);
  });

  test('pairs each output with its item, and fails only the items that fail', async () => {
    await create('Twin');
    await create('Twin');
    world.emulator.control.archive((await create('Archived')).id);
    const rows = [
      table(1),
      { name: 'Twin', url: A },
      { name: 'Archived', url: A },
      { name: '', url: A },
      table(2, 'x'),
    ];
    const items = await upsert([...rows, table(3)], { settings: CONTINUE });
    expect(items.map(({ pairedItem }) => pairedItem)).toEqual(items.map((_, item) => ({ item })));
    expect(outcomes(items)).toEqual([
      'created',
      '2 QR codes have the name "Twin"',
      expect.stringMatching(/^The QR code "Archived" \(ID qr_\w+, .*\) is archived$/),
      'Name is empty',
      expect.stringMatching(/^Target URL/),
      'created',
    ]);
    expect(items[1]!.json).toMatchObject({
      details: {
        code: 'ambiguous_name',
        description: expect.stringMatching(
          /^Use the ID of one of them.*: ("Twin" \(ID qr_\w+, http.*\)(, )?){2}\.$/,
        ) as string,
      },
    });
    expect(await allCodes()).toHaveLength(5);
  });

  test('fails items with one name and different targets before anything is sent for them', async () => {
    const rows = [table(1), table(2), table(1, B)];
    const conflict = `The name "Table 1" has two destinations: "${A}" in item 0 and "${B}" in item 2`;
    const requests = watchRequests();
    const { error } = await run(rows);
    expect(error).toMatchObject({ message: conflict });
    expect(requests()).toEqual([]);
    expect(outcomes(await upsert(rows, { settings: CONTINUE }))).toEqual([conflict, 'created', conflict]);
    expect(outcomes(await upsert([table(1), table(1, B)], { parameters: BY_REFERENCE }))).toEqual([
      'created',
      'created',
    ]);
  });

  test.each([
    [{ ...BY_REFERENCE, qrCodeId: codeBy('id', '') }, 'QR Code is empty', /Map it to the field/],
    [{ ...BY_REFERENCE, qrCodeId: codeBy('list', '') }, 'QR Code is empty', /Or set Match By to Name/],
    [{ operation: 'get', qrCodeId: codeBy('id', "={{ '' }}") }, 'QR Code is empty', /Choose one/],
    [{ ...BY_REFERENCE, qrCodeId: codeBy('id', 'qr_1') }, 'QR Code is the same for all 2 items', /Map it/],
    [
      { operation: 'retarget', qrCodeId: codeBy('id', 'qr_1'), url: A },
      'QR Code is the same for all 2 items',
      /Execute Once/,
    ],
  ])(
    'refuses one QR code entered for several items, before the first write: %j',
    async (parameters, message, advice) => {
      const requests = watchRequests();
      const { error } = await run([table(1), table(2)], { parameters: parameters });
      const code = message.endsWith('empty') ? 'validation_failed' : 'invalid_input';
      expect(error).toMatchObject({ message, context: { data: { code } } });
      expect(error!.description).toMatch(advice);
      expect(requests()).toEqual([]);
    },
  );

  test('reports the code of an item without an ID as created, even if an earlier try created it', async () => {
    world.emulator.control.failNext({ match: { method: 'POST' }, code: 'quota_exceeded' });
    const failed = await run(tables(3), { parameters: BY_REFERENCE });
    world.emulator.control.clock.advance(60_000);
    const again = workflow(tables(3), { parameters: BY_REFERENCE });
    const { data } = await world.engine.retryRun(again, failed);
    expect(await allCodes()).toHaveLength(3);
    expect(outcomes(data[NODE]!)).toEqual(['created', 'created', 'created']);
  });

  test('uses a Deduplication Key to create a code, but not to update one', async () => {
    const parameters = { ...BY_REFERENCE, options: { deduplicationKey: '={{ $json.key }}' } };
    const [first] = await upsert([{ ...table(1), key: 'row 1' }], { parameters });
    const [again] = await upsert([{ ...table(1), key: 'row 1' }], { parameters });
    // Nothing marks a replay of the same moment, so the outcome may be that of the first run.
    expect(again!.json['id']).toBe(first!.json['id']);
    const { id, publicUrl } = first!.json as { id: string; publicUrl: string };
    expect(ids(await upsert([{ ...table(2), key: 'row 1' }], { parameters }))).not.toEqual([id]);
    world.emulator.control.rename(id, 'Renamed in the app');
    expect(ids(await upsert([{ ...table(1), key: 'row 1' }], { parameters }))).toEqual([id]);
    for (const url of [B, A, B]) {
      await upsert([{ code: id, ...table(1, url), key: 'row 1' }], { parameters });
      expect(await leadsTo(publicUrl)).toBe(url);
    }
  });

  test('a second run over two pages of unchanged rows sends no POST, by name, ID or short link', async () => {
    const first = await upsert(tables(52));
    world.emulator.control.changeSettings({ maxLimit: 50 });
    const byColumn = (column: string) =>
      first.map(({ json }) => ({ ...table(''), code: json[column] as string }));
    for (const [rows, parameters] of some<[Row[], INodeParameters]>(
      [
        [tables(52), UPSERT],
        [byColumn('id'), BY_REFERENCE],
        [byColumn('publicUrl'), BY_REFERENCE],
      ],
      1,
    )) {
      const requests = watchRequests();
      const items = await upsert(rows, { parameters });
      expect(new Set(outcomes(items))).toEqual(new Set(['unchanged']));
      expect(ids(items)).toEqual(ids(first));
      // A page of 100 is refused first.
      expect(requests()).toEqual(['GET /qr', 'GET /qr', 'GET /qr']);
    }
  });

  test('restores a destination that Update Destination has changed, even while reads are late', async () => {
    const { control } = world.emulator;
    const [item] = await upsert([table(1)]);
    const { id, publicUrl } = item!.json as { id: string; publicUrl: string };
    control.clock.advance(2000);
    control.changeSettings({ readLagMs: 1000 });
    await world.engine.runWorkflow(action({ operation: 'retarget', qrCodeId: codeBy('id', id), url: B }));
    expect(await leadsTo(publicUrl)).toBe(B);
    expect(outcomes(await upsert([{ code: id, url: A }], { parameters: BY_REFERENCE }))).toEqual(['updated']);
    expect(await leadsTo(publicUrl)).toBe(A);
  });

  test('the last of many concurrent rows about a code wins, however they name it', async () => {
    const { id, publicUrl } = await create('Poster');
    const names: Row[] = [{ code: id }, { code: publicUrl }];
    const rows = Array.from({ length: 21 }, (_, at) => ({
      name: 'Other',
      ...names[at % 2],
      url: `https://example.com/${at}`,
    }));
    world.emulator.control.failNext({ delayMs: 60 });
    const items = await upsert(rows);
    expect(ids(items)).toEqual(Array(21).fill(id));
    expect(await leadsTo(publicUrl)).toBe('https://example.com/20');
  });

  test('a cancelled run sends nothing for rows that wait for others', async () => {
    const service = await serve((request, response) => {
      // A write gets no response.
      if (request.method === 'GET') response.end(JSON.stringify(CODE));
    });
    const engine = await world.engineWith({ baseUrl: service.url });
    const rows = Array.from({ length: 5 }, (_, at) => ({ code: CODE.id, name: 'Door', url: `${A}/${at}` }));
    const controller = new AbortController();
    const running = run(rows, { engine, parameters: BY_REFERENCE, signal: controller.signal });
    const writes = () => service.requests.filter(({ method }) => method === 'POST');
    await until(() => writes().length > 0);
    controller.abort();
    expect((await running).status).toBe('canceled');
    expect(writes()).toHaveLength(1);
  });
});

describe('cells', () => {
  /*
   * What a cell may hold: one row for each thing that people paste, type and map, and its guard. The core tests how each is
   * read, and in which words it is refused.
   */

  const TARGET = 'https://example.com/';

  interface Code extends IDataObject {
    id: string;
    publicUrl: string;
  }

  let code: Code;
  beforeAll(async () => {
    code = await create('Table 4');
  });

  const byRow = (...names: string[]) =>
    Object.fromEntries(names.map((name) => [name, `={{ $json.${name} }}`]));
  const CODE = codeBy('id', '={{ $json.code }}');

  /** Operations whose parameters are all mapped to the row. */
  const OPERATIONS = {
    create: { ...byRow('name', 'targetUrl', 'publish'), options: byRow('deduplicationKey') },
    upsert: { ...byRow('matchBy', 'name', 'targetUrl'), qrCodeId: CODE },
    retarget: { ...byRow('url'), qrCodeId: CODE },
    scans: { resource: 'scan', operation: 'getAll', filters: byRow('since') },
  } satisfies Record<string, INodeParameters>;
  type Operation = keyof typeof OPERATIONS;

  /** A row that each operation accepts. */
  const VALID = { code: 'qr_1', matchBy: 'id', name: 'A', targetUrl: TARGET, url: TARGET };

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

  /** The message of a run that fails before any request. */
  async function refusalOf(operation: Operation, row: IDataObject): Promise<string> {
    const before = world.emulator.control.requestCount();
    const { error } = await run(operation, [{ ...VALID, ...row }]);
    expect(world.emulator.control.requestCount()).toBe(before);
    return error!.message;
  }

  test.each([
    ["a day in the workflow's time zone", '2026-01-31', '2026-01-30T18%3A29%3A59.999Z', 'Asia/Kolkata'],
    [
      'the earlier one of an hour that exists twice, as summer time ends',
      '2026-10-25 02:30',
      '2026-10-25T00%3A29%3A59.999Z',
      'Europe/Zurich',
    ],
  ])('%s: %s', async (_what, since, sent, timezone) => {
    await run('scans', [{ since }], {}, timezone);
    expect(world.emulator.control.requests().at(-1)!.path).toBe(`/v1/public-api/scans?since=${sent}`);
  });

  // Typed in Fixed mode, or from a template that nobody filled in.
  test.each<[Operation, IDataObject, label: string]>([
    ['create', { name: 'Table {{ $json.row }}' }, 'Name'],
    ['upsert', { code: '', name: '{{ $json.name }}' }, 'Name'],
    ['create', { deduplicationKey: 'menu-{{row}}' }, 'Deduplication Key'],
  ])('%s refuses %j', async (operation, row, label) => {
    expect(await refusalOf(operation, row)).toContain(`${label} contains a placeholder instead of its value`);
  });

  test.each<[string, 'retarget' | 'upsert', (code: Code) => IDataObject, isSent: boolean]>([
    ['Create or Update', 'upsert', ({ id }) => ({ code: id }), false],
    ['Update Destination by ID alone', 'retarget', ({ id }) => ({ code: id }), true],
    ['Update Destination by link', 'retarget', ({ publicUrl }) => ({ code: publicUrl }), false],
    ['Update Destination by a row of the code', 'retarget', (own) => ({ ...own, code: own.id }), false],
    [
      'Update Destination by an event',
      'retarget',
      ({ id, publicUrl }) => ({ qrId: id, publicUrl, code: id }),
      false,
    ],
    [
      "Update Destination by another code's row",
      'retarget',
      (own) => ({ ...own, id: 'qr_2', code: own.id }),
      true,
    ],
  ])(
    "refuses a code's own short link, before the write if the link is known: %s",
    async (_how, operation, row, isSent) => {
      const { publicUrl } = code;
      const { control } = world.emulator;
      const before = control.requestCount();
      const { error } = await run(operation, [
        { matchBy: 'id', url: publicUrl, targetUrl: publicUrl, ...row(code) },
      ]);
      expect(error!.message).toMatch(/^The destination of the QR code .* is its own short link/);
      const count = control.requestCount() - before;
      const requests = count === 0 ? [] : control.requests().slice(-count);
      expect(requests.filter(({ method }) => method === 'POST')).toHaveLength(isSent ? 1 : 0);
    },
  );

  describe('Include Input Fields', () => {
    const keeping = (rows: IDataObject[]) => run('retarget', rows, { includeInputFields: true });
    const outputOf = async (row: IDataObject) => {
      const { data } = await keeping([{ code: code.id, url: TARGET, ...row }]);
      return data[NODE]![0]!.json;
    };
    const OURS = { description: 'Enter a value.', code: 'validation_failed' };

    test.each<[string, IDataObject, IDataObject]>([
      [
        'its own id, status and updatedAt beside those of the code',
        { id: 7, status: 'ready to print', updatedAt: '2026-01-31' },
        { input_id: 7, input_status: 'ready to print', input_updatedAt: '2026-01-31', status: 'published' },
      ],
      [
        'a field whose second name is in use, too',
        { status: 'ready', input_status: 'old', input_name: 'A', name: 'B' },
        { input_status: 'old', input_input_status: 'ready', input_name: 'A', input_input_name: 'B' },
      ],
      [
        'an error of an earlier run, but empty',
        { error: 'Name is empty', details: OURS },
        { error: '', details: '' },
      ],
      [
        'such an error as a sheet has it, but empty',
        { error: 'Name is empty', details: JSON.stringify(OURS) },
        { error: '', details: '' },
      ],
      [
        'details of its own',
        { error: 'Name is empty', details: 'See the description' },
        { error: '', details: 'See the description' },
      ],
      ['details without an error', { details: OURS }, { details: OURS }],
    ])('keeps %s', async (_what, row, kept) => {
      expect(await outputOf(row)).toMatchObject({ id: code.id, targetUrl: TARGET, ...kept });
    });

    test('gives no second name to a field with the same value', async () => {
      expect(await outputOf({ id: code.id })).not.toHaveProperty('input_id');
    });

    test.each(['continueRegularOutput', 'continueErrorOutput'] as const)(
      'keeps the fields and files of an item, with On Error set to %s also if it fails',
      async (onError) => {
        const file = { data: 'YQ==', mimeType: 'image/png', fileName: 'logo.png' };
        const rows = [TARGET, 'nope', TARGET].map((url, row) => ({ row, code: code.id, url }));
        const parameters = { operation: 'retarget', ...OPERATIONS.retarget, includeInputFields: true };
        const workflow = action(parameters, rows, { onError });
        for (const item of workflow.pinData!['Rows']!) Object.assign(item, { binary: { logo: file } });
        const { outputs } = await world.engine.runWorkflow(workflow);
        const items = outputs[NODE]!.flat().sort((a, b) => Number(a.json['row']) - Number(b.json['row']));
        expect(items).toMatchObject(rows.map((json) => ({ json })));
        expect(items[1]!.json).toMatchObject({
          error: expect.stringContaining('web address'),
          details: { code: 'validation_failed' },
        });
        const withFiles = onError === 'continueRegularOutput' ? items : [items[0], items[2]];
        for (const item of withFiles) expect(item).toMatchObject({ binary: { logo: file } });
      },
    );
  });
});
