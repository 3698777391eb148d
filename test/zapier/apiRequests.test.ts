import { createRequire } from 'node:module';
import app from 'zapier-qr-service';
import { closeServices, serve } from '../support/faultyService/faultyService.ts';
import { createZapierEngine } from '../../engines/zapier/index.ts';

const KEY = 'qrs_the_key_of_these_tests';

const { createAppHandler } = createRequire(__filename)('zapier-platform-core') as {
  createAppHandler: (app: object) => (event: object) => Promise<{ results: Record<string, unknown> }>;
};
const handle = createAppHandler(app);

/** Runs a command of Zapier's handler, as its backend does for API Request steps. */
async function command(name: string, bundle: object = {}): Promise<Record<string, unknown>> {
  const event = { command: name, calledFromCli: true, bundle, customLogger: () => undefined };
  return (await handle(event)).results;
}

afterEach(closeServices);

/** A service that lists the headers with a key of each request. */
async function startListing() {
  const keys: string[][] = [];
  const { url } = await serve(({ rawHeaders }, response) => {
    keys.push(
      rawHeaders.flatMap((name, index) =>
        index % 2 === 0 && /^(authorization|.*api-key)$/i.test(name)
          ? [`${name}: ${rawHeaders[index + 1]!}`]
          : [],
      ),
    );
    response.end(
      '{"id":"qr_1","name":"A","publicUrl":"https://r.example/a","updatedAt":"2026-01-01T00:00:00Z"}',
    );
  });
  return { url, keys };
}

test('Zapier makes API Request steps send the key to any URL', async () => {
  expect(await command('getAuthTemplate')).toEqual({
    supported: true,
    authType: 'custom',
    source: 'beforeRequest',
    template: { headers: { Authorization: 'Bearer {{bundle.authData.apiKey}}' } },
  });
});

test.each([
  ['no header', {}],
  ['a separate header', { authorization: 'Basic typed', ' AUTHORIZATION ': 'too' }],
])('a request with %s is rendered with the trimmed key, once', async (_what, headers) => {
  const rendered = await command('renderAuthTemplate', {
    authData: { apiKey: ` ${KEY}\n`, baseUrl: 'https://api.example' },
    targetRequest: { url: 'https://api.example/v1/public-api/qr', method: 'GET', headers },
  });
  expect(rendered).toEqual({
    authType: 'custom',
    template: { headers: { Authorization: `Bearer ${KEY}` } },
  });
});

test.each([['qrs_\u00e4\nX-Admin: 1'], ['\u0000'], [' '], [undefined], [{ key: KEY }], [[KEY]]])(
  'a key that cannot be sent (%j) is omitted and shown nowhere',
  async (apiKey) => {
    const rendered = await command('renderAuthTemplate', { authData: { apiKey } });
    expect(rendered).toEqual({ authType: 'custom', template: {} });
  },
);

test.each([KEY, ` ${KEY}\n`])('each request carries the key once (%j)', async (apiKey) => {
  const { url, keys } = await startListing();
  const engine = await createZapierEngine({ auth: { apiKey, baseUrl: url } });
  await engine.authTest();
  await engine.create('publish_qr_code', { qrCodeId: 'qr_1' });
  const { file } = await engine.create('render_qr_code', { qrCodeId: 'qr_1' });
  await engine.hydrateFile(file).catch(() => undefined);
  await engine.close();
  await command('request', {
    authData: { apiKey },
    request: { url: `${url}/anything`, headers: { authorization: 'typed' } },
  });
  expect(keys.length).toBeGreaterThanOrEqual(5);
  expect(keys).toEqual(keys.map(() => [`Authorization: Bearer ${KEY}`]));
});
