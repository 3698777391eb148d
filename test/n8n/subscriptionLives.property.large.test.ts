import { EVENT_TYPES, type EventType } from '@qr-service/core';
import { omitUndefined } from '@qr-service/core/connector';
import type { IDataObject } from 'n8n-workflow';
import { startEmulator, type Emulator, type Fault } from 'qr-service-emulator';
import {
  createN8nEngine,
  useInstance,
  type ActivateOptions,
  type ActiveTrigger,
  type N8nEngine,
} from '../../engines/n8n/index.ts';
import { fc } from '../support/fastCheck.ts';
import { runs } from '../support/seed.ts';
import { openFrontDoor, type FrontDoor } from './support/frontDoor.ts';
import { N8nProcess } from './support/n8nProcess.ts';
import { NODE, onEvents } from './support/workflows.ts';
import { PACKAGE_DIR } from './support/world.ts';

/** Two n8n instances, one a copy of the other, as after an import or a restored backup. They may share an encryption key. */
const ORIGINS = ['https://n8n.example.com', 'https://copy.example.com'];

let emulator: Emulator;
const doors: FrontDoor[] = [];
/** By instance, then by credential. */
const engines: N8nEngine[][] = [];
const processes = ORIGINS.map(() => new N8nProcess());
const log: string[] = [];
let lives = 0;

beforeAll(async () => {
  for (const origin of ORIGINS) doors.push(await openFrontDoor(new URL(origin).host));
  const connectTo = Object.fromEntries(doors.map(({ address }, i) => [new URL(ORIGINS[i]!).host, address]));
  emulator = await startEmulator({ connectTo, retryBaseMs: 1 });
  const second = emulator.control.createKey();
  // Values that a credential can be edited to: another key of the workspace, or another base URL.
  const credentials = [
    { baseUrl: emulator.url, apiKey: emulator.apiKey },
    { baseUrl: emulator.url, apiKey: second.apiKey },
    { baseUrl: emulator.url.replace('127.0.0.1', 'localhost'), apiKey: emulator.apiKey },
  ];
  for (const { otherNodes } of processes) {
    const own: N8nEngine[] = [];
    for (const qrServiceApi of credentials)
      own.push(
        await createN8nEngine({
          packageDir: PACKAGE_DIR,
          otherNodes,
          credentials: { qrServiceApi },
          onLog: ({ message }) => log.push(message),
        }),
      );
    engines.push(own);
  }
});
afterAll(async () => {
  await emulator.stop();
  for (const door of doors) await door.close();
});
// No wait between attempts.
beforeEach(() => void jest.spyOn(Math, 'random').mockReturnValue(0));
afterEach(() => {
  jest.restoreAllMocks();
  useInstance('in-process');
});

const live = () => emulator.control.subscriptions();

type Mode = NonNullable<ActivateOptions['mode']>;

/** One workflow on one n8n instance. */
class Place {
  readonly id: string;
  readonly n8n: number;
  readonly #door: FrontDoor;
  /** n8n's path prefix, which may change. */
  path = '';
  hasLostData = false;
  events: EventType[] = ['qr.created'];
  /** Static data in n8n's database, and all earlier versions of it. */
  saved: IDataObject = {};
  readonly earlier: IDataObject[] = [{}];
  active: ActiveTrigger | undefined;
  /** The subscription that delivers to it. */
  activeId: string | undefined;

  constructor(id: string, n8n: number) {
    this.id = id;
    this.n8n = n8n;
    this.#door = doors[n8n]!;
  }

  get publicUrl(): string {
    return `${ORIGINS[this.n8n]!}${this.path}`;
  }

  /**
   * Whether the log can name a subscription: static data with its ID was never lost, or its deliveries arrive.
   */
  canName({ url, eventTypes }: { url: string; eventTypes: readonly string[] }): boolean {
    return !this.hasLostData || (url === this.active?.webhookUrl && eventTypes.includes(this.events[0]!));
  }

  /** Whether a subscription delivers to this workflow on this instance. */
  owns({ url }: { url: string }): boolean {
    return url.startsWith(ORIGINS[this.n8n]!) && url.endsWith(`/${this.id}-webhook/webhook`);
  }

  /** Saves static data in n8n's database. */
  save(staticData: IDataObject): void {
    this.saved = structuredClone(staticData);
    this.earlier.push(this.saved);
  }

  async activate(engine: N8nEngine, mode: Mode): Promise<ActiveTrigger> {
    const options = { publicUrl: this.publicUrl, staticData: this.saved, mode };
    return engine.activateTrigger(onEvents(this.events, this.id), NODE, options);
  }

  open(trigger: ActiveTrigger): void {
    this.active = trigger;
    this.activeId = (trigger.staticData[`node:${NODE}`] as Record<string, string>)['subscriptionId'];
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
        | 'activate'
        | 'publish again'
        | 'activate, then crash'
        | 'deactivate'
        | 'restart'
        | 'take over'
        | 'test in the editor'
        | 'move to another URL'
        | 'lose static data';
    }
  | { kind: 'restore static data'; nth: number }
  | { kind: 'copy to the other workflow' | 'copy to the other n8n' | 'start a copy of n8n' }
  | { kind: 'edit the credential'; credential: number }
  | { kind: 'choose events'; events: EventType[] }
  | { kind: 'delete in the app'; nth: number }
  | { kind: 'service'; fault: keyof typeof FAULTS; method: 'POST' | 'DELETE' | undefined }
  | { kind: 'unsubscribe'; responds: (typeof UNSUBSCRIBE)[number] }
);

