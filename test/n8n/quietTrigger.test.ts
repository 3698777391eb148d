import { eventRow, sampleEvent } from '@qr-service/core/webhook';
import { SAMPLE_QR_CODE } from '@qr-service/core/connector';
import type { EventType } from '@qr-service/core';
import type { IDataObject, IExecuteFunctions, INodeParameters, INodeType } from 'n8n-workflow';
import type { N8nEngine, RunResult, WorkflowJson } from '../../engines/n8n/index.ts';
import { UnexpectedError } from '../../engines/n8n/n8nWorkflow.ts';
import { STAND_INS } from '../../engines/n8n/standIns.ts';
import { fc } from '../support/fastCheck.ts';
import { runs } from '../support/seed.ts';
import { startWorld, type World } from './support/world.ts';
import { example } from './support/workflows.ts';

const HOUR = 60 * 60_000;
const START = Date.parse('2026-01-15T09:00:00.000Z');

let world: World;
let now: number;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.close());
beforeEach(() => {
  now = START;
  world.frontDoor.forget();
});
afterEach(() => jest.restoreAllMocks());

/** A state of a code. */
interface Change {
  id: string;
  name: string;
  updatedAt: string;
}

/** The example with its own data table and history, as set up by a user who has executed Set Up Once. */
async function open(engine: N8nEngine = world.engine) {
  const workflow = setUp();
  await engine.runWorkflow(workflow, { startNode: 'Set Up Once', triggerItems: [{}] });
  return workflowLife(workflow, engine);
}

let workflows = 0;

function setUp(): WorkflowJson {
  const { pinData: _pinData, ...workflow } = example('quiet-trigger-alarm');
  const table = `Table ${++workflows}`;
  for (const { parameters } of workflow.nodes) {
    if ('tableName' in parameters) parameters['tableName'] = table;
    if ('dataTableId' in parameters)
      parameters['dataTableId'] = { ...(parameters['dataTableId'] as INodeParameters), value: table };
  }
  return { ...workflow, id: table };
}

/** What the workflow wrote and sent so far, and what can happen to it. */
function workflowLife(workflow: WorkflowJson, engine: N8nEngine) {
  const rows: IDataObject[] = [];
  const alarms: string[] = [];
  const failures: string[] = [];
  let waiting: RunResult[] = [];

  function record(result: RunResult): RunResult {
    rows.push(...(result.data['Rows'] ?? []).map(({ json }) => json));
    alarms.push(...(result.data['Tell the Team'] ?? []).map(({ json }) => json['text'] as string));
    if (result.error !== undefined) throw result.error;
    return result;
  }

  return {
    rows,
    alarms,
    /** Why executions that Pass On started failed. */
    failures,
    /** Each row as `change cameBy`. */
    written: () => rows.map(({ change, cameBy }) => `${change as string} ${cameBy as string}`),
    /** Runs the workflow for events that arrive at the same moment. */
    receive: async (...events: IDataObject[]) => {
      const run = (item: IDataObject) =>
        engine.runWorkflow(workflow, { startNode: 'Events', triggerItems: [item], mode: 'integrated' });
      await Promise.all(events.map(async (event) => record(await run(event))));
    },
    /** A poll that finds these changes, which then wait for their events. */
    poll: async (...changes: Change[]) => {
      const triggerItems = changes.map((change) => ({ ...SAMPLE_QR_CODE, ...change }));
      const options = { startNode: 'Changed Codes', triggerItems, mode: 'trigger' as const };
      waiting.push(record(await engine.runWorkflow(workflow, options)));
    },
    /** The wait is over for everything that waits, at the same moment. With another engine, after a restart. */
    endWaits: async (resumedBy: N8nEngine = engine) => {
      const due = waiting;
      waiting = [];
      for (const { run, status } of due) {
        expect(status).toBe('waiting');
        expect(run.waitTill!.getTime()).toBeLessThanOrEqual(Date.now() + 10 * 60_000);
      }
      const passOn = async (run: RunResult) => {
        const { data } = record(await resumedBy.resumeRun(workflow, run));
        const triggerItems = data['Pass On']!.map(({ json }) => json);
        const options = { startNode: 'Events', triggerItems, mode: 'integrated' as const };
        const { maxTries = 1 } = workflow.nodes.find(({ name }) => name === 'Pass On')!;
        for (let tries = 1; ; tries++)
          try {
            return record(await resumedBy.runWorkflow(workflow, options));
          } catch (error) {
            failures.push((error as Error).message);
            if (tries === maxTries) throw error;
          }
      };
      await Promise.all(due.map(passOn));
    },
    run: (startNode: string) => engine.runWorkflow(workflow, { startNode, triggerItems: [{}] }),
    workflow,
  };
}

