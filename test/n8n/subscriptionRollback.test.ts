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
const creations = () =>
  world.emulator.control
    .requests()
    .filter(({ method, path }) => method === 'POST' && path.endsWith('/webhooks')).length;

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

describe('in the process that published the workflow', () => {
  test('accepts an event immediately, without a request, and logs the cause and the fix once a minute', async () => {
    const trigger = await twice();
    const before = JSON.stringify(trigger.staticData);
    const requests = world.emulator.control.requestCount();
    await expectRun(trigger);
    await expectRun(trigger);
    expect(world.emulator.control.requestCount()).toBe(requests);
    expect(JSON.stringify(trigger.staticData)).toBe(before);
    expect(world.warnings).toEqual([
      expect.stringMatching(
        /restored old static data of the workflow "Events", with the earlier webhook subscription whk_.*polling trigger.*Move the polling trigger to another workflow, then unpublish this one and publish it again/,
      ),
    ]);
    passedMs += 2 * MINUTE_MS;
    await expectRun(trigger);
    expect(world.warnings).toHaveLength(2);
  });

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
      /signature_mismatch.*the service did not send it, or n8n restored an old signing secret.*polling trigger.*unpublish/,
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

describe('in a process that did not publish the workflow', () => {
  test.each<[string, () => Promise<ActiveTrigger>]>([
    ['of the former subscription', twice],
    [
      'of a much older one with other events',
      () => publishedAndRolledBack(['qr.created'], ['qr.deleted'], ['qr.updated'], ['qr.created']),
    ],
    [
      'from before the trigger was added',
      async () => {
        const trigger = await publish(['qr.created']);
        trigger.overwriteStaticData({});
        return trigger;
      },
    ],
  ])('gets the newest secret from the service after old data %s was written back', async (_what, roll) => {
    const trigger = await roll();
    const before = live();
    process.restart();
    await expectRun(trigger);
    const requests = world.emulator.control.requestCount();
    await expectRun(trigger);
    expect(world.emulator.control.requestCount()).toBe(requests);
    expect(live()).toEqual(before);
  });

  test('accepts an event that arrives with forged ones', async () => {
    const trigger = await twice();
    process.restart();
    await Promise.all([flood(trigger), expectRun(trigger), flood(trigger)]);
  });

  test.each([
    ['current', () => publish(['qr.created'])],
    ['old', twice],
  ])(
    'with %s data, forged deliveries cause a request at most every five minutes, then less often',
    async (_what, roll) => {
      const trigger = await roll();
      const subscriptions = live();
      process.restart();
      const asked: number[] = [];
      for (const minutes of [0, 4, 6, 10, 14, 17, 30, 38, 24 * 60]) {
        passedMs = minutes * MINUTE_MS;
        const before = creations();
        await flood(trigger);
        if (creations() > before) asked.push(minutes);
        expect(live()).toEqual(subscriptions);
      }
      expect(asked).toEqual([0, 6, 17, 38, 24 * 60]);
      await expectRun(trigger);
    },
  );

  test('alone in its workflow, sends no request for forged deliveries', async () => {
    const alone = onEvents(['qr.created']);
    const { staticData } = await engine.activateTrigger(alone, NODE, { publicUrl: PUBLIC_URL });
    process.restart();
    const trigger = engine.openTrigger(alone, NODE, { publicUrl: PUBLIC_URL, staticData });
    const requests = world.emulator.control.requestCount();
    await flood(trigger);
    expect(world.emulator.control.requestCount()).toBe(requests);
    await expectRun(trigger);
  });

  test.each<[string, (staticData: IDataObject) => IDataObject]>([
    ["the stored events differ from the node's", (staticData) => staticData],
    ['nothing is stored', () => ({})],
  ])('alone in its workflow, gets the newest secret if %s', async (_what, roll) => {
    const options = { publicUrl: PUBLIC_URL };
    const first = await engine.activateTrigger(onEvents(['qr.deleted']), NODE, options);
    const old = roll(first.staticData);
    await first.deactivate();
    const { staticData } = first;
    await engine.activateTrigger(onEvents(['qr.created']), NODE, { ...options, staticData, mode: 'update' });
    process.restart();
    await expectRun(engine.openTrigger(onEvents(['qr.created']), NODE, { ...options, staticData: old }));
  });

  test('leaves no subscription behind, a day after the workflow was published', async () => {
    const trigger = await twice();
    const subscriptions = live();
    process.restart();
    passedMs += 25 * HOUR_MS;
    expect((await trigger.receive(genuine())).status).toBe(401);
    expect(live()).toEqual(subscriptions);
    expect(world.warnings).toEqual([expect.stringMatching(/signature_mismatch.*publish it again/)]);
  });

  test('keeps the requested secret for longer than a day', async () => {
    const trigger = await twice();
    process.restart();
    await expectRun(trigger);
    passedMs += 48 * HOUR_MS;
    await expectRun(trigger);
  });

  test('requests it again after the service rejected a request, and logs the reason', async () => {
    const trigger = await twice();
    process.restart();
    world.emulator.control.failNext({ code: 'insufficient_scope' });
    expect((await trigger.receive(genuine())).status).toBe(401);
    expect(world.warnings[0]).toMatch(/a newer one could not be requested: .*publish it again/);
    passedMs += 5 * MINUTE_MS;
    await expectRun(trigger);
  });

  test('responds 503 while the service is slow, and accepts the redelivery', async () => {
    const trigger = await twice();
    process.restart();
    world.emulator.control.failNext({ delayMs: 300 });
    const { setTimeout: wait } = globalThis;
    const at = (ms = 0) => (ms === 5000 ? 0 : ms);
    jest
      .spyOn(globalThis, 'setTimeout')
      .mockImplementation((end: () => void, ms?: number) => wait(end, at(ms)));
    expect((await trigger.receive(genuine())).status).toBe(503);
    let status = 503;
    while (status === 503) ({ status } = await trigger.receive(genuine()));
    expect(status).toBe(200);
  });

  test('cannot get the secret with an API key that did not create the subscription', async () => {
    const trigger = await twice();
    const other = await world.engineWith(
      { apiKey: world.emulator.control.createKey().apiKey },
      new N8nProcess().otherNodes,
    );
    const { staticData } = trigger;
    const opened = other.openTrigger(withPolling(['qr.created']), NODE, {
      publicUrl: PUBLIC_URL,
      staticData,
    });
    const requests = world.emulator.control.requestCount();
    expect((await opened.receive(genuine())).status).toBe(401);
    expect(world.emulator.control.requestCount()).toBe(requests);
  });

  test.each([
    ['the address of n8n is not public', ['qr.created'], 'http://localhost:5678'],
    ['no event is chosen', [], PUBLIC_URL],
  ])('sends no request if %s', async (_what, chosen, publicUrl) => {
    const { staticData } = await twice();
    process.restart();
    const opened = engine.openTrigger(withPolling(chosen), NODE, { publicUrl, staticData });
    const requests = world.emulator.control.requestCount();
    expect((await opened.receive(genuine())).status).toBe(401);
    expect(world.emulator.control.requestCount()).toBe(requests);
  });

  test.each<[string, string[][]]>([
    ['the former one', [['qr.created'], ['qr.deleted']]],
    ['a much older one with other events', [['qr.created'], ['qr.deleted'], ['qr.updated']]],
    ['a much older one with the same events', [['qr.created'], ['qr.created'], ['qr.created']]],
  ])('unpublishing leaves no subscription if the stored one is %s', async (_what, choices) => {
    const trigger = await publishedAndRolledBack(...choices);
    process.restart();
    await trigger.deactivate();
    expect(live()).toEqual([]);
    expect(world.warnings).toEqual([]);
  });

  test('publishing leaves no other subscription if no or old data is stored', async () => {
    for (const data of ['none', 'old'] as const) {
      const trigger = await twice();
      if (data === 'none') trigger.overwriteStaticData({});
      process.restart();
      const again = await publish(['qr.updated'], trigger);
      expect(live().map(({ id }) => id)).toEqual([storedIn(again)['subscriptionId']]);
      await again.deactivate();
    }
  });

  test('unpublishing with an up-to-date stored subscription takes one request', async () => {
    const trigger = await publish(['qr.created']);
    process.restart();
    const requests = world.emulator.control.requestCount();
    await trigger.deactivate();
    expect(world.emulator.control.requestCount()).toBe(requests + 1);
  });

  test.each([
    ['at once', 0],
    ['after a forged delivery', 1],
  ])(
    'a day later, unpublishing %s logs the URL that may still have a subscription',
    async (_what, floods) => {
      const trigger = await twice();
      process.restart();
      passedMs += 25 * HOUR_MS;
      if (floods > 0) await flood(trigger);
      world.warnings.length = 0;
      await trigger.deactivate();
      expect(live()).toHaveLength(1);
      expect(world.warnings).toEqual([expect.stringContaining(trigger.webhookUrl)]);
    },
  );

  test('unpublishing logs the URL that may still have a subscription if the service rejects requests', async () => {
    const trigger = await twice();
    process.restart();
    world.emulator.control.failNext({ code: 'insufficient_scope', match: { method: 'POST' } });
    await trigger.deactivate();
    expect(world.warnings).toEqual([expect.stringContaining(trigger.webhookUrl)]);
  });

  test('a failed activation sends no further request', async () => {
    const refused = { code: 'insufficient_scope', times: Infinity } as const;
    world.emulator.control.failNext(refused);
    const before = creations();
    await expect(publish(['qr.created'])).rejects.toThrow();
    // One with the derived key, and one in case the first rejection was a replay.
    expect(creations()).toBe(before + 2);
  });
});
