import { signWebhook } from '@qr-service/core';
import type { IDataObject } from 'n8n-workflow';
import type { ActiveTrigger, Delivery, N8nEngine } from '../../engines/n8n/index.ts';
import { N8nProcess } from './support/n8nProcess.ts';
import { besidePolling, NODE, onEvents } from './support/workflows.ts';
import { PUBLIC_URL, startWorld, type World } from './support/world.ts';

/*
 * n8n writes older static data of a workflow back, for example with each poll of a polling trigger in it: the data
 * that all triggers of the workflow had stored when the polling trigger was activated.
 */

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

let world: World;
let process: N8nProcess;
let engine: N8nEngine;
let passedMs: number;
beforeEach(async () => {
  world = await startWorld({ now: () => Date.now() });
  process = new N8nProcess();
  engine = await world.engineWith({}, process.otherNodes);
  const { now } = Date;
  passedMs = 0;
  jest.spyOn(Date, 'now').mockImplementation(() => now() + passedMs);
});
afterEach(async () => {
  jest.restoreAllMocks();
  await world.close();
});

const withPolling = (events: string[]) => besidePolling(onEvents(events));
const live = () => world.emulator.control.subscriptions();
const storedIn = ({ staticData }: ActiveTrigger) => staticData[`node:${NODE}`] as Record<string, string>;
async function publish(events: string[], before?: ActiveTrigger): Promise<ActiveTrigger> {
  await before?.deactivate();
  const staticData = before?.staticData ?? {};
  const mode = before === undefined ? 'activate' : 'update';
  return engine.activateTrigger(withPolling(events), NODE, { publicUrl: PUBLIC_URL, staticData, mode });
}

/** Publishes the trigger with each of these events, then writes the first static data back. */
async function publishedAndRolledBack(...choices: string[][]): Promise<ActiveTrigger> {
  let trigger = await publish(choices[0]!);
  const old = trigger.staticData;
  for (const events of choices.slice(1)) trigger = await publish(events, trigger);
  trigger.overwriteStaticData(old);
  return trigger;
}

const twice = () => publishedAndRolledBack(['qr.created'], ['qr.created', 'qr.deleted']);

let events = 0;

/** A delivery signed like the service's. */
function signed(secret: string, id = `evt_${++events}`): Delivery {
  const timestamp = Math.floor(Date.now() / 1000);
  const event = { id, type: 'qr.created', workspaceId: 'ws', data: {} };
  const rawBody = Buffer.from(JSON.stringify({ ...event, occurredAt: new Date(Date.now()).toISOString() }));
  const signature = signWebhook({ body: rawBody, secret, timestamp });
  return { method: 'POST', headers: { 'x-service-signature': signature }, rawBody };
}

const genuine = (id?: string) => signed(live().at(-1)!.secret, id);

async function expectRun(trigger: ActiveTrigger, delivery = genuine()): Promise<void> {
  const { status, execution } = await trigger.receive(delivery);
  expect(status).toBe(200);
  expect((await execution)?.data['Rows']).toHaveLength(1);
}

async function flood(trigger: ActiveTrigger): Promise<void> {
  const forged = Array.from({ length: 10 }, () => trigger.receive(signed('made up')));
  for (const { status } of await Promise.all(forged)) expect(status).toBe(401);
}

const creations = () =>
  world.emulator.control
    .requests()
    .filter(({ method, path }) => method === 'POST' && path.endsWith('/webhooks')).length;

