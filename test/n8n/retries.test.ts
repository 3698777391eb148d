import type { INodeParameters } from 'n8n-workflow';
import type { N8nEngine, RunResult, WorkflowJson } from '../../engines/n8n/index.ts';
import { createRunExecutionData } from '../../engines/n8n/n8nWorkflow.ts';
import { some } from '../support/seed.ts';
import { action, codeBy, CREATE, CREATE_LIVE, NODE, UPSERT } from './support/workflows.ts';
import { startWorld, type World } from './support/world.ts';

let world: World;
beforeEach(async () => {
  world = await startWorld();
});
afterEach(async () => {
  jest.restoreAllMocks();
  await world.close();
});

interface Code {
  [key: string]: unknown;
  id: string;
  name: string;
  status: string;
  publicUrl: string;
}

async function codes(): Promise<Code[]> {
  const { data } = await world.engine.runWorkflow(action({ operation: 'getAll', returnAll: true }));
  return data[NODE]!.map(({ json }) => json as Partial<Code>).filter(({ id }) => id !== undefined) as Code[];
}

const leadsTo = async ({ publicUrl }: Pick<Code, 'publicUrl'>) =>
  (await fetch(publicUrl, { redirect: 'manual' })).headers.get('location');

describe('retries', () => {
  const rows = (count: number) =>
    Array.from({ length: count }, (_, i) => ({ name: `Row ${i}`, targetUrl: `https://example.com/${i}` }));

  const codeNames = async () => (await codes()).map(({ name }) => name).sort();

  test('Retry On Fail processes all items again without creating duplicates', async () => {
    world.emulator.control.failNext({ times: 1, code: 'quota_exceeded' });
    const settings = { retryOnFail: true, maxTries: 2, waitBetweenTries: 1 };
    const { status, data } = await world.engine.runWorkflow(action(CREATE, rows(4), settings));
    expect(status).toBe('success');
    expect(data[NODE]).toHaveLength(4);
    expect(await codeNames()).toEqual(['Row 0', 'Row 1', 'Row 2', 'Row 3']);
  });

  test('retrying a failed execution creates no duplicates, as the error says', async () => {
    world.emulator.control.failNext({ times: 1, code: 'quota_exceeded' });
    const deduplicationKey = "={{ $json.name === 'Row 3' ? 'own' : '' }}";
    const workflow = action({ ...CREATE, options: { deduplicationKey } }, rows(4));
    const failed = await world.engine.runWorkflow(workflow);
    expect(failed.error!.description).toMatch(
      /then retry this execution\. 3 of 4 items are done\. Item 0 failed, counted from 0\. A retry under Executions within 24 hours won't create their codes again\. A new execution will, unless they have a Deduplication Key\.$/,
    );
    expect(await codeNames()).toHaveLength(3);
    const retried = await world.engine.retryRun(workflow, failed);
    expect(retried.status).toBe('success');
    expect(await codeNames()).toEqual(['Row 0', 'Row 1', 'Row 2', 'Row 3']);
  });

  test("the error in a sub-workflow promises no retry, as n8n doesn't retry its executions", async () => {
    world.emulator.control.failNext({ times: 1, code: 'quota_exceeded' });
    const { error } = await world.engine.runWorkflow(action(CREATE, rows(4)), { mode: 'integrated' });
    expect(error!.description).toMatch(
      /then retry this item, unless its code already exists\. 3 of 4 items are done\. Item 0 failed, counted from 0\. Running the sub-workflow again creates their codes again, unless they have a Deduplication Key\.$/,
    );
    expect(error!.description).not.toContain('execution');
  });

  test('an item that the service rejects is skipped by a retry with On Error set to Continue', async () => {
    const workflow = action({ ...CREATE, options: { deduplicationKey: '={{ $json.name }}' } }, [
      ...rows(2),
      { name: 'Bad', targetUrl: 'mailto:nobody' },
      { name: 'Row 3', targetUrl: 'https://a.example' },
    ]);
    const failed = await world.engine.runWorkflow(workflow);
    expect(failed.error!.description).toMatch(
      / 3 of 4 items are done\. Item 2 failed, counted from 0\. A retry under Executions within 24 hours won't create their codes again\. To skip this item, set On Error to Continue, then retry with the currently saved workflow\.$/,
    );
    // What n8n does with the saved workflow.
    failed.run.data.executionData!.nodeExecutionStack[0]!.node.onError = 'continueRegularOutput';
    const { data } = await world.engine.retryRun(workflow, failed);
    expect(data[NODE]!.filter(({ json }) => json['error'] !== undefined)).toHaveLength(1);
    expect(await codeNames()).toEqual(['Row 0', 'Row 1', 'Row 3']);
  });

  describe('a rejected row', () => {
    /** An archived code, and a workflow that publishes or retargets it. */
    async function archivedCode(settings = {}, operation = 'publish') {
      const { data } = await world.engine.runWorkflow(action(CREATE, rows(1)));
      const id = data[NODE]![0]!.json['id'] as string;
      world.emulator.control.archive(id);
      const parameters = { operation, qrCodeId: codeBy('id', id), url: 'https://example.com/new' };
      return { id, workflow: action(parameters, [{}], settings) };
    }

    test.each([
      ['publish', 'published'],
      ['retarget', 'draft'],
    ])('succeeds when the execution is retried after its cause was fixed (%s)', async (operation, status) => {
      const { id, workflow } = await archivedCode({}, operation);
      const failed = await world.engine.runWorkflow(workflow);
      expect(failed.error?.message).toMatch(/archived/);
      const stillFailed = await world.engine.retryRun(workflow, failed);
      expect(stillFailed.error?.message).toMatch(/archived/);
      world.emulator.control.unarchive(id);
      const { data, error } = await world.engine.retryRun(workflow, stillFailed);
      expect(error).toBeUndefined();
      expect(data[NODE]!.map(({ json }) => json['status'])).toEqual([status]);
    });
  });

  describe('after the first of two rows about a code failed, a retry leaves the code as the last row says', () => {
    const retry = { retryOnFail: true, maxTries: 2, waitBetweenTries: 1 };

    test.each([
      ['in Retry On Fail', retry],
      ['in Retry On Fail that continues on errors', { ...retry, onError: 'continueRegularOutput' as const }],
      ['from the list of executions', {}],
    ])('%s', async (_how, settings) => {
      const { data } = await world.engine.runWorkflow(action(CREATE_LIVE, rows(1)));
      const { id, publicUrl } = data[NODE]![0]!.json as { id: string; publicUrl: string };
      world.emulator.control.failNext({ times: 1, code: 'quota_exceeded', match: { method: 'POST' } });
      const qrCodeId = codeBy('id', '={{ $json.code }}');
      const workflow = action(
        { operation: 'retarget', qrCodeId, url: '={{ $json.url }}' },
        [
          { code: publicUrl, url: 'https://example.com/first' },
          { code: id, url: 'https://example.com/last' },
        ],
        settings,
      );
      let result = await world.engine.runWorkflow(workflow);
      if (result.error !== undefined) result = await world.engine.retryRun(workflow, result);
      expect(result.data[NODE]!.map(({ json }) => json['targetUrl'])).toEqual([
        'https://example.com/first',
        'https://example.com/last',
      ]);
      expect(await leadsTo({ publicUrl })).toBe('https://example.com/last');
    });
  });

  test.each(['retarget', 'upsert'])(
    'a retry of a whole run (%s) updates destinations again',
    async (operation) => {
      const { data } = await world.engine.runWorkflow(action(CREATE_LIVE, rows(1)));
      const { id, publicUrl } = data[NODE]![0]!.json as { id: string; publicUrl: string };
      const url = '={{ $json.url }}';
      const qrCodeId = codeBy('id', '={{ $json.code }}');
      const retarget = { operation, matchBy: 'id', qrCodeId, url, targetUrl: url, name: 'Row' };
      const workflow = action(retarget, [
        { code: `${publicUrl}-typo`, url: 'https://example.com/typo' },
        { code: id, url: 'https://example.com/row' },
      ]);
      const failed = await world.engine.runWorkflow(workflow);
      await world.engine.runWorkflow(action(retarget, [{ code: id, url: 'https://example.com/since' }]));
      await world.engine.retryRun(workflow, failed);
      expect(await leadsTo({ publicUrl })).toBe('https://example.com/row');
    },
  );

  /** n8n's data of a run after a crash: only what it saved before the run started. */
  function asSavedAtTheStart({ run, ...result }: RunResult, { nodes }: WorkflowJson): RunResult {
    const { resultData, resumeToken } = run.data;
    const data = createRunExecutionData({
      resultData: { pinData: resultData.pinData! },
      executionData: {
        nodeExecutionStack: [{ node: nodes[0]!, data: { main: [[{ json: {} }]] }, source: null }],
      },
      resumeToken: resumeToken!,
    });
    return { ...result, run: { ...run, data } };
  }

  test('retrying an execution after n8n crashed creates no duplicates', async () => {
    world.emulator.control.failNext({ times: 1, code: 'quota_exceeded' });
    const workflow = action(CREATE, rows(4));
    const died = await world.engine.runWorkflow(workflow);
    expect(await codeNames()).toHaveLength(3);
    const retried = await world.engine.retryRun(workflow, asSavedAtTheStart(died, workflow));
    expect(retried.error).toBeUndefined();
    expect(retried.data[NODE]).toHaveLength(4);
    expect(await codeNames()).toEqual(['Row 0', 'Row 1', 'Row 2', 'Row 3']);
  });

  test('two nodes in one execution create separate codes from the same row', async () => {
    const workflow = action(CREATE, rows(1));
    workflow.nodes.push({ ...workflow.nodes[1]!, id: 'second', name: 'Second' });
    const target = (node: string) => ({ node, type: 'main' as const, index: 0 });
    workflow.connections = { Rows: { main: [[target(NODE), target('Second')]] } };
    await world.engine.runWorkflow(workflow);
    expect(await codeNames()).toEqual(['Row 0', 'Row 0']);
  });

  describe('with a deduplication key', () => {
    const numbered = (count: number) => rows(count).map((row, index) => ({ row_number: index + 2, ...row }));
    const create = (sheet: Parameters<typeof action>[1], deduplicationKey = '={{ $json.row_number }}') =>
      action({ ...CREATE, options: { deduplicationKey } }, sheet);
    const idsOf = ({ data }: RunResult) => data[NODE]!.map(({ json }) => json['id']);

    test('a new execution creates no duplicates, even with the rows reordered', async () => {
      world.emulator.control.failNext({ times: 1, code: 'quota_exceeded' });
      const failed = await world.engine.runWorkflow(create(numbered(4)));
      expect(failed.status).toBe('error');
      expect(await codeNames()).toHaveLength(3);
      const again = await world.engine.runWorkflow(create(numbered(4)));
      expect(again.error).toBeUndefined();
      expect(await codeNames()).toEqual(['Row 0', 'Row 1', 'Row 2', 'Row 3']);
      const shuffled = await world.engine.runWorkflow(create(numbered(4).reverse()));
      expect(idsOf(shuffled)).toEqual(idsOf(again).reverse());
    });

    test('creating and publishing the same row twice returns the same published code', async () => {
      const live = action({ ...CREATE_LIVE, options: { deduplicationKey: 'one' } }, rows(1));
      const runs = [await world.engine.runWorkflow(live), await world.engine.runWorkflow(live)];
      expect(runs.map(({ data }) => data[NODE]![0]!.json['status'])).toEqual(['published', 'published']);
      expect(idsOf(runs[0]!)).toEqual(idsOf(runs[1]!));
    });

    test('rows with the same key share a code if they are equal and get separate codes if not', async () => {
      const [one, two] = numbered(2);
      const same = { ...two!, row_number: one!.row_number };
      const ids = idsOf(await world.engine.runWorkflow(create([one!, same, one!])));
      expect(ids[2]).toBe(ids[0]);
      expect(ids[1]).not.toBe(ids[0]);
      expect(await codeNames()).toEqual(['Row 0', 'Row 1']);
    });

    test('an edited row, another workflow or another node creates another code', async () => {
      const [row] = numbered(1);
      await world.engine.runWorkflow(create([row!]));
      await world.engine.runWorkflow(create([{ ...row!, name: 'Edited' }]));
      await world.engine.runWorkflow({ ...create([row!]), id: 'another' });
      const moved = create([row!]);
      moved.nodes[1]!.id = 'another';
      await world.engine.runWorkflow(moved);
      expect(await codeNames()).toEqual(['Edited', 'Row 0', 'Row 0', 'Row 0']);
    });
  });

  test('without a deduplication key, equal rows and other executions create separate codes', async () => {
    const [row] = rows(1);
    const workflow = action(CREATE, [row!, row!]);
    await world.engine.runWorkflow(workflow);
    await world.engine.runWorkflow(workflow);
    expect(await codeNames()).toEqual(Array(4).fill('Row 0'));
  });
});

