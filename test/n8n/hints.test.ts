import type { IDataObject, INode, INodeParameters, NodeExecutionHint } from 'n8n-workflow';
import { startWorld, type World } from './support/world.ts';
import { action, CREATE, NODE } from './support/workflows.ts';

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
  ['continueErrorOutput', '2 of 5 items failed. See the error output.'],
  ['continueRegularOutput', '2 of 5 items failed. Their output has an error field.'],
] as const)('counts failed items in one hint with On Error set to %s', async (onError, message) => {
  expect(await hintsOf(rows, { onError })).toEqual([{ message, type: 'warning', location: 'outputPane' }]);
});

test('has no hint if no item failed, or if the first failed item stops the run', async () => {
  expect(await hintsOf([valid, valid], { onError: 'continueErrorOutput' })).toEqual([]);
  expect(await hintsOf(rows, {})).toEqual([]);
});

test('counts all items if a setting of the node is invalid', async () => {
  const parameters = { ...CREATE, options: { concurrency: 'many' } };
  const hints = await hintsOf(rows, { onError: 'continueErrorOutput' }, parameters);
  expect(hints.map(({ message }) => message)).toEqual(['5 of 5 items failed. See the error output.']);
});

describe('images of codes that are not published', () => {
  const code = async (publish: boolean): Promise<IDataObject> => {
    const { data } = await world.engine.runWorkflow(action({ ...CREATE, publish }, [valid]));
    return data[NODE]![0]!.json;
  };
  const qrCodeId = { __rl: true as const, mode: 'id' as const, value: '={{ $json.id }}' };
  const messages = async (codes: IDataObject[]) =>
    (await hintsOf(codes, {}, { operation: 'render', qrCodeId })).map(({ message }) => message);

  test('are counted in one hint', async () => {
    const [draft, published] = [await code(false), await code(true)];
    expect(await messages([draft, published])).toEqual([
      "1 QR code isn't published. Its short link doesn't work yet.",
    ]);
    expect(await messages([draft, published, draft])).toEqual([
      "2 QR codes aren't published. Their short links don't work yet.",
    ]);
  });

  test('are not counted if the items contain no code, but have a status field', async () => {
    const { id } = await code(false);
    expect(await messages([{ id }, { id, status: 'open' }, await code(true)])).toEqual([]);
  });
});
