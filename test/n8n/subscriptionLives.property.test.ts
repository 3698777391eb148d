import { EVENT_TYPES, type EventType } from '@qr-service/core';
import type { IDataObject } from 'n8n-workflow';
import type { ActiveTrigger, N8nEngine } from '../../engines/n8n/index.ts';
import { createN8nEngine } from '../../engines/n8n/index.ts';
import { fc } from '../../harness/fastCheck.ts';
import { runs } from '../../harness/seed.ts';
import { startEmulator, type Emulator } from 'qr-service-emulator';
import { openFrontDoor, type FrontDoor } from './support/frontDoor.ts';
import { NODE, onEvents } from './support/workflows.ts';
import { PACKAGE_DIR } from './support/world.ts';

/** Two n8n, one of them a copy of the other, as after an import or a restored backup. */
const ORIGINS = ['https://n8n.example.com', 'https://copy.example.com'];

let emulator: Emulator;
const doors: FrontDoor[] = [];
const engines: N8nEngine[] = [];
const log: string[] = [];
let lives = 0;

beforeAll(async () => {
  for (const origin of ORIGINS) doors.push(await openFrontDoor(new URL(origin).host));
  const connectTo = Object.fromEntries(doors.map(({ address }, i) => [new URL(ORIGINS[i]!).host, address]));
  emulator = await startEmulator({ connectTo, retryBaseMs: 1 });
  const second = emulator.control.createKey();
  // What the credential of an n8n can be edited to: another key of the workspace, or another address.
  for (const credential of [
    { baseUrl: emulator.url, apiKey: emulator.apiKey },
    { baseUrl: emulator.url, apiKey: second.apiKey },
    { baseUrl: emulator.url.replace('127.0.0.1', 'localhost'), apiKey: emulator.apiKey },
  ])
    engines.push(
      await createN8nEngine({
        packageDir: PACKAGE_DIR,
        credentials: { qrServiceApi: credential },
        onLog: ({ message }) => log.push(message),
      }),
    );
});
afterAll(async () => {
  await emulator.stop();
  for (const door of doors) await door.close();
});
// Waits between attempts take no time.
beforeEach(() => void jest.spyOn(Math, 'random').mockReturnValue(0));
afterEach(() => jest.restoreAllMocks());

const live = () => emulator.control.subscriptions();

/** One workflow on one n8n. */
class Place {
  readonly id: string;
  readonly origin: string;
  readonly #door: FrontDoor;
  events: EventType[] = ['qr.created'];
  /** Static data in n8n's database, now and at every earlier moment. */
  saved: IDataObject = {};
  readonly earlier: IDataObject[] = [{}];
  active: ActiveTrigger | undefined;

  constructor(id: string, n8n: number) {
    this.id = id;
    this.origin = ORIGINS[n8n]!;
    this.#door = doors[n8n]!;
  }

  get url(): string {
    return `${this.origin}/webhook/${this.id}-webhook/webhook`;
  }

  /** Subscriptions that send to this workflow here. */
  get own() {
    return live().filter(({ url }) => url === this.url);
  }

  /** What n8n has in the database from now on. */
  save(staticData: IDataObject): void {
    this.saved = structuredClone(staticData);
    this.earlier.push(this.saved);
  }

  async activate(engine: N8nEngine, mode: 'activate' | 'update' | 'init'): Promise<ActiveTrigger> {
    const options = { publicUrl: this.origin, staticData: this.saved, mode };
    return engine.activateTrigger(onEvents(this.events, this.id), NODE, options);
  }

  open(trigger: ActiveTrigger): void {
    this.active = trigger;
    this.#door.open(trigger);
  }

  shut(): void {
    if (this.active !== undefined) this.#door.shut(this.active);
    this.active = undefined;
  }
}

type Step = { n8n: number; workflow: number } & (
  | {
      kind:
        'activate' | 'publish again' | 'activate, then crash' | 'deactivate' | 'restart' | 'lose static data';
    }
  | { kind: 'restore static data'; nth: number }
  | { kind: 'copy to the other workflow' | 'copy to the other n8n' }
  | { kind: 'edit the credential'; credential: number }
  | { kind: 'choose events'; events: EventType[] }
  | { kind: 'delete in the app'; nth: number }
  | { kind: 'service'; fault: 'is down' | 'loses an answer' | 'loses all answers' | 'refuses once' }
);

/** Most of what happens, happens to one of them. */
const where = { n8n: fc.constantFrom(0, 0, 0, 1), workflow: fc.constantFrom(0, 0, 0, 1) };
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      ...where,
      kind: fc.constantFrom(
        'activate',
        'activate',
        'publish again',
        'deactivate',
        'activate, then crash',
        'restart',
      ),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      ...where,
      kind: fc.constantFrom('lose static data', 'copy to the other workflow', 'copy to the other n8n'),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ ...where, kind: fc.constant('restore static data'), nth: fc.nat(20) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ ...where, kind: fc.constant('edit the credential'), credential: fc.nat(2) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      ...where,
      kind: fc.constant('choose events'),
      events: fc.uniqueArray(fc.constantFrom(...EVENT_TYPES), { minLength: 1, maxLength: 3 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ ...where, kind: fc.constant('delete in the app'), nth: fc.nat(4) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      ...where,
      kind: fc.constant('service'),
      fault: fc.constantFrom('is down', 'loses an answer', 'loses all answers', 'refuses once'),
    }),
  },
);

