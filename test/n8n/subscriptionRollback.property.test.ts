import { signWebhook, type EventType } from '@qr-service/core';
import type { IDataObject } from 'n8n-workflow';
import { startEmulator, type Emulator } from 'qr-service-emulator';
import type { ActiveTrigger, Delivery, N8nEngine } from '../../engines/n8n/index.ts';
import { createN8nEngine } from '../../engines/n8n/index.ts';
import { startReceiver, type Receiver } from '../../engines/receiver.ts';
import { fc } from '../support/fastCheck.ts';
import { runs } from '../support/seed.ts';
import { N8nProcess } from './support/n8nProcess.ts';
import { besidePolling, NODE, onEvents } from './support/workflows.ts';
import { PACKAGE_DIR, PUBLIC_URL } from './support/world.ts';

/*
 * n8n writes older static data of a workflow back: a poll does so with what the triggers had stored when the polling
 * trigger was activated. Here, any older data may be written back at any time. The main process publishes; it and another
 * process, such as a webhook processor, receive events.
 */

const HOUR_MS = 60 * 60 * 1000;
/** Longer than the interval between requests for a newer secret, so that a redelivery is always accepted. */
const REDELIVERY_MS = 5 * HOUR_MS;
const REPLAYED_MS = 24 * HOUR_MS;

let emulator: Emulator;
let receiver: Receiver;
const processes = { main: new N8nProcess(), other: new N8nProcess() };
const engines = {} as Record<ProcessName, N8nEngine>;
let receive: (delivery: Delivery) => Promise<{ status: number }> = () => Promise.resolve({ status: 404 });
let passedMs = 0;
let lives = 0;

type ProcessName = keyof typeof processes;

beforeAll(async () => {
  receiver = await startReceiver();
  receiver.open(new URL(PUBLIC_URL).host, (delivery) => receive(delivery));
  emulator = await startEmulator({
    connectTo: { [new URL(PUBLIC_URL).host]: receiver.address },
    retryBaseMs: 1e7,
    now: () => Date.now(),
    rateLimit: { limit: 1e6, windowSeconds: 10 },
  });
  for (const name of ['main', 'other'] as const)
    engines[name] = await createN8nEngine({
      packageDir: PACKAGE_DIR,
      credentials: { qrServiceApi: { baseUrl: emulator.url, apiKey: emulator.apiKey } },
      otherNodes: processes[name].otherNodes,
    });
});
afterAll(async () => {
  await emulator.stop();
  await receiver.close();
});
beforeEach(() => {
  const { now } = Date;
  jest.spyOn(Date, 'now').mockImplementation(() => now() + passedMs);
});
afterEach(() => jest.restoreAllMocks());

const SETS: EventType[][] = [['qr.created'], ['qr.created', 'qr.updated'], ['qr.created', 'qr.deleted']];

type Step =
  | { kind: 'publish'; events: number }
  | { kind: 'unpublish' | 'restart' | 'restart of the other process' }
  | { kind: 'old data'; nth: number }
  | { kind: 'event' | 'flood'; at: ProcessName };

const at = fc.constantFrom<ProcessName>('main', 'other');
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('publish'), events: fc.nat(SETS.length - 1) }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('old data'), nth: fc.nat(20) }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constantFrom('event', 'flood'), at }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constantFrom('restart', 'restart', 'restart of the other process', 'unpublish'),
    }),
  },
);

/** Simulates one workflow. */
class Life {
  readonly #id = `rollback-${++lives}`;
  #events = SETS[0]!;
  #isPublished = false;
  #saved: IDataObject = {};
  readonly #earlier: IDataObject[] = [{}];
  #publishedAt = 0;
  #publications = 0;
  #floods = 0;
  /** Event ID of each execution. */
  readonly started: string[] = [];

  async play(step: Step): Promise<void> {
    switch (step.kind) {
      case 'publish':
        return this.#publish(SETS[step.events]!);
      case 'unpublish':
        return this.unpublish();
      case 'restart':
        processes.main.restart();
        return;
      case 'restart of the other process':
        processes.other.restart();
        return;
      case 'old data':
        this.#saved = this.#earlier[step.nth % this.#earlier.length]!;
        return;
      case 'event':
        return this.#event(step.at);
      case 'flood':
        return this.#flood(step.at);
    }
  }