describe('what errors advise', () => {
  /*
   * What an error advises about retries is carried out literally, and leads to what it promises. The core tests all words.
   */

  const A = 'https://example.com/a';
  const MINUTES = 60_000;
  const HOURS = 60 * MINUTES;

  /** n8n after a restart: it remembers nothing, as it knows the service by another name. */
  let restarted: N8nEngine;
  let passedMs: number;
  beforeEach(async () => {
    passedMs = 0;
    const { now } = Date;
    jest.spyOn(Date, 'now').mockImplementation(() => now() + passedMs);
    // No wait between attempts.
    jest.spyOn(Math, 'random').mockReturnValue(0);
    restarted = await world.engineWith({ baseUrl: world.emulator.url.replace('127.0.0.1', 'localhost') });
  });

  interface Row {
    code?: string;
    name: string;
    url: string;
  }
  const TABLE: Row = { name: 'Table 1', url: A };

  const NEW = { ...CREATE_LIVE, targetUrl: '={{ $json.url }}' };
  const keyed = (parameters: INodeParameters, deduplicationKey: string) => ({
    ...parameters,
    options: { deduplicationKey },
  });
  const onCode = (operation: string, id: string, own: INodeParameters = {}) => ({
    operation,
    qrCodeId: codeBy('id', id),
    ...own,
  });

  type Settings = Parameters<typeof action>[2];
  const run = (
    row: Row = TABLE,
    parameters = UPSERT,
    engine = world.engine,
    settings?: Settings,
  ): Promise<RunResult> => engine.runWorkflow(action(parameters, [{ ...row }], settings));
  const retry = (failed: RunResult, parameters: INodeParameters, engine = world.engine) =>
    engine.retryRun(action(parameters, [{ ...TABLE }]), failed);

  /** The code of a run that succeeded. */
  function done({ data, error }: RunResult): Code {
    if (error !== undefined) throw error;
    return data[NODE]![0]!.json as Code;
  }

  /** Checks that a run's code is live and that there is only this number of codes. */
  async function expectLive(result: RunResult, { count = 1, id, url = A }: Partial<Expected> = {}) {
    const code = done(result);
    if (id !== undefined) expect(code.id).toBe(id);
    const all = await codes();
    expect(all.find((one) => one.id === code.id)?.status).toBe('published');
    expect(all).toHaveLength(count);
    expect(await leadsTo(code)).toBe(url);
  }
  interface Expected {
    count: number;
    id: string;
    url: string;
  }

  interface Situation {
    /** Ends with the error. */
    fails: () => Promise<RunResult>;
    /** What the error says, and how that is carried out and checked. */
    advises: Record<string, (failed: RunResult) => Promise<unknown>>;
  }

  const control = () => world.emulator.control;
  const failing = (path: string, fault: object) =>
    control().failNext({ match: { method: 'POST', path }, ...fault });
  const firstId = async () => (await codes())[0]!.id;
  const created = async (row = TABLE, engine = world.engine) => done(await run(row, UPSERT, engine)).id;

  /** A code whose publication failed, made by these parameters. */
  const draft = (parameters: INodeParameters, advises: Situation['advises']): Situation => ({
    fails() {
      failing('/qr/*/publish', { code: 'approval_required' });
      return run(TABLE, parameters);
    },
    advises: {
      'publish it with the Publish operation.': async () => {
        const id = await firstId();
        await expectLive(await run(TABLE, onCode('publish', id)), { id });
      },
      ...advises,
    },
  });

  /** A published code whose image could not be downloaded. */
  const withoutImage = (parameters: INodeParameters, advises: Situation['advises']): Situation => ({
    fails() {
      control().failNext({ match: { path: '/qr/*/image' }, code: 'insufficient_scope' });
      return run(TABLE, parameters);
    },
    advises: {
      'To finish, use Download Image with its ID.': async ({ error }) => {
        const { id } = error!.context['qrCode'] as Code;
        const { data } = await run(TABLE, onCode('render', id));
        expect(data[NODE]![0]!.binary).toHaveProperty('data');
      },
      ...advises,
    },
  });
  const WITH_IMAGE = { options: { downloadImages: ['png'] } };

  /** A creation whose responses are all lost. */
  const lost = (
    parameters: INodeParameters,
    advises: Situation['advises'],
    settings?: Settings,
  ): Situation => ({
    async fails() {
      failing('/qr', { drop: 'after', times: Infinity });
      const failed = await run(TABLE, parameters, world.engine, settings);
      control().clearFaults();
      return failed;
    },
    advises: {
      'A QR code named "Table 1" may have been created. It isn\'t published.': async () =>
        expect(await codes()).toMatchObject([{ name: 'Table 1', status: 'draft' }]),
      ...advises,
    },
  });

  const SITUATIONS: Record<string, Situation> = {
    'an archived code': {
      async fails() {
        control().archive(await created());
        return run();
      },
      advises: {
        'Restore it in the app, then publish it.': async () => {
          const id = await firstId();
          control().unarchive(id);
          await run(TABLE, onCode('publish', id));
          await expectLive(await run(), { id });
        },
      },
    },
    'a target that the service refused before n8n restarted': {
      async fails() {
        expect((await run({ ...TABLE, url: 'mailto:a@example.com' }, UPSERT, restarted)).error).toBeDefined();
        return run();
      },
      advises: {
        'Wait ten minutes, then run this again.': async () => {
          passedMs += 10 * MINUTES;
          await expectLive(await run());
        },
      },
    },
    'a draft of Create': draft(NEW, {
      'Retrying this execution within 24 hours is safe': async (failed) => {
        const id = await firstId();
        passedMs += 23 * HOURS;
        await expectLive(await retry(failed, NEW), { id });
      },
      "it won't create a duplicate.": async (failed) => {
        const id = await firstId();
        await expectLive(await retry(failed, NEW, restarted), { id });
      },
    }),
    'a draft of Create or Update': draft(UPSERT, {
      'Running this item again': async () => {
        const id = await firstId();
        await expectLive(await run(), { id });
      },
      'continues with the same code.': async () => {
        const id = await firstId();
        await expectLive(await run(TABLE, UPSERT, restarted), { id });
      },
    }),
    'a missing image of Create': withoutImage(
      { ...NEW, ...WITH_IMAGE },
      {
        "Don't run Create again. Retrying this execution within 24 hours is safe: it won't create": async (
          failed,
        ) => expectLive(await retry(failed, { ...NEW, ...WITH_IMAGE }), { id: await firstId() }),
      },
    ),
    'a missing image of Create or Update': withoutImage(
      { ...UPSERT, ...WITH_IMAGE },
      {
        'Running this item again continues with the same code.': async () =>
          expectLive(await run(TABLE, { ...UPSERT, ...WITH_IMAGE }), { id: await firstId() }),
      },
    ),
    'a lost response to Create': lost(NEW, {
      'then retry this execution.': async (failed) => expectLive(await retry(failed, NEW)),
      'retry this execution': async (failed) => expectLive(await retry(failed, NEW, restarted)),
    }),
    'a lost response to Create or Update': lost(UPSERT, {
      'then retry this execution.': async (failed) => expectLive(await retry(failed, UPSERT)),
      'retry this execution': async () => expectLive(await run(TABLE, UPSERT, restarted)),
    }),
    'a refusal under a Deduplication Key': {
      fails() {
        failing('/qr', { code: 'quota_exceeded' });
        return run(TABLE, keyed(NEW, 'one'));
      },
      advises: {
        'then retry this execution.': async (failed) => expectLive(await retry(failed, keyed(NEW, 'one'))),
        'use another Deduplication Key.': async () => expectLive(await run(TABLE, keyed(NEW, 'two'))),
      },
    },
  };

  const CASES = Object.entries(SITUATIONS).flatMap(([situation, { fails, advises }]) =>
    Object.entries(advises).map(([advice, follow]) => [situation, advice, fails, follow] as const),
  );
  test.each(some(CASES, 6))(
    'the advice in the error of %s is true: %s',
    async (_situation, advice, fails, follow) => {
      const failed = await fails();
      const { message, description = '' } = failed.error!;
      expect(`${message} ${description ?? ''}`).toContain(advice);
      await follow(failed);
    },
  );
});
