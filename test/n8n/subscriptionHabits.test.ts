import type { IDataObject } from 'n8n-workflow';
import type { ActivateOptions, ActiveTrigger, N8nEngine, WorkflowJson } from '../../engines/n8n/index.ts';
import { createN8nEngine, useInstance } from '../../engines/n8n/index.ts';
import type { Fault, Settings } from 'qr-service-emulator';
import { closeServices, serve } from '../support/faultyService/faultyService.ts';
import { until } from '../support/jest/until.ts';
import { N8nProcess } from './support/n8nProcess.ts';
import { NODE, onEvents } from './support/workflows.ts';
import { PACKAGE_DIR, PUBLIC_URL, startWorld, type World } from './support/world.ts';

/** What a proxy in front of the service responds with. */
const PAGE = '<h1>Blocked</h1>';

let world: World;
beforeEach(async () => {
  world = await startWorld();
  jest.spyOn(Math, 'random').mockReturnValue(0);
});
afterEach(async () => {
  jest.restoreAllMocks();
  closeServices();
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

describe('the owner of a subscription', () => {
  afterEach(() => useInstance('in-process'));

  test("is another n8n instance's if a copy is activated there: it stays, and the log names it", async () => {
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

  test.each<[unsubscribe: Settings['unsubscribe'] | Fault]>([
    [405],
    [410],
    [{ status: 404, body: PAGE }],
    [{ status: 500 }],
    [{ status: 200, body: PAGE }],
    [{ drop: 'before' }],
  ])(
    'when the service responds to every DELETE with %j: publishing makes one, unpublishing none',
    async (unsubscribe) => {
      const { control } = world.emulator;
      if (typeof unsubscribe !== 'object') control.changeSettings({ unsubscribe });
      else control.failNext({ ...unsubscribe, times: Infinity, match: { method: 'DELETE' } });
      const n8n = new N8nProcess();
      const engine = await world.engineWith({}, n8n.otherNodes);
      const json = onEvents(['qr.created'], `always ${JSON.stringify(unsubscribe)}`);
      let trigger = await activate(json, {}, engine);
      for (let round = 0; round < 3; round++) {
        n8n.restart();
        await trigger.deactivate().catch(() => undefined);
        expect(live()).toHaveLength(round + 1);
        trigger = await activate(json, { staticData: trigger.staticData, mode: 'update' }, engine);
        expect(live()).toHaveLength(round + 2);
      }
      for (const { id } of live()) {
        const named = world.warnings.filter((warning) => warning.includes(id));
        expect(named.length > 0).toBe(id !== storedIn(trigger)['subscriptionId']);
      }
    },
  );
});

describe('a restart with another API key of the workspace', () => {
  test('delivers the pending event', async () => {
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
});

describe('a service with its own idea of subscriptions', () => {
  /** Subscriptions by ID, with their secrets. */
  async function service(idOf: (url: string) => string, respond: (id: string, secret: string) => object) {
    const subscriptions = new Map<string, string>();
    let secrets = 0;
    const { url: baseUrl } = await serve((request, response, body) => {
      const id = request.url!.split('/').at(-1)!;
      if (request.method === 'DELETE') {
        response.writeHead(subscriptions.delete(id) ? 204 : 404).end();
        return;
      }
      const own = idOf((JSON.parse(body) as { url: string }).url);
      subscriptions.set(own, `secret ${++secrets}`);
      response
        .writeHead(201, { 'content-type': 'application/json' })
        .end(JSON.stringify(respond(own, subscriptions.get(own)!)));
    });
    return { subscriptions, engine: await world.engineWith({ baseUrl }) };
  }

  test('gives all subscriptions of a URL one ID', async () => {
    const { subscriptions, engine } = await service(
      (url) => `of-${url.length}`,
      (id, secret) => ({ id, secret }),
    );
    const json = onEvents(['qr.created'], 'same-id');
    let staticData: IDataObject = {};
    for (let round = 0; round < 4; round++) {
      const trigger = await activate(json, { staticData, mode: 'update' }, engine);
      expect([...subscriptions]).toEqual([
        [storedIn(trigger)['subscriptionId'], storedIn(trigger)['secret']],
      ]);
      ({ staticData } = trigger);
      if (round < 2) continue;
      await trigger.deactivate();
      expect(subscriptions.size).toBe(0);
      ({ staticData } = trigger);
    }
    expect(world.warnings).toEqual([]);
  });

  test.each([
    ['has nothing to identify a subscription', () => ({ ok: true })],
    ['has two secrets', (id: string) => ({ id: `${id}/x`, secret: 'one', signingSecret: 'two' })],
  ])('names the URL of a subscription that may exist if the response %s', async (_what, respond) => {
    const { engine } = await service(() => 'made', respond);
    const json = onEvents(['qr.created'], 'unusable');
    await expect(activate(json, {}, engine)).rejects.toThrow('Unexpected response');
    expect(world.warnings).toEqual([expect.stringContaining(`${PUBLIC_URL}/webhook/unusable`)]);
  });
});

describe('two concurrent activations of a trigger', () => {
  test('leave the subscription active that is saved last', async () => {
    const json = onEvents(['qr.created'], 'parallel');
    let last: ActiveTrigger | undefined;
    await Promise.all([activate(json), activate(json)].map((one) => one.then((trigger) => (last = trigger))));
    expect(live().map(({ id }) => id)).toContain(storedIn(last!)['subscriptionId']);
  });

  test('keep the later subscription if the first activation is slower', async () => {
    const json = onEvents(['qr.created'], 'late-first');
    const before = await activate(json);
    await before.deactivate();
    const { staticData } = before;
    world.emulator.control.failNext({ drop: 'after', match: { method: 'POST' } });
    jest.spyOn(Math, 'random').mockReturnValue(0.999);
    const slow = activate(json, { staticData });
    await until(() => live().length === 1);
    jest.spyOn(Math, 'random').mockReturnValue(0);
    const quick = await activate(json, { staticData });
    await slow;
    expect(live().map(({ id }) => id)).toContain(storedIn(quick)['subscriptionId']);
  });
});
