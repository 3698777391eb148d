import type { LogLine } from '../../engines/zapier/index.ts';
import {
  closeServices,
  cutBody,
  serve,
  status,
  type RequestHandler,
} from '../support/faultyService/faultyService.ts';
import { holdLog } from '../../packages/zapier-qr-service/src/client/heldLog.ts';
import { failureOf, HOOK_URL, startWorld, type World } from './support/world.ts';

const KEY = 'qrs_the_key_of_these_tests';
const SECRET = 'not_to_be_shown_in_logs';
const HIDDEN = '<hidden, as it may contain a signing secret>';

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

const engineAt = async (handler: RequestHandler, key = KEY) => world.connect(key, (await serve(handler)).url);

test('show one line for each request, with the body of the response', async () => {
  const { engine } = world;
  await engine.authTest();
  const input = { name: 'Door', targetUrl: 'https://example.com', publishNow: true };
  const { id } = await engine.create('create_qr_code', input);
  await engine.create('retarget_qr_code', { qrCodeId: id, url: 'https://example.com/new' });
  await engine.search('find_qr_code', { value: 'Door' });
  await engine.poll('new_scan');
  await failureOf(engine.create('publish_qr_code', { qrCodeId: 'qr_none' }));

  const code = expect.stringContaining(`"id":"${String(id)}"`) as unknown;
  expect(requestLines()).toEqual([
    ['GET /me', 200, expect.stringContaining(world.emulator.workspace.id)],
    ['POST /qr', 201, code],
    [`POST /qr/${String(id)}/publish`, 200, code],
    [expect.stringContaining(`POST /qr/${String(id)}/`), 200, code],
    ['GET /qr', 200, code],
    ['GET /scans', 200, expect.stringContaining('allowedDimensions')],
    ['POST /qr/qr_none/publish', 404, expect.stringContaining('"requestId":"req_')],
  ]);
  expect(JSON.stringify(world.logs)).not.toContain(world.emulator.apiKey);
});

test.each(['svg', 'pdf'])('show the size of a %s file, not its bytes', async (format) => {
  const { id } = await world.engine.create('create_qr_code', { name: 'A', targetUrl: 'https://a.example' });
  const { file } = await world.engine.create('render_qr_code', { qrCodeId: id, format });
  world.logs.length = 0;
  const { bytes, contentType } = await world.engine.hydrateFile(file);
  expect(requestLines()).toEqual([
    [
      `GET /qr/${String(id)}/image`,
      200,
      expect.stringMatching(`^<${contentType.replace('+', '\\+')}.*, ${bytes.length} bytes>$`),
    ],
  ]);
});

/** A code's image is fetched from this service. */
async function hydrateFrom(image: RequestHandler): Promise<unknown> {
  const engine = await engineAt((request, response, body) =>
    request.url!.includes('/image')
      ? image(request, response, body)
      : response.end(
          '{"id":"qr_1","name":"A","publicUrl":"https://r.example/a","updatedAt":"2026-01-01T00:00:00Z"}',
        ),
  );
  const { file } = await engine.create('render_qr_code', { qrCodeId: 'qr_1' });
  return failureOf(engine.hydrateFile(file));
}

const CONFLICT = '{"code":"conflict","message":"The code is archived."}';

test.each([
  [
    'an error instead of a file',
    status(409, { 'content-type': 'application/json' }, CONFLICT),
    409,
    CONFLICT,
  ],
  ['a file without a type', status(200, {}, 'ab\0\u00ff'), 200, 'ab\0\u00ff'],
  [
    'bytes that are not text',
    ((_request, response) => response.writeHead(400).end(Buffer.from([0x89, 0x50]))) satisfies RequestHandler,
    400,
    '<no content type, 2 bytes>',
  ],
])('show %s', async (_what, handler, code, body) => {
  await hydrateFrom(handler);
  expect(requestLines().at(-1)).toEqual(['GET /qr/qr_1/image', code, body]);
});

