import type { INodeParameters } from 'n8n-workflow';
import type { N8nEngine, RunResult } from '../../engines/n8n/index.ts';
import { closeServices } from '../support/faultyService/faultyService.ts';
import { action, codeBy, CREATE_LIVE, NODE } from './support/workflows.ts';
import { startWorld, type World } from './support/world.ts';

/*
 * What an error advises about retries is carried out literally, and leads to what it promises. The core tests all words.
 */

const A = 'https://example.com/a';
const MINUTES = 60_000;
const HOURS = 60 * MINUTES;

let world: World;
/** n8n after a restart: it remembers nothing, as it knows the service by another name. */
let restarted: N8nEngine;
let passedMs: number;
beforeEach(async () => {
  passedMs = 0;
  const { now } = Date;
  jest.spyOn(Date, 'now').mockImplementation(() => now() + passedMs);
  // No wait between attempts.
  jest.spyOn(Math, 'random').mockReturnValue(0);
  world = await startWorld();
  restarted = await world.engineWith({ baseUrl: world.emulator.url.replace('127.0.0.1', 'localhost') });
});
afterEach(async () => {
  jest.restoreAllMocks();
  closeServices();
  await world.close();
});

interface Row {
  code?: string;
  name: string;
  url: string;
}
interface Code {
  [key: string]: unknown;
  id: string;
  name: string;
  status: string;
  publicUrl: string;
}
const TABLE: Row = { name: 'Table 1', url: A };

const UPSERT: INodeParameters = {
  operation: 'upsert',
  qrCodeId: codeBy('id', '={{ $json.code }}'),
  matchBy: '={{ $json.code ? "id" : "name" }}',
  name: '={{ $json.name }}',
  targetUrl: '={{ $json.url }}',
};
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

async function codes(): Promise<Code[]> {
  const { data } = await world.engine.runWorkflow(action({ operation: 'getAll', returnAll: true }));
  return data[NODE]!.map(({ json }) => json as Partial<Code>).filter(({ id }) => id !== undefined) as Code[];
}

const leadsTo = async ({ publicUrl }: Code) =>
  (await fetch(publicUrl, { redirect: 'manual' })).headers.get('location');

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
    'publishes the same code.': async () => {
      const id = await firstId();
      await expectLive(await run(TABLE, UPSERT, restarted), { id });
    },
  }),
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
test.each(CASES)('the error of %s advises truly: %s', async (_situation, advice, fails, follow) => {
  const failed = await fails();
  const { message, description = '' } = failed.error!;
  expect(`${message} ${description ?? ''}`).toContain(advice);
  await follow(failed);
});
