import { EVENT_TYPES, signWebhook } from '@qr-service/core';
import type { IDataObject } from 'n8n-workflow';
import type { ActiveTrigger, Delivery } from '../../engines/n8n/index.ts';
import { PUBLIC_URL, startWorld, type World } from './support/world.ts';
import { NODE, onEvents } from './support/workflows.ts';

let world: World;
const active: ActiveTrigger[] = [];
beforeEach(async () => {
  world = await startWorld();
});
afterEach(async () => {
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

/** A genuine delivery as it came in. */
async function genuine(): Promise<Delivery> {
  world.emulator.control.emit('qr.published');
  await world.emulator.control.settled();
  return world.frontDoor.deliveries.at(-1)!;
}

/** The same delivery signed with a secret for a moment, seconds from now. */
function signedAt(delivery: Delivery, secret: string, offsetSeconds: number): Delivery {
  const timestamp = Math.floor(Date.now() / 1000) + offsetSeconds;
  const signature = signWebhook({ body: delivery.rawBody, secret, timestamp });
  const headers = { 'x-service-timestamp': String(timestamp), 'x-service-signature': signature };
  return { ...delivery, headers: { ...delivery.headers, ...headers } };
}

describe('life cycle', () => {
  test('activation subscribes once and keeps id and secret; deactivation removes it and forgets', async () => {
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
    expect(stored(trigger)).toEqual({});
  });

  test('"all events" subscribes to the 14', async () => {
    await activate(['*', 'qr.created']);
    expect([...subscriptions()[0]!.eventTypes].sort()).toEqual([...EVENT_TYPES].sort());
  });

  test('what is subscribed already is kept at the next activation', async () => {
    const first = await activate(['qr.created']);
    const again = await activate(['qr.created'], first.staticData);
    expect(stored(again)).toEqual(stored(first));
    expect(subscriptions()).toHaveLength(1);
  });

  test.each([
    ['the secret is lost', ({ secret: _lost, ...rest }: IDataObject) => rest, ['qr.created']],
    [
      'the address has changed',
      (kept: IDataObject) => ({ ...kept, url: 'https://old.example.com/' }),
      ['qr.created'],
    ],
    ['other events are chosen', (kept: IDataObject) => kept, ['qr.created', 'qr.deleted']],
  ])('when %s, the old subscription is replaced at the next activation', async (_why, change, events) => {
    const first = await activate(['qr.created']);
    const staticData = { [`node:${NODE}`]: change(stored(first)) };
    const again = await activate(events, staticData);
    expect(subscriptions()).toHaveLength(1);
    expect(subscriptions()[0]).toMatchObject({
      id: stored(again)['subscriptionId'],
      secret: stored(again)['secret'],
    });
    expect(stored(again)['subscriptionId']).not.toBe(stored(first)['subscriptionId']);
    world.emulator.control.emit('qr.created');
    await world.emulator.control.settled();
    expect(world.frontDoor.executions).toHaveLength(1);
  });

  test.each([
    'http://n8n.example.com',
    'https://localhost:5678',
    'https://192.168.1.20',
    'http://localhost:5678',
  ])('the address %s is refused before the service is asked, with the three ways out', async (publicUrl) => {
    const attempt = world.engine.activateTrigger(onEvents(['qr.created']), NODE, { publicUrl });
    await expect(attempt).rejects.toMatchObject({
      message: expect.stringContaining(publicUrl),
      description: expect.stringMatching(/WEBHOOK_URL.*tunnel.*polling trigger/s),
    });
    expect(world.emulator.control.requestCount()).toBe(0);
  });

  test('no event chosen is said so', async () => {
    await expect(activate([])).rejects.toThrow('No event is chosen');
  });

  test('a key without the scope is told which one is missing', async () => {
    const { apiKey } = world.emulator.control.createKey({ scopes: ['qr:read'] });
    const engine = await world.engineWith({ apiKey });
    const attempt = engine.activateTrigger(onEvents(['qr.created']), NODE, { publicUrl: PUBLIC_URL });
    await expect(attempt).rejects.toMatchObject({ message: expect.stringContaining('webhooks:write') });
  });

  test('an answer lost on the way leaves no second subscription, and its secret is the one that counts', async () => {
    world.emulator.control.failNext({ drop: 'after' });
    const trigger = await activate(['qr.created']);
    expect(subscriptions()).toHaveLength(1);
    expect(subscriptions()[0]!.secret).toBe(stored(trigger)['secret']);
  });

  test('activating again after a deactivation gives a new subscription and not a replayed answer', async () => {
    const first = await activate(['qr.created']);
    const before = stored(first)['subscriptionId'];
    await first.deactivate();
    const again = await activate(['qr.created'], first.staticData);
    expect(stored(again)['subscriptionId']).not.toBe(before);
    expect(subscriptions()).toMatchObject([{ id: stored(again)['subscriptionId'] }]);
  });

  test('deactivation treats a subscription that is gone as removed', async () => {
    const trigger = await activate(['qr.created']);
    world.emulator.control.failNext({ code: 'not_found' });
    await trigger.deactivate();
    expect(stored(trigger)).toEqual({});
    expect(world.warnings).toEqual([]);
  });

  test.each([
    ['offers no way to remove it', { status: 405 }],
    ['refused with insufficient_scope', { code: 'insufficient_scope' as const }],
  ])('when the service %s, deactivation goes on and the log names what to remove', async (reason, fault) => {
    const trigger = await activate(['qr.created']);
    const id = stored(trigger)['subscriptionId']!;
    world.emulator.control.failNext(fault);
    await trigger.deactivate();
    expect(stored(trigger)).toEqual({});
    expect(world.warnings).toEqual([
      expect.stringMatching(new RegExp(`${id}.*${reason}.*Remove it in the service's app`)),
    ]);
  });

  test('a passing failure throws and keeps everything, so that n8n can try again', async () => {
    const trigger = await activate(['qr.created']);
    const before = { ...stored(trigger) };
    jest.spyOn(Math, 'random').mockReturnValue(0);
    world.emulator.control.failNext({ times: 5, status: 503 });
    await expect(trigger.deactivate()).rejects.toMatchObject({ name: 'NodeApiError', httpCode: '503' });
    jest.restoreAllMocks();
    expect(stored(trigger)).toEqual(before);
    await trigger.deactivate();
    expect(subscriptions()).toEqual([]);
  });
});

describe('deliveries', () => {
  test('each event starts one execution with one flat row', async () => {
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

  test('an event that was not chosen is accepted and starts nothing', async () => {
    const trigger = await activate(['qr.created']);
    const body = {
      ...JSON.parse((await genuineFor(trigger)).rawBody.toString()),
      id: 'evt_x',
      type: 'qr.deleted',
    };
    const answer = await trigger.receive(
      signedAt(
        { method: 'POST', headers: {}, rawBody: Buffer.from(JSON.stringify(body)) },
        stored(trigger)['secret']!,
        0,
      ),
    );
    expect(answer.status).toBe(200);
    expect(answer.execution).toBeUndefined();
  });

  async function genuineFor(trigger: ActiveTrigger): Promise<Delivery> {
    world.emulator.control.emit('qr.created');
    await world.emulator.control.settled();
    expect(trigger.webhookUrl).toBeDefined();
    return world.frontDoor.deliveries.at(-1)!;
  }

  const refused: [what: string, reason: string, make: (delivery: Delivery, secret: string) => Delivery][] = [
    ['signed with another secret', 'signature_mismatch', (d) => signedAt(d, 'whsec_other', 0)],
    [
      'with a changed body',
      'signature_mismatch',
      (d) => ({ ...d, rawBody: Buffer.from(`${d.rawBody.toString()} `) }),
    ],
    ['that is an hour old', 'timestamp_out_of_tolerance', (d, secret) => signedAt(d, secret, -3600)],
    ['from an hour ahead', 'timestamp_out_of_tolerance', (d, secret) => signedAt(d, secret, 3600)],
    [
      'without a signature',
      'missing_header',
      (d) => ({ ...d, headers: { 'content-type': 'application/json' } }),
    ],
    [
      'with the V0 signature only',
      'deprecated_scheme',
      (d) => {
        const { 'x-service-signature': _v1, ...headers } = d.headers;
        return { ...d, headers };
      },
    ],
  ];
  test.each(refused)('a delivery %s gets 401 and starts nothing', async (_what, reason, make) => {
    const trigger = await activate(['qr.published']);
    const delivery = await genuine();
    expect(delivery.headers).toHaveProperty('x-service-signature-v0');
    world.frontDoor.forget();
    // A new event id: a repeated one would start nothing anyway.
    const answer = await trigger.receive(make(delivery, stored(trigger)['secret']!));
    expect(answer.status).toBe(401);
    expect(JSON.parse(answer.body.toString())).toEqual({ error: 'invalid_signature', reason });
    expect(answer.execution).toBeUndefined();
    expect(world.warnings).toEqual([expect.stringContaining(reason)]);
  });

  test('a stale delivery marks nothing: the genuine one after it still starts its execution', async () => {
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

  test('without a stored secret every delivery gets 401, and the log says how to heal it', async () => {
    const trigger = await activate(['qr.published']);
    const delivery = await genuine();
    delete (trigger.staticData[`node:${NODE}`] as IDataObject)['secret'];
    const answer = await trigger.receive(delivery);
    expect(answer.status).toBe(401);
    expect(answer.execution).toBeUndefined();
    expect(world.warnings).toEqual([expect.stringMatching(/missing_secret.*activate it again/)]);
  });

  test('the same delivery again, and its event under another delivery id, start nothing', async () => {
    await activate(['qr.published']);
    await genuine();
    const [first] = world.emulator.control.deliveries();
    world.emulator.control.redeliver(first!.id);
    world.emulator.control.redeliver(first!.id, { newDeliveryId: true });
    await world.emulator.control.settled();
    expect(world.frontDoor.statuses).toEqual([200, 200, 200]);
    expect(world.frontDoor.executions).toHaveLength(1);
  });

  test('the same delivery many times at once starts one execution', async () => {
    const trigger = await activate(['qr.published']);
    world.frontDoor.shut(trigger);
    world.emulator.control.emit('qr.published');
    const rawBody = Buffer.from(world.emulator.control.deliveries()[0]!.body);
    const delivery = signedAt({ method: 'POST', headers: {}, rawBody }, stored(trigger)['secret']!, 0);
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        trigger.receive({ ...delivery, headers: { ...delivery.headers, 'x-service-delivery': `dlv_${i}` } }),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200));
    expect(answers.filter(({ execution }) => execution !== undefined)).toHaveLength(1);
  });

  test('two workflows that listen to one event both run', async () => {
    await activate(['qr.published'], undefined, 'first');
    await activate(['qr.published'], undefined, 'second');
    world.emulator.control.emit('qr.published');
    await world.emulator.control.settled();
    expect(world.frontDoor.executions).toHaveLength(2);
  });

  test('deliveries change nothing of what is stored', async () => {
    const trigger = await activate(['*']);
    const before = JSON.stringify(trigger.staticData);
    for (const type of EVENT_TYPES) world.emulator.control.emit(type);
    await world.emulator.control.settled();
    expect(JSON.stringify(trigger.staticData)).toBe(before);
  });

  test('a delivery that n8n was too late for comes again and is taken', async () => {
    const trigger = await activate(['qr.published']);
    world.frontDoor.shut(trigger);
    world.emulator.control.emit('qr.published');
    while (world.emulator.control.deliveries()[0]!.attempts.length === 0)
      await new Promise((resolve) => setTimeout(resolve, 5));
    world.frontDoor.open(trigger);
    await world.emulator.control.settled();
    expect(world.emulator.control.deliveries()[0]!.attempts[0]!.status).toBe(404);
    expect(world.frontDoor.executions).toHaveLength(1);
  });
});