  /** As n8n 2.40: it calls `delete` with the settings of the version before. */
  async #publish(events: EventType[]): Promise<void> {
    const mode = this.#isPublished ? 'update' : 'activate';
    if (this.#isPublished) await this.#deactivate();
    this.#events = events;
    const options = { publicUrl: PUBLIC_URL, staticData: this.#saved, mode } as const;
    const trigger = await engines.main.activateTrigger(this.#workflow(), NODE, options);
    this.#save(trigger.staticData);
    this.#isPublished = true;
    this.#publishedAt = Date.now();
    this.#publications++;
    expect(emulator.control.subscriptions()).toMatchObject([{ url: trigger.webhookUrl, eventTypes: events }]);
  }

  async unpublish(): Promise<void> {
    if (!this.#isPublished) return;
    await this.#deactivate();
    this.#isPublished = false;
    expect(emulator.control.subscriptions()).toEqual([]);
  }

  async #deactivate(): Promise<void> {
    const trigger = this.#open('main');
    await trigger.deactivate();
    this.#save(trigger.staticData);
  }

  async #event(at: ProcessName): Promise<void> {
    if (!this.#isPublished || Date.now() + REDELIVERY_MS > this.#publishedAt + REPLAYED_MS) return;
    const before = JSON.stringify(this.#saved);
    receive = (delivery) => this.#receive(at, delivery);
    const { id } = emulator.control.emit('qr.created');
    const delivery = () => emulator.control.deliveries().find(({ eventId }) => eventId === id)!;
    const attempted = async (count: number) => {
      while (delivery().attempts.length < count) await new Promise(setImmediate);
    };
    await attempted(1);
    if (delivery().status !== 'delivered') {
      passedMs += REDELIVERY_MS;
      emulator.control.redeliver(delivery().id);
      await attempted(2);
    }
    emulator.control.redeliver(delivery().id);
    await attempted(delivery().attempts.length + 1);
    // If a delivery were rejected again, it would stay pending for hours.
    expect(delivery().status).toBe('delivered');
    await emulator.control.settled();
    expect(this.started.filter((eventId) => eventId === id)).toEqual([id]);
    expect(JSON.stringify(this.#saved)).toBe(before);
  }

  /** Sends forged deliveries. */
  async #flood(at: ProcessName): Promise<void> {
    if (!this.#isPublished) return;
    const flood = async () => {
      const before = emulator.control.requestCount();
      const statuses = await Promise.all(Array.from({ length: 10 }, () => this.#receive(at, this.#forged())));
      expect(statuses.map(({ status }) => status)).toEqual(statuses.map(() => 401));
      return emulator.control.requestCount() - before;
    };
    const active = emulator.control.subscriptions();
    // At most a request and its check for each publication, and a subscription that is created and removed.
    expect(await flood()).toBeLessThanOrEqual(2 * (this.#publications + this.#floods) + 4);
    expect(await flood()).toBe(0);
    this.#floods++;
    expect(emulator.control.subscriptions()).toEqual(active);
  }

  async #receive(at: ProcessName, delivery: Delivery): Promise<{ status: number }> {
    if (!this.#isPublished) return { status: 404 };
    const { execution, ...answer } = await this.#open(at).receive(delivery);
    for (const { json } of (await execution)?.data['Rows'] ?? [])
      this.started.push(json['eventId'] as string);
    return answer;
  }

  #forged(): Delivery {
    const timestamp = Math.floor(Date.now() / 1000);
    const event = { id: `evt_forged_${timestamp}`, type: 'qr.created', workspaceId: 'ws', data: {} };
    const rawBody = Buffer.from(JSON.stringify({ ...event, occurredAt: new Date().toISOString() }));
    const signature = signWebhook({ body: rawBody, secret: 'made up', timestamp });
    return { method: 'POST', headers: { 'x-service-signature': signature }, rawBody };
  }

  #open(at: ProcessName): ActiveTrigger {
    const options = { publicUrl: PUBLIC_URL, staticData: this.#saved };
    return engines[at].openTrigger(this.#workflow(), NODE, options);
  }

  #workflow() {
    return besidePolling(onEvents(this.#events, this.#id));
  }

  #save(staticData: IDataObject): void {
    this.#saved = structuredClone(staticData);
    this.#earlier.push(this.#saved);
  }
}

test('after n8n writes back any old static data, each event starts the workflow once and no subscription stays behind', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 14, size: 'max' }), async (steps) => {
      emulator.control.reset();
      passedMs = 0;
      processes.main.restart();
      processes.other.restart();
      const life = new Life();
      for (const step of steps) await life.play(step);
      await life.unpublish();
      expect(life.started.filter((id) => id.startsWith('evt_forged'))).toEqual([]);
    }),
    { numRuns: runs(20, 1000), endOnFailure: true },
  );
});
