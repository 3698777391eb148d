import type { INodeParameters } from 'n8n-workflow';
import type { ActiveTrigger, N8nEngine, RunResult } from '../../engines/n8n/index.ts';
import { closeServices } from '../support/faultyService/faultyService.ts';
import { action, codeBy, CREATE_LIVE, NODE, onEvents } from './support/workflows.ts';
import { PUBLIC_URL, startWorld, type World } from './support/world.ts';

/*
 * What an error advises is carried out literally, and leads to what it promises.
 */

const A = 'https://example.com/a';
const B = 'https://example.com/b';
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

const typo = (code: (real: Code) => string): Situation => ({
  async fails() {
    const real = done(await run(TABLE));
    return run({ code: code(real), name: 'Other', url: B });
  },
  advises: {
    'Use the ID or the short link': async () =>
      expectLive(await run({ code: await firstId(), name: 'Other', url: B }), {
        id: await firstId(),
        url: B,
      }),
  },
});

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

/** An operation on an archived code. */
const archivedIn = (operation: string, advice: string): Situation => ({
  async fails() {
    const id = await created({ ...TABLE, url: B });
    control().archive(id);
    const before = control().requestCount();
    const failed = await run(TABLE, onCode(operation, id, { url: A }));
    expect(failed.error?.message).toMatch(/archived.*"Table 1" \(ID qr_\w+|"Table 1" \(ID qr_\w+.*archived/);
    // Publish also looks whether an archived code is why it was refused.
    expect(control().requestCount() - before).toBe(operation === 'publish' ? 2 : 1);
    return failed;
  },
  advises: {
    [advice]: async () => {
      const id = await firstId();
      control().unarchive(id);
      await expectLive(await run(TABLE, onCode('publish', id)), { id, url: operation === 'publish' ? B : A });
    },
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
  'an ID with a typo': typo(({ id }) => `${id}x`),
  'a short link with a typo': typo(({ publicUrl }) => `${publicUrl}x`),
  'a short link with a typo in Publish': {
    fails: async () =>
      run(TABLE, { operation: 'publish', qrCodeId: codeBy('url', `${done(await run()).publicUrl}x`) }),
    advises: {
      'Check the link': async () => {
        const [{ publicUrl } = done(await run())] = await codes();
        await expectLive(await run(TABLE, { operation: 'publish', qrCodeId: codeBy('url', publicUrl) }));
      },
      'use the ID of the QR code': async () =>
        expectLive(await run(TABLE, onCode('publish', await firstId()))),
    },
  },
  'a name in place of an ID': {
    fails: async () => (await created(), run(TABLE, onCode('publish', 'Table 1'))),
    advises: {
      'Use the ID': async () => expectLive(await run(TABLE, onCode('publish', await firstId()))),
    },
  },
  'a name that several codes have': {
    async fails() {
      for (const url of [A, B]) done(await run({ ...TABLE, url }, NEW));
      return run();
    },
    advises: {
      'Use the ID of one of them': async () => {
        const id = await firstId();
        await expectLive(await run({ ...TABLE, code: id }), { id, count: 2 });
      },
      'rename the others': async () => {
        const [{ id }, { id: other }] = (await codes()) as [Code, Code];
        control().rename(other, 'Table 2');
        await expectLive(await run(), { id, count: 2 });
      },
    },
  },
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
  'Publish on an archived code': archivedIn('publish', 'Restore it in the app, then publish it.'),
  'Update Destination on an archived code': archivedIn('retarget', 'Restore it in the app, then publish it.'),
  'a code that got another name since': {
    async fails() {
      control().rename(await created(), 'Terrace');
      return run();
    },
    advises: {
      'put its ID into the row': async () => {
        const id = await firstId();
        await expectLive(await run({ ...TABLE, code: id, url: B }), { id, url: B });
        expect(await codes()).toMatchObject([{ name: 'Terrace' }]);
      },
      'use a different name.': async () => expectLive(await run({ ...TABLE, name: 'Table 2' }), { count: 2 }),
    },
  },
  'a new code that the service does not find': {
    fails() {
      failing('/qr/*/publish', { code: 'not_found' });
      return run();
    },
    advises: {
      'Wait a few minutes, then run this again.': async () => {
        const id = await firstId();
        passedMs += 5 * MINUTES;
        await expectLive(await run(), { id });
      },
      'If you have deleted this code, use a different name and leave the code empty.': async () => {
        control().delete(await firstId());
        await expectLive(await run({ ...TABLE, name: 'Table 2' }));
      },
    },
  },
  'a code that another process has requested with another target, and no list shows': {
    async fails() {
      control().changeSettings({ visibleAfterMs: 2 * MINUTES });
      await created(TABLE, restarted);
      return run({ ...TABLE, url: B });
    },
    advises: {
      'Wait ten minutes, then run this again.': async () => {
        passedMs += 10 * MINUTES;
        await expectLive(await run({ ...TABLE, url: B }), { url: B });
      },
    },
  },
  'a code that another process has requested with another target, and somebody deleted': {
    async fails() {
      await created(TABLE, restarted);
      control().delete(await firstId());
      return run({ ...TABLE, url: B });
    },
    advises: {
      'Wait ten minutes, then run this again.': async () => {
        passedMs += 10 * MINUTES;
        await expectLive(await run({ ...TABLE, url: B }), { url: B });
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
  'a target that is no address': {
    fails: () => run({ ...TABLE, url: 'nowhere' }),
    advises: { 'Use a full web address': async () => expectLive(await run()) },
  },
  'an empty name': {
    fails: () => run({ ...TABLE, name: '' }),
    advises: { 'Enter a value.': async () => expectLive(await run()) },
  },
  'a key without a scope': {
    async fails() {
      const { apiKey } = control().createKey({ scopes: ['qr:read'] });
      return run(TABLE, UPSERT, await world.engineWith({ apiKey }));
    },
    advises: {
      'Create an API key in the app with the scope qr:write as well, then update the credential.':
        async () => {
          const { apiKey } = control().createKey({ scopes: ['qr:read', 'qr:write'] });
          await expectLive(await run(TABLE, UPSERT, await world.engineWith({ apiKey })));
        },
    },
  },
  'a service that is down': {
    fails: async () => run(TABLE, NEW, await world.engineWith({ baseUrl: 'http://127.0.0.1:9' })),
    advises: {
      'Check Base URL in the credential and that the service is up, then retry this execution.': async (
        failed,
      ) => expectLive(await retry(failed, NEW)),
    },
  },
  'a conflict without a Deduplication Key': {
    fails() {
      failing('/qr', { code: 'idempotency_conflict' });
      return run(TABLE, NEW);
    },
    advises: { 'If it keeps failing': async (failed) => expectLive(await retry(failed, NEW)) },
  },
  'a draft that could not be pointed to the target': {
    async fails() {
      failing('/qr/*/publish', { code: 'approval_required' });
      await run({ ...TABLE, url: B });
      failing('/qr/*/destination', { code: 'quota_exceeded' });
      return run();
    },
    advises: {
      'Free up quota or increase it in the app, then retry this execution.': async () =>
        expectLive(await run()),
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
  'a conflict about a Deduplication Key': {
    fails() {
      failing('/qr', { code: 'idempotency_conflict' });
      return run(TABLE, keyed(NEW, 'one'));
    },
    advises: {
      'If you set a Deduplication Key, use a new one.': async () =>
        expectLive(await run(TABLE, keyed(NEW, 'two'))),
    },
  },
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

describe('the trigger', () => {
  let workflows = 0;
  let id: string;
  beforeEach(() => void (id = `advice-${++workflows}`));

  const live = () => control().subscriptions();
  const storedId = ({ staticData }: ActiveTrigger) =>
    (staticData[`node:${NODE}`] as Record<string, string>)['subscriptionId']!;
  const publish = (engine = world.engine, publicUrl = PUBLIC_URL, events = ['qr.created']) =>
    engine.activateTrigger(onEvents(events, id), NODE, { publicUrl });

  /** Publishing works, and a new event starts the workflow. */
  async function expectPublished(): Promise<ActiveTrigger> {
    const trigger = await publish();
    world.frontDoor.open(trigger);
    expect(live().map((one) => one.id)).toContain(storedId(trigger));
    const event = control().emit('qr.created');
    await control().settled();
    const rows = world.frontDoor.executions.flatMap(({ data }) => data['Rows']!.map(({ json }) => json));
    expect(rows).toMatchObject([{ eventId: event.id }]);
    return trigger;
  }

  async function removeInTheApp(subscriptionId: string): Promise<void> {
    control().clearFaults();
    control().changeSettings({ unsubscribe: 204 });
    const headers = { Authorization: `Bearer ${world.emulator.apiKey}` };
    await fetch(`${world.emulator.url}/v1/public-api/webhooks/${subscriptionId}`, {
      method: 'DELETE',
      headers,
    });
  }

  /** Publishing that fails with an error, and what to do about it. Nothing may exist, so the log says nothing. */
  test.each<[string, RegExp, () => Promise<ActiveTrigger>]>([
    [
      'a service that is down',
      /^127\.0\.0\.1:9 could not be reached.*Check Base URL in the credential and that the service is up, then retry\.$/,
      async () => publish(await world.engineWith({ baseUrl: 'http://127.0.0.1:9' })),
    ],
    [
      'a key without a scope',
      /Create an API key in the app with the scope webhooks:write as well, then update the credential\./,
      async () => {
        const { apiKey } = control().createKey({ scopes: ['qr:read'] });
        return publish(await world.engineWith({ apiKey }));
      },
    ],
    [
      'a local address',
      /Set N8N_WEBHOOK_URL .* to the public HTTPS address of n8n/,
      () => publish(world.engine, 'http://localhost:5678'),
    ],
    ['no event', /Choose at least one under Events\.$/, () => publish(world.engine, PUBLIC_URL, [])],
    [
      'a refused subscription',
      /Free up quota or increase it in the app, then retry\.$/,
      () => {
        failing('/webhooks', { code: 'quota_exceeded' });
        return publish();
      },
    ],
  ])('tells truly how to publish with %s', async (_what, says, fails) => {
    await expect(fails()).rejects.toThrow(says);
    expect(world.warnings).toEqual([]);
    await expectPublished();
    expect(live()).toHaveLength(1);
  });

  test('tells truly what to do after lost responses to a subscription', async () => {
    failing('/webhooks', { drop: 'after', times: Infinity });
    await expect(publish()).rejects.toThrow(/then retry\.$/);
    control().clearFaults();
    const [{ url } = { url: '' }] = live();
    expect(world.warnings).toEqual([
      expect.stringMatching(
        /may be a webhook subscription for .* that n8n doesn't know about \(the workflow "Events"\)\. If the service's app lists it and it isn't used, remove it there\./,
      ),
    ]);
    expect(world.warnings[0]).toContain(url);
    const trigger = await expectPublished();
    const ofUrl = live().filter((one) => one.url === url);
    for (const { id: old } of ofUrl.slice(0, -1)) await removeInTheApp(old);
    expect(live()).toMatchObject([{ id: storedId(trigger) }]);
  });

  test.each<[string, RegExp, () => void]>([
    ['404', /has none with this ID/, () => control().changeSettings({ unsubscribe: 404 })],
    ['410', /has none with this ID/, () => control().changeSettings({ unsubscribe: 410 })],
    ['405', /has no way to remove it/, () => control().changeSettings({ unsubscribe: 405 })],
    [
      '500',
      /was not removed/,
      () => control().failNext({ match: { method: 'DELETE' }, status: 500, times: Infinity }),
    ],
  ])('names what stays after a DELETE with %s', async (_status, says, refuse) => {
    const trigger = await publish();
    const subscriptionId = storedId(trigger);
    refuse();
    await trigger.deactivate().catch(() => undefined);
    expect(world.warnings).toEqual([expect.stringMatching(says)]);
    expect(world.warnings[0]).toMatch(`${subscriptionId} for ${trigger.webhookUrl}`);
    expect(world.warnings[0]).toMatch(/If the service's app lists it and it isn't used, remove it there\.$/);
    await removeInTheApp(subscriptionId);
    expect(live()).toEqual([]);
    await expectPublished();
    expect(live()).toHaveLength(1);
  });
});
