import type { IDataObject, INode, INodeParameters, ITaskData, NodeExecutionHint } from 'n8n-workflow';
import { startWorld, type World } from './support/world.ts';
import { action, codeBy, CREATE, NODE } from './support/workflows.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.close());

/** The hints that n8n shows in the node's output after a run. */
async function hintsOf(
  rows: IDataObject[],
  settings: Partial<INode>,
  parameters: INodeParameters = CREATE,
): Promise<NodeExecutionHint[]> {
  const { run } = await world.engine.runWorkflow(action(parameters, rows, settings));
  return run.data.resultData.runData[NODE]!.flatMap(({ hints = [] }) => hints);
}

const valid = { name: 'Table 4', targetUrl: 'https://example.com/' };
const invalid = { ...valid, targetUrl: 'nope' };
const rows = [valid, invalid, valid, invalid, valid];

test.each([
  ['continueErrorOutput', rows, '3 created. 2 of 5 items failed. See the error output.'],
  ['continueRegularOutput', rows, '3 created. 2 of 5 items failed. See the error field.'],
  ['continueRegularOutput', [invalid], 'The item failed. See the error field.'],
] as const)('sums up a run in one hint with On Error set to %s', async (onError, items, message) => {
  expect(await hintsOf([...items], { onError })).toEqual([
    { message, type: 'warning', location: 'outputPane' },
  ]);
});

test('counts what an upsert came to', async () => {
  const parameters = { ...CREATE, operation: 'upsert', matchBy: 'name' };
  const table = (name: string, path = '') => ({ name, targetUrl: `https://example.com/${path}` });
  await hintsOf([table('Upsert 1'), table('Upsert 2')], {}, parameters);
  const again = [table('Upsert 1'), table('Upsert 2', 'new'), table('Upsert 3'), table('Upsert 3')];
  expect(await hintsOf(again, {}, parameters)).toEqual([
    { message: '1 created, 1 updated, 2 unchanged.', type: 'info', location: 'outputPane' },
  ]);
});

test('names the statuses that exist if no code has the one of a filter', async () => {
  const parameters = { operation: 'getAll', filters: { status: 'live' } };
  expect(await hintsOf([{}], {}, parameters)).toMatchObject([
    { message: expect.stringMatching(/^No QR code has the status "live"\. Found: .*published/) },
  ]);
});

test('has no hint for a single item, or if the first failed item stops the run', async () => {
  expect(await hintsOf([valid], { onError: 'continueErrorOutput' })).toEqual([]);
  expect(await hintsOf(rows, {})).toEqual([]);
});

describe('Download Image', () => {
  const ID = codeBy('id', '={{ $json.id }}');
  type Code = IDataObject & { id: string; publicUrl: string };
  const codes: Record<string, Code> = {};
  beforeAll(async () => {
    for (const status of ['published', 'draft', 'archived']) {
      const parameters = { ...CREATE, publish: status !== 'draft' };
      const { data } = await world.engine.runWorkflow(action(parameters, [{ ...valid, name: status }]));
      codes[status] = data[NODE]![0]!.json as Code;
    }
    world.emulator.control.archive(codes['archived']!.id);
  });

  async function download(rows: IDataObject[], qrCodeId: object, engine = world.engine) {
    const before = world.emulator.control.requestCount();
    const parameters = { operation: 'render', qrCodeId, options: { fileName: 'code' } } as INodeParameters;
    const { run } = await engine.runWorkflow(action(parameters, rows));
    const [{ hints = [], data }] = run.data.resultData.runData[NODE] as [ITaskData];
    const images = data!['main']![0]!.length;
    const reads = world.emulator.control.requestCount() - before - images;
    return { reads, images, hints: hints.map(({ type, message }) => `${type}: ${message}`) };
  }

  test.each<
    [string, string, (code: Code) => [row: IDataObject, qrCodeId: object], reads: number, told: boolean]
  >([
    ['draft', "by a row's ID", ({ id }) => [{ id }, ID], 1, true],
    [
      'draft',
      'chosen from the list',
      ({ id }) => [{ status: 'published' }, { ...codeBy('id', id), mode: 'list' }],
      1,
      true,
    ],
    ['archived', 'by the code itself', (code) => [{ ...code, status: 'archived' }, ID], 0, true],
    [
      'published',
      'and a row of another code',
      ({ id }) => [{ ...codes['draft'] }, codeBy('id', id)],
      1,
      false,
    ],
  ])(
    'of a code that is %s, %s, tells whether its short link works',
    async (status, _how, input, reads, told) => {
      const code = codes[status]!;
      const [row, qrCodeId] = input(code);
      const name = `${status} (${status}, ${code['slug'] as string})`;
      const message = `Not published, so the short links don't work: ${name}.`;
      expect(await download([row], qrCodeId)).toEqual({
        reads,
        images: 1,
        hints: told ? [`warning: ${message}`] : [],
      });
    },
  );

  test('says nothing about codes that the key may not read', async () => {
    const { apiKey } = world.emulator.control.createKey({ scopes: ['exports:read'] });
    const engine = await world.engineWith({ apiKey });
    const { id } = codes['draft']!;
    expect(await download([{ id }, { id, status: 'ready' }], ID, engine)).toEqual({
      reads: 1,
      images: 2,
      hints: ['info: 2 downloaded.'],
    });
  });

  test('reads each code once, and many from the list', async () => {
    const few = Array.from({ length: 60 }, (_, nth) => ({ id: Object.values(codes)[nth % 3]!.id }));
    const { reads, hints } = await download(few, ID);
    expect(reads).toBe(3);
    expect(hints).toEqual([
      expect.stringMatching(
        /^warning: 60 downloaded\. Not published, so the short links don't work: draft \(draft, .*, archived \(archived, .*\)\.$/,
      ),
    ]);
    const rows = Array.from({ length: 30 }, (_, nth) => ({ ...valid, name: `Many ${nth}` }));
    const { data } = await world.engine.runWorkflow(action(CREATE, rows));
    const many = data[NODE]!.map(({ json }) => ({ id: json['id'] as string }));
    const drafts = await download(many, ID);
    expect(drafts.reads).toBeLessThan(5);
    expect(drafts.hints).toEqual([expect.stringMatching(/ Not published, .* and 27 more\.$/)]);
  });
});
