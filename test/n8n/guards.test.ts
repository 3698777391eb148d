import { gzipSync } from 'node:zlib';
import type {
  IDataObject,
  IExecuteFunctions,
  INodeExecutionData,
  INodeParameters,
  INodeType,
} from 'n8n-workflow';
import type { WorkflowJson } from '../../engines/n8n/index.ts';
import { closeServices, serve } from '../support/faultyService/faultyService.ts';
import { PUBLIC_URL, startWorld, type World } from './support/world.ts';
import { action, codeBy, CREATE, NODE, onEvents, onPoll } from './support/workflows.ts';

/* What people do with n8n every day, and what must keep working. Each line was reported as broken elsewhere. */

let world: World;
beforeEach(async () => {
  world = await startWorld();
});
afterEach(async () => {
  closeServices();
  await world.close();
});

const rows = (count: number): IDataObject[] =>
  Array.from({ length: count }, (_, i) => ({ name: `Row ${i}`, targetUrl: 'https://example.com/' }));

async function codeNames(): Promise<unknown[]> {
  const { data } = await world.engine.runWorkflow(action({ operation: 'getAll', returnAll: true }));
  return data[NODE]!.map(({ json }) => json['name']).sort();
}

test('a renamed polling trigger returns the changes that wait', async () => {
  const trigger = world.engine.pollTrigger(onPoll('changedCodes'), NODE);
  await trigger.activate();
  let { staticData } = trigger;
  for (const name of ['Renamed', NODE, 'Renamed']) {
    await world.engine.runWorkflow(
      action(CREATE, [{ name: `Before ${name}`, targetUrl: 'https://example.com/' }]),
    );
    const json = onPoll('changedCodes');
    json.nodes[0]!.name = name;
    json.connections = {};
    const renamed = world.engine.pollTrigger(json, name, staticData);
    expect((await renamed.activate()).items.map(({ json: row }) => row['name'])).toEqual([`Before ${name}`]);
    ({ staticData } = renamed);
  }
});

test.each<[string, INodeParameters]>([
  ['', {}],
  [' and Include Input Fields', { includeInputFields: true }],
])(
  'Retry On Fail and Continue%s create one code for each row that has a column `error`',
  async (_with, own) => {
    const settings = {
      retryOnFail: true,
      maxTries: 3,
      waitBetweenTries: 1,
      onError: 'continueRegularOutput',
    } as const;
    const sheet = rows(3).map((row, at) => ({ ...row, error: at === 1 ? '' : 'It failed last time.' }));
    const { data, status } = await world.engine.runWorkflow(action({ ...CREATE, ...own }, sheet, settings));
    expect(status).toBe('success');
    expect(data[NODE]!.map(({ json }) => json['name'])).toEqual(['Row 0', 'Row 1', 'Row 2']);
    expect(await codeNames()).toEqual(['Row 0', 'Row 1', 'Row 2']);
  },
);

/** Stands in for n8n's Loop Over Items: one item in each round, through its second output. */
const loop: INodeType = {
  description: {
    ...{ displayName: 'Loop', name: 'loop', group: ['transform'], version: 1, description: 'Loops' },
    ...{ defaults: {}, inputs: ['main'], outputs: ['main', 'main'], properties: [] },
  },
  execute(this: IExecuteFunctions) {
    const memory = this.getContext('node') as { left?: INodeExecutionData[] };
    const [next, ...left] = (memory.left ??= this.getInputData());
    memory.left = left;
    return Promise.resolve(next === undefined ? [this.getInputData(), []] : [[], [next]]);
  },
};

test('Loop Over Items whose third round fails makes each code once when the execution is retried', async () => {
  const json = action(CREATE, rows(5));
  const loopNode = { ...json.nodes[0]!, id: 'Loop', name: 'Loop', type: 'loop', parameters: {} };
  const to = (node: string) => [{ node, type: 'main' as const, index: 0 }];
  const workflow: WorkflowJson = {
    ...json,
    nodes: [...json.nodes, loopNode],
    connections: {
      Rows: { main: [to('Loop')] },
      Loop: { main: [[], to(NODE)] },
      [NODE]: { main: [to('Loop')] },
    },
  };
  const engine = await world.engineWith({}, { loop });
  world.emulator.control.failNext({ times: 2, delayMs: 0 });
  world.emulator.control.failNext({ code: 'quota_exceeded' });
  const failed = await engine.runWorkflow(workflow);
  expect(failed.status).toBe('error');
  expect(await codeNames()).toEqual(['Row 0', 'Row 1']);
  expect((await engine.retryRun(workflow, failed)).error).toBeUndefined();
  expect(await codeNames()).toEqual(['Row 0', 'Row 1', 'Row 2', 'Row 3', 'Row 4']);
});

test('publishing five times leaves one subscription', async () => {
  let staticData: IDataObject = {};
  for (let round = 0; round < 5; round++) {
    const options = { publicUrl: PUBLIC_URL, staticData, mode: 'update' as const };
    ({ staticData } = await world.engine.activateTrigger(onEvents(['qr.created']), NODE, options));
  }
  expect(world.emulator.control.subscriptions()).toMatchObject([
    { id: (staticData[`node:${NODE}`] as IDataObject)['subscriptionId'] },
  ]);
});

test('an image that arrives gzipped is stored unpacked', async () => {
  const svg = '<svg xmlns="http://www.w3.org/2000/svg"/>';
  const { url } = await serve((_request, response) =>
    response
      .writeHead(200, { 'Content-Type': 'image/svg+xml', 'Content-Encoding': 'gzip' })
      .end(gzipSync(svg)),
  );
  const engine = await world.engineWith({ baseUrl: url });
  const render = { operation: 'render', qrCodeId: codeBy('id', 'qr_1'), format: 'svg' };
  const row = { id: 'qr_1', slug: 'door', status: 'published' };
  const { data } = await engine.runWorkflow(action(render, [row]));
  expect((await engine.getBinary(data[NODE]![0]!, 'data')).toString()).toBe(svg);
});
