import { createRequire } from 'node:module';
import { EVENT_TYPES, SCOPES, type Scope } from '@qr-service/core';
import { BRAND, UNDOCUMENTED_EVENTS } from '@qr-service/core/connector';
import app from 'zapier-qr-service';
import type { LogLine, ZapierEngine } from '../../engines/zapier/index.ts';
import { startPlatform, type ZapierPlatform } from '../../engines/zapier/platform.ts';
import { createAppRunner } from '../../engines/zapier/run.ts';
import {
  serve,
  status,
  type RequestHandler,
  type FaultyService,
} from '../support/faultyService/faultyService.ts';
import { startVirtualTime, type VirtualTime } from '../support/jest/virtualTime.ts';
import { some } from '../support/seed.ts';
import { nowSeconds, signedAnew } from './support/deliveries.ts';
import { failureOf, HOOK_URL, startWorld, type World } from './support/world.ts';

describe('authentication', () => {
  const KEY = 'qrs_key_of_a_test_1a2b';
  const MENU = 'https://example.com/menu';

  let world: World;
  beforeAll(async () => {
    world = await startWorld();
  });
  beforeEach(() => {
    world.logs.length = 0;
    // Retries don't wait.
    jest.spyOn(Math, 'random').mockReturnValue(0);
  });
  afterEach(() => jest.restoreAllMocks());
  afterAll(() => world.close());

  test('connects with a valid key and shows the name of its workspace', async () => {
    const { account, label } = await world.engine.authTest();
    expect(label).toBe(world.emulator.workspace.name);
    expect(account).toMatchObject({ workspaceId: world.emulator.workspace.id });
  });

  test.each<[string, unknown, string]>([
    ['the name of the workspace', { workspace: { id: 'ws_1', name: ' Café 四 ' } }, 'Café 四'],
    ['a name with braces as it is', { workspace: { name: '{{bundle.authData}}' } }, '{{bundle.authData}}'],
    ['the ID of a workspace without a name', { workspaceId: 'ws_1' }, 'Workspace ws_1'],
    ['the ID if the name is the brand', { workspace: { id: 'ws_1', name: BRAND.name } }, 'Workspace ws_1'],
    ['the ID if the name contains the key', { workspace: { id: 'ws_1', name: `${KEY}!` } }, 'Workspace ws_1'],
    ['a word if there is neither', {}, 'Workspace'],
  ])('the label of a connection is %s', async (_what, body, label) => {
    const { url } = await serve((_request, response) => response.end(JSON.stringify(body)));
    const connection = await (await world.connect(KEY, url)).authTest();
    expect(connection.label).toBe(label);
    expect(connection.account).toMatchObject({ workspaceName: label });
  });

  test('a revoked key: the connection test explains it, and a step asks to reconnect', async () => {
    const { id, apiKey } = world.emulator.control.createKey();
    const engine = await world.connect(apiKey);
    await engine.authTest();
    world.emulator.control.revokeKey(id);

    const explained = await failureOf(engine.authTest());
    expect(explained).toMatchObject({ name: 'AppError', code: 'invalid_api_key', status: 401 });
    expect(explained.message).toMatch(
      /invalid, revoked or expired\. The API key is revoked\. Create a new API key in the app, then update the connection\. \(invalid_api_key, request \S+\)$/,
    );
    const asked = await failureOf(engine.create('create_qr_code', { name: 'A', targetUrl: MENU }));
    expect(asked.name).toBe('ExpiredAuthError');
    expect(asked.message).not.toContain('What happened');
    expect(JSON.stringify([explained, asked])).not.toContain(apiKey);
  });

  test.each([
    ['an invalid base URL', 'nonsense', /^Base URL isn't a valid URL\. Expected/],
    [
      'a base URL where nothing listens',
      'http://127.0.0.1:9',
      /could not be reached \(ECONNREFUSED\)\. Check Base URL in the connection.*then test the connection again\.$/,
    ],
  ])('the connection test explains %s', async (_what, baseUrl, said) => {
    const failure = await failureOf((await world.connect(KEY, baseUrl)).authTest());
    expect(failure.name).toBe('AppError');
    expect(failure.message).toMatch(said);
  });

  describe('the key of requests', () => {
    const { createAppHandler } = createRequire(__filename)('zapier-platform-core') as {
      createAppHandler: (app: object) => (event: object) => Promise<{ results: Record<string, unknown> }>;
    };
    const handle = createAppHandler(app);

    /** Runs a command of Zapier's handler, as its backend does for API Request steps. */
    async function command(name: string, bundle: object = {}): Promise<Record<string, unknown>> {
      const event = { command: name, calledFromCli: true, bundle, customLogger: () => undefined };
      return (await handle(event)).results;
    }

    test('Zapier makes API Request steps send the key to any URL', async () => {
      expect(await command('getAuthTemplate')).toEqual({
        supported: true,
        authType: 'custom',
        source: 'beforeRequest',
        template: { headers: { Authorization: 'Bearer {{bundle.authData.apiKey}}' } },
      });
    });

    const SENT = { headers: { Authorization: `Bearer ${KEY}` } };
    test.each<[string, unknown, object, object]>([
      ['trimmed', ` ${KEY}\n`, {}, SENT],
      ['once', KEY, { authorization: 'Basic typed', ' AUTHORIZATION ': 'too' }, SENT],
      ['not at all if it contains invalid characters', 'qrs_\u00e4\nX-Admin: 1', {}, {}],
      ['not at all if it is blank', ' ', {}, {}],
      ['not at all if there is none', undefined, {}, {}],
      ["not at all if it isn't text", { key: KEY }, {}, {}],
    ])('an API Request step sends the key %s', async (_how, apiKey, headers, template) => {
      const rendered = await command('renderAuthTemplate', {
        authData: { apiKey, baseUrl: 'https://api.example' },
        targetRequest: { url: 'https://api.example/v1/public-api/qr', method: 'GET', headers },
      });
      expect(rendered).toEqual({ authType: 'custom', template });
    });

    test.each([KEY, ` ${KEY}\n`])('is in each request once (%j)', async (apiKey) => {
      const keys: string[][] = [];
      const { url } = await serve(({ rawHeaders }, response) => {
        const names = rawHeaders.filter((_, index) => index % 2 === 0);
        const sent = names.map((name, index) => `${name}: ${rawHeaders[index * 2 + 1]}`);
        keys.push(sent.filter((header) => /^(authorization|.*api-key):/i.test(header)));
        response.end(
          '{"id":"qr_1","name":"A","publicUrl":"https://r.example/a","updatedAt":"2026-01-01T00:00:00Z"}',
        );
      });
      const engine = await world.connect(apiKey, url);
      await engine.authTest();
      await engine.create('publish_qr_code', { qrCodeId: 'qr_1' });
      const { file } = await engine.create('render_qr_code', { qrCodeId: 'qr_1' });
      await engine.hydrateFile(file).catch(() => undefined);
      await command('request', {
        authData: { apiKey },
        request: { url: `${url}/anything`, headers: { authorization: 'typed' } },
      });
      expect(keys.length).toBeGreaterThanOrEqual(5);
      expect(keys).toEqual(keys.map(() => [`Authorization: Bearer ${KEY}`]));
    });
  });

  describe("Zapier's monitoring", () => {
    /** One line for each request: the request, the status and the response body. */
    const requestLines = () =>
      world.logs
        .filter(({ type }: LogLine) => type === 'http')
        .map(({ data }) => [
          `${String(data['request_method'])} ${String(data['request_url']).replace(/^.*\/public-api/, '')}`,
          data['response_status_code'],
          data['response_content'],
        ]);

    test('shows each request without the body of the response, which may have a secret', async () => {
      const { engine } = world;
      await failureOf(engine.create('publish_qr_code', { qrCodeId: 'qr_none' }));
      const hook = await engine.subscribe('qr_created', HOOK_URL);
      const unread = '<probably streaming data>';
      expect(requestLines()).toEqual([
        ['POST /qr/qr_none/publish', 404, unread],
        ['POST /webhooks', 201, unread],
      ]);
      expect(JSON.stringify(world.logs)).not.toContain(world.emulator.apiKey);
      expect(JSON.stringify(world.logs)).not.toContain(hook.subscribeData['secret']);
      await hook.unsubscribe();
    });

    test('hides an API key that the service repeats', async () => {
      const { url } = await serve(
        status(422, { 'x-seen': `Bearer ${KEY}` }, JSON.stringify({ message: KEY })),
      );
      await failureOf((await world.connect(KEY, url)).create('publish_qr_code', { qrCodeId: 'qr_1' }));
      expect(requestLines()).toHaveLength(1);
      expect(JSON.stringify(world.logs)).not.toContain(KEY);
    });
  });

  describe('the scopes of each step, as the README says', () => {
    const INSTANT = [...EVENT_TYPES.filter((type) => !UNDOCUMENTED_EVENTS.includes(type)), 'other_event'];
    const STEPS: [step: string, scopes: Scope[]][] = [
      ...INSTANT.map((type): [string, Scope[]] => [type.replaceAll('.', '_'), ['webhooks:write']]),
      ['qr_changed', ['qr:read']],
      ['new_scan', ['analytics:read']],
      ['create_qr_code', ['qr:write']],
      ['publish_qr_code', ['qr:write']],
      ['retarget_qr_code', ['qr:write']],
      ['upsert_qr_code', ['qr:read', 'qr:write']],
      ['render_qr_code', ['qr:read', 'exports:read']],
      ['find_qr_code', ['qr:read']],
      ['find_scans', ['analytics:read']],
      ['count_scans', ['analytics:read']],
      ['find or create', ['qr:read', 'qr:write']],
    ];
    let qrCodeId: unknown;
    beforeAll(async () => {
      ({ id: qrCodeId } = await world.engine.create('create_qr_code', { name: 'Table 4', targetUrl: MENU }));
    });

    test('the table has every step', () => {
      const { triggers, creates, searches } = app;
      expect(STEPS.map(([step]) => step)).toEqual([
        ...[triggers, creates, searches].flatMap((steps) => Object.keys(steps)),
        'find or create',
      ]);
    });

    async function run(engine: ZapierEngine, step: string): Promise<unknown> {
      const code = { qrCodeId, url: MENU, name: 'Table 5', targetUrl: MENU, matchBy: 'name' };
      if (step === 'find or create') return engine.searchOrCreate('find_qr_code', { value: 'none' }, code);
      if (step in app.searches) return engine.search(step, { value: 'Table 4' });
      if (step in app.creates) {
        const { file } = await engine.create(step, code);
        return file === undefined ? undefined : engine.hydrateFile(file);
      }
      if (app.triggers[step]?.operation.type === 'polling') return engine.poll(step);
      return (await engine.subscribe(step, HOOK_URL, { event: 'export.ready' })).unsubscribe();
    }
    const connect = (scopes: Scope[]) =>
      world.connect(
        world.emulator.control.createKey({ scopes: SCOPES.filter((scope) => scopes.includes(scope)) }).apiKey,
      );

    test.each(some(STEPS, 3))('%s runs with %j, and not with fewer', async (step, scopes) => {
      await run(await connect(scopes), step);
      for (const missing of scopes) {
        const fewer = await connect(scopes.filter((scope) => scope !== missing));
        expect(await failureOf(run(fewer, step))).toMatchObject({ code: 'insufficient_scope' });
      }
    });
  });
});

describe('secrecy', () => {
  const API_KEY = 'qrs_live_key_not_to_be_shown';
  const SECRET = 'whsec_secret_not_to_be_shown';
  /** Any text of the bundle, also for an input that must be a web address. */
  const PAYLOAD = 'https://payload.example/not-to-be-shown';
  const HIDDEN = /not.to.be.shown/;

  const event = {
    id: 'evt_1',
    type: 'qr.created',
    workspaceId: 'ws',
    occurredAt: '',
    data: { note: PAYLOAD },
  };
  const rawBody = JSON.stringify(event);
  const { headers } = signedAnew({ headers: {}, rawBody }, SECRET, nowSeconds());
  const subscribeData = { id: 'wh_1', secret: SECRET };
  const delivery = {
    subscribeData,
    rawRequest: { method: 'POST', querystring: '', headers, content: rawBody },
    cleanedRequest: { content: event },
  };

  let platform: ZapierPlatform;
  /** A service that redirects every request, which ends a call immediately, and the other host. */
  let redirecting: string;
  let elsewhere: FaultyService;
  const logs: LogLine[] = [];
  const require = createRequire(__filename);
  beforeAll(async () => {
    // In tests Zapier's handler leaves out part of what it adds to errors of live runs.
    (require('zapier-platform-core/src/constants') as { IS_TESTING: boolean }).IS_TESTING = false;
    platform = await startPlatform();
    elsewhere = await serve(status(200, {}, PAYLOAD));
    redirecting = (await serve(status(302, { location: elsewhere.url }, PAYLOAD))).url;
  });
  let time: VirtualTime;
  beforeEach(() => {
    time = startVirtualTime();
  });
  afterEach(() => jest.restoreAllMocks());
  afterAll(() => platform.close());

  /** Runs a method of the app with a connection to a service that redirects every request. */
  function run(
    method: string,
    bundle: Record<string, unknown>,
    { rpcUrl } = platform,
    ofApp: object = app,
  ): Promise<unknown> {
    const runner = createAppRunner(ofApp, { rpcUrl, log: (line) => logs.push(line) });
    const authData = { apiKey: API_KEY, baseUrl: redirecting };
    return runner.run(method, { authData, inputData: { note: PAYLOAD }, meta: {}, ...bundle });
  }

  test.each([[undefined], [{ id: 'wh_1', secret: '' }]])(
    'explains a missing signing secret (%j) and the fix without showing the bundle',
    async (kept) => {
      // Zapier's CLI runs it without a request, too.
      const step = run('triggers.qr_created.operation.perform', { subscribeData: kept });
      const failure = await failureOf(step);
      expect(failure).toMatchObject({ name: 'AppError', code: 'missing_secret' });
      expect(failure.message).toMatch(/signing secret.*missing.*Turn the Zap off and on again/);
      expect(`${failure.message} ${failure.stack}`).not.toMatch(HIDDEN);
    },
  );

  /** The app with one instant trigger of each kind. The others are created by the same function. */
  const { qr_created, feedback_response_received, other_event, qr_changed, new_scan } = app.triggers;
  const smallApp = {
    ...app,
    triggers: { qr_created, feedback_response_received, other_event, qr_changed, new_scan },
  };

  /** Its functions, by the names that Zapier calls them with. */
  const functions = new Map<string, (z: unknown, bundle: unknown) => unknown>();
  function collect(value: unknown, name: string): void {
    if (typeof value === 'function') functions.set(name, value as (z: unknown, bundle: unknown) => unknown);
    else if (typeof value === 'object' && value !== null)
      for (const [key, part] of Object.entries(value)) collect(part, name === '' ? key : `${name}.${key}`);
  }
  collect(smallApp, '');

  const full = {
    authData: { apiKey: API_KEY, baseUrl: 'http://127.0.0.1:9' },
    inputData: {
      // Errors show it.
      name: 'Table 4',
      targetUrl: PAYLOAD,
      url: PAYLOAD,
      qrCodeId: 'qr_1',
      format: 'png',
      value: PAYLOAD,
      publishNow: true,
      workspaceName: PAYLOAD,
    },
    meta: {},
    targetUrl: `https://a.example/${PAYLOAD}`,
    ...delivery,
  };

  const VALID = { format: 'png', publishNow: true, targetUrl: 'https://a.example', url: 'https://a.example' };

  /** Bundles that Zapier never sends, each of which breaks the code in a different place. */
  const hostile: [what: string, bundle: Record<string, unknown>][] = [
    ['every field filled in', {}],
    ['no input', { inputData: null }],
    ['blank inputs', { inputData: allOf(' ') }],
    ['input that is a string', { inputData: PAYLOAD }],
    ['inputs that are objects', { inputData: allOf({ note: PAYLOAD }) }],
    ['inputs that are lists', { inputData: allOf([PAYLOAD, { secret: SECRET }]) }],
    // The error for an invalid choice or address shows the value, so these are valid.
    ['inputs with control characters', { inputData: { ...allOf(`\u0000\n${PAYLOAD}`), ...VALID } }],
    ['no connection', { authData: null }],
    ['a key that is an object', { authData: { apiKey: { key: API_KEY }, baseUrl: 'http://127.0.0.1:9' } }],
    ['an invalid base URL', { authData: { apiKey: API_KEY, baseUrl: `http://[${PAYLOAD}` } }],
    [
      'a base URL with a password',
      { authData: { apiKey: API_KEY, baseUrl: `https://u:${SECRET}@a.example` } },
    ],
    ['no meta', { meta: null }],
    ['no delivery', { rawRequest: null, cleanedRequest: null }],
    ['headers that are a list', { rawRequest: { headers: [SECRET, PAYLOAD], content: rawBody } }],
    ['a body that is not text', { rawRequest: { headers, content: { note: PAYLOAD } } }],
    ['no subscription', { subscribeData: null, targetUrl: null }],
    ['a secret that is not text', { subscribeData: { id: 'wh_1', secret: [SECRET] } }],
  ];

  function allOf(value: unknown): Record<string, unknown> {
    return Object.fromEntries(Object.keys(full.inputData).map((key) => [key, value]));
  }

  /** What a call threw, as text; empty if it didn't throw. */
  async function thrownBy(call: () => unknown): Promise<string> {
    try {
      await call();
      return '';
    } catch (error) {
      const { name, message, stack } = error as Error;
      return `${name} ${message} ${stack ?? ''}`;
    }
  }

  test.each(some(hostile, 3))(
    'no function leaks anything or follows a redirect when called with %s',
    async (_what, bundle) => {
      const before = logs.length;
      expect(functions.size).toBeGreaterThanOrEqual(3 * 4 + 2 + 4 + 1 + 3);
      const given = { ...full, authData: { apiKey: API_KEY, baseUrl: redirecting }, ...bundle };
      const thrown = [...functions.keys()].map((method) =>
        thrownBy(() => run(method, given, platform, smallApp)),
      );
      for (const text of await Promise.all(thrown)) expect(text).not.toMatch(HIDDEN);
      expect(elsewhere.requests).toEqual([]);
      const lines = logs.slice(before);
      expect(JSON.stringify(lines)).not.toMatch(new RegExp(`${API_KEY}|${SECRET}`));
      expect(JSON.stringify(lines.filter(({ type }) => type !== 'http'))).not.toMatch(HIDDEN);
    },
  );

  /** A `z` whose every method fails with the whole bundle in its error. */
  function failingTools(log: string[]): unknown {
    const fail = (): never => {
      throw new Error(JSON.stringify(full));
    };
    const reject = () => Promise.reject(new Error(JSON.stringify(full)));
    return {
      errors: require('zapier-platform-core/src/errors') as unknown,
      request: reject,
      cache: { get: reject, set: reject, delete: reject },
      console: { log: (line: string) => void log.push(line) },
      dehydrateFile: fail,
      stashFile: reject,
    };
  }

  test('no function leaks anything when network, cache and file store fail with the bundle in their errors', async () => {
    const log: string[] = [];
    const calls = [...functions].map(async ([name, call]) => {
      try {
        await call(failingTools(log), full);
        return undefined;
      } catch (error) {
        const { message, stack = '', doNotContextify } = error as Error & { doNotContextify?: boolean };
        return { name, shows: HIDDEN.test(`${message} ${stack}`), doNotContextify };
      }
    });
    const failures = (await Promise.all(calls)).filter((failure) => failure !== undefined);
    // Zapier adds the bundle to the text of any other error.
    expect(failures).toEqual(failures.map(({ name }) => ({ name, shows: false, doNotContextify: true })));
    expect(failures.length).toBeGreaterThan(10);
    expect(log.join('\n')).not.toMatch(HIDDEN);
  });

  test.each<[string, RequestHandler]>([
    ['is down', status(503)],
    ['never responds', () => time.advance(5_000)],
    [
      'forgets',
      (_request, response, body) =>
        response
          .writeHead(200, { 'content-type': 'application/json' })
          .end(JSON.stringify({ ...(JSON.parse(body) as object), result: null })),
    ],
  ])('accepts a genuine delivery in time when the cache %s', async (what, respond) => {
    const { url: rpcUrl } = await serve(respond);
    const before = logs.length;
    const began = Date.now();
    const rows = await run('triggers.qr_created.operation.perform', delivery, { ...platform, rpcUrl });
    expect(rows).toMatchObject([{ eventId: 'evt_1', note: PAYLOAD }]);
    expect(Date.now() - began).toBeLessThan(15_000);
    const said = logs.slice(before).map(({ message }) => message);
    if (what !== 'forgets') expect(said.join('\n')).toMatch(/cache didn't respond/);
    expect(said.join('\n')).not.toMatch(HIDDEN);
  });
});
