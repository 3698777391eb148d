import type { Fault } from 'qr-service-emulator';
import type { Row, ZapierEngine } from '../../engines/zapier/index.ts';
import { startVirtualTime } from '../support/jest/virtualTime.ts';
import { some } from '../support/seed.ts';
import { failureOf, MAPPED, startWorld, type World } from './support/world.ts';

let world: World;
beforeEach(async () => {
  startVirtualTime();
  jest.spyOn(Math, 'random').mockReturnValue(0.008);
  world = await startWorld();
});
afterEach(async () => {
  jest.restoreAllMocks();
  await world.close();
});

const PUBLISHING = { method: 'POST', path: '/qr/*/publish' };
const MENU = 'https://example.com/menu';
const INPUT = { name: 'Door', targetUrl: MENU, urlParameters: { utm_source: 'qr' } };
const TARGET = `${MENU}?utm_source=qr`;

/** What an error says about running the step again. */
const SAYS = {
  safe: 'Replaying this run within 24 hours is safe too: it publishes this code.',
  byZapier: 'In a live Zap, there is nothing to do: Zapier runs the step again and publishes the code.',
  unsafe: "Don't replay this run: it could create a duplicate, or return the draft as it is.",
};

type Step = (engine: ZapierEngine) => Promise<Row>;
const create: Step = (engine) => engine.create('create_qr_code', INPUT);
const createWithKey: Step = (engine) => engine.create('create_qr_code', { ...INPUT, deduplicationKey: 'k' });
const upsert: Step = (engine) => engine.create('upsert_qr_code', { ...INPUT, matchBy: 'id' }, {}, MAPPED);
const upsertByName: Step = (engine) => engine.create('upsert_qr_code', { ...INPUT, matchBy: 'name' });
const findOrCreate: Step = (engine) => engine.searchOrCreate('find_qr_code', { value: INPUT.name }, INPUT);

const WITHOUT_KEY: [how: string, step: Step][] = [
  ['Create QR Code without a Deduplication Key', create],
  ['Create or Update with an empty ID', upsert],
];
const STEPS: [how: string, step: Step][] = [
  ...WITHOUT_KEY,
  ['Create QR Code with a Deduplication Key', createWithKey],
  ['Create or Update by name', upsertByName],
];

/** The seconds until Zapier runs the step again by itself, and whether people replace the API key. */
const FAILURES: [what: string, fault: Fault, more: { delay?: number; hasNewKey?: true }][] = [
  ['429', { code: 'rate_limited', retryAfter: 120 }, { delay: 120 }],
  ['503', { status: 503 }, {}],
  ['503 with a wait', { status: 503, retryAfter: 45 }, { delay: 45 }],
  ['a lost request', { drop: 'before' }, {}],
  ['a lost response', { drop: 'after' }, {}],
  ["a proxy's page", { status: 502, body: '<html>' }, {}],
  ['a missing scope', { code: 'insufficient_scope' }, { hasNewKey: true }],
  ['a revoked key', { code: 'invalid_api_key' }, { hasNewKey: true }],
  ['a full quota', { code: 'quota_exceeded' }, {}],
  // Together with a slow creation, its second attempt ends when the run's time is used up.
  ["the run's time used up", { status: 503, delayMs: 6000 }, { delay: 60 }],
];
const CASES = FAILURES.flatMap(([what, fault, more]) =>
  STEPS.map(([how, step]) => ({ what, how, fault, step, ...more })),
);

test.each(some(CASES, 6))(
  '$what while publishing, $how: each rerun continues with the same code, and the last one publishes it',
  async ({ fault, step, delay, hasNewKey }) => {
    const { control } = world.emulator;
    control.failNext({ match: PUBLISHING, times: Infinity, ...fault });
    if (fault.delayMs !== undefined) control.failNext({ match: { path: '/qr' }, delayMs: 8500 });
    const failure = await failureOf(step(world.engine));
    expect(failure).toMatchObject({
      name: delay === undefined ? 'AppError' : 'ThrottledError',
      message: expect.stringContaining(delay === undefined ? SAYS.safe : SAYS.byZapier),
    });
    expect(failure.delay).toBe(delay);
    const [, id] = /^The QR code (\S+) was created but not published/.exec(failure.message)!;

    // A second try fails as well. A response that was lost after publishing leaves nothing to do.
    if (fault.drop !== 'after' && fault.delayMs === undefined)
      expect((await failureOf(step(world.engine))).message).toContain(`The QR code ${id}`);

    control.clearFaults();
    // Whether Idempotency-Keys are the same for another API key of the workspace isn't documented.
    const isReplaced = hasNewKey === true && step !== createWithKey;
    const engine = isReplaced ? await world.withKey(control.createKey().apiKey) : world.engine;
    expect(await step(engine)).toMatchObject({ id, status: 'published' });
    expect(await world.codesNamed(INPUT.name)).toBe(1);
  },
);

test.each(some(FAILURES, 3))(
  '%s while publishing, Find or Create: the error says not to replay, since the search finds the draft',
  async (_what, fault) => {
    const { control } = world.emulator;
    control.failNext({ match: PUBLISHING, times: Infinity, ...fault });
    const failure = await failureOf(findOrCreate(world.engine));
    expect(failure).toMatchObject({ name: 'AppError', message: expect.stringContaining(SAYS.unsafe) });
    control.clearFaults();
    expect(await findOrCreate(world.engine)).toMatchObject({
      status: fault.drop === 'after' ? 'published' : 'draft',
    });
    expect(await world.codesNamed(INPUT.name)).toBe(1);
  },
);

