import { EVENT_TYPES, signWebhook } from '@qr-service/core';
import type { IDataObject } from 'n8n-workflow';
import type { ActiveTrigger, Delivery } from '../../engines/n8n/index.ts';
import { startReceiver } from '../../engines/receiver.ts';
import { until } from '../support/jest/until.ts';
import { startVirtualTime } from '../support/jest/virtualTime.ts';
import { some } from '../support/seed.ts';
import { N8nProcess } from './support/n8nProcess.ts';
import { besidePolling, NODE, onEvents } from './support/workflows.ts';
import { PUBLIC_URL, startWorld, type World } from './support/world.ts';

let world: World;
const active: ActiveTrigger[] = [];
beforeEach(async () => {
  world = await startWorld();
});
afterEach(async () => {
  jest.restoreAllMocks();
  active.length = 0;
  await world.close();
});

/** Activates a workflow and opens its route at the front door. */
async function activate(events: string[], staticData?: IDataObject, id = 'events'): Promise<ActiveTrigger> {
  const options = { publicUrl: PUBLIC_URL, ...(staticData === undefined ? {} : { staticData }) };
  const trigger = await world.engine.activateTrigger(onEvents(events, id), NODE, options);
  world.frontDoor.open(trigger);
  active.push(trigger);
  return trigger;
}

const stored = (trigger: ActiveTrigger) => trigger.staticData[`node:${NODE}`] as Record<string, string>;
const subscriptions = () => world.emulator.control.subscriptions();
const rowsOf = () => world.frontDoor.executions.flatMap(({ data }) => data['Rows']!.map(({ json }) => json));

/** A genuine delivery, as received. */
async function genuine(): Promise<Delivery> {
  world.emulator.control.emit('qr.published');
  await world.emulator.control.settled();
  return world.frontDoor.deliveries.at(-1)!;
}

/** The same delivery, signed with a secret and a time in seconds from now. */
function signedAt(delivery: Delivery, secret: string, offsetSeconds: number): Delivery {
  const timestamp = Math.floor(Date.now() / 1000) + offsetSeconds;
  const signature = signWebhook({ body: delivery.rawBody, secret, timestamp });
  const headers = { 'x-service-timestamp': String(timestamp), 'x-service-signature': signature };
  return { ...delivery, headers: { ...delivery.headers, ...headers } };
}

/** A genuine delivery of any event type, even one unknown to this version. */
function made(trigger: ActiveTrigger, id: string, type = 'qr.created', data = {}): Delivery {
  const event = { id, type, workspaceId: 'ws', occurredAt: '2026-01-31T09:00:00.000Z', data };
  const delivery = { method: 'POST', headers: {}, rawBody: Buffer.from(JSON.stringify(event)) };
  return signedAt(delivery, stored(trigger)['secret']!, 0);
}

