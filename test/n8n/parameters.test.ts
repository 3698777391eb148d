import { createServer, type IncomingHttpHeaders, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Scope, SCOPES } from '@qr-service/core';
import { OPERATION_SCOPES } from '@qr-service/core/connector';
import type {
  INodeExecutionData,
  INodeParameters,
  INodeProperties,
  INodePropertyOptions,
} from 'n8n-workflow';
import { some } from '../support/seed.ts';
import { action, codeBy, NODE, onEvents, onPoll } from './support/workflows.ts';
import { PUBLIC_URL, startWorld, type World } from './support/world.ts';

describe('parameters', () => {
  /*
   * Each parameter reads its value as its kind, and names itself in the error. The core tests how each kind reads any value.
   */

  const TARGET = 'https://example.com/';
  const QR_CODE_ID = 'qr_1';
  const CODES = 5;

  let world: World;
  beforeAll(async () => {
    const codes = Array.from({ length: CODES }, (_, i) => ({
      id: `qr_${i}`,
      name: `Code ${i}`,
      targetUrl: TARGET,
    }));
    world = await startWorld({ seed: { codes } });
    const [code] = (await world.engine.runWorkflow(action({ operation: 'publish', ...THE_CODE }))).data[
      NODE
    ]!;
    for (let i = 0; i < 3; i++) await fetch(code!.json['publicUrl'] as string, { redirect: 'manual' });
    fresh = world.emulator.control.snapshot();
  });
  let fresh: ReturnType<World['emulator']['control']['snapshot']>;
  beforeEach(async () => {
    world.emulator.control.restore(fresh);
    // What the process remembers of a key's codes doesn't count for another key.
    world.engine = await world.engineWith({ apiKey: world.emulator.control.createKey().apiKey });
  });
  afterAll(() => world.close());

  /** The compared part of a request. IDs of new codes are removed from its path. */
  interface Sent {
    method: string;
    path: string;
    body?: unknown;
  }
  const get = (path: string): Sent => ({ method: 'GET', path: `/v1/public-api${path}` });
  const post = (path: string, body?: unknown): Sent => ({
    method: 'POST',
    path: `/v1/public-api${path}`,
    ...(body === undefined ? {} : { body }),
  });
  function requestsSince(count: number): Sent[] {
    const { control } = world.emulator;
    if (control.requestCount() === count) return [];
    return control
      .requests()
      .slice(count - control.requestCount())
      .map(({ method, path, request: { body } }) => ({
        method,
        path: path.replace(method === 'POST' ? /qr_\w+/ : /qr_\w\w+/, '{id}'),
        ...(body === null || body === '' ? {} : { body: JSON.parse(body) as unknown }),
      }));
  }

  /** A value that no parameter of this kind accepts, as JavaScript. */
  const BAD = {
    text: '({ a: 1 })',
    webAddress: '"nowhere"',
    wholeNumber: '3.5',
    yesNo: '"maybe"',
    key: '({ a: 1 })',
    time: '"2026-02-30"',
    oneOf: '"maybe"',
    severalOf: '["maybe"]',
    pairs: '({ a: 1 })',
  };
  type Kind = keyof typeof BAD;

  /** Other parameters, the kind, a value that a cell may hold, as JavaScript, what it sends, and what it makes of the item. */
  type Row = [
    others: INodeParameters,
    kind: Kind,
    good: string,
    sends: Sent[],
    gives?: (items: INodeExecutionData[]) => unknown,
    is?: unknown,
  ];

  const THE_CODE = { qrCodeId: codeBy('id', `={{ '${QR_CODE_ID}' }}`) };
  const BY_ID = { qrCodeId: codeBy('id', '') };
  const NEW = { name: 'Name', targetUrl: TARGET, publish: false };
  const UPSERT = { ...NEW, matchBy: 'id', qrCodeId: codeBy('id', "={{ '' }}") };
  const IMAGE = { ...THE_CODE, options: { fileName: 'file' } };

  const COUNT = { groupBy: 'none' };
  const SCANS = { includeQrCode: false };

  const creation = { name: 'Name', mode: 'dynamic', contentType: 'url', content: { targetUrl: TARGET } };
  const created = (own: object = {}) => post('/qr', { ...creation, ...own });
  const published = post('/qr/{id}/publish');
  const retargeted = (url: string) => post('/qr/{id}/destination', { url });
  const image = (query: string, code = QR_CODE_ID) => get(`/qr/${code}/image?format=${query}`);
  const newImages = [image('svg', '{id}'), image('png', '{id}')];
  const WITH_PARAMETERS = `${TARGET}?utm_source=a%26b`;
  const tagged = created({ content: { targetUrl: WITH_PARAMETERS } });
  /** The row may be an old one. */
  const status = get(`/qr/${QR_CODE_ID}`);
  const utc = encodeURIComponent('2026-01-31T09:00:00.000Z');
  const scansSince = get(`/scans?since=${encodeURIComponent('2026-01-31T08:59:59.999Z')}`);

  const count = (items: INodeExecutionData[]) => items.length;
  const field = (name: string) => (items: INodeExecutionData[]) => items[0]!.json[name];
  const newest = (items: INodeExecutionData[]) => [field('id')(items), items.length];
  const hasInput = (items: INodeExecutionData[]) => 'row' in items[0]!.json;
  const files = (items: INodeExecutionData[]) =>
    Object.entries(items[0]!.binary!).map(([key, { fileName }]) => `${key}: ${fileName!}`);

  const id = JSON.stringify(` ${QR_CODE_ID} `);
  const MENU = 'https://example.com/menu';

  /** Every parameter of every operation, but collections. */
  const EXPECTED: Record<string, Record<string, Row>> = {
    'account.get': {},
    'qrCode.create': {
      name: [NEW, 'text', '" Door "', [created({ name: 'Door' })], field('name'), 'Door'],
      targetUrl: [NEW, 'webAddress', '" example.com/menu"', [created({ content: { targetUrl: MENU } })]],
      publish: [NEW, 'yesNo', '" Yes"', [created(), published], field('status'), 'published'],
      'options.deduplicationKey': [NEW, 'key', '7', [created()]],
      'options.downloadImages': [NEW, 'severalOf', '"SVG, png"', [created(), ...newImages]],
      'options.urlParameters': [NEW, 'pairs', '" a&b"', [tagged], field('targetUrl'), WITH_PARAMETERS],
      includeInputFields: [NEW, 'yesNo', '"TRUE"', [created()], hasInput, true],
    },
    'qrCode.find': {
      search: [{}, 'text', '" code 3 "', [get('/qr?limit=100')], field('name'), 'Code 3'],
      exactMatch: [{ search: 'code' }, 'yesNo', '1', [get('/qr?limit=100')], count, 0],
      limit: [{ search: 'code' }, 'wholeNumber', '" 2 "', [get('/qr?limit=100')], count, 2],
      returnAll: [{ search: 'code', limit: 2 }, 'yesNo', '"no"', [get('/qr?limit=100')], count, 2],
    },
    'qrCode.get': { 'qrCodeId.value': [BY_ID, 'text', id, [get(`/qr/${QR_CODE_ID}`)]] },
    'qrCode.getAll': {
      limit: [{}, 'wholeNumber', '"3"', [get('/qr?limit=3')], count, 3],
      returnAll: [{ limit: 2 }, 'yesNo', 'true', [get('/qr?limit=100')], count, CODES],
      newestFirst: [{}, 'yesNo', 'true', [get('/qr?limit=100')], newest, [QR_CODE_ID, CODES]],
      'filters.status': [{}, 'text', '"Published, archived"', [get('/qr?limit=100')], count, 1],
      'filters.updatedSince': [
        {},
        'time',
        '"2026-01-31T10:00:00+01:00"',
        [get(`/qr?limit=50&updatedSince=${utc}`)],
      ],
    },
    'qrCode.publish': {
      'qrCodeId.value': [BY_ID, 'text', id, [published]],
      includeInputFields: [THE_CODE, 'yesNo', '"no"', [published], hasInput, false],
    },
    'qrCode.render': {
      'qrCodeId.value': [
        { ...IMAGE, ...BY_ID },
        'text',
        id,
        [image('png'), status],
        files,
        ['data: file.png'],
      ],
      format: [IMAGE, 'oneOf', '" SVG"', [image('svg'), status], files, ['data: file.svg']],
      binaryPropertyName: [IMAGE, 'text', '"door"', [image('png'), status], files, ['door: file.png']],
      'options.size': [IMAGE, 'wholeNumber', '"300"', [image('png&size=300'), status]],
      'options.fileName': [THE_CODE, 'text', '"a/b"', [image('png'), status], files, ['data: a-b.png']],
      'options.additionalFormats': [
        IMAGE,
        'severalOf',
        '"svg, PNG"',
        [image('png'), image('svg'), status],
        files,
        ['data: file.png', 'data_svg: file.svg'],
      ],
    },
    'qrCode.retarget': {
      'qrCodeId.value': [{ ...BY_ID, url: TARGET }, 'text', id, [retargeted(TARGET)]],
      url: [THE_CODE, 'webAddress', '"example.com/menu"', [retargeted(MENU)], field('targetUrl'), MENU],
      includeInputFields: [{ ...THE_CODE, url: TARGET }, 'yesNo', '1', [retargeted(TARGET)], hasInput, true],
      'options.urlParameters': [
        { ...THE_CODE, url: TARGET },
        'pairs',
        '"a&b"',
        [retargeted(WITH_PARAMETERS)],
      ],
    },
    'qrCode.upsert': {
      'qrCodeId.value': [
        { ...UPSERT, ...BY_ID },
        'text',
        '" qr_2 "',
        [get('/qr/qr_2'), retargeted(TARGET), published],
        field('outcome'),
        'updated',
      ],
      matchBy: [UPSERT, 'oneOf', '"Name"', [get('/qr?limit=100'), created(), published]],
      name: [UPSERT, 'text', '" Door "', [created({ name: 'Door' }), published], field('outcome'), 'created'],
      targetUrl: [
        UPSERT,
        'webAddress',
        '"example.com/menu"',
        [created({ content: { targetUrl: MENU } }), published],
      ],
      'options.deduplicationKey': [UPSERT, 'key', '"row 3"', [created(), published]],
      'options.downloadImages': [UPSERT, 'severalOf', '["svg", "png"]', [created(), published, ...newImages]],
      'options.urlParameters': [UPSERT, 'pairs', '"a&b"', [tagged, published]],
      includeInputFields: [UPSERT, 'yesNo', '"Y"', [created(), published], hasInput, true],
    },
    'scan.count': {
      groupBy: [{}, 'oneOf', '"None"', [get('/scans')], field('scans'), 3],
      'filters.qrCodeId': [COUNT, 'text', id, [get('/scans')], field('scans'), 3],
      'filters.since': [COUNT, 'time', '"2026-01-31T09:00:00Z"', [scansSince], field('scans'), 3],
      'filters.until': [COUNT, 'time', '"2026-01-31"', [get('/scans')], field('scans'), 0],
    },
    'scan.getAll': {
      limit: [SCANS, 'wholeNumber', '2', [get('/scans')], count, 2],
      returnAll: [{ ...SCANS, limit: 1 }, 'yesNo', '"true"', [get('/scans')], count, 3],
      includeQrCode: [{}, 'yesNo', '"no"', [get('/scans')], field('scannedCode')],
      'filters.qrCodeId': [SCANS, 'text', id, [get('/scans')], count, 3],
      'filters.since': [SCANS, 'time', '"2026-01-31T09:00:00Z"', [scansSince], count, 3],
      'filters.until': [SCANS, 'time', '"2026-01-31"', [get('/scans')], count, 0],
    },
  };
  const CASES = Object.entries(EXPECTED).flatMap(([operation, rows]) =>
    Object.entries(rows).map(([path, row]) => ({ operation, path, row })),
  );

  const properties = (node: string) => world.descriptionOf(node).properties;

  /** The parameters of a node or of one of its operations by path: those in collections, but not the collections. */
  function parametersOf(node: string, operation = ''): Map<string, INodeProperties> {
    const [resource, name] = operation.split('.');
    const isOf = ({ displayOptions: { show = {} } = {} }: INodeProperties) =>
      (show['resource'] ?? [resource]).includes(resource) && (show['operation'] ?? [name]).includes(name);
    const paths = properties(node)
      .filter((one) => isOf(one) && !['resource', 'operation', 'pollTimes', 'notice'].includes(one.name))
      .flatMap((one): [string, INodeProperties][] => {
        if (one.type === 'resourceLocator') return [[`${one.name}.value`, one]];
        if (one.type !== 'collection') return [[one.name, one]];
        const members = (one.options as INodeProperties[]).filter(isOf);
        return members.map((member) => [`${one.name}.${member.name}`, member]);
      });
    return new Map(paths);
  }

  /** The parameters with a value at a path. */
  function withValue(parameters: INodeParameters, path: string, value: unknown): INodeParameters {
    const [name = '', member] = path.split('.');
    const inside = { ...(parameters[name] as INodeParameters | undefined), [member ?? '']: value };
    return { ...parameters, [name]: member === undefined ? value : inside } as INodeParameters;
  }

  const CONTINUE = { onError: 'continueRegularOutput' } as const;
  const FAILS = '"no date".toDateTime()';

  test('every parameter of every node is tested here', () => {
    const operations = properties('qrService')
      .filter(({ name }) => name === 'operation')
      .flatMap(({ displayOptions, options }) =>
        (options as INodePropertyOptions[]).map(
          ({ value }) => `${displayOptions!.show!['resource']![0] as string}.${value as string}`,
        ),
      );
    expect(operations.sort()).toEqual(Object.keys(EXPECTED).sort());
    for (const [operation, rows] of Object.entries(EXPECTED))
      expect([operation, [...parametersOf('qrService', operation).keys()].sort()]).toEqual([
        operation,
        Object.keys(rows).sort(),
      ]);
    expect([...parametersOf('qrServiceTrigger').keys()].sort()).toEqual(Object.keys(INSTANT).sort());
    expect([...parametersOf('qrServicePollingTrigger').keys()].sort()).toEqual(Object.keys(POLLING).sort());
  });

  test.each(some(CASES, 10))(
    '$operation reads $path, and an invalid value or expression fails its own item before any request',
    async ({ operation, path, row: [others, kind, good, sends, gives, is] }) => {
      const label = parametersOf('qrService', operation).get(path)!.displayName;
      const [resource = '', name = ''] = operation.split('.');
      const value = `={{ $json.row === 2 ? ${FAILS} : [${BAD[kind]}, ${good}][$json.row] }}`;
      const given = kind === 'pairs' ? { parameter: [{ name: 'utm_source', value }] } : value;
      const parameters = withValue({ resource, operation: name, ...others }, path, given);
      const rows = [0, 1, 2].map((row) => ({ row, id: QR_CODE_ID, slug: 'code', status: 'published' }));
      const before = world.emulator.control.requestCount();
      const items = (await world.engine.runWorkflow(action(parameters, rows, CONTINUE))).data[NODE]!;
      const of = (row: number) =>
        items.filter(({ pairedItem }) => (pairedItem as { item: number }).item === row);
      const sent = requestsSince(before);

      expect(of(0)).toMatchObject([
        { json: { error: expect.stringMatching(new RegExp(`^${label}\\b`, 'i')) } },
      ]);
      expect(of(2)).toMatchObject([
        {
          json: { error: expect.stringMatching(new RegExp(`^${label} could not be evaluated: .*date`, 'i')) },
        },
      ]);
      expect(of(1).flatMap(({ json }) => json['error'] ?? [])).toEqual([]);
      expect(gives?.(of(1))).toEqual(is);
      expect(sent).toEqual(sends);
    },
  );

  const THE_EVENTS = ['qr.created', 'qr.published'];
  const subscribed = post('/webhooks', { url: expect.any(String), eventTypes: THE_EVENTS });
  const INSTANT: Record<string, Row> = {
    events: [{}, 'severalOf', '"qr.published, QR.Created"', [subscribed]],
    'options.sampleWhenTesting': [{}, 'yesNo', '"no"', [subscribed]],
  };
  const polled = get('/qr?limit=100');
  const POLLING: Record<string, Row> = {
    watch: [{}, 'oneOf', '" Scans"', [get('/scans')]],
    qrCodes: [{ watch: 'scans' }, 'text', `" , ${QR_CODE_ID}"`, [status], field('qrId'), QR_CODE_ID],
    'options.onlyNew': [{}, 'yesNo', '"no"', [polled]],
    'options.onlyPublished': [{}, 'yesNo', '"yes"', [polled], field('id'), QR_CODE_ID],
  };

  test.each([
    ...Object.entries(INSTANT).map((row) => ['qrServiceTrigger', ...row] as const),
    ...Object.entries(POLLING).map((row) => ['qrServicePollingTrigger', ...row] as const),
  ])('%s reads %s, and fails for an invalid one before any request', async (node, path, row) => {
    const [others, kind, good, sends, gives, is] = row;
    // n8n evaluates no expression in it.
    const isLiteral = path === 'watch';
    const begin = async (source: string) => {
      const json = node === 'qrServiceTrigger' ? onEvents(THE_EVENTS) : onPoll('changedCodes');
      json.nodes[0]!.parameters = withValue(
        { ...json.nodes[0]!.parameters, ...others },
        path,
        isLiteral ? JSON.parse(source) : `={{ [${source}][0] }}`,
      );
      if (node !== 'qrServiceTrigger') return world.engine.pollTrigger(json, NODE).test();
      await world.engine.activateTrigger(json, NODE, { publicUrl: PUBLIC_URL });
      return [];
    };
    const before = world.emulator.control.requestCount();
    const label = parametersOf(node).get(path)!.displayName;
    await expect(begin(BAD[kind])).rejects.toThrow(new RegExp(`^${label} must be`));
    if (!isLiteral)
      await expect(begin(FAILS)).rejects.toThrow(new RegExp(`^${label} could not be evaluated`));
    expect(requestsSince(before)).toEqual([]);
    const items = await begin(good);
    expect(requestsSince(before).slice(0, 1)).toEqual(sends);
    expect(gives?.(items)).toEqual(is);
  });

  test.each([
    ['resource', 'nobody', /resource/i],
    ['operation', 'nothing', /operation/i],
    ['operation', '', /^Name is empty/],
  ])('the %s %j fails before any request', async (name, value, says) => {
    const before = world.emulator.control.requestCount();
    const json = action({ operation: 'get', [name]: value }, [{}], CONTINUE);
    const [item] = (await world.engine.runWorkflow(json)).data[NODE]!;
    expect(item!.json['error']).toMatch(says);
    expect(requestsSince(before)).toEqual([]);
  });

  test.each([
    ["({ __rl: true, mode: 'id', value: 'Menu' })", 'Menu'],
    ["({ id: 1, mode: 'dynamic', value: 'Menu' })", undefined],
  ])('a text may be a resource locator, but not another object: %s', async (source, name) => {
    const json = action({ operation: 'create', ...NEW, name: `={{ ${source} }}` }, [{}], CONTINUE);
    const [item] = (await world.engine.runWorkflow(json)).data[NODE]!;
    if (name === undefined) expect(item!.json['error']).toMatch(/^Name must be text, but got an object/);
    else expect(item!.json).toMatchObject({ name });
  });
});