let events = 0;

function eventAbout({ id, ...state }: Change, type: EventType = 'qr.updated'): IDataObject {
  const { data, ...envelope } = sampleEvent(type);
  const qr = { ...(data['qr'] as object), ...state, id };
  return eventRow({ ...envelope, id: `evt_${++events}`, data: { ...data, qrId: id, qr } }) as IDataObject;
}

const changeOf = (code: number, version: number): Change => ({
  id: `qr_${code}`,
  name: `Code ${code}, version ${version}`,
  updatedAt: new Date(START + version).toISOString(),
});
const keyOf = ({ id, updatedAt }: Change) => `${id}:${updatedAt}`;
const ONE = changeOf(1, 1);
const TWO = changeOf(2, 2);
const THREE = changeOf(3, 3);

type Life = ReturnType<typeof workflowLife>;

test('the samples run at once, without third parties', async () => {
  const samples = example('quiet-trigger-alarm').pinData!;
  const [byEvent, byPoll] = samples['Events']!.map(({ json }) => json);
  expect(byEvent).toEqual(eventRow(sampleEvent('qr.updated'), 'dlv_sample'));
  expect(Object.keys(byPoll!)).toEqual(Object.keys(SAMPLE_QR_CODE));
  const life = await open();
  const pinned = { ...life.workflow, pinData: samples };
  const { status, data } = await world.engine.runWorkflow(pinned, { startNode: 'Events' });
  expect([status, data['Tell the Team']?.length]).toEqual(['success', 1]);
  // The pinned rows are what the workflow would write.
  expect(data['New Only']!.map(({ json }) => json)).toMatchObject(samples['Rows']!.map(({ json }) => json));
});

// What the random schedules below don't contain, or not with an exact number of alarms.
test.each<[string, (life: Life) => Promise<void>, string[], number]>([
  [
    'several events about one change at the same moment',
    async ({ receive, poll, endWaits }) => {
      await receive(
        eventAbout(ONE, 'qr.published'),
        eventAbout(ONE),
        eventAbout(ONE, 'redirect.rule_changed'),
      );
      await poll(ONE);
      await endWaits();
    },
    [`${keyOf(ONE)} event`],
    0,
  ],
  [
    'events out of order, of states of which the poll finds the last one',
    async ({ receive, poll, endWaits }) => {
      await receive(eventAbout(changeOf(1, 3)));
      await poll(changeOf(1, 3));
      await receive(eventAbout(changeOf(1, 2)), eventAbout(changeOf(1, 1)));
      await endWaits();
    },
    [3, 2, 1].map((version) => `${keyOf(changeOf(1, version))} event`),
    0,
  ],
  [
    'several polls whose waits end at the same moment, after n8n was down',
    async ({ poll, endWaits }) => {
      await poll(ONE, TWO);
      await poll(THREE);
      await endWaits();
    },
    [ONE, TWO, THREE].map((change) => `${keyOf(change)} poll`),
    1,
  ],
  [
    'events that arrive and stop again, an hour later',
    async ({ receive, poll, endWaits }) => {
      await poll(ONE);
      await endWaits();
      await receive(eventAbout(TWO));
      now += HOUR;
      await poll(TWO, THREE);
      await endWaits();
    },
    [`${keyOf(ONE)} poll`, `${keyOf(TWO)} event`, `${keyOf(THREE)} poll`],
    2,
  ],
  [
    'some events that get through while others are lost, within an hour',
    async ({ receive, poll, endWaits }) => {
      await poll(ONE);
      await endWaits();
      await receive(eventAbout(TWO));
      await poll(THREE);
      await endWaits();
    },
    [`${keyOf(ONE)} poll`, `${keyOf(TWO)} event`, `${keyOf(THREE)} poll`],
    1,
  ],
  [
    'a review, whose event may not contain the code',
    async ({ receive, poll, endWaits }) => {
      const { qr: _qr, ...data } = sampleEvent('qr.updated').data;
      await receive(eventRow({ ...sampleEvent('approval.changed'), data }) as IDataObject);
      await poll(ONE);
      await endWaits();
    },
    [`${keyOf(ONE)} poll`],
    1,
  ],
  [
    'a code that was deleted while its last change waited',
    async ({ receive, poll, endWaits }) => {
      await poll(ONE);
      await receive(eventAbout(ONE), eventAbout(ONE, 'qr.deleted'));
      await endWaits();
    },
    [`${keyOf(ONE)} event`, 'qr_1:deleted event'],
    0,
  ],
])('%s: each state becomes one row', async (_life, live, written, alarms) => {
  jest.spyOn(Date, 'now').mockImplementation(() => now);
  const life = await open();
  await live(life);
  expect(life.written().sort()).toEqual(written.toSorted());
  expect(life.alarms).toHaveLength(alarms);
});

