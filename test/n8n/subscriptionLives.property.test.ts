import { EVENT_TYPES, type EventType } from '@qr-service/core';
import type { IDataObject } from 'n8n-workflow';
import type { ActiveTrigger, N8nEngine } from '../../engines/n8n/index.ts';
import { createN8nEngine } from '../../engines/n8n/index.ts';
import { fc } from '../support/fastCheck.ts';
import { runs } from '../support/seed.ts';
import { startEmulator, type Emulator } from 'qr-service-emulator';
import { openFrontDoor, type FrontDoor } from './support/frontDoor.ts';
import { NODE, onEvents } from './support/workflows.ts';
import { PACKAGE_DIR } from './support/world.ts';

/** Two n8n instances, one a copy of the other, as after an import or a restored backup. */
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
  // Values that a credential can be edited to: another key of the workspace, or another base URL.
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
// No wait between attempts.
beforeEach(() => void jest.spyOn(Math, 'random').mockReturnValue(0));
afterEach(() => jest.restoreAllMocks());

const live = () => emulator.control.subscriptions();

/** One workflow on one n8n instance. */
class Place {
  readonly id: string;
  readonly origin: string;
  readonly #door: FrontDoor;
  events: EventType[] = ['qr.created'];
  /** Static data in n8n's database, and all earlier versions of it. */
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

  /** Subscriptions that deliver to this workflow on this instance. */
  get own() {
    return live().filter(({ url }) => url === this.url);
  }

  /** Saves static data in n8n's database. */
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
  | { kind: 'service'; fault: 'is down' | 'loses a response' | 'loses all responses' | 'rejects once' }
);

/** Most steps are about the same workflow on the same instance. */
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
      fault: fc.constantFrom('is down', 'loses a response', 'loses all responses', 'rejects once'),
    }),
  },
);

/** Runs the steps and checks the invariants after each one. */
async function runSteps(steps: readonly Step[]): Promise<void> {
  const run = ++lives;
  const places = ORIGINS.map((_origin, n8n) =>
    ['menus', 'tables'].map((workflow) => new Place(`${workflow}-${run}`, n8n)),
  );
  const credentials = ORIGINS.map(() => 0);
  log.length = 0;
  for (const door of doors) door.forget();
  emulator.control.clearFaults();
  for (const { id } of live()) await deleteInTheApp(id);
  /** The credential that created each subscription. */
  const createdWith = new Map<string, number>();

  for (const step of steps) {
    const place = places[step.n8n]![step.workflow]!;
    const engine = engines[credentials[step.n8n]!]!;
    const before = new Map(live().map(({ id, url }) => [id, url]));
    if (step.kind !== 'service') {
      await runStep(step, place, engine);
      emulator.control.clearFaults();
    } else setFault(step.fault);
    for (const { id } of live()) if (!before.has(id)) createdWith.set(id, credentials[step.n8n]!);

    if (step.kind === 'delete in the app') continue;
    // A workflow's steps never remove another workflow's subscription.
    const after = new Set(live().map(({ id }) => id));
    const ended = [...before].filter(([id]) => !after.has(id)).map(([, url]) => url);
    expect(ended.filter((url) => url !== place.url)).toEqual([]);
  }

  async function runStep(
    step: Exclude<Step, { kind: 'service' }>,
    place: Place,
    engine: N8nEngine,
  ): Promise<void> {
    switch (step.kind) {
      case 'activate':
        await activate(place, engine, 'activate', credentials[step.n8n]!);
        break;
      case 'publish again':
        await deactivate(place);
        await activate(place, engine, 'update', credentials[step.n8n]!);
        break;
      case 'activate, then crash':
        await place.activate(engine, 'activate').catch(() => undefined);
        place.shut();
        break;
      case 'deactivate':
        await deactivate(place);
        break;
      case 'restart':
        if (place.active !== undefined) await start(place, engine, 'init');
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
        credentials[step.n8n] = step.credential;
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

  /** Replaces the static data while n8n is stopped. */
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
    const trigger = await start(place, engine, mode);
    if (trigger === undefined) return;
    const { subscriptionId, secret } = trigger.staticData[`node:${NODE}`] as Record<string, string>;
    expect(place.own).toContainEqual(expect.objectContaining({ id: subscriptionId, secret }));
    // Other subscriptions to this URL are either logged, or were created with another credential.
    for (const { id, url } of place.own) {
      if (
        id === subscriptionId ||
        log.some((line) => isWarning(line) && (line.includes(id) || line.includes(url)))
      )
        continue;
      expect(createdWith.get(id)).not.toBe(credential);
    }
    await expectDelivery(place);
  }

  /** Returns undefined if the activation failed. */
  async function start(
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
  else if (fault === 'rejects once') emulator.control.failNext({ code: 'quota_exceeded' });
  else emulator.control.failNext({ drop: 'after', times: fault === 'loses a response' ? 1 : Infinity });
}

async function deleteInTheApp(id: string): Promise<void> {
  const headers = { Authorization: `Bearer ${emulator.apiKey}` };
  await fetch(`${emulator.url}/v1/public-api/webhooks/${id}`, { method: 'DELETE', headers });
}

test('after any steps on two workflows and two instances, an activation ends with an active subscription or an error', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 25, size: 'max' }), (steps) => runSteps(steps)),
    { numRuns: runs(20, 250) },
  );
});
