import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { signWebhook } from '@qr-service/core';
import type { IDataObject } from 'n8n-workflow';
import type {
  ActivateOptions,
  ActiveTrigger,
  Delivery,
  N8nEngine,
  WorkflowJson,
} from '../../engines/n8n/index.ts';
import { createN8nEngine } from '../../engines/n8n/index.ts';
import { until } from '../support/jest/until.ts';
import { N8nProcess } from './support/n8nProcess.ts';
import { besidePolling, NODE, onEvents } from './support/workflows.ts';
import { PACKAGE_DIR, PUBLIC_URL, startWorld, type World } from './support/world.ts';

let world: World;
const closers: (() => Promise<void>)[] = [];
beforeEach(async () => {
  world = await startWorld();
  jest.spyOn(Math, 'random').mockReturnValue(0);
});
afterEach(async () => {
  jest.restoreAllMocks();
  for (const close of closers.splice(0)) await close();
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

/** The same node under another name, as after a rename in the editor. */
function renamed(json: WorkflowJson): WorkflowJson {
  return JSON.parse(JSON.stringify(json).replaceAll(`"name":"${NODE}"`, '"name":"Renamed"')) as WorkflowJson;
}

/** As n8n 2.40 when a renamed trigger is published: `delete` under the old name, `create` under the new one. */
async function rename(before: ActiveTrigger, json: WorkflowJson, engine: N8nEngine): Promise<ActiveTrigger> {
  await before.deactivate();
  return activate(renamed(json), { staticData: before.staticData, mode: 'update' }, engine, 'Renamed');
}

/** A delivery signed like the service's. */
function signed(secret: string, id: string): Delivery {
  const timestamp = Math.floor(Date.now() / 1000);
  const event = {
    id,
    type: 'qr.created',
    workspaceId: 'ws',
    occurredAt: '2026-01-31T09:00:00.000Z',
    data: {},
  };
  const rawBody = Buffer.from(JSON.stringify(event));
  const signature = signWebhook({ body: rawBody, secret, timestamp });
  return { method: 'POST', headers: { 'x-service-signature': signature }, rawBody };
}

interface Habits {
  marks?: boolean;
  /** Status of DELETE instead of the emulator's. */
  gone?: [status: number, body: string];
  /** Returns the active subscription of the same URL instead of creating another one. */
  reuses?: boolean;
}

/** The emulator with different behavior where the API text leaves it open. */
async function serviceWith({ marks = false, gone, reuses = false }: Habits): Promise<string> {
  const keys = new Set<string>();
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { method = 'GET', url = '/' } = request;
      const headers: Record<string, string> = {};
      for (const [name, value] of Object.entries(request.headers))
        if (typeof value === 'string' && !['host', 'connection', 'content-length'].includes(name))
          headers[name] = value;
      const body = chunks.length === 0 ? undefined : Buffer.concat(chunks).toString();
      const same = live().find(({ url: target }) => body?.includes(JSON.stringify(target)));
      const key = String(headers['idempotency-key']);
      const isRepeated = keys.has(key);
      keys.add(key);
      if (reuses && method === 'POST' && !isRepeated && same !== undefined) {
        response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(same));
        return;
      }
      void fetch(world.emulator.url + url, { method, headers, ...(body === undefined ? {} : { body }) }).then(
        async (upstream) => {
          const text = await upstream.text();
          if (method === 'DELETE' && upstream.status === 404 && gone !== undefined) {
            response.writeHead(gone[0], { 'content-type': 'application/json' }).end(gone[1]);
            return;
          }
          const passed = Object.fromEntries(
            [...upstream.headers].filter(
              ([name]) =>
                !['content-length', 'connection', 'transfer-encoding', 'content-encoding'].includes(name) &&
                (marks || name !== 'idempotency-replayed'),
            ),
          );
          response.writeHead(upstream.status, passed).end(upstream.status === 204 ? undefined : text);
        },
      );
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closers.push(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe('on a service that does not mark replays', () => {
  const errorBody = (code: string) =>
    JSON.stringify({ error: code, message: 'No such webhook here.', code, requestId: 'r' });

  test.each<[string, Habits]>([
    ['responds with 204 to a repeated DELETE', { gone: [204, ''] }],
    [
      'responds with 403 workspace_mismatch to a repeated DELETE',
      { gone: [403, errorBody('workspace_mismatch')] },
    ],
    ['responds with 422 to a repeated DELETE', { gone: [422, errorBody('validation_failed')] }],
    ['responds with 404 to a repeated DELETE', {}],
  ])('publishing a renamed node leaves one subscription on a service that %s', async (_what, habits) => {
    const engine = await world.engineWith({ baseUrl: await serviceWith(habits) });
    const json = onEvents(['qr.created'], 'rename');
    const first = await activate(json, {}, engine);
    expect(live().map(({ id }) => id)).toEqual([storedIn(first)['subscriptionId']]);
    const second = await rename(first, json, engine);
    expect(live().map(({ id }) => id)).toEqual([storedIn(second, 'Renamed')['subscriptionId']]);
  });

  test("the log never tells users to remove the active subscription if DELETE isn't supported", async () => {
    world.emulator.control.setWireShape({ unsubscribe: 405 });
    const engine = await world.engineWith({ baseUrl: await serviceWith({}) });
    const json = onEvents(['qr.created'], 'rename-405');
    const first = await activate(json, {}, engine);
    const second = await rename(first, json, engine);
    const inUse = storedIn(second, 'Renamed')['subscriptionId']!;
    expect(world.warnings.filter((line) => line.includes(inUse) && line.includes('Remove it'))).toEqual([]);
  });
});

describe('after n8n wrote old static data back and restarted', () => {
  /** A trigger with the data of a former subscription, in a process that was just started. */
  async function rolledBack(habits: Habits, times: number) {
    const n8n = new N8nProcess();
    const engine = await world.engineWith({ baseUrl: await serviceWith(habits) }, n8n.otherNodes);
    const json = besidePolling(onEvents(['qr.created'], `rolled-back-${times}`));
    let trigger = await activate(json, {}, engine);
    const old = structuredClone(trigger.staticData);
    for (let time = 0; time < times; time++) {
      await trigger.deactivate();
      trigger = await activate(json, { staticData: trigger.staticData, mode: 'update' }, engine);
    }
    const { secret, subscriptionId } = storedIn(trigger);
    trigger.overwriteStaticData(old);
    n8n.restart();
    return { trigger, secret: secret!, subscriptionId };
  }

  test('on a service that marks replays, events start the workflow after a forged delivery', async () => {
    const { trigger, secret } = await rolledBack({ marks: true }, 1);
    expect((await trigger.receive(signed('made up', 'evt_1'))).status).toBe(401);
    const { status, execution } = await trigger.receive(signed(secret, 'evt_2'));
    expect([status, (await execution)?.status]).toEqual([200, 'success']);
    await trigger.deactivate();
    expect(live()).toEqual([]);
  });

  test('on a service that reuses the active subscription, a forged delivery does not remove it', async () => {
    const { trigger, subscriptionId } = await rolledBack({ marks: true, reuses: true }, 0);
    expect((await trigger.receive(signed('made up', 'evt_1'))).status).toBe(401);
    expect(live().map(({ id }) => id)).toEqual([subscriptionId]);
  });

  test.each<[string, Habits, number]>([
    ['does not mark replays', {}, 0],
    ['does not mark replays', {}, 1],
    ['responds with 204 to a repeated DELETE', { gone: [204, ''] }, 0],
  ])(
    'on a service that %s, forged deliveries create no subscription: %j, %d newer',
    async (_what, habits, times) => {
      const { trigger, subscriptionId } = await rolledBack(habits, times);
      for (let round = 0; round < 3; round++)
        expect((await trigger.receive(signed('made up', `evt_${round}`))).status).toBe(401);
      expect(live().map(({ id }) => id)).toEqual([subscriptionId]);
      await trigger.deactivate();
      expect(live()).toEqual([]);
    },
  );
});

describe('after n8n lost the static data and restarted, on a service that does not mark replays', () => {
  test.each([
    ['no subscription within a day', 0, 1],
    ['one subscription after a day', 30, 2],
  ])('forged deliveries create %s, and the log names the URL', async (_what, hours, count) => {
    const n8n = new N8nProcess();
    const engine = await world.engineWith({ baseUrl: await serviceWith({}) }, n8n.otherNodes);
    const trigger = await activate(onEvents(['qr.created'], 'lost'), {}, engine);
    trigger.overwriteStaticData({});
    n8n.restart();
    const { now } = Date;
    let passedMs = 0;
    jest.spyOn(Date, 'now').mockImplementation(() => now() + passedMs);
    const pass = (ms: number) => {
      passedMs += ms;
      world.emulator.control.clock.advance(ms);
    };
    pass(hours * 3_600_000);
    for (let day = 0; day < 5; day++) {
      expect((await trigger.receive(signed('made up', `evt_${day}`))).status).toBe(401);
      pass(24 * 3_600_000);
    }
    expect(live()).toHaveLength(count);
    expect(world.warnings.join('\n')).toContain(trigger.webhookUrl);
  });
});

describe('after a delivery during publishing, which saw old static data', () => {
  test('publishing a renamed node leaves one subscription', async () => {
    const json = onEvents(['qr.created'], 'stale-proof');
    const first = await activate(json);
    // n8n stores the route before `create` and static data after it, so a delivery in between sees the old static data.
    world.frontDoor.open(first);
    await first.deactivate();
    const second = await activate(json, { staticData: first.staticData, mode: 'update' });
    world.emulator.control.emit('qr.created');
    await world.emulator.control.settled();
    expect(world.frontDoor.statuses).toEqual([200]);
    world.frontDoor.shut(first);
    world.frontDoor.open(second);
    expect(world.frontDoor.executions).toHaveLength(1);

    const third = await rename(second, json, world.engine);
    expect(live().map(({ id }) => id)).toEqual([storedIn(third, 'Renamed')['subscriptionId']]);
  });
});

describe('after a delivery from a removed subscription', () => {
  test('publishing a renamed node leaves one subscription', async () => {
    const json = onEvents(['qr.created'], 'removed');
    const first = await activate(json);
    world.frontDoor.open(first);
    world.emulator.control.emit('qr.created');
    await world.emulator.control.settled();
    const late = world.frontDoor.deliveries.at(-1)!;
    await first.deactivate();
    const second = await activate(json, { staticData: first.staticData, mode: 'update' });
    expect((await second.receive(late)).status).toBe(401);
    const third = await rename(second, json, world.engine);
    expect(live().map(({ id }) => id)).toEqual([storedIn(third, 'Renamed')['subscriptionId']]);
  });
});

describe("another n8n instance's subscription is kept", () => {
  test('when an export with static data of an earlier release is activated on a second instance', async () => {
    const json = onEvents(['qr.created'], 'old-export');
    const production = await activate(json);
    const { owner: _new, ...before } = storedIn(production);
    const staticData = { [`node:${NODE}`]: before } as IDataObject;
    await activate(json, { publicUrl: 'https://copy.example.com', staticData });
    expect(live().map(({ id }) => id)).toContain(storedIn(production)['subscriptionId']);
  });

  test('when a copy is activated on an instance with another path prefix on the same host', async () => {
    const json = onEvents(['qr.created'], 'prefix');
    const production = await activate(json, { publicUrl: `${PUBLIC_URL}/production` });
    const { staticData } = production;
    await activate(json, { publicUrl: `${PUBLIC_URL}/staging`, staticData });
    expect(live().map(({ id }) => id)).toContain(storedIn(production)['subscriptionId']);
  });
});

describe('the log names a subscription that stays behind', () => {
  test('when all responses to a test are lost', async () => {
    world.emulator.control.failNext({ drop: 'after', times: Infinity });
    const json = onEvents(['qr.created'], 'test-lost');
    await expect(activate(json, { test: true })).rejects.toThrow();
    world.emulator.control.clearFaults();
    expect(live()).toHaveLength(1);
    expect(world.warnings).toEqual([expect.stringContaining('webhook-test')]);
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
    await second.deactivate();
    expect(live()).toEqual([]);
    for (const trigger of [first, second])
      expect(lines.join('\n')).toContain(
        storedIn(trigger)['subscriptionId'] ?? 'Created the webhook subscription',
      );
  });

  test('each time that a response is lost, even days apart', async () => {
    const json = onEvents(['qr.created'], 'lost-again');
    const loseAll = async (staticData: IDataObject) => {
      world.warnings.length = 0;
      world.emulator.control.failNext({ drop: 'after', times: Infinity, match: { method: 'POST' } });
      await expect(activate(json, { staticData })).rejects.toThrow();
      world.emulator.control.clearFaults();
      return [...world.warnings];
    };
    expect(await loseAll({})).toHaveLength(1);
    const recovered = await activate(json);
    await recovered.deactivate();
    expect(live()).toEqual([]);
    world.emulator.control.clock.advance(3 * 24 * 3600 * 1000);
    expect(await loseAll(recovered.staticData)).toHaveLength(1);
    expect(live()).toHaveLength(1);
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
    // After a restart, `checkExists` fails without a credential, and n8n then calls `delete`.
    await activate(json, { staticData, mode: 'init' }, engine).catch(() => undefined);
    expect(live()).toHaveLength(1);
    expect(warnings.join('\n')).toContain(live()[0]!.id);
  });

  test('when it was not saved and cannot be removed', async () => {
    const json = onEvents(['qr.created'], 'walk-503');
    await activate(json);
    world.warnings.length = 0;
    world.emulator.control.failNext({ status: 503, times: Infinity, match: { method: 'DELETE' } });
    await expect(activate(json)).rejects.toThrow();
    expect(live()).toHaveLength(1);
    expect(world.warnings.join('\n')).toContain(live()[0]!.id);
  });

  test('when the service responds to every DELETE with 404', async () => {
    world.emulator.control.setWireShape({ unsubscribe: 404 });
    const json = onEvents(['qr.created'], 'always-404');
    let trigger = await activate(json);
    for (let round = 0; round < 3; round++) {
      await trigger.deactivate();
      trigger = await activate(json, { staticData: trigger.staticData, mode: 'update' });
    }
    const orphans = live().filter(({ id }) => id !== storedIn(trigger)['subscriptionId']);
    expect(orphans).toHaveLength(3);
    for (const { id } of orphans) expect(world.warnings.join('\n')).toContain(id);
  });

  test('when the service also does not mark replays, which leaves at most one', async () => {
    world.emulator.control.setWireShape({ unsubscribe: 404 });
    const engine = await world.engineWith({ baseUrl: await serviceWith({}) });
    const trigger = await activate(onEvents(['qr.created'], 'unmarked-404'), {}, engine);
    const orphans = live().filter(({ id }) => id !== storedIn(trigger)['subscriptionId']);
    for (const { id } of orphans) expect(world.warnings.join('\n')).toContain(id);
    expect(orphans.length).toBeLessThan(2);
  });
});

describe('the trigger removes its own subscription', () => {
  test.each([['/v1/public-api'], ['/v1/public-api/']])(
    'when %s is appended to the base URL',
    async (path) => {
      const json = onEvents(['qr.created'], 'spelling');
      const before = await activate(json);
      const engine = await world.engineWith({ baseUrl: world.emulator.url + path });
      const after = await activate(json, { staticData: before.staticData, mode: 'update' }, engine);
      expect(world.warnings).toEqual([]);
      expect(live().map(({ id }) => id)).toEqual([storedIn(after)['subscriptionId']]);
    },
  );
});

describe('activating with damaged static data', () => {
  test.each<[string, IDataObject]>([
    ['without an owner', { owner: null }],
    ['with an owner that is text', { owner: 'n8n' }],
    ['without an ID', { subscriptionId: null }],
    ['with an ID that is a number', { subscriptionId: 17 }],
  ])('%s creates an active subscription', async (_what, damage) => {
    const json = onEvents(['qr.created'], 'damaged');
    const before = await activate(json);
    const staticData = { [`node:${NODE}`]: { ...storedIn(before), ...damage } };
    const after = await activate(json, { staticData });
    expect(live().map(({ id }) => id)).toContain(storedIn(after)['subscriptionId']);
  });
});

describe("correcting the credential's header prefix", () => {
  test('makes deliveries work after a restart of n8n', async () => {
    const json = onEvents(['qr.created'], 'prefix-fixed');
    const wrong = await world.engineWith({ headerPrefix: 'Srevice' });
    const before = await activate(json, {}, wrong);
    const after = await activate(json, { staticData: before.staticData, mode: 'init' });
    world.frontDoor.open(after);
    world.emulator.control.emit('qr.created');
    await until(() => world.frontDoor.statuses.length > 0);
    expect(world.frontDoor.statuses[0]).toBe(200);
  });
});

describe('restoring a backup after a day', () => {
  async function restoreBackup(restart: boolean) {
    const n8n = new N8nProcess();
    const engine = await world.engineWith({}, n8n.otherNodes);
    const json = onEvents(['qr.created'], 'day-later');
    const first = await activate(json, {}, engine);
    const backup = structuredClone(first.staticData);
    const second = await activate(json, { staticData: first.staticData, mode: 'update' }, engine);
    const newer = storedIn(second)['subscriptionId']!;
    world.emulator.control.clock.advance(25 * 3600 * 1000);
    if (restart) n8n.restart();
    return { newer, third: await activate(json, { staticData: backup }, engine) };
  }

  test('removes the subscription created after the backup', async () => {
    const { third } = await restoreBackup(false);
    expect(live().map(({ id }) => id)).toEqual([storedIn(third)['subscriptionId']]);
  });

  test('logs the subscription created after the backup if n8n was restarted', async () => {
    const { newer, third } = await restoreBackup(true);
    expect(live().map(({ id }) => id)).toEqual([newer, storedIn(third)['subscriptionId']]);
    expect(
      world.warnings.filter((line) => line.includes(newer) || line.includes(third.webhookUrl)),
    ).toHaveLength(1);
  });
});

describe('with a proxy that blocks DELETE', () => {
  test('a workflow can be activated again', async () => {
    const json = onEvents(['qr.created'], 'no-delete');
    const first = await activate(json);
    world.emulator.control.failNext({
      status: 403,
      html: true,
      times: Infinity,
      match: { method: 'DELETE' },
    });
    await first.deactivate().catch(() => undefined);
    let { staticData } = first;
    const errors: string[] = [];
    for (let round = 0; round < 3; round++) {
      const again = await activate(json, { staticData }).catch(
        (error: unknown) => void errors.push(String(error)),
      );
      staticData = again?.staticData ?? staticData;
    }
    expect(errors).toEqual([]);
  });
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

describe('the log names no subscription that was not created', () => {
  test.each<[string, () => Promise<N8nEngine>]>([
    [
      'when the rate limit is used up',
      () => {
        world.emulator.control.failNext({
          code: 'rate_limited',
          times: Infinity,
          retryAfter: { unit: 'seconds', ms: 600_000 },
        });
        return Promise.resolve(world.engine);
      },
    ],
  ])(
    '%s',
    async (what, prepare) => {
      const engine = await prepare();
      await expect(
        activate(onEvents(['qr.created'], `not-made-${what.length}`), {}, engine),
      ).rejects.toThrow();
      expect(world.warnings).toEqual([]);
    },
    60_000,
  );
});

describe('another account', () => {
  test.each([
    ['is stored', (staticData: IDataObject) => staticData],
    ['was lost from static data', () => ({})],
  ])('keeps its subscriptions if IDs are only unique per workspace and the own ID %s', async (what, roll) => {
    /** Each key has its own workspace. IDs are numbers. */
    const workspaces = new Map<string, Map<number, string>>();
    const server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const key = request.headers.authorization ?? '';
        const own = workspaces.get(key) ?? new Map<number, string>();
        workspaces.set(key, own);
        if (request.method === 'DELETE') {
          const was = own.delete(Number(request.url?.split('/').at(-1)));
          response.writeHead(was ? 204 : 404).end();
          return;
        }
        const { url } = JSON.parse(Buffer.concat(chunks).toString()) as { url: string };
        const idempotency = String(request.headers['idempotency-key']);
        const again = [...own].find(([, text]) => text === `${idempotency} ${url}`);
        const id = again?.[0] ?? own.size + 1;
        own.set(id, `${idempotency} ${url}`);
        response
          .writeHead(201, {
            'content-type': 'application/json',
            ...(again === undefined ? {} : { 'idempotency-replayed': 'true' }),
          })
          .end(JSON.stringify({ id, url, secret: `s${id}` }));
      });
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    closers.push(async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    });
    const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const foreign = 'x https://elsewhere.example.com/hook';
    workspaces.set('Bearer second', new Map([[1, foreign]]));
    const json = onEvents(['qr.created'], `numbers ${what}`);
    const before = await activate(json, {}, await world.engineWith({ baseUrl, apiKey: 'first' }));
    expect(storedIn(before)['subscriptionId']).toBe('1');
    await activate(
      json,
      { staticData: roll(before.staticData), mode: 'update' },
      await world.engineWith({ baseUrl, apiKey: 'second' }),
    );
    expect([...workspaces.get('Bearer second')!.values()]).toContain(foreign);
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