describe('activation and deactivation', () => {
  test('activation stores the ID and secret of one subscription, and deactivation removes it', async () => {
    const trigger = await activate(['qr.published', 'qr.created']);
    const [subscription] = subscriptions();
    expect(subscriptions()).toHaveLength(1);
    expect(subscription).toMatchObject({
      url: trigger.webhookUrl,
      eventTypes: ['qr.created', 'qr.published'],
    });
    expect(trigger.webhookUrl).toMatch(/^https:\/\/n8n\.example\.com\/webhook\//);
    expect(stored(trigger)).toMatchObject({ subscriptionId: subscription!.id, secret: subscription!.secret });
    await trigger.deactivate();
    expect(subscriptions()).toEqual([]);
    expect(stored(trigger)).not.toHaveProperty('secret');
  });

  test.each(['init', 'leadershipChange'] as const)(
    'keeps the subscription in mode %s without a request, even if a setting has become invalid',
    async (mode) => {
      const first = await activate(['qr.created']);
      const asked = world.emulator.control.requestCount();
      const options = { publicUrl: PUBLIC_URL, staticData: first.staticData, mode };
      const again = await world.engine.activateTrigger(onEvents([]), NODE, options);
      expect(stored(again)).toEqual(stored(first));
      expect(world.emulator.control.requestCount()).toBe(asked);
    },
  );

  test('unpublishing without anything stored sends no request', async () => {
    const trigger = await activate(['qr.created']);
    trigger.overwriteStaticData({});
    const asked = world.emulator.control.requestCount();
    await trigger.deactivate();
    expect(world.emulator.control.requestCount()).toBe(asked);
  });

  test('refuses to be published beside a polling trigger, and says what to do', async () => {
    const attempt = world.engine.activateTrigger(besidePolling(onEvents(['qr.created'])), NODE, {
      publicUrl: PUBLIC_URL,
    });
    await expect(attempt).rejects.toThrow(
      'This trigger can\'t share a workflow with the trigger "Polls": n8n would refuse all events. Move one of the two triggers to a workflow of its own.',
    );
    expect(world.emulator.control.requestCount()).toBe(0);
  });

  test('can be tested beside a polling trigger', async () => {
    const options = { publicUrl: PUBLIC_URL, test: true };
    const trigger = await world.engine.activateTrigger(
      besidePolling(onEvents(['qr.created'])),
      NODE,
      options,
    );
    expect(subscriptions()).toMatchObject([{ url: trigger.webhookUrl }]);
  });

  test.each(['https://192.168.1.20', 'http://localhost:5678'])(
    'rejects the webhook URL %s without a request and suggests alternatives',
    async (publicUrl) => {
      for (const isTest of [false, true]) {
        const options = { publicUrl, test: isTest };
        const attempt = world.engine.activateTrigger(onEvents(['qr.created']), NODE, options);
        const remedy = 'WEBHOOK_URL.*tunnel.*polling trigger.*Send a Sample When Testing';
        await expect(attempt).rejects.toThrow(new RegExp(`${publicUrl}.*${remedy}`));
      }
      expect(world.emulator.control.requestCount()).toBe(0);
    },
  );

  test.each([{ code: 'not_found' as const }, { status: 410 }])(
    'deactivation succeeds when the subscription is already gone: %j',
    async (fault) => {
      const trigger = await activate(['qr.created']);
      world.emulator.control.failNext(fault);
      const { subscriptionId } = stored(trigger);
      await trigger.deactivate();
      expect(stored(trigger)).not.toHaveProperty('secret');
      // Or the service has no way to remove it: the responses are the same.
      expect(world.warnings).toEqual([
        expect.stringMatching(
          `${subscriptionId!}.*the service has none with this ID.*If the service's app lists it and it isn't used, remove it`,
        ),
      ]);
    },
  );

  test.each([
    ['has no way to remove it', { status: 405 }],
    ['lacks the scope', { code: 'insufficient_scope' as const }],
  ])('deactivation succeeds and logs which subscription to remove: %s %j', async (reason, fault) => {
    const trigger = await activate(['qr.created']);
    const id = stored(trigger)['subscriptionId']!;
    world.emulator.control.failNext(fault);
    await trigger.deactivate();
    expect(stored(trigger)).not.toHaveProperty('secret');
    expect(world.warnings).toEqual([expect.stringMatching(new RegExp(`${id}.*${reason}.*remove it there`))]);
  });

  test('deactivation throws and keeps its data if the service is down, so that n8n tries again', async () => {
    const trigger = await activate(['qr.created']);
    const before = { ...stored(trigger) };
    jest.spyOn(Math, 'random').mockReturnValue(0);
    world.emulator.control.failNext({ times: 5, status: 503 });
    await expect(trigger.deactivate()).rejects.toMatchObject({ name: 'NodeApiError', httpCode: '503' });
    jest.restoreAllMocks();
    expect(world.warnings).toEqual([expect.stringContaining(before.subscriptionId!)]);
    expect(stored(trigger)).toEqual(before);
    await trigger.deactivate();
    expect(subscriptions()).toEqual([]);
  });
});

describe('a start of n8n at another URL', () => {
  const ELSEWHERE = 'https://copy.example.com';
  const start = (staticData: IDataObject, publicUrl: string) =>
    world.engine.activateTrigger(onEvents(['qr.created']), NODE, { publicUrl, staticData, mode: 'init' });

  test('leaves the stored subscription alone, names it in the log and subscribes for itself', async () => {
    const original = await activate(['qr.created']);
    const { subscriptionId } = stored(original);
    const copy = await start(original.staticData, ELSEWHERE);
    expect(subscriptions()).toMatchObject([
      { id: subscriptionId, url: original.webhookUrl },
      { id: stored(copy)['subscriptionId'], url: copy.webhookUrl },
    ]);
    expect(world.warnings).toEqual([
      expect.stringMatching(
        `${subscriptionId!} for ${original.webhookUrl} was not removed: n8n was started at another.*remove it there`,
      ),
    ]);
    await copy.deactivate();
    expect(subscriptions()).toMatchObject([{ id: subscriptionId }]);
  });

  test.each(['the URL is not public', 'the service is down'])(
    'leaves the stored subscription alone if %s, and so does unpublishing',
    async (why) => {
      const original = await activate(['qr.created']);
      const { subscriptionId } = stored(original);
      jest.spyOn(Math, 'random').mockReturnValue(0);
      const isLocal = why === 'the URL is not public';
      if (!isLocal) world.emulator.control.failNext({ status: 503, times: Infinity });
      const publicUrl = isLocal ? 'http://localhost:5678' : ELSEWHERE;
      // n8n calls `delete` after an activation that fails.
      await expect(start(original.staticData, publicUrl)).rejects.toThrow();
      world.emulator.control.clearFaults();
      const options = { publicUrl, staticData: original.staticData };
      await world.engine.openTrigger(onEvents(['qr.created']), NODE, options).deactivate();
      expect(subscriptions()).toMatchObject([{ id: subscriptionId }]);
      expect(world.warnings.at(-1)).toMatch(new RegExp(`${subscriptionId!} .*: it delivers to another URL`));
    },
  );

  test.each([
    ['', false, ELSEWHERE],
    [' at the same address', false, PUBLIC_URL],
    [', even if the service fails to remove it', true, ELSEWHERE],
  ])('does not keep a person from replacing it by publishing%s', async (_what, isDown, publicUrl) => {
    const { staticData } = await activate(['qr.created']);
    const before = subscriptions();
    jest.spyOn(Math, 'random').mockReturnValue(0);
    if (isDown) world.emulator.control.failNext({ status: 503, times: 5, match: { method: 'DELETE' } });
    const options = { publicUrl, staticData, mode: 'activate' as const };
    const moved = await world.engine.activateTrigger(onEvents(['qr.created']), NODE, options);
    const left = isDown ? before : [];
    expect(stored(moved)['subscriptionId']).not.toBe(before[0]?.id);
    expect(subscriptions()).toMatchObject([
      ...left,
      { id: stored(moved)['subscriptionId'], url: moved.webhookUrl },
    ]);
    expect(world.warnings).toEqual(left.map(({ id }) => expect.stringContaining(id)));
  });
});

describe('testing in the editor', () => {
  async function listen(
    events: string[],
    options: IDataObject,
    publicUrl = PUBLIC_URL,
    onListening: (trigger: ActiveTrigger) => void = () => undefined,
  ): Promise<ActiveTrigger> {
    const json = onEvents(events, 'events', options);
    const trigger = await world.engine.activateTrigger(json, NODE, { publicUrl, test: true, onListening });
    world.frontDoor.open(trigger);
    return trigger;
  }

  test('subscribes with the test URL while the workflow is active, and removes only its own subscription', async () => {
    const production = await activate(['qr.created']);
    const trigger = await listen(['qr.created'], {});
    expect(trigger.webhookUrl).toMatch(/^https:\/\/n8n\.example\.com\/webhook-test\//);
    expect(subscriptions()).toHaveLength(2);
    world.emulator.control.emit('qr.created');
    await world.emulator.control.settled();
    expect(world.frontDoor.executions).toHaveLength(2);
    await trigger.deactivate();
    expect(subscriptions()).toMatchObject([{ id: stored(production)['subscriptionId'] }]);
    const again = await listen(['qr.created'], {});
    expect(subscriptions().map(({ id }) => id)).toContain(stored(again)['subscriptionId']);
  });

  /** n8n with test webhooks, at a local address. */
  async function withLocalN8n(
    use: (
      publicUrl: string,
      open: (trigger: ActiveTrigger) => void,
      /** Resolves when n8n has responded to a delivery with this status. */
      answered: (status: number) => Promise<void>,
    ) => Promise<void>,
  ) {
    const local = await startReceiver();
    let listening: ActiveTrigger | undefined;
    const statuses: number[] = [];
    local.open(local.address, async (delivery) => {
      // n8n only has a route for POST.
      if (delivery.method !== 'POST') return { status: 404 };
      const { execution, ...answer } = (await listening?.receive(delivery)) ?? { status: 404 };
      statuses.push(answer.status);
      if (execution !== undefined) world.frontDoor.executions.push(await execution);
      return answer;
    });
    const answered = (status: number) => until(() => statuses.includes(status));
    try {
      const open = (trigger: ActiveTrigger) => void (listening = trigger);
      await use(`http://${local.address}`, open, answered);
    } finally {
      await local.close();
    }
  }

  const executed = () => until(() => world.frontDoor.executions.length > 0);

  test.each(
    some(
      [
        [['feedback.low_score_received'], 'feedback.low_score_received', 'scoreKind'],
        [['*', 'qr.deleted'], 'qr.created', 'publicUrl'],
      ],
      1,
    ),
  )('when testing %j, sends a signed %s sample without calling the service', async (events, type, field) => {
    await withLocalN8n(async (publicUrl, open) => {
      for (let round = 0; round < 2; round++) {
        world.frontDoor.forget();
        const trigger = await listen(events, { sampleWhenTesting: true }, publicUrl, open);
        await executed();
        const ids = {
          eventId: expect.stringMatching(/^evt_sample_/),
          deliveryId: expect.stringMatching(/^dlv_sample_/),
        };
        expect(rowsOf()).toMatchObject([{ type, ...ids }]);
        expect(rowsOf()[0]).toHaveProperty(field);
        await trigger.deactivate();
        expect(stored(trigger)).toEqual({});
      }
    });
    expect(world.emulator.control.requestCount()).toBe(0);
    expect(world.warnings).toEqual([]);
  });

  test('retries the sample until n8n listens and has stored the secret', async () => {
    await withLocalN8n(async (publicUrl, open, answered) => {
      const trigger = await listen(['qr.created'], { sampleWhenTesting: true }, publicUrl);
      const known = stored(trigger)['secret'];
      delete stored(trigger)['secret'];
      await answered(404);
      open(trigger);
      await answered(401);
      expect(world.frontDoor.executions).toEqual([]);
      stored(trigger)['secret'] = known!;
      await executed();
    });
  });

  test('fails at once if n8n cannot reach itself', async () => {
    const publicUrl = 'http://127.0.0.1:9';
    await expect(listen(['qr.created'], { sampleWhenTesting: true }, publicUrl)).rejects.toMatchObject({
      message: expect.stringMatching(
        /^n8n can't reach itself at http:\/\/127\.0\.0\.1:9, so no sample can be delivered: .*ECONNREFUSED.*\. Set N8N_WEBHOOK_URL/,
      ),
    });
  });

  test.each([
    ['it responded with status 404', { status: 404 }],
    ['it responded with status 302', { status: 302, headers: { location: '/' } }],
    ['.*incorrect header check', { status: 200, headers: { 'content-encoding': 'gzip' }, body: 'OK' }],
  ])('logs how n8n can reach itself if it never accepts the sample: %s', async (problem, answer) => {
    const time = startVirtualTime();
    await withLocalN8n(async (publicUrl, open) => {
      open({ receive: () => Promise.resolve(answer) } as unknown as ActiveTrigger);
      const { webhookUrl } = await listen(['qr.created'], { sampleWhenTesting: true }, publicUrl);
      await until(() => {
        time.advance(100);
        return world.warnings.length > 0;
      });
      const said = `could not be delivered to ${webhookUrl}, this n8n's own URL: ${problem}\\. Set N8N_WEBHOOK_URL`;
      expect(world.warnings).toEqual([expect.stringMatching(said)]);
    });
  });

  test('sends no sample to an active workflow, which subscribes instead', async () => {
    const json = onEvents(['qr.created'], 'events', { sampleWhenTesting: true });
    await world.engine.activateTrigger(json, NODE, { publicUrl: PUBLIC_URL });
    expect(subscriptions()).toHaveLength(1);
  });
});

describe('deliveries', () => {
  test('starts one execution with one flat row for each event', async () => {
    await activate(['*']);
    for (const type of EVENT_TYPES) world.emulator.control.emit(type);
    await world.emulator.control.settled();
    expect(world.frontDoor.statuses).toEqual(EVENT_TYPES.map(() => 200));
    expect(
      rowsOf()
        .map(({ type }) => type)
        .sort(),
    ).toEqual([...EVENT_TYPES].sort());
    expect(rowsOf().find(({ type }) => type === 'qr.published')).toMatchObject({
      eventId: expect.any(String),
      deliveryId: expect.any(String),
      occurredAt: expect.any(String),
      qrId: expect.any(String),
      slug: expect.any(String),
      publicUrl: expect.any(String),
    });
    for (const row of rowsOf()) {
      for (const value of Object.values(row)) expect(typeof value === 'object' && value !== null).toBe(false);
    }
  });

  test.each([
    ['All Events', ['*'], 1],
    ['every event by its name', [...EVENT_TYPES], 0],
  ])(
    'with %s, decides whether an event of a new type starts the workflow: %j %j',
    async (_what, events, executions) => {
      const trigger = await activate(events);
      const { status, execution } = await trigger.receive(made(trigger, 'evt_new', 'qr.restored'));
      expect(status).toBe(200);
      expect(execution === undefined ? [] : (await execution).data['Rows']).toHaveLength(executions);
    },
  );

  const refused: [what: string, reason: string, make: (delivery: Delivery, secret: string) => Delivery][] = [
    ['signed with another secret', 'signature_mismatch', (d) => signedAt(d, 'whsec_other', 0)],
    ['that is over 300 s old', 'timestamp_out_of_tolerance', (d, secret) => signedAt(d, secret, -302)],
    [
      'without a signature',
      'missing_header',
      (d) => ({ ...d, headers: { 'content-type': 'application/json' } }),
    ],
    [
      'with only the V0 signature',
      'deprecated_scheme',
      (d) => {
        const { 'x-service-signature': _v1, ...headers } = d.headers;
        return { ...d, headers };
      },
    ],
  ];
  test.each(refused)('responds 401 to a delivery %s and starts no execution', async (what, reason, make) => {
    // A separate workflow, as the log repeats a message about a workflow only once a minute.
    const trigger = await activate(['qr.published'], undefined, what);
    const delivery = await genuine();
    expect(delivery.headers).toHaveProperty('x-service-signature-v0');
    world.frontDoor.forget();
    const before = structuredClone(trigger.staticData);
    // A new event ID: a duplicate would start nothing anyway.
    const answer = await trigger.receive(make(delivery, stored(trigger)['secret']!));
    expect(answer.status).toBe(401);
    expect(JSON.parse(answer.body.toString())).toEqual({ error: 'invalid_signature', reason });
    expect(answer.execution).toBeUndefined();
    expect(trigger.staticData).toEqual(before);
    const of = `(URL: ${trigger.webhookUrl}, subscription: ${stored(trigger)['subscriptionId']})`;
    expect(world.warnings).toEqual([expect.stringContaining(`trigger ${of} was refused: ${reason}.`)]);
    const advice: Record<string, string> = {
      timestamp_out_of_tolerance: ' Its signature .*check the clock.*',
      signature_mismatch: " Either the service didn't send it, or.*",
    };
    expect(world.warnings[0]).toMatch(new RegExp(`refused: ${reason}\\.${advice[reason] ?? ''}$`));
  });

  test('logs one refused delivery to each workflow in a minute', async () => {
    const time = startVirtualTime();
    const first = await activate(['qr.published'], undefined, 'first');
    const second = await activate(['qr.published'], undefined, 'second');
    const forged: Delivery = { method: 'POST', headers: {}, rawBody: Buffer.from('{}') };
    for (const trigger of [first, first, first, second]) await trigger.receive(forged);
    time.advance(60_000);
    await first.receive(forged);
    expect(world.warnings).toEqual([
      expect.stringMatching(/first-webhook.*refused: missing_header\.$/),
      expect.stringMatching(/second-webhook.*refused: missing_header\.$/),
      expect.stringMatching(/first-webhook.*refused: missing_header\.$/),
    ]);
  });

  test('starts an execution for a genuine delivery after a stale one of the same event', async () => {
    const trigger = await activate(['qr.published']);
    world.frontDoor.shut(trigger);
    world.emulator.control.emit('qr.published');
    const body = () => world.emulator.control.deliveries()[0]!.body;
    const delivery: Delivery = { method: 'POST', headers: {}, rawBody: Buffer.from(body()) };
    const secret = stored(trigger)['secret']!;
    expect((await trigger.receive(signedAt(delivery, secret, -3600))).status).toBe(401);
    const answer = await trigger.receive(signedAt(delivery, secret, 0));
    expect(answer.status).toBe(200);
    expect((await answer.execution)?.status).toBe('success');
  });

  test('responds 401 to every delivery when the secret is missing, and logs the fix once', async () => {
    const trigger = await activate(['qr.published'], undefined, 'without a secret');
    const delivery = await genuine();
    await trigger.deactivate();
    trigger.overwriteStaticData({});
    const engine = await world.engineWith({}, new N8nProcess().otherNodes);
    const json = onEvents(['qr.published'], 'without a secret');
    const elsewhere = engine.openTrigger(json, NODE, { publicUrl: PUBLIC_URL });
    const answer = await elsewhere.receive(delivery);
    expect(answer.status).toBe(401);
    expect(answer.execution).toBeUndefined();
    expect(world.warnings).toEqual([
      expect.stringMatching(
        /subscription: none\).*no signing secret.*unpublish the workflow and publish it again\. Then remove all webhook subscriptions for/,
      ),
    ]);
    for (let i = 0; i < 100; i++) await elsewhere.receive(delivery);
    expect(world.warnings).toHaveLength(1);
  });

  test('keeps all fields of an event whose data has a field named json', async () => {
    const trigger = await activate(['*']);
    const data = { exportId: 'exp_1', json: 'https://example.com/export.json' };
    const { execution } = await trigger.receive(made(trigger, 'evt_1', 'export.ready', data));
    const [item] = (await execution)!.data['Rows']!;
    expect(item!.json).toMatchObject({ eventId: 'evt_1', type: 'export.ready', ...data });
  });

  test('starts nothing for a redelivery, under the same or a new delivery ID', async () => {
    await activate(['qr.published']);
    await genuine();
    const [first] = world.emulator.control.deliveries();
    world.emulator.control.redeliver(first!.id);
    world.emulator.control.redeliver(first!.id, { newDeliveryId: true });
    await world.emulator.control.settled();
    expect(world.frontDoor.statuses).toEqual([200, 200, 200]);
    expect(world.frontDoor.executions).toHaveLength(1);
  });

  test('starts one execution for 20 copies of a delivery at the same time, and has the others sent again', async () => {
    const trigger = await activate(['qr.published']);
    world.frontDoor.shut(trigger);
    world.emulator.control.emit('qr.published');
    const rawBody = Buffer.from(world.emulator.control.deliveries()[0]!.body);
    const delivery = signedAt({ method: 'POST', headers: {}, rawBody }, stored(trigger)['secret']!, 0);
    const answers = await Promise.all(Array.from({ length: 20 }, () => trigger.receive(delivery)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array<number>(19).fill(503)]);
    expect(answers.filter(({ execution }) => execution !== undefined)).toHaveLength(1);
    expect(answers.at(-1)?.body.toString()).toBe('{"error":"still_storing"}');
    const { status, execution } = await trigger.receive(delivery);
    expect([status, execution]).toEqual([200, undefined]);
  });

  test('accepts the retry of a delivery that first got a 404, and leaves the static data unchanged', async () => {
    const trigger = await activate(['qr.published']);
    const before = JSON.stringify(trigger.staticData);
    world.frontDoor.shut(trigger);
    world.emulator.control.emit('qr.published');
    await until(() => world.emulator.control.deliveries()[0]!.attempts.length > 0);
    world.frontDoor.open(trigger);
    await world.emulator.control.settled();
    expect(world.emulator.control.deliveries()[0]!.attempts[0]!.status).toBe(404);
    expect(world.frontDoor.executions).toHaveLength(1);
    expect(JSON.stringify(trigger.staticData)).toBe(before);
  });
});