/** Plays a life and checks, after each step, what must hold. */
async function playLife(steps: readonly Step[]): Promise<void> {
  const run = ++lives;
  const places = ORIGINS.map((_origin, n8n) =>
    ['menus', 'tables'].map((workflow) => new Place(`${workflow}-${run}`, n8n)),
  );
  const held = ORIGINS.map(() => 0);
  log.length = 0;
  for (const door of doors) door.forget();
  emulator.control.clearFaults();
  for (const { id } of live()) await deleteInTheApp(id);
  /** Subscriptions that a place may have lost sight of, each with the credential that made it. */
  const madeWith = new Map<string, number>();

  for (const step of steps) {
    const place = places[step.n8n]![step.workflow]!;
    const engine = engines[held[step.n8n]!]!;
    const before = new Map(live().map(({ id, url }) => [id, url]));
    if (step.kind !== 'service') {
      await play(step, place, engine);
      emulator.control.clearFaults();
    } else setFault(step.fault);
    for (const { id } of live()) if (!before.has(id)) madeWith.set(id, held[step.n8n]!);

    if (step.kind === 'delete in the app') continue;
    // No life of one workflow ever ends the other's.
    const after = new Set(live().map(({ id }) => id));
    const ended = [...before].filter(([id]) => !after.has(id)).map(([, url]) => url);
    expect(ended.filter((url) => url !== place.url)).toEqual([]);
  }

  async function play(
    step: Exclude<Step, { kind: 'service' }>,
    place: Place,
    engine: N8nEngine,
  ): Promise<void> {
    switch (step.kind) {
      case 'activate':
        await activate(place, engine, 'activate', held[step.n8n]!);
        break;
      case 'publish again':
        await deactivate(place);
        await activate(place, engine, 'update', held[step.n8n]!);
        break;
      case 'activate, then crash':
        await place.activate(engine, 'activate').catch(() => undefined);
        place.shut();
        break;
      case 'deactivate':
        await deactivate(place);
        break;
      case 'restart':
        if (place.active !== undefined) await takeUp(place, engine, 'init');
        break;
      case 'lose static data':
        replace(place, {});
        break;
      case 'restore static data':
        replace(place, place.earlier[step.nth % place.earlier.length]!);
        break;
      case 'copy to the other workflow':
        replace(places[step.n8n]![1 - step.workflow]!, place.saved);
        break;
      case 'copy to the other n8n':
        replace(places[1 - step.n8n]![step.workflow]!, place.saved);
        break;
      case 'edit the credential':
        held[step.n8n] = step.credential;
        break;
      case 'choose events':
        place.shut();
        place.events = step.events;
        break;
      case 'delete in the app':
        emulator.control.clearFaults();
        for (const { id } of live().slice(step.nth, step.nth + 1)) await deleteInTheApp(id);
    }
  }

  /** Static data come from elsewhere, while n8n is stopped. */
  function replace(place: Place, staticData: IDataObject): void {
    place.shut();
    place.save(staticData);
  }

  async function activate(
    place: Place,
    engine: N8nEngine,
    mode: 'activate' | 'update',
    credential: number,
  ): Promise<void> {
    const trigger = await takeUp(place, engine, mode);
    if (trigger === undefined) return;
    const { subscriptionId, secret } = trigger.staticData[`node:${NODE}`] as Record<string, string>;
    expect(place.own).toContainEqual(expect.objectContaining({ id: subscriptionId, secret }));
    // What else sends here is named; what this credential made is not there any more.
    for (const { id, url } of place.own) {
      if (
        id === subscriptionId ||
        log.some((line) => isWarning(line) && (line.includes(id) || line.includes(url)))
      )
        continue;
      expect(madeWith.get(id)).not.toBe(credential);
    }
    await expectDelivery(place);
  }

  /** Undefined where the activation ended with an error. */
  async function takeUp(
    place: Place,
    engine: N8nEngine,
    mode: 'activate' | 'update' | 'init',
  ): Promise<ActiveTrigger | undefined> {
    place.shut();
    try {
      const trigger = await place.activate(engine, mode);
      place.open(trigger);
      place.save(trigger.staticData);
      return trigger;
    } catch (error) {
      log.push((error as Error).message);
      return undefined;
    }
  }

  async function expectDelivery(place: Place): Promise<void> {
    const { executions } = doors[ORIGINS.indexOf(place.origin)]!;
    const started = () => executions.filter(({ data }) => data['Rows']![0]!.json['eventId'] === event.id);
    const event = emulator.control.emit(place.events[0]!);
    await emulator.control.settled();
    expect(started().length).toBeGreaterThan(0);
  }

  async function deactivate(place: Place): Promise<void> {
    const { active } = place;
    if (active === undefined) return;
    place.shut();
    await active.deactivate().catch((error: unknown) => log.push((error as Error).message));
    place.save(active.staticData);
  }
}

const isWarning = (line: string) => !line.startsWith('Created ');

function setFault(fault: (Step & { kind: 'service' })['fault']): void {
  if (fault === 'is down') emulator.control.failNext({ status: 503, times: Infinity });
  else if (fault === 'refuses once') emulator.control.failNext({ code: 'quota_exceeded' });
  else emulator.control.failNext({ drop: 'after', times: fault === 'loses an answer' ? 1 : Infinity });
}

async function deleteInTheApp(id: string): Promise<void> {
  const headers = { Authorization: `Bearer ${emulator.apiKey}` };
  await fetch(`${emulator.url}/v1/public-api/webhooks/${id}`, { method: 'DELETE', headers });
}

test('whatever happens to two workflows on two n8n, an activation ends alive or with an error', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 25, size: 'max' }), (steps) => playLife(steps)),
    { numRuns: runs(20, 250) },
  );
});