/** Leaves a draft with a note of it, and returns its ID. */
async function leaveDraft(step: Step, code: Fault['code'] = 'quota_exceeded'): Promise<string> {
  world.emulator.control.failNext({ code, match: PUBLISHING });
  const { message } = await failureOf(step(world.engine));
  return /^The QR code (\S+) was/.exec(message)![1]!;
}

describe.each(WITHOUT_KEY)('%s', (_how, step) => {
  test('returns a draft that was published by hand, and where the earlier run pointed it', async () => {
    const id = await leaveDraft(step);
    await world.engine.create('publish_qr_code', { qrCodeId: id });
    expect(await step(world.engine)).toMatchObject({ id, status: 'published', targetUrl: TARGET });
    expect(await world.codesNamed(INPUT.name)).toBe(1);
    // The note was for one run.
    expect((await step(world.engine))['id']).not.toBe(id);
  });

  test('leaves a draft to runs with the same URL parameters', async () => {
    const id = await leaveDraft(step);
    const other = { ...INPUT, urlParameters: { utm_source: 'poster' }, matchBy: 'id' };
    for (const key of ['create_qr_code', 'upsert_qr_code'])
      expect((await world.engine.create(key, other, {}, MAPPED))['id']).not.toBe(id);
    expect(await step(world.engine)).toMatchObject({ id, status: 'published', targetUrl: TARGET });
  });

  test.each<[string, (id: string) => unknown]>([
    ['deleted', (id) => world.emulator.control.delete(id)],
    ['archived', (id) => world.emulator.control.archive(id)],
    [
      'pointed elsewhere',
      (qrCodeId) => world.engine.create('retarget_qr_code', { qrCodeId, url: 'https://other.example' }),
    ],
  ])(
    'fails once for a draft that was %s, and writes nothing; the next run creates a code',
    async (_what, change) => {
      const id = await leaveDraft(step);
      await change(id);
      const before = await world.engine.poll('qr_changed');
      expect(await failureOf(step(world.engine))).toMatchObject({
        name: 'AppError',
        code: 'not_published',
        message: `The QR code ${id} was changed or deleted after an earlier run created it as a draft. Check it in the app. If you replay this run, it creates a new code.`,
      });
      expect(await world.engine.poll('qr_changed')).toEqual(before);
      const created = await step(world.engine);
      expect(created).toMatchObject({ status: 'published', targetUrl: TARGET });
      expect(created['id']).not.toBe(id);
    },
  );

  test.each(['approval_required', 'contrast_check_failed'] as const)(
    'promises nothing after %s, since people change the draft, but leaves only one draft if it is replayed',
    async (code) => {
      const id = await leaveDraft(step, code);
      world.emulator.control.failNext({ code, match: PUBLISHING });
      const { message } = await failureOf(step(world.engine));
      expect(message).toMatch(`The QR code ${id} was created`);
      expect(message).toContain(SAYS.unsafe);
      expect(await world.codesNamed(INPUT.name)).toBe(1);
    },
  );

  test('of two runs at the same time, one publishes the draft and the other creates a code', async () => {
    const id = await leaveDraft(step);
    const codes = await Promise.all([step(world.engine), step(world.engine)]);
    expect(codes.map(({ status }) => status)).toEqual(['published', 'published']);
    expect(new Set(codes.map((code) => code['id'])).size).toBe(2);
    expect(codes.map((code) => code['id'])).toContain(id);
  });

  test('of two runs that fail at the same time, only one promises to publish its draft', async () => {
    world.emulator.control.failNext({ code: 'quota_exceeded', times: 2, match: PUBLISHING });
    const failures = await Promise.all([failureOf(step(world.engine)), failureOf(step(world.engine))]);
    const promised = failures.filter(({ message }) => message.includes(SAYS.safe));
    expect(promised).toHaveLength(1);
    expect(failures.filter(({ message }) => message.includes(SAYS.unsafe))).toHaveLength(1);
    const { id } = await step(world.engine);
    expect(promised[0]?.message).toContain(`The QR code ${String(id)} was`);
  });
});

test('a code that is not found when it should be published: promises nothing without a Deduplication Key', async () => {
  world.emulator.control.failNext({ code: 'not_found', match: PUBLISHING });
  const { message } = await failureOf(create(world.engine));
  expect(message).toContain('or was deleted.');
  expect(message).toContain(SAYS.unsafe);
});

const KEYED = { ...INPUT, deduplicationKey: 'k' };
test.each<[how: string, step: Step]>([
  ['Create QR Code', createWithKey],
  ['Create or Update', (engine) => engine.create('upsert_qr_code', { ...KEYED, matchBy: 'id' }, {}, MAPPED)],
  ['Find or Create', (engine) => engine.searchOrCreate('find_qr_code', { value: INPUT.name }, KEYED)],
])('%s, whose test code was deleted: later runs say to use another Deduplication Key', async (_how, step) => {
  const { id } = await step(world.engine);
  world.emulator.control.delete(String(id));
  world.emulator.control.clock.advance(3_600_000);
  const { name, message } = await failureOf(step(world.engine));
  expect(name).toBe('AppError');
  expect(message).toMatch(/If you (have )?deleted .*, use another Deduplication Key[.:]/);
  expect(message).toContain(String(id));
  expect(message).not.toMatch(/exists as a draft|replay|different name/i);
});
