import type { INodeExecutionData, INodeParameters } from 'n8n-workflow';
import type { RunOptions } from '../../engines/n8n/index.ts';
import { closeServices, CODE, serve } from '../support/faultyService/faultyService.ts';
import { until } from '../support/jest/until.ts';
import { startWorld, type World } from './support/world.ts';
import { action, codeBy, CREATE_LIVE, NODE } from './support/workflows.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.close());
beforeEach(async () => {
  world.emulator.control.reset();
  // What the process remembers of a key's codes doesn't count for another key.
  const { apiKey } = world.emulator.control.createKey();
  world.engine = await world.engineWith({ apiKey });
});
afterEach(closeServices);

interface Row {
  [key: string]: string | undefined;
  code?: string;
  name?: string;
  url?: string;
}

/** Parameters that take everything from a row. */
const UPSERT: INodeParameters = {
  operation: 'upsert',
  qrCodeId: codeBy('id', '={{ $json.code }}'),
  matchBy: '={{ $json.code ? "id" : "name" }}',
  name: '={{ $json.name }}',
  targetUrl: '={{ $json.url }}',
};
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

test('gets one code for each name, ID or link, and no request for a row that is up to date', async () => {
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

test('pairs each output with its item, and fails only the items that fail', async () => {
  const [, archived] = [await create('Twin'), await create('Archived'), await create('Twin')];
  world.emulator.control.archive(archived.id);
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
  const conflict = `The name "Table 1" has two targets: "${A}" in item 0 and "${B}" in item 2`;
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
  [{ ...BY_REFERENCE, qrCodeId: codeBy('id', 'qr_1') }, 'QR Code is the same for all 2 items', /Map it/],
  [
    { operation: 'retarget', qrCodeId: codeBy('id', 'qr_1'), url: A },
    'QR Code is the same for all 2 items',
    /Execute Once/,
  ],
])(
  'refuses a code that no item can have as its own, before the first write: %j',
  async (parameters, message, advice) => {
    const requests = watchRequests();
    const { error } = await run([table(1), table(2)], { parameters: parameters });
    expect(error).toMatchObject({ message, description: expect.stringMatching(advice) });
    expect(requests()).toEqual([]);
  },
);

test('reports each code of an item that names none as created, also those of an earlier try', async () => {
  world.emulator.control.failNext({ match: { method: 'POST' }, code: 'quota_exceeded' });
  const settings = { retryOnFail: true, maxTries: 2, waitBetweenTries: 1 };
  const items = await upsert(tables(3), { parameters: BY_REFERENCE, settings });
  expect(await allCodes()).toHaveLength(3);
  expect(outcomes(items)).toEqual(['created', 'created', 'created']);
});

test('creates one code with a Deduplication Key, which no update uses', async () => {
  const parameters = { ...BY_REFERENCE, options: { deduplicationKey: '={{ $json.key }}' } };
  const [first] = await upsert([{ ...table(1), key: 'row 1' }], { parameters });
  const [again] = await upsert([{ ...table(1), key: 'row 1' }], { parameters });
  // Nothing marks a replay of the same moment, so the outcome may be that of the first run.
  expect(again!.json['id']).toBe(first!.json['id']);
  const { id, publicUrl } = first!.json as { id: string; publicUrl: string };
  world.emulator.control.rename(id, 'Renamed in the app');
  expect(ids(await upsert([{ ...table(1), key: 'row 1' }], { parameters }))).toEqual([id]);
  for (const url of [B, A, B]) {
    await upsert([{ code: id, ...table(1, url), key: 'row 1' }], { parameters });
    expect(await leadsTo(publicUrl)).toBe(url);
  }
});

test('a second run over two pages of unchanged rows sends no POST, by name, ID or short link', async () => {
  const first = await upsert(tables(110));
  const byColumn = (column: string) =>
    first.map(({ json }) => ({ ...table(''), code: json[column] as string }));
  for (const [rows, parameters] of [
    [tables(110), UPSERT],
    [byColumn('id'), BY_REFERENCE],
    [byColumn('publicUrl'), BY_REFERENCE],
  ] as const) {
    const requests = watchRequests();
    const items = await upsert(rows, { parameters });
    expect(new Set(outcomes(items))).toEqual(new Set(['unchanged']));
    expect(ids(items)).toEqual(ids(first));
    expect(requests()).toEqual(['GET /qr', 'GET /qr']);
  }
});

test('sets a destination again after Update Destination has changed it, although reads are late', async () => {
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
