import type { LogLine } from '../../engines/zapier/index.ts';
import { closeServices, serve, status } from '../support/faultyService/faultyService.ts';
import { failureOf, HOOK_URL, startWorld, type World } from './support/world.ts';

/** What Zapier's monitoring shows of a body: nothing. */
const UNREAD = '<probably streaming data>';

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
beforeEach(() => {
  world.logs.length = 0;
  // Retries don't wait.
  jest.spyOn(Math, 'random').mockReturnValue(0);
});
afterEach(() => {
  jest.restoreAllMocks();
  closeServices();
});
afterAll(() => world.close());

/** Zapier's monitoring of requests, one line each: the request, the status and the response body. */
function requestLines(): [request: string, status: unknown, body: unknown][] {
  const lines = world.logs.filter(({ type }: LogLine) => type === 'http');
  return lines.map(({ data }) => {
    const path = String(data['request_url']).replace(/^.*\/public-api/, '');
    return [
      `${String(data['request_method'])} ${path}`,
      data['response_status_code'],
      data['response_content'],
    ];
  });
}

test('show one line for each request, without the body of the response, which may have a secret', async () => {
  const { engine } = world;
  await engine.authTest();
  const { id } = await engine.create('create_qr_code', { name: 'Door', targetUrl: 'https://example.com' });
  await failureOf(engine.create('publish_qr_code', { qrCodeId: 'qr_none' }));
  const hook = await engine.subscribe('qr_created', HOOK_URL);
  expect(requestLines()).toEqual([
    ['GET /me', 200, UNREAD],
    ['POST /qr', 201, UNREAD],
    [`POST /qr/${String(id)}/publish`, 200, UNREAD],
    ['POST /qr/qr_none/publish', 404, UNREAD],
    ['POST /webhooks', 201, UNREAD],
  ]);
  const shown = JSON.stringify(world.logs);
  expect(shown).not.toContain(world.emulator.apiKey);
  expect(shown).not.toContain(hook.subscribeData['secret']);
});

test('hide an API key that the service repeats', async () => {
  const key = 'qrs_the_key_of_these_tests';
  const { url } = await serve(status(422, { 'x-seen': `Bearer ${key}` }, JSON.stringify({ message: key })));
  await failureOf((await world.connect(key, url)).create('publish_qr_code', { qrCodeId: 'qr_1' }));
  expect(requestLines()).toHaveLength(1);
  expect(JSON.stringify(world.logs)).not.toContain(key);
});