describe('in the process that published the workflow', () => {
  test.each([204, 404] as const)(
    'accepts an event immediately, without a request, and logs the cause and the fix once a minute: DELETE %j',
    async (unsubscribe) => {
      world.emulator.control.changeSettings({ unsubscribe });
      const trigger = await twice();
      world.warnings.length = 0;
      const before = JSON.stringify(trigger.staticData);
      const requests = world.emulator.control.requestCount();
      await expectRun(trigger);
      await expectRun(trigger);
      expect(world.emulator.control.requestCount()).toBe(requests);
      expect(JSON.stringify(trigger.staticData)).toBe(before);
      expect(world.warnings).toEqual([
        expect.stringMatching(
          /restored old static data of the workflow "Events", with the earlier webhook subscription whk_.*may have written it back.*publish it again\. If it has a polling trigger, first move that to another workflow/,
        ),
      ]);
      passedMs += 2 * MINUTE_MS;
      await expectRun(trigger);
      expect(world.warnings).toHaveLength(2);
    },
  );

  test('starts nothing for a duplicate that arrives after the data was written back', async () => {
    const first = await publish(['qr.created']);
    const trigger = await publish(['qr.created', 'qr.deleted'], first);
    await expectRun(trigger, genuine('evt_same'));
    trigger.overwriteStaticData({});
    const { status, execution } = await trigger.receive(genuine('evt_same'));
    expect([status, execution]).toEqual([200, undefined]);
  });

  test('accepts an event if nothing is stored, as when the trigger was added to the workflow later', async () => {
    const trigger = await publish(['qr.created']);
    trigger.overwriteStaticData({});
    await expectRun(trigger);
    expect(world.warnings).toEqual([expect.stringContaining('with no signing secret')]);
  });

  test('rejects a replaced secret, although it is stored', async () => {
    const trigger = await twice();
    const { status } = await trigger.receive(signed(storedIn(trigger)['secret']!));
    expect(status).toBe(401);
  });

  test('rejects the removed secret after the workflow was unpublished', async () => {
    const trigger = await publish(['qr.created']);
    const { secret } = live()[0]!;
    const old = trigger.staticData;
    await trigger.deactivate();
    for (const data of [old, {}, trigger.staticData]) {
      trigger.overwriteStaticData(data);
      expect((await trigger.receive(signed(secret))).status).toBe(401);
    }
    expect(live()).toEqual([]);
  });

  test('sends no request for forged deliveries, and logs possible causes', async () => {
    for (const roll of [() => publish(['qr.created']), twice]) {
      const trigger = await roll();
      const requests = world.emulator.control.requestCount();
      for (let hours = 0; hours < 48; hours += 12) {
        await flood(trigger);
        passedMs += 12 * HOUR_MS;
      }
      expect(world.emulator.control.requestCount()).toBe(requests);
    }
    expect(world.warnings[0]).toMatch(
      /signature_mismatch.*the service did not send it, or .*doesn't know any more.*polling trigger.*unpublish/,
    );
  });

  test('does not accept production deliveries at the URL of a test', async () => {
    await publish(['qr.created']);
    const { secret } = live()[0]!;
    const test = await engine.activateTrigger(withPolling(['qr.created']), NODE, {
      publicUrl: PUBLIC_URL,
      test: true,
    });
    expect((await test.receive(signed(secret))).status).toBe(401);
    await expectRun(test);
    await test.deactivate();
    expect(live()).toMatchObject([{ secret }]);
  });

  test('unpublishing and publishing leave no other subscription', async () => {
    const trigger = await twice();
    const again = await publish(['qr.updated'], trigger);
    expect(live().map(({ id }) => id)).toEqual([storedIn(again)['subscriptionId']]);
    again.overwriteStaticData({});
    await again.deactivate();
    expect(live()).toEqual([]);
    expect(world.warnings).toEqual([]);
  });
});

describe('after a restart of n8n', () => {
  test('refuses events without a request, and the log says truly what to do', async () => {
    const trigger = await twice();
    const { url, id } = live()[0]!;
    process.restart();
    world.warnings.length = 0;
    const requests = world.emulator.control.requestCount();
    expect((await trigger.receive(genuine())).status).toBe(401);
    expect(world.emulator.control.requestCount()).toBe(requests);
    expect(world.warnings).toEqual([expect.stringMatching(/polling trigger.*unpublish.*publish it again/)]);
    expect(world.warnings[0]).toContain(url);

    // Doing so works. The subscription that n8n had lost is named again by its deliveries.
    const again = await publish(['qr.created'], trigger);
    await expectRun(again);
    world.warnings.length = 0;
    passedMs += 2 * MINUTE_MS;
    const lost = live().find((one) => one.id === id)!;
    expect((await again.receive(signed(lost.secret))).status).toBe(401);
    expect(world.warnings.join()).toContain(`remove all but ${storedIn(again)['subscriptionId']!}`);
  });

  test.each<[string, IDataObject | undefined]>([
    ['current data', undefined],
    ['no data', {}],
  ])('unpublishing with %s creates nothing', async (_what, data) => {
    const trigger = await publish(['qr.created']);
    if (data !== undefined) trigger.overwriteStaticData(data);
    process.restart();
    const before = creations();
    await trigger.deactivate();
    expect(creations()).toBe(before);
    expect(live()).toHaveLength(data === undefined ? 0 : 1);
  });
});