/** What happens to the requests of the next step, so that it ends between any two of them. */
const FAULTS = {
  'is down': { status: 503, times: Infinity },
  'is unreachable': { drop: 'before', times: Infinity },
  'loses a response': { drop: 'after' },
  'loses all responses': { drop: 'after', times: Infinity },
  'rejects once': { code: 'quota_exceeded' },
  'is behind a sign-in page': { status: 200, body: '<h1>Sign in</h1>', times: Infinity },
  'says that it is gone': { status: 410, body: '<h1>Gone</h1>', times: Infinity },
  'says nothing': { status: 404, body: '', times: Infinity },
  'is behind a firewall': { status: 403, body: ' '.repeat(2_000_000), times: Infinity },
} as const satisfies Record<string, Fault>;

/** What DELETE responds, which isn't documented: with most of these, the subscription stays. */
const UNSUBSCRIBE = [204, 204, 200, 404, 410, 405, 501] as const;

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
        'take over',
        'test in the editor',
        'move to another URL',
      ),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      ...where,
      kind: fc.constantFrom(
        'lose static data',
        'copy to the other workflow',
        'copy to the other n8n',
        'start a copy of n8n',
        'start a copy of n8n',
      ),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      ...where,
      kind: fc.constant('restore static data' as const),
      nth: fc.nat(20),
    }),
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
      fault: fc.constantFrom(...(Object.keys(FAULTS) as (keyof typeof FAULTS)[])),
      method: fc.constantFrom(undefined, 'POST', 'DELETE'),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      ...where,
      kind: fc.constant('unsubscribe'),
      responds: fc.constantFrom(...UNSUBSCRIBE),
    }),
  },
);

