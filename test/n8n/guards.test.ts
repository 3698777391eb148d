import { gzipSync } from 'node:zlib';
import { SsrfProtectionService } from '@n8n/backend-network';
import { SsrfProtectionConfig } from '@n8n/config';
import { Container } from '@n8n/di';
import { ERROR_CODES } from '@qr-service/core/connector';
import type {
  IDataObject,
  IExecuteFunctions,
  INodeExecutionData,
  INodeParameters,
  INodeType,
} from 'n8n-workflow';
import {
  type ActivateOptions,
  type ActiveTrigger,
  createN8nEngine,
  type N8nEngine,
  useInstance,
  type WorkflowJson,
} from '../../engines/n8n/index.ts';
import { serve, status } from '../support/faultyService/faultyService.ts';
import { until } from '../support/jest/until.ts';
import { N8nProcess } from './support/n8nProcess.ts';
import { action, codeBy, CREATE, NODE, onEvents, onPoll } from './support/workflows.ts';
import { PACKAGE_DIR, PUBLIC_URL, startWorld, type World } from './support/world.ts';

describe('what people do with n8n every day', () => {
  /* What people do with n8n every day, and what must keep working. Each line was reported as broken elsewhere. */

  let world: World;
  let clock: number;
  beforeEach(async () => {
    clock = Date.now();
    world = await startWorld({ now: () => clock });
  });
  afterEach(() => world.close());

  const rows = (count: number): IDataObject[] =>
    Array.from({ length: count }, (_, i) => ({ name: `Row ${i}`, targetUrl: 'https://example.com/' }));

  async function codeNames(): Promise<unknown[]> {
    const { data } = await world.engine.runWorkflow(action({ operation: 'getAll', returnAll: true }));
    return data[NODE]!.map(({ json }) => json['name']).sort();
  }

  test('a polling trigger that was renamed returns the changes since its last poll', async () => {
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
      expect((await renamed.activate()).items.map(({ json: row }) => row['name'])).toEqual([
        `Before ${name}`,
      ]);
      ({ staticData } = renamed);
    }
  });

  test.each([
    ['exchange their names', { a: 'B', b: 'A' }],
    ['both get another name, one the name of the other', { a: 'B', b: 'C' }],
    ['are joined by one with the former name of the first', { a: 'C', new: 'A', b: 'B' }],
    ['are reduced to one with the name of the other', { a: 'B' }],
  ])('two triggers that %s keep their progress', async (_how, renamed: Record<string, string>) => {
    const workflowOf = (nameOf: Record<string, string>) => {
      const { nodes, ...workflow } = onPoll('changedCodes');
      const triggers = Object.entries(nameOf).map(([id, name]) => ({ ...nodes[0]!, id, name }));
      return { ...workflow, nodes: triggers, connections: {} };
    };
    let staticData = {};
    const activate = async (nameOf: Record<string, string>, id: string) => {
      const trigger = world.engine.pollTrigger(workflowOf(nameOf), nameOf[id]!, staticData);
      const { items } = await trigger.activate();
      ({ staticData } = trigger);
      return items.map(({ json }) => json['name']);
    };
    const before = { a: 'A', b: 'B' };
    await activate(before, 'b');
    clock += 86_400_000;
    await world.engine.runWorkflow(action(CREATE, [{ ...rows(1)[0], name: 'Before A' }]));
    await activate(before, 'a');
    clock += 86_400_000;
    await world.engine.runWorkflow(action(CREATE, [{ ...rows(1)[0], name: 'Last' }]));
    const expected: Record<string, string[]> = { new: [], a: ['Last'], b: ['Before A', 'Last'] };
    for (const id of Object.keys(renamed)) expect(await activate(renamed, id)).toEqual(expected[id]);
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
      displayName: 'Loop',
      name: 'loop',
      group: ['transform'],
      version: 1,
      description: 'Loops',
      defaults: {},
      inputs: ['main'],
      outputs: ['main', 'main'],
      properties: [],
    },
    execute(this: IExecuteFunctions) {
      const memory = this.getContext('node') as { left?: INodeExecutionData[] };
      const [next, ...left] = memory.left ?? this.getInputData();
      memory.left = left;
      return Promise.resolve(next === undefined ? [this.getInputData(), []] : [[], [next]]);
    },
  };

  test('Loop Over Items whose third round fails creates each code once when the execution is retried', async () => {
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

  test('an image that arrives gzipped is stored unpacked', async () => {
    const headers = { 'Content-Type': 'image/svg+xml', 'Content-Encoding': 'gzip' };
    const image = gzipSync('<svg/>');
    const { url } = await serve((_request, response) => response.writeHead(200, headers).end(image));
    const engine = await world.engineWith({ baseUrl: url });
    const render = { operation: 'render', qrCodeId: codeBy('id', 'qr_1'), format: 'svg' };
    const { data } = await engine.runWorkflow(action(render));
    expect((await engine.getBinary(data[NODE]![0]!, 'data')).toString()).toBe('<svg/>');
  });
});

describe('subscriptions', () => {
  let world: World;
  beforeEach(async () => {
    world = await startWorld();
    jest.spyOn(Math, 'random').mockReturnValue(0);
  });
  afterEach(async () => {
    jest.restoreAllMocks();
    await world.close();
  });

  const live = () => world.emulator.control.subscriptions();
  const storedIn = (trigger: ActiveTrigger, name = NODE) =>
    trigger.staticData[`node:${name}`] as Record<string, string>;

  function activate(
    json: WorkflowJson,
    options: Partial<ActivateOptions> = {},
    engine: N8nEngine = world.engine,
    name = NODE,
  ): Promise<ActiveTrigger> {
    return engine.activateTrigger(json, name, { publicUrl: PUBLIC_URL, ...options });
  }

  describe('a copied workflow on another n8n instance', () => {
    afterEach(() => useInstance('in-process'));

    test('leaves the subscription of the original alone, and the log names it', async () => {
      const json = onEvents(['qr.created'], 'copy');
      const production = await activate(json);
      const { staticData } = production;
      useInstance('a second n8n');
      const copy = await activate(json, { publicUrl: 'https://copy.example.com', staticData });
      const { subscriptionId } = storedIn(production);
      expect(live().map(({ id }) => id)).toEqual([subscriptionId, storedIn(copy)['subscriptionId']]);
      expect(world.warnings).toEqual([
        expect.stringMatching(
          `${subscriptionId!} for ${PUBLIC_URL}/.*another workflow or n8n instance created it.*it isn't used`,
        ),
      ]);
    });
  });

  describe('the log names a subscription that stays behind', () => {
    test('when all responses to a test are lost', async () => {
      world.emulator.control.failNext({ drop: 'after', times: Infinity });
      const json = onEvents(['qr.created'], 'test-lost');
      await expect(activate(json, { test: true })).rejects.toThrow();
      world.emulator.control.clearFaults();
      expect(live()).toHaveLength(1);
      expect(world.warnings).toEqual([
        expect.stringMatching(
          /^There may be a webhook subscription for \S+\/webhook-test\/\S+ that n8n doesn't know about \(the workflow "Events"\)\. If the service's app lists it and it isn't used, remove it there\.$/,
        ),
      ]);
    });

    test('when nothing in the response identifies it', async () => {
      const { url: baseUrl } = await serve(
        status(201, { 'content-type': 'application/json' }, '{"ok":true}'),
      );
      const json = onEvents(['qr.created'], 'unusable');
      const attempt = activate(json, {}, await world.engineWith({ baseUrl }));
      await expect(attempt).rejects.toThrow('Unexpected response');
      expect(world.warnings).toEqual([expect.stringContaining(`${PUBLIC_URL}/webhook/unusable`)]);
    });

    test('when a test is started again after a crash or a page reload', async () => {
      const lines: string[] = [];
      const credentials = { qrServiceApi: { baseUrl: world.emulator.url, apiKey: world.emulator.apiKey } };
      const engine = await createN8nEngine({
        packageDir: PACKAGE_DIR,
        credentials,
        onLog: ({ message }) => lines.push(message),
      });
      const json = onEvents(['qr.created'], 'test-twice');
      // TestWebhooks.needsWebhook replaces the first test by the second, so the first one's static data is lost.
      const first = await activate(json, { test: true }, engine);
      const second = await activate(json, { test: true }, engine);
      await first.deactivate();
      expect(live()).toMatchObject([{ id: storedIn(second)['subscriptionId'] }]);
      await second.deactivate();
      expect(live()).toEqual([]);
      for (const trigger of [first, second])
        expect(lines.join('\n')).toContain(
          storedIn(trigger)['subscriptionId'] ?? 'Created the webhook subscription',
        );
    });

    test('when the credential was deleted before the workflow is deactivated', async () => {
      const json = onEvents(['qr.created'], 'no-credential');
      const before = await activate(json);
      const warnings: string[] = [];
      const engine = await createN8nEngine({
        packageDir: PACKAGE_DIR,
        credentials: {},
        onLog: ({ message }) => warnings.push(message),
      });
      const { staticData } = before;
      const after = await activate(json, { staticData, mode: 'init' }, engine);
      await expect(after.deactivate()).rejects.toThrow('credentials');
      expect(warnings.join('\n')).toContain(live()[0]!.id);
      after.overwriteStaticData({});
      await after.deactivate();
    });
  });

  test('a restart with another API key of the workspace delivers the pending event', async () => {
    const json = onEvents(['qr.created'], 'rotated');
    const before = await activate(json);
    const event = world.emulator.control.emit('qr.created');
    await until(() => world.emulator.control.deliveries()[0]!.attempts.length > 0);
    const engine = await world.engineWith({ apiKey: world.emulator.control.createKey().apiKey });
    const after = await activate(json, { staticData: before.staticData, mode: 'init' }, engine);
    world.frontDoor.open(after);
    await world.emulator.control.settled();
    const rows = world.frontDoor.executions.flatMap(({ data }) => data['Rows']!.map(({ json: row }) => row));
    expect(rows).toMatchObject([{ eventId: event.id }]);
  });

  test('two concurrent activations of a trigger leave the subscription active that is saved last', async () => {
    const json = onEvents(['qr.created'], 'parallel');
    let last: ActiveTrigger | undefined;
    await Promise.all([activate(json), activate(json)].map((one) => one.then((trigger) => (last = trigger))));
    expect(live().map(({ id }) => id)).toContain(storedIn(last!)['subscriptionId']);
  });
});

describe('errors while a trigger starts or ends', () => {
  let world: World;
  beforeAll(async () => {
    world = await startWorld();
  });
  afterEach(() => {
    jest.restoreAllMocks();
    world.emulator.control.reset();
  });
  afterAll(() => world.close());

  /** Length after which n8n cuts a notification: 13 lines. */
  const MAX_LENGTH = 400;

  const adviceOf = (code: keyof typeof ERROR_CODES) =>
    ERROR_CODES[code].advice.replace('{credential}', 'credential').replace('{rerun}', 'retry');

  type Thrown = Error & { description?: string | null; failure?: object };

  async function thrownBy(attempt: Promise<unknown>): Promise<Thrown> {
    const error = await attempt.then(
      () => new Error('Nothing was thrown.'),
      (thrown: unknown) => thrown as Error,
    );
    expect(error.message.length).toBeLessThan(MAX_LENGTH);
    return error;
  }

  /** Operations whose errors n8n shows as notifications. */
  const ATTEMPTS: Record<
    string,
    (credential: Record<string, string>, json?: WorkflowJson) => Promise<unknown>
  > = {
    async publishing(credential, json = onEvents(['qr.created'])) {
      const engine = await world.engineWith(credential);
      await engine.activateTrigger(json, NODE, { publicUrl: PUBLIC_URL });
    },
    async 'a test of the trigger'(credential, json = onEvents(['qr.created'])) {
      const engine = await world.engineWith(credential);
      await engine.activateTrigger(json, NODE, { publicUrl: PUBLIC_URL, test: true });
    },
    async unpublishing(credential) {
      const options = { publicUrl: PUBLIC_URL };
      const { staticData } = await world.engine.activateTrigger(onEvents(['qr.created']), NODE, options);
      const { baseUrl = world.emulator.url } = credential;
      const moved = JSON.stringify(staticData).replaceAll(world.emulator.url, baseUrl);
      const engine = await world.engineWith(credential, new N8nProcess().otherNodes);
      const restarted = { ...options, staticData: JSON.parse(moved) as IDataObject };
      await engine.openTrigger(onEvents(['qr.created']), NODE, restarted).deactivate();
    },
    async 'publishing the polling trigger'(credential) {
      await (await world.engineWith(credential)).pollTrigger(onPoll('changedCodes'), NODE).activate();
    },
    async 'a poll'(credential) {
      const engine = await world.engineWith(credential);
      const trigger = engine.pollTrigger(onPoll('changedCodes'), NODE);
      await trigger.tick();
    },
  };
  const attempts = (...names: string[]) => names.map((name) => [name, ATTEMPTS[name]!] as const);
  const POLLS = attempts('publishing the polling trigger', 'a poll');
  const SUBSCRIBING = attempts('publishing', 'a test of the trigger');
  const ALL = [...SUBSCRIBING, ...POLLS, ...attempts('unpublishing')];

  test.each([...SUBSCRIBING, ...POLLS])(
    '%s tells users once what to do, and n8n why it failed',
    async (_name, attempt) => {
      world.warnings.length = 0;
      world.emulator.control.failNext({ code: 'quota_exceeded', times: Infinity });
      const { message, description, failure } = await thrownBy(attempt({}));
      expect(message).toContain(adviceOf('quota_exceeded'));
      expect(`${message} ${description ?? ''}`.split(adviceOf('quota_exceeded'))).toHaveLength(2);
      expect(failure).toEqual({ cause: 'quota-exhausted' });
      // Nothing was created, so nothing is to be removed.
      expect(world.warnings).toEqual([]);
    },
  );

  test.each(ALL)('the message of %s tells what to do if the service is down', async (_name, attempt) => {
    jest.spyOn(Math, 'random').mockReturnValue(0);
    const error = await thrownBy(attempt({ baseUrl: 'http://127.0.0.1:9' }));
    expect(error.message).toMatch(/127\.0\.0\.1:9 could not be reached.*that the service is up/);
    expect(error.failure).toEqual({ cause: 'temporarily-unavailable' });
  });

  describe("n8n's SSRF protection", () => {
    const config = Container.get(SsrfProtectionConfig);
    afterEach(() => {
      config.enabled = false;
    });
    const told = (host: string) =>
      `n8n's SSRF protection blocked the request to ${host}. Ask your n8n administrator to add the host to N8N_SSRF_ALLOWED_HOSTNAMES, or an IP address to N8N_SSRF_ALLOWED_IP_RANGES, and to restart n8n.`;
    const start = () => {
      config.enabled = true;
      const { host } = new URL(world.emulator.url);
      return { text: told(host), requests: world.emulator.control.requestCount() };
    };

    test.each([...SUBSCRIBING, ...POLLS])('is the reason that %s gives', async (_name, attempt) => {
      const { text, requests } = start();
      expect(await thrownBy(attempt({}))).toMatchObject({
        message: text,
        failure: { cause: 'configuration-invalid' },
      });
      expect(world.emulator.control.requestCount()).toBe(requests);
    });

    test('is the reason that a node and the test of a credential give, without a retry or a code that may exist', async () => {
      const { text } = start();
      const checks = jest.spyOn(Container.get(SsrfProtectionService), 'validateUrl');
      const row = { name: 'A', targetUrl: 'https://example.com/' };
      const { error } = await world.engine.runWorkflow(action(CREATE, [row]));
      expect(`${error!.message}. ${error!.description}`).toBe(text);
      expect(checks).toHaveBeenCalledTimes(1);
      expect(await world.engine.testCredential('qrServiceApi')).toEqual({ status: 'Error', message: text });
    });
  });

  test.each(ALL)('the message of %s tells how to fix an invalid base URL', async (_name, attempt) => {
    const error = await thrownBy(attempt({ baseUrl: 'not a URL' }));
    expect(error.message).toMatch(/base (URL|address).*like https:/i);
  });

  test.each(SUBSCRIBING)(
    'the message of %s tells what to do if no event is chosen',
    async (_name, attempt) => {
      expect(await thrownBy(attempt({}, onEvents([])))).toMatchObject({
        message: 'No event is chosen. Choose at least one under Events.',
        failure: { cause: 'configuration-invalid' },
      });
    },
  );

  test('a test of the polling trigger has the advice in the description only, as n8n shows both', async () => {
    world.emulator.control.failNext({ code: 'quota_exceeded' });
    const trigger = world.engine.pollTrigger(onPoll('changedCodes'), NODE);
    const advice = adviceOf('quota_exceeded');
    expect(await thrownBy(trigger.test())).toMatchObject({
      message: expect.not.stringContaining(advice),
      description: expect.stringContaining(advice),
    });
  });
});
