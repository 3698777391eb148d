import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import app from 'zapier-qr-service';
import { createZapierEngine } from '../../engines/zapier/index.ts';
import { startPlatform, type ZapierPlatform } from '../../engines/zapier/platform.ts';
import { createAppRunner, type LogLine } from '../../engines/zapier/run.ts';
import { nowSeconds, signedAnew } from './support/deliveries.ts';
import { failureOf } from './support/world.ts';

const API_KEY = 'qrs_live_key_not_to_be_shown';
const SECRET = 'whsec_secret_not_to_be_shown';
const PAYLOAD = 'payload-not-to-be-shown';
const HIDDEN = /not.to.be.shown/;

const event = { id: 'evt_1', type: 'qr.created', workspaceId: 'ws', occurredAt: '', data: { note: PAYLOAD } };
const rawBody = JSON.stringify(event);
const { headers } = signedAnew({ headers: {}, rawBody }, SECRET, nowSeconds());
const subscribeData = { id: 'wh_1', secret: SECRET };
const delivery = {
  subscribeData,
  rawRequest: { method: 'POST', querystring: '', headers, content: rawBody },
  cleanedRequest: { content: event },
};

let platform: ZapierPlatform;
let redirecting: { address: string; close(): void };
const logs: LogLine[] = [];
beforeAll(async () => {
  platform = await startPlatform();
  redirecting = await startRedirecting();
});
afterAll(async () => {
  await platform.close();
  redirecting.close();
});

/** Runs a method of the app with a connection to a service that gives nothing of use. */
function run(method: string, bundle: Record<string, unknown>, { rpcUrl } = platform): Promise<unknown> {
  const runner = createAppRunner(app, { rpcUrl, log: (line) => logs.push(line) });
  const authData = { apiKey: API_KEY, baseUrl: redirecting.address };
  return runner.run(method, { authData, inputData: { note: PAYLOAD }, meta: {}, ...bundle });
}

test.each([[undefined], [{}], [{ id: 'wh_1' }], [{ id: 'wh_1', secret: '' }]])(
  'a missing signing secret (%j) is told clearly, with what to do and without the bundle',
  async (kept) => {
    const step = run('triggers.qr_created.operation.perform', { ...delivery, subscribeData: kept });
    const failure = await failureOf(step);
    expect(failure).toMatchObject({ name: 'AppError', code: 'missing_secret' });
    expect(failure.message).toMatch(/signing secret.*missing.*Turn the Zap off and on again/);
    expect(`${failure.message} ${failure.stack}`).not.toMatch(HIDDEN);
  },
);

const failing: [method: string, bundle: Record<string, unknown>][] = [
  ['authentication.test', {}],
  ['creates.create_qr_code.operation.perform', { inputData: { name: PAYLOAD, targetUrl: PAYLOAD } }],
  [
    'creates.publish_qr_code.operation.perform',
    { inputData: { qrCodeId: 'qr_1', deduplicationKey: PAYLOAD } },
  ],
  ['creates.retarget_qr_code.operation.perform', { inputData: { qrCodeId: 'qr_1', url: PAYLOAD } }],
  ['creates.render_qr_code.operation.perform', { inputData: { qrCodeId: 'qr_1', note: PAYLOAD } }],
  ['hydrators.renderedImage', { inputData: { qrCodeId: 'qr_1', note: PAYLOAD } }],
  ['searches.find_qr_code.operation.perform', { inputData: { searchBy: 'name', value: PAYLOAD } }],
  ['triggers.qr_changed.operation.perform', {}],
  ['triggers.new_scan.operation.perform', {}],
  ['triggers.qr_created.operation.performList', { subscribeData }],
  [
    'triggers.qr_created.operation.performSubscribe',
    { targetUrl: `https://a.example/${PAYLOAD}`, subscribeData },
  ],
  // Inputs that Zapier never sends: they make the app's own code fail.
  ['triggers.qr_changed.operation.perform', { meta: null, subscribeData, note: PAYLOAD }],
  ['authentication.test', { authData: { apiKey: { secret: API_KEY } }, subscribeData, note: PAYLOAD }],
];

test.each(failing)(
  'what %s throws holds no key, no secret and nothing of the bundle (%#)',
  async (method, bundle) => {
    const failure = await failureOf(run(method, bundle));
    expect(`${failure.name} ${failure.message} ${failure.stack}`).not.toMatch(HIDDEN);
  },
);

test('what all of that logged holds no key and no secret, and outside of requests nothing of the bundle', () => {
  expect(logs.length).toBeGreaterThan(failing.length);
  expect(JSON.stringify(logs)).not.toContain(API_KEY);
  expect(JSON.stringify(logs)).not.toContain(SECRET);
  expect(JSON.stringify(logs.filter(({ type }) => type !== 'http'))).not.toMatch(HIDDEN);
});

test('a request that fails holds nothing of the bundle, which Zapier writes into the request error', async () => {
  const engine = await createZapierEngine({ auth: { apiKey: API_KEY, baseUrl: 'http://127.0.0.1:9' } });
  const failure = await failureOf(engine.create('create_qr_code', { name: PAYLOAD, targetUrl: PAYLOAD }));
  await engine.close();
  expect(failure).toMatchObject({ name: 'AppError', code: 'network' });
  expect(`${failure.message} ${failure.stack}`).not.toMatch(HIDDEN);
});

test('a cache that does not answer lets a genuine delivery through, and that is logged', async () => {
  const broken = await startPlatform();
  await broken.close();
  const before = logs.length;
  const rows = await run('triggers.qr_created.operation.perform', delivery, broken);
  expect(rows).toMatchObject([{ eventId: 'evt_1', note: PAYLOAD }]);
  const said = logs.slice(before).map(({ message }) => message);
  expect(said.join('\n')).toMatch(/cache did not answer/);
  expect(said.join('\n')).not.toMatch(HIDDEN);
});

/** A service that answers every request with a redirect, which ends a call at once. */
async function startRedirecting(): Promise<{ address: string; close(): void }> {
  const server = createServer((_request, response) => {
    response.writeHead(302, { location: 'http://127.0.0.1:9' }).end(PAYLOAD);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