describe('credentials', () => {
  let world: World;
  beforeAll(async () => {
    world = await startWorld();
  });
  afterAll(() => world.close());

  async function testWith(credential: Record<string, string>) {
    const engine = await world.engineWith(credential);
    return engine.testCredential('qrServiceApi');
  }

  async function account(apiKey: string): Promise<Record<string, unknown>> {
    const engine = await world.engineWith({ apiKey });
    const { data } = await engine.runWorkflow(action({ resource: 'account', operation: 'get' }));
    return data[NODE]![0]!.json;
  }

  /** A key that lacks some scopes, which the service lists in another order. */
  function keyWithout(...missing: Scope[]): string {
    const scopes = SCOPES.filter((scope) => !missing.includes(scope)).toReversed();
    return world.emulator.control.createKey({ scopes }).apiKey;
  }

  /** A server that isn't the service. */
  async function withServer<T>(listener: RequestListener, use: (baseUrl: string) => Promise<T>): Promise<T> {
    const server = createServer(listener);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    try {
      return await use(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    } finally {
      server.close();
    }
  }

  test('the form asks for a key, a base URL and where codes may point, and explains each scope that the nodes use', () => {
    const { properties } = world.engine.loader.getCredential('qrServiceApi').type;
    expect(properties.map(({ displayName }) => displayName)).toEqual([
      'API Key',
      'Base URL',
      'Allowed Destinations',
    ]);
    const hint = properties[0]!.hint!;
    expect(hint).toMatch(/^Create a key in <a href="https:\/\/\S+" target="_blank">the app<\/a>\. Scopes: /);
    const named = [...hint.matchAll(/<code>([a-z:]+)<\/code> to [a-z]/g)].map(([, scope]) => scope);
    expect(named.sort()).toEqual([...new Set(Object.values(OPERATION_SCOPES))].filter(Boolean).sort());
  });

  test('a test and a run send the key once, as a bearer token', async () => {
    const sent: IncomingHttpHeaders[] = [];
    const note: RequestListener = ({ headers }, response) => {
      sent.push(headers);
      response.setHeader('Content-Type', 'application/json').end('{"workspace":{"id":"ws_1"}}');
    };
    await withServer(note, async (baseUrl) => {
      const engine = await world.engineWith({ baseUrl, apiKey: 'key_1' });
      expect((await engine.testCredential('qrServiceApi')).status).toBe('OK');
      const { data } = await engine.runWorkflow(action({ resource: 'account', operation: 'get' }));
      expect(data[NODE]![0]!.json).toEqual({ workspace: { id: 'ws_1' } });
    });
    const keys = sent.map((headers) => Object.entries(headers).filter(([, text]) => text?.includes('key_1')));
    expect(keys).toEqual(Array(2).fill([['authorization', 'Bearer key_1']]));
  });

  test('confirms a connection, with the API path in the base URL too', async () => {
    const { status } = await testWith({ baseUrl: `${world.emulator.url}/v1/public-api/` });
    expect(status).toBe('OK');
  });

  test('Account: Get returns the workspace, the scopes and what is unavailable without the missing ones', async () => {
    expect(await account(world.emulator.apiKey)).toMatchObject({ missingScopes: [], unavailable: [] });
    expect(await account(keyWithout('analytics:read', 'qr:write'))).toMatchObject({
      workspace: { id: world.emulator.workspace.id },
      scopes: expect.arrayContaining(['qr:read']),
      missingScopes: ['qr:write', 'analytics:read'],
      unavailable: ['create, publish and update QR codes', 'read scans'],
    });
  });

  describe('explains the problem and the fix for', () => {
    test.each([
      [
        'an invalid key',
        () => ({ apiKey: 'not-a-key' }),
        /^The API key is invalid, revoked or expired\. .*Create a new API key in the app, then update the credential\. \(invalid_api_key, request \S+\)$/,
      ],
      ['an empty key', () => ({ apiKey: ' ' }), /^The API key is empty\. Create an API key in the app/],
      [
        'an invalid list of destinations',
        () => ({ allowedTargets: 'example.com\nmenu?' }),
        /^Entry 2 of Allowed Destinations isn't valid\. Use example\.com, /,
      ],
      [
        'a base URL where nothing listens',
        () => ({ baseUrl: 'http://127.0.0.1:9' }),
        /^127\.0\.0\.1:9 could not be reached \(ECONNREFUSED\)\. Check Base URL in the credential .*, then test the credential again\.$/,
      ],
    ])('%s', async (_what, credential, words) => {
      const { status, message } = await testWith(credential());
      expect(status).toBe('Error');
      expect(message).toMatch(words);
      expect(message).not.toContain('econnect');
    });

    test('a base URL that returns a web page', async () => {
      for (const code of [200, 404]) {
        const { status, message } = await withServer(
          (_request, response) =>
            response.writeHead(code, { 'Content-Type': 'text/html' }).end('<html>Welcome</html>'),
          (baseUrl) => testWith({ baseUrl }),
        );
        expect(status).toBe('Error');
        expect(message).toMatch(
          code === 200
            ? /responded instead.*status 200, text\/html.*Check Base URL/
            : /^The response didn't come from the service\. .*Check Base URL in the credential\. .* \(status 404, text\/html\)$/,
        );
      }
    });

    test('a base URL that redirects, without following the redirect', async () => {
      const asked: string[] = [];
      const { message } = await withServer(
        (request, response) => {
          asked.push(request.url ?? '');
          response.writeHead(302, { Location: '/elsewhere' }).end();
        },
        (baseUrl) => testWith({ baseUrl }),
      );
      expect(asked).toEqual(['/v1/public-api/me']);
      expect(message).toContain('redirect');
    });
  });

  test('redacts the key when the service echoes it', async () => {
    const echo: RequestListener = (request, response) => {
      const body = { code: 'odd', message: `You sent ${request.headers.authorization ?? ''}` };
      response.writeHead(400).end(JSON.stringify(body));
    };
    const apiKey = 'key-that-nobody-may-see';
    const { status, message } = await withServer(echo, (baseUrl) => testWith({ baseUrl, apiKey }));
    expect(status).toBe('Error');
    expect(message).toContain('You sent');
    expect(message).not.toContain(apiKey);
  });
});
