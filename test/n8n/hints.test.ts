import type { INode, INodeParameters, NodeExecutionHint } from 'n8n-workflow';
import type { WireShape } from 'qr-service-emulator';
import { startWorld, type World } from './support/world.ts';
import { action, CREATE, NODE } from './support/workflows.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.close());
afterEach(() => world.emulator.control.reset());

/** The hints that n8n shows in the node's output after a run. */
async function hintsOf(
  parameters: INodeParameters,
  rows: object[] = [{}],
  settings: Partial<INode> = {},
): Promise<NodeExecutionHint[]> {
  const { run } = await world.engine.runWorkflow(action(parameters, rows as [], settings));
  return run.data.resultData.runData[NODE]!.flatMap(({ hints = [] }) => hints);
}

const table = (index: number) => ({ name: `Table ${index}`, targetUrl: 'https://example.com/' });
const tables = (count: number) => Array.from({ length: count }, (_, index) => table(index));
const invalid = { ...table(0), targetUrl: 'nope' };

describe('failed items', () => {
  const rows = [table(1), invalid, table(2), invalid, table(3)];

  test.each([
    ['continueErrorOutput', '2 of 5 items failed. See the Error branch.'],
    ['continueRegularOutput', '2 of 5 items failed. Their output has an error field.'],
  ] as const)('are counted with On Error set to %s', async (onError, message) => {
    expect(await hintsOf(CREATE, rows, { onError })).toEqual([
      { message, type: 'warning', location: 'outputPane' },
    ]);
  });

  test('are not mentioned if there are none, or if the first one stops the run', async () => {
    expect(await hintsOf(CREATE, tables(3), { onError: 'continueErrorOutput' })).toEqual([]);
    expect(await hintsOf(CREATE, rows)).toEqual([]);
  });

  test('are all items if the settings of the node are invalid', async () => {
    const parameters = { ...CREATE, options: { concurrency: 'many' } };
    const [hint, ...others] = await hintsOf(parameters, tables(3), { onError: 'continueErrorOutput' });
    expect(hint?.message).toBe('3 of 3 items failed. See the Error branch.');
    expect(others).toEqual([]);
  });
});

describe.each<WireShape>([{}, { listKey: 'top-level array' }, { scanCursor: 'always' }])(
  'with lists like %j',
  (shape) => {
    beforeEach(async () => {
      world.emulator.control.setWireShape(shape);
      const { data } = await world.engine.runWorkflow(action({ ...CREATE, publish: true }, tables(3)));
      for (const { json } of data[NODE]!) await fetch(json['publicUrl'] as string, { redirect: 'manual' });
    });

    const LIMITED = {
      message: 'Stopped at the limit, so there may be more results. To get them all, turn on Return All.',
      type: 'info',
      location: 'outputPane',
    };

    test.each([
      ['a limit below the number of rows is mentioned', { limit: 2 }, [LIMITED]],
      ['a limit above the number of rows is not', { limit: 4 }, []],
      ['a limit that Return All turns off is not', { limit: 2, returnAll: true }, []],
    ])('%s', async (_which, parameters, expected) => {
      for (const resource of ['qrCode', 'scan'])
        expect([resource, await hintsOf({ resource, operation: 'getAll', ...parameters })]).toEqual([
          resource,
          expected,
        ]);
    });

    test('a limit that is the number of rows is mentioned only if there may be more', async () => {
      expect(await hintsOf({ operation: 'getAll', limit: 3 })).toEqual([]);
      const scans = await hintsOf({ resource: 'scan', operation: 'getAll', limit: 3 });
      expect(scans).toEqual(shape.scanCursor === 'always' ? [LIMITED] : []);
    });
  },
);

test('a limit reached by several items is mentioned once', async () => {
  await world.engine.runWorkflow(action(CREATE, tables(3)));
  const parameters = { operation: 'getAll', limit: '={{ $json.limit }}' };
  const [hint, ...others] = await hintsOf(parameters, [{ limit: 1 }, { limit: 9 }, { limit: 2 }]);
  expect(hint?.message).toContain('Stopped at the limit for 2 of 3 items, so');
  expect(others).toEqual([]);
});