test('show each of the requests that run at the same time or are cut off', async () => {
  const names = ['publish_qr_code', 'retarget_qr_code', 'render_qr_code'];
  const flaky = await serve(cutBody, ({ url }, response) =>
    response.end(JSON.stringify({ data: [], pagination: {}, url })),
  );
  const engine = await world.connect(KEY, flaky.url);
  await Promise.all(names.map((step) => engine.dropdown(step, 'qrCodeId')));
  const lines = requestLines();
  expect(lines).toHaveLength(flaky.requests.length);
  expect(lines.filter(([, , body]) => body === '<not read to the end>')).toHaveLength(1);
  expect(lines.filter(([, , body]) => String(body).startsWith('{"data":[]'))).toHaveLength(names.length);
});

test('show megabytes of text as their size', async () => {
  const text = JSON.stringify({ data: [], pagination: {}, note: 'a'.repeat(1_000_000) });
  const engine = await engineAt(status(200, { 'content-type': 'application/json' }, text));
  await engine.dropdown('publish_qr_code', 'qrCodeId');
  expect(requestLines()).toEqual([['GET /qr', 200, `<application/json, ${text.length} bytes>`]]);
});

test('hide the signing secret of a subscription, also when it is replayed', async () => {
  const hook = await world.engine.subscribe('qr_created', HOOK_URL);
  await hook.unsubscribe();
  expect(requestLines()).toEqual([
    ['POST /webhooks', 201, HIDDEN],
    [`DELETE /webhooks/${String(hook.subscribeData['id'])}`, 204, ''],
  ]);
  expect(JSON.stringify(world.logs)).not.toContain(hook.subscribeData['secret']);
});

test.each([
  ['a missing scope', 403, '{"code":"insufficient_scope","message":"Needs webhooks:write."}'],
  ['an outage', 503, '<html>down</html>'],
])('show the body of a subscription that failed because of %s', async (_what, code, body) => {
  const engine = await engineAt(status(code, {}, body));
  await failureOf(engine.subscribe('qr_created', HOOK_URL));
  expect(requestLines()[0]).toEqual(['POST /webhooks', code, body]);
});

test.each([
  ['a replay', 200, { 'Idempotency-Replayed': 'true' }, `{"id":"wh_1","signingKey":"${SECRET}"}`],
  ['an error', 422, {}, `{"code":"validation_failed","message":"Bad URL.","signingKey":"${SECRET}"}`],
  ['an unreadable response', 200, {}, `{"key":"${SECRET}`],
])('hide the body of %s to a subscription', async (_what, code, headers, body) => {
  const engine = await engineAt(status(code, headers, body));
  await engine.subscribe('qr_created', HOOK_URL).catch(() => undefined);
  expect(requestLines()[0]).toEqual(['POST /webhooks', code, HIDDEN]);
  expect(JSON.stringify(world.logs)).not.toContain(SECRET);
});

test.each([200, 404])('hide the body of a removal that returns the subscription with %i', async (code) => {
  const subscription = `{"id":"wh_1","secret":"${SECRET}"}`;
  const { url } = await serve(status(201, {}, subscription), status(code, {}, subscription));
  const hook = await (await world.connect(KEY, url)).subscribe('qr_created', HOOK_URL);
  await hook.unsubscribe();
  expect(requestLines().at(-1)).toEqual(['DELETE /webhooks/wh_1', code, HIDDEN]);
  expect(JSON.stringify(world.logs)).not.toContain(SECRET);
});

test.each([KEY, ` ${KEY}\n`])('hide an API key that the service repeats (%j)', async (key) => {
  const repeat: RequestHandler = ({ headers }, response) =>
    response.writeHead(422, { 'x-seen': String(headers.authorization) }).end(
      JSON.stringify({
        code: 'validation_failed',
        message: `not ${String(headers.authorization)}`,
        key: KEY,
      }),
    );
  const engine = await engineAt(repeat, key);
  await failureOf(engine.create('publish_qr_code', { qrCodeId: 'qr_1' }));
  expect(requestLines().slice(0, 1)).toEqual([
    ['POST /qr/qr_1/publish', 422, expect.stringMatching(/^\{"code":"validation_failed".*:censored:/)],
  ]);
  expect(JSON.stringify(world.logs)).not.toContain(KEY);
});

test("doesn't change the logs of other requests, or if Zapier's logger isn't found", () => {
  const input = { _zapier: { logger: () => Promise.resolve() } };
  for (const request of [
    { url: 'https://a.example', input },
    { url: 'https://a.example', heldLog: {} },
  ])
    expect(holdLog(request)).toEqual(request);
});