/** Runs the steps and checks the invariants after each one. */
async function runSteps(steps: readonly Step[], sharesKey: boolean): Promise<void> {
  const run = ++lives;
  const places = ORIGINS.map((_origin, n8n) =>
    ['menus', 'tables'].map((workflow) => new Place(`${workflow}-${run}`, n8n)),
  );
  const credentials = ORIGINS.map(() => 0);
  log.length = 0;
  for (const door of doors) door.forget();
  emulator.control.clearFaults();
  emulator.control.changeSettings({ unsubscribe: 204 });
  for (const { id } of live()) await deleteInTheApp(id);
  for (const step of steps) {
    const n8n = step.kind === 'start a copy of n8n' ? 1 - step.n8n : step.n8n;
    const place = places[n8n]![step.workflow]!;
    const engine = engines[n8n]![credentials[n8n]!]!;
    useInstance(sharesKey ? 'n8n' : `n8n ${n8n}`);
    const before = live();
    const wasActive = isActive(place);
    const created = emulator.control.requestCount();
    if (step.kind === 'service')
      emulator.control.failNext({ ...FAULTS[step.fault], match: omitUndefined({ method: step.method }) });
    else if (step.kind === 'unsubscribe') emulator.control.changeSettings({ unsubscribe: step.responds });
    else {
      await runStep(step, place, engine);
      emulator.control.clearFaults();
    }
    const kept = new Set(before.map(({ id }) => id));
    const after = new Set(live().map(({ id }) => id));
    // Publishing makes at most one subscription, and nothing else makes any.
    expect([...after].filter((id) => !kept.has(id)).length).toBeLessThanOrEqual(
      PUBLISHING.has(step.kind) ? 1 : 0,
    );
    expect(new Set(creationsSince(created)).size).toBeLessThanOrEqual(PUBLISHING.has(step.kind) ? 1 : 0);
    if (step.kind === 'delete in the app') continue;
    const ended = before.filter(({ id }) => !after.has(id));
    // Starting n8n removes nothing.
    if (STARTING.has(step.kind)) expect(ended).toEqual([]);
    // A workflow's steps never remove another workflow's subscription. A person may publish what a copy knows.
    if (!sharesKey || !PUBLISHED.has(step.kind)) expect(ended.filter((one) => !place.owns(one))).toEqual([]);
    // What stays was named, with its ID, or by its deliveries.
    const isToCheck = step.kind === 'deactivate' ? wasActive : PUBLISHING.has(step.kind) && isActive(place);
    if (!isToCheck) continue;
    for (const one of live())
      if (place.owns(one) && one.id !== place.activeId && place.canName(one))
        expect(log.some((line) => isWarning(line) && (line.includes(one.id) || line.includes(one.url)))).toBe(
          true,
        );
  }

  async function runStep(
    step: Exclude<Step, { kind: 'service' | 'unsubscribe' }>,
    place: Place,
    engine: N8nEngine,
  ): Promise<void> {
    switch (step.kind) {
      case 'activate':
        await activate(place, engine, 'activate');
        break;
      case 'publish again':
        await deactivate(place);
        await activate(place, engine, 'update');
        break;
      case 'activate, then crash':
        await place.activate(engine, 'activate').catch(() => undefined);
        crash(step.n8n);
        place.hasLostData = true;
        break;
      case 'deactivate':
        await deactivate(place);
        break;
      case 'restart':
        if (place.active === undefined) break;
        crash(step.n8n);
        await start(place, engine, 'init');
        break;
      case 'take over':
        if (place.active !== undefined) await start(place, engine, 'leadershipChange');
        break;
      case 'test in the editor':
        await test(place, engine);
        break;
      case 'move to another URL':
        crash(step.n8n);
        place.path = place.path === '' ? '/moved' : '';
        await startAnew(place, engine);
        break;
      case 'start a copy of n8n':
        replace(place, places[step.n8n]![step.workflow]!.saved);
        await startAnew(place, engine);
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

  /** Ends a process: it forgets what it knows, and its other workflows aren't active any more. */
  function crash(n8n: number): void {
    processes[n8n]!.restart();
    for (const place of places[n8n]!) place.shut();
  }

  /** Listens for a test event, beside the production workflow if it is active. */
  async function test(place: Place, engine: N8nEngine): Promise<void> {
    const options = { publicUrl: place.publicUrl, test: true };
    const json = onEvents(place.events, place.id);
    const trigger = await engine.activateTrigger(json, NODE, options).catch(() => undefined);
    await trigger?.deactivate().catch(() => undefined);
  }

  /** Replaces the static data while n8n is stopped. */
  function replace(place: Place, staticData: IDataObject): void {
    place.shut();
    place.save(staticData);
    place.hasLostData = true;
  }

  async function activate(place: Place, engine: N8nEngine, mode: 'activate' | 'update'): Promise<void> {
    const trigger = await start(place, engine, mode);
    if (trigger === undefined) return;
    const { subscriptionId, secret } = trigger.staticData[`node:${NODE}`] as Record<string, string>;
    expect(live().filter((one) => place.owns(one))).toContainEqual(
      expect.objectContaining({ id: subscriptionId, secret }),
    );
    expect(await deliver(place)).toBeGreaterThan(0);
  }

  /**
   * Starts n8n with an active workflow, and emits an event. A restored subscription may have ended or have other events,
   * but any other one for the workflow is then named by its refused delivery.
   */
  async function startAnew(place: Place, engine: N8nEngine): Promise<void> {
    await start(place, engine, 'init');
    if (!isActive(place)) return;
    const own = live().find(({ id }) => id === place.activeId);
    const started = await deliver(place);
    if (own?.eventTypes.includes(place.events[0]!) === true) expect(started).toBeGreaterThan(0);
  }

  /** Returns undefined if the activation failed. */
  async function start(place: Place, engine: N8nEngine, mode: Mode): Promise<ActiveTrigger | undefined> {
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

  /** Emits an event, and returns how many executions it started. */
  async function deliver(place: Place): Promise<number> {
    const { executions } = doors[place.n8n]!;
    const event = emulator.control.emit(place.events[0]!);
    await emulator.control.settled();
    return executions.filter(({ data }) => data['Rows']![0]!.json['eventId'] === event.id).length;
  }

  async function deactivate(place: Place): Promise<void> {
    const { active } = place;
    place.activeId = undefined;
    if (active === undefined) return;
    place.shut();
    await active.deactivate().catch((error: unknown) => log.push((error as Error).message));
    place.save(active.staticData);
  }
}

/** The steps that publish a workflow. */
const PUBLISHING = new Set<Step['kind']>([
  'activate',
  'publish again',
  'activate, then crash',
  'restart',
  'take over',
  'test in the editor',
  'move to another URL',
  'start a copy of n8n',
]);

/** Those among them in which a person publishes, and those in which n8n starts. */
const PUBLISHED = new Set<Step['kind']>(['activate', 'publish again', 'activate, then crash']);
const STARTING = new Set<Step['kind']>([
  'restart',
  'take over',
  'move to another URL',
  'start a copy of n8n',
]);

const isActive = ({ active }: Place) => active !== undefined;

/** The Idempotency-Keys of the creations since a request. */
function creationsSince(count: number): string[] {
  const { control } = emulator;
  if (control.requestCount() === count) return [];
  return control
    .requests()
    .slice(count - control.requestCount())
    .filter(({ method, path }) => method === 'POST' && path.endsWith('/webhooks'))
    .map(({ request }) => String(request.headers['idempotency-key']));
}

const isWarning = (line: string) => !line.startsWith('Created ');

async function deleteInTheApp(id: string): Promise<void> {
  const headers = { Authorization: `Bearer ${emulator.apiKey}` };
  await fetch(`${emulator.url}/v1/public-api/webhooks/${id}`, { method: 'DELETE', headers });
}

test('after any steps on two workflows and two instances, an activation ends with an active subscription or an error', async () => {
  await fc.assert(fc.asyncProperty(fc.array(step, { maxLength: 25, size: 'max' }), fc.boolean(), runSteps), {
    numRuns: runs(20, 75),
  });
});
