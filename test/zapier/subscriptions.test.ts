import { closeServices, serve } from '../../harness/faultyService/faultyService.ts';
import { startVirtualTime } from '../../harness/jest/virtualTime.ts';
import { causeDelivery } from './support/deliveries.ts';
import { failureOf, HOOK_URL, startWorld, type World } from './support/world.ts';

let world: World;
beforeEach(async () => {
  world = await startWorld();
});
afterEach(async () => {
  jest.restoreAllMocks();
  await world.close();
});

test('a Zap that is turned on subscribes to its one event and keeps only the id and the secret', async () => {
  const { subscribeData } = await world.engine.subscribe('qr_published', HOOK_URL);
  expect(world.emulator.control.subscriptions()).toMatchObject([
    { url: HOOK_URL, eventTypes: ['qr.published'] },
  ]);
  expect(Object.keys(subscribeData).sort()).toEqual(['id', 'secret']);
});

test('a Zap that is turned off gets no more deliveries, and turned off twice is no error', async () => {
  const hook = await world.engine.subscribe('qr_published', HOOK_URL);
  await causeDelivery(world);
  await hook.unsubscribe();
  await hook.unsubscribe();
  await expect(causeDelivery(world)).rejects.toThrow('Nothing was delivered.');
});

test.each([{ status: 405 }, { status: 500, times: 4 }, { code: 'insufficient_scope' as const }])(
  'a subscription that the service does not remove (%j) is logged by its id, and the Zap is turned off',
  async (fault) => {
    const hook = await world.engine.subscribe('qr_archived', HOOK_URL);
    world.emulator.control.failNext(fault);
    startVirtualTime();
    await hook.unsubscribe();
    const said = world.logs.map(({ message }) => message).join('\n');
    expect(said).toContain(`Remove the webhook subscription ${String(hook.subscribeData['id'])} in the app.`);
    expect(said).not.toContain(hook.subscribeData['secret']);
  },
);

test('a Zap can be turned off while the service is down', async () => {
  const hook = await world.engine.subscribe('qr_archived', HOOK_URL);
  await world.emulator.stop();
  startVirtualTime();
  await hook.unsubscribe();
});

test('a service that has gone silent does not hold up who turns a Zap off', async () => {
  const time = startVirtualTime();
  const { url } = await serve(
    (_request, response) => response.end('{"id":"wh_1","secret":"s"}'),
    () => setImmediate(() => time.advance(9000)),
  );
  const hook = await (await world.connect('key_of_a_test', url)).subscribe('qr_archived', HOOK_URL);
  const began = Date.now();
  await hook.unsubscribe();
  expect(Date.now() - began).toBeLessThan(15_000);
  closeServices();
});

test('an address that the service refuses fails with its words', async () => {
  const failure = await failureOf(world.engine.subscribe('qr_created', 'http://hooks.zapier.example/1'));
  expect(failure).toMatchObject({ name: 'AppError', code: 'validation_failed', status: 422 });
});

test('the signing secret is in no log line of the subscription', async () => {
  const { subscribeData } = await world.engine.subscribe('qr_published', HOOK_URL);
  expect(world.logs.some(({ type }) => type === 'http')).toBe(true);
  expect(JSON.stringify(world.logs)).not.toContain(subscribeData['secret']);
  expect(JSON.stringify(world.logs)).not.toContain(world.emulator.apiKey);
});
