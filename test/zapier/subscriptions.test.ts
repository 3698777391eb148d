import { closeServices, serve } from '../support/faultyService/faultyService.ts';
import { startVirtualTime } from '../support/jest/virtualTime.ts';
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

test('turning a Zap on subscribes to its event and stores only the ID and the secret', async () => {
  const { subscribeData } = await world.engine.subscribe('qr_published', HOOK_URL);
  expect(world.emulator.control.subscriptions()).toMatchObject([
    { url: HOOK_URL, eventTypes: ['qr.published'] },
  ]);
  expect(Object.keys(subscribeData).sort()).toEqual(['id', 'secret']);
});

test('turning a Zap off stops its deliveries and succeeds when repeated', async () => {
  const hook = await world.engine.subscribe('qr_published', HOOK_URL);
  await causeDelivery(world);
  await hook.unsubscribe();
  await hook.unsubscribe();
  await expect(causeDelivery(world)).rejects.toThrow('Nothing was delivered.');
});

test.each([{ status: 405 }, { status: 500, times: 4 }, { code: 'insufficient_scope' as const }])(
  'turning a Zap off logs the ID of a subscription that could not be removed (%j)',
  async (fault) => {
    const hook = await world.engine.subscribe('qr_archived', HOOK_URL);
    world.emulator.control.failNext(fault);
    startVirtualTime();
    await hook.unsubscribe();
    const said = world.logs.map(({ message }) => message).join('\n');
    expect(said).toContain(`Remove the webhook subscription ${String(hook.subscribeData['id'])} in the app.`);
    // There is nothing left to do about the failure itself.
    expect(said).not.toMatch(/again|then update/);
    expect(said).not.toContain(hook.subscribeData['secret']);
  },
);

test('turning a Zap off succeeds while the service is down', async () => {
  const hook = await world.engine.subscribe('qr_archived', HOOK_URL);
  await world.emulator.stop();
  startVirtualTime();
  await hook.unsubscribe();
});

test('turning a Zap off does not hang when the service never responds', async () => {
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

test("turning a Zap on fails with the service's error when it rejects the URL", async () => {
  const failure = await failureOf(world.engine.subscribe('qr_created', 'http://hooks.zapier.example/1'));
  expect(failure).toMatchObject({ name: 'AppError', code: 'validation_failed', status: 422 });
});

test('the log of a subscription contains no signing secret', async () => {
  const { subscribeData } = await world.engine.subscribe('qr_published', HOOK_URL);
  expect(world.logs.some(({ type }) => type === 'http')).toBe(true);
  expect(JSON.stringify(world.logs)).not.toContain(subscribeData['secret']);
  expect(JSON.stringify(world.logs)).not.toContain(world.emulator.apiKey);
});