test('the alarm says how many changes came by polling, since when, and what to do', async () => {
  jest.spyOn(Date, 'now').mockImplementation(() => now);
  const { receive, poll, endWaits, alarms } = await open();
  await receive(eventAbout(ONE));
  now += 2 * HOUR;
  await poll(ONE, THREE, TWO);
  await endWaits();
  expect(alarms).toEqual([
    `The QR Service Trigger has gone quiet: 2 changed QR code(s) came by polling, but no event arrived within 10 minutes.

First: Code 3, version 3 (qr_3). Oldest change: ${TWO.updatedAt}. Last event: 2026-01-15T09:00:00.000Z.

No change is missing: they were passed on. To fix the trigger, unpublish the workflow "Alarm When Events Stop: Events" and publish it again. It then gets a new subscription. If that doesn't help, check that n8n's public address lets deliveries through. You'll get the next alarm once events have arrived and stopped again.`,
  ]);
  expect(alarms[0]).toContain(example('quiet-trigger-alarm-events').name);
});

test('changes that wait while n8n restarts are passed on once', async () => {
  const life = await open();
  await life.receive(eventAbout(ONE));
  await life.poll(ONE, TWO);
  await life.endWaits(await world.engineWith({}));
  expect(life.written()).toEqual([`${keyOf(ONE)} event`, `${keyOf(TWO)} poll`]);
  expect(life.alarms).toHaveLength(1);
});

/** n8n in which a node type fails so many times. Its nodes aren't retried: only **Pass On** is. */
async function openWith(type: string, times: number) {
  const failing: INodeType = {
    ...STAND_INS[type]!,
    execute(this: IExecuteFunctions) {
      if (times-- <= 0) return STAND_INS[type]!.execute!.call(this);
      const error = 'Too many requests';
      if (!this.continueOnFail()) throw new UnexpectedError(error);
      return Promise.resolve([[{ json: { error }, pairedItem: { item: 0 } }]]);
    },
  };
  const life = await open(await world.engineWith({}, { [type]: failing }));
  for (const node of life.workflow.nodes) if (node.name !== 'Pass On') node.retryOnFail = false;
  return life;
}

test.each(['n8n-nodes-base.googleSheets', 'n8n-nodes-base.slack'])(
  'while %s fails, the changes are passed on again, with one alarm',
  async (type) => {
    const { poll, endWaits, rows, alarms, failures } = await openWith(type, 2);
    await poll(ONE, TWO);
    await endWaits();
    const failure: unknown = expect.stringContaining('Too many requests');
    expect(failures).toEqual([failure, failure]);
    expect(new Set(rows.map(({ change }) => change))).toEqual(new Set([keyOf(ONE), keyOf(TWO)]));
    expect(alarms).toEqual([expect.stringContaining('2 changed QR code(s)')]);
    await poll(THREE);
    await endWaits();
    expect(alarms).toHaveLength(1);
  },
);

test('an alarm that could not be sent is raised by the next poll', async () => {
  const { poll, endWaits, alarms } = await openWith('n8n-nodes-base.slack', 5);
  await poll(ONE);
  await expect(endWaits()).rejects.toMatchObject({ message: expect.stringContaining('Too many requests') });
  await poll(TWO);
  await endWaits();
  expect(alarms).toHaveLength(1);
});

