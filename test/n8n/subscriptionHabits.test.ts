import type { ActivateOptions, ActiveTrigger, N8nEngine, WorkflowJson } from '../../engines/n8n/index.ts';
import { createN8nEngine, useInstance } from '../../engines/n8n/index.ts';
import { closeServices, serve, status } from '../support/faultyService/faultyService.ts';
import { until } from '../support/jest/until.ts';
import { NODE, onEvents } from './support/workflows.ts';
import { PACKAGE_DIR, PUBLIC_URL, startWorld, type World } from './support/world.ts';

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

  test('when nothing in the response identifies it', async () => {
    const { url: baseUrl } = await serve(status(201, { 'content-type': 'application/json' }, '{"ok":true}'));
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
