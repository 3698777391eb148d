import { ERROR_CODES } from '@qr-service/core/connector';
import type { IDataObject } from 'n8n-workflow';
import type { WorkflowJson } from '../../engines/n8n/index.ts';
import { PUBLIC_URL, startWorld, type World } from './support/world.ts';
import { N8nProcess } from './support/n8nProcess.ts';
import { NODE, onEvents, onPoll } from './support/workflows.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterEach(() => {
  jest.restoreAllMocks();
  world.emulator.control.reset();
});
afterAll(() => world.close());

/** Length after which n8n cuts a notification: 13 lines. */
const MAX_LENGTH = 400;

const adviceOf = (code: keyof typeof ERROR_CODES) =>
  ERROR_CODES[code].advice.replace('{credential}', 'credential').replace('{rerun}', 'retry');

type Thrown = Error & { description?: string | null; failure?: object };

async function thrownBy(attempt: Promise<unknown>): Promise<Thrown> {
  const error = await attempt.then(
    () => new Error('Nothing was thrown.'),
    (thrown: unknown) => thrown as Error,
  );
  expect(error.message.length).toBeLessThan(MAX_LENGTH);
  return error;
}

/** Operations whose errors n8n shows as notifications. */
const ATTEMPTS: Record<
  string,
  (credential: Record<string, string>, json?: WorkflowJson) => Promise<unknown>
> = {
  async publishing(credential, json = onEvents(['qr.created'])) {
    const engine = await world.engineWith(credential);
    await engine.activateTrigger(json, NODE, { publicUrl: PUBLIC_URL });
  },
  async 'a test of the trigger'(credential, json = onEvents(['qr.created'])) {
    const engine = await world.engineWith(credential);
    await engine.activateTrigger(json, NODE, { publicUrl: PUBLIC_URL, test: true });
  },
  async unpublishing(credential) {
    const options = { publicUrl: PUBLIC_URL };
    const { staticData } = await world.engine.activateTrigger(onEvents(['qr.created']), NODE, options);
    const { baseUrl = world.emulator.url } = credential;
    const moved = JSON.stringify(staticData).replaceAll(world.emulator.url, baseUrl);
    const engine = await world.engineWith(credential, new N8nProcess().otherNodes);
    const restarted = { ...options, staticData: JSON.parse(moved) as IDataObject };
    await engine.openTrigger(onEvents(['qr.created']), NODE, restarted).deactivate();
  },
  async 'publishing the polling trigger'(credential) {
    await (await world.engineWith(credential)).pollTrigger(onPoll('changedCodes'), NODE).activate();
  },
  async 'a poll'(credential) {
    const engine = await world.engineWith(credential);
    const trigger = engine.pollTrigger(onPoll('changedCodes'), NODE);
    await trigger.tick();
  },
};
const attempts = (...names: string[]) => names.map((name) => [name, ATTEMPTS[name]!] as const);
const POLLS = attempts('publishing the polling trigger', 'a poll');
const SUBSCRIBING = attempts('publishing', 'a test of the trigger');
const ALL = [...SUBSCRIBING, ...POLLS, ...attempts('unpublishing')];

test.each([...SUBSCRIBING, ...POLLS])(
  '%s tells users once what to do, and n8n why it failed',
  async (_name, attempt) => {
    world.warnings.length = 0;
    world.emulator.control.failNext({ code: 'quota_exceeded', times: Infinity });
    const { message, description, failure } = await thrownBy(attempt({}));
    expect(message).toContain(adviceOf('quota_exceeded'));
    expect(`${message} ${description ?? ''}`.split(adviceOf('quota_exceeded'))).toHaveLength(2);
    expect(failure).toEqual({ cause: 'quota-exhausted' });
    // Nothing was created, so nothing is to be removed.
    expect(world.warnings).toEqual([]);
  },
);

test.each(ALL)('the message of %s tells what to do if the service is down', async (_name, attempt) => {
  jest.spyOn(Math, 'random').mockReturnValue(0);
  const error = await thrownBy(attempt({ baseUrl: 'http://127.0.0.1:9' }));
  expect(error.message).toMatch(/127\.0\.0\.1:9 could not be reached.*that the service is up/);
  expect(error.failure).toEqual({ cause: 'temporarily-unavailable' });
});

test.each(ALL)('the message of %s tells how to fix an invalid base URL', async (_name, attempt) => {
  const error = await thrownBy(attempt({ baseUrl: 'not a URL' }));
  expect(error.message).toMatch(/base (URL|address).*like https:/i);
});

test.each(SUBSCRIBING)('the message of %s tells what to do if no event is chosen', async (_name, attempt) => {
  expect(await thrownBy(attempt({}, onEvents([])))).toMatchObject({
    message: 'No event is chosen. Choose at least one under Events.',
    failure: { cause: 'configuration-invalid' },
  });
});

test('a test of the polling trigger has the advice in the description only, as n8n shows both', async () => {
  world.emulator.control.failNext({ code: 'quota_exceeded' });
  const trigger = world.engine.pollTrigger(onPoll('changedCodes'), NODE);
  const advice = adviceOf('quota_exceeded');
  expect(await thrownBy(trigger.test())).toMatchObject({
    message: expect.not.stringContaining(advice),
    description: expect.stringContaining(advice),
  });
});