test('trying the samples keeps no alarm from being raised', async () => {
  const life = await open();
  const { pinData } = example('quiet-trigger-alarm');
  for (let tries = 0; tries < 2; tries++)
    await world.engine.runWorkflow({ ...life.workflow, pinData: pinData! }, { startNode: 'Events' });
  await life.poll(ONE);
  await life.endWaits();
  expect(life.alarms).toHaveLength(1);
});

test.each([
  [6, 1],
  [8, 2],
])('a late event is dropped for seven days: after %i days, the sheet has %i row(s)', async (days, count) => {
  jest.spyOn(Date, 'now').mockImplementation(() => now);
  const { receive, run, rows } = await open();
  await receive(eventAbout(ONE));
  now += days * 24 * HOUR;
  await run('Every Day');
  await receive(eventAbout(ONE));
  expect(rows).toHaveLength(count);
});

/** What happens next. A change's event may arrive, be late or never arrive. */
type Step =
  | { kind: 'change'; code: number; event: 'arrives' | 'is late' | 'is lost'; copies: number }
  | { kind: 'late events' }
  | { kind: 'poll' }
  | { kind: 'waits end' }
  | { kind: 'time'; ms: number };

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('change' as const),
      code: fc.nat(3),
      event: fc.constantFrom('arrives' as const, 'arrives' as const, 'is late' as const, 'is lost' as const),
      copies: fc.constantFrom(1, 1, 2),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.constantFrom<Step>(
      { kind: 'late events' },
      { kind: 'poll' },
      { kind: 'poll' },
      { kind: 'waits end' },
    ),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('time' as const), ms: fc.constantFrom(60_000, HOUR) }),
  },
);

test('in random schedules, each state is passed on once, and alarms are rare but come', async () => {
  jest.spyOn(Date, 'now').mockImplementation(() => now);
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
      const { receive, poll, endWaits, written, rows, alarms } = await open();
      const expected = new Set<string>();
      let version = 0;
      let late: IDataObject[] = [];
      let unseen = new Map<number, Change>();
      let hasEventSinceAlarm = true;
      let alarmedHours: number[] = [];

      const arrive = async (...items: IDataObject[]) => {
        if (items.length > 0) hasEventSinceAlarm = true;
        await receive(...items);
      };
      const check = async () => {
        const [rowsBefore, alarmsBefore] = [rows.length, alarms.length];
        await endWaits();
        const raised = alarms.length - alarmsBefore;
        const isByPoll = rows.length > rowsBefore;
        expect(raised).toBeLessThanOrEqual(isByPoll && hasEventSinceAlarm ? 1 : 0);
        if (raised === 0) return;
        hasEventSinceAlarm = false;
        alarmedHours = [...alarmedHours, Math.floor(now / HOUR)];
      };

      for (const next of [...steps, { kind: 'poll' } as const, { kind: 'waits end' } as const]) {
        if (next.kind === 'time') now += next.ms;
        else if (next.kind === 'waits end') await check();
        else if (next.kind === 'late events') await arrive(...late.splice(0));
        else if (next.kind === 'poll') {
          if (unseen.size > 0) await poll(...unseen.values());
          for (const change of unseen.values()) expected.add(keyOf(change));
          unseen = new Map();
        } else {
          const change = changeOf(next.code, ++version);
          unseen.set(next.code, change);
          const copies = Array.from({ length: next.copies }, () => eventAbout(change));
          if (next.event !== 'is lost') expected.add(keyOf(change));
          if (next.event === 'arrives') await arrive(...copies);
          if (next.event === 'is late') late = [...late, ...copies];
        }
      }
      await arrive(...late);
      const changes = written().map((row) => row.split(' ')[0]!);
      expect(changes.toSorted()).toEqual([...expected].sort());
      expect(new Set(alarmedHours).size).toBe(alarmedHours.length);

      // However it went, a trigger that goes quiet from here on is noticed.
      now += HOUR;
      await arrive(eventAbout(changeOf(9, ++version)));
      await poll(changeOf(9, ++version));
      const before = alarms.length;
      await check();
      expect(alarms.length).toBe(before + 1);
    }),
    { numRuns: runs(10, 80) },
  );
});

test('without its data table, an execution fails and says so', async () => {
  const workflow = setUp();
  for (const node of workflow.nodes) node.retryOnFail = false;
  await expect(workflowLife(workflow, world.engine).receive(eventAbout(ONE))).rejects.toMatchObject({
    message: expect.stringMatching(/^Data table with name "Table \d+" not found$/),
  });
});
