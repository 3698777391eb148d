import { EVENT_TYPES } from '@qr-service/core';
import type {
  INodeExecutionData,
  INodeParameters,
  INodeProperties,
  INodePropertyOptions,
  INodeType,
} from 'n8n-workflow';
import { tryToParseDateTime } from 'n8n-workflow';
import {
  choice,
  byFirstUse,
  choices,
  problemWith,
  readingOf,
  sample,
  valuesFor,
  workingValue,
  type ParameterExpectation,
} from '../support/parameterExpectations.ts';
import { PARAMETER_VALUES, type ParameterValue } from '../support/parameterValues.ts';
import { runs } from '../support/seed.ts';
import { PUBLIC_URL, startWorld, type World } from './support/world.ts';
import { action, codeBy, NODE, onEvents, onPoll } from './support/workflows.ts';

let world: World;
let qrCodeId: string;
let allCodes: number;
beforeAll(async () => {
  world = await startWorld();
  const create = {
    operation: 'create',
    name: '={{ $json.name }}',
    targetUrl: TARGET,
    publish: '={{ $json.live }}',
  };
  const rows = Array.from({ length: 5 }, (_, i) => ({ name: `Code ${i}`, live: i > 1 }));
  const { data } = await world.engine.runWorkflow(action(create, rows));
  const codes = data[NODE]!.map(({ json }) => json as { id: string; publicUrl: string });
  qrCodeId = codes[4]!.id;
  allCodes = codes.length;
  for (let i = 0; i < 5; i++) await fetch(codes[4]!.publicUrl, { redirect: 'manual' });
});
afterAll(() => world.close());

const TARGET = 'https://example.com/';
const API = '/v1/public-api';

/** The compared part of a request. IDs of new codes are removed from its path. */
interface Sent {
  method: string;
  path: string;
  body?: unknown;
}

/** Expected behavior of a parameter. */
interface Expectation extends ParameterExpectation {
  /** Other parameters of the run. */
  others?: () => INodeParameters;
  /** The requests for a valid value. */
  sends: (value: never) => Sent[];
  /** Whether all items of a run share these requests. */
  isShared?: boolean;
  /** The result for a valid value. */
  gives?: (items: INodeExecutionData[], value: never) => void;
}

const get = (path: string): Sent => ({ method: 'GET', path: `${API}${path}` });
const post = (path: string, body?: unknown): Sent => ({
  method: 'POST',
  path: `${API}${path}`,
  ...(body === undefined ? {} : { body }),
});
const creation = { name: 'Name', mode: 'dynamic', contentType: 'url', content: { targetUrl: TARGET } };
const newCode = () => ({ name: 'Name', targetUrl: TARGET, publish: false });
const theCode = () => ({ qrCodeId: codeBy('id', `={{ '${qrCodeId}' }}`) });
const image = () => ({ ...theCode(), options: { fileName: 'file' } });
const imageOf = (format = 'png', size = '') => get(`/qr/${qrCodeId}/image?format=${format}${size}`);
/** An input item that has what Download Image needs to know about the code. */
const itemOf = (own: object = {}) => ({ id: qrCodeId, slug: 'code', status: 'published', ...own });
const codeId = (sends: (id: string) => Sent): Expectation => ({
  kind: 'text',
  others: () => ({ qrCodeId: codeBy('id', ''), url: TARGET }),
  sends: (id) => [sends(encodeURIComponent(id))],
});
/** Text that isn't a web address fails before any request. */
const webAddress = (others: () => INodeParameters, sends: (url: string) => Sent[]): Expectation => ({
  kind: 'text',
  more: [choice(' example.com/menu', 'https://example.com/menu')],
  others,
  sends: (url: string) => (URL.canParse(url) ? sends(url) : []),
});
const listOf = (path: string, count: () => number): Record<'limit' | 'returnAll', Expectation> => ({
  limit: {
    kind: 'wholeNumber',
    min: 1,
    usual: 50,
    sends: (limit) => [get(path.replace('?', `?limit=${limit as number}`))],
    gives: (items, limit) => expect(items).toHaveLength(Math.min(limit, count())),
  },
  returnAll: {
    kind: 'yesNo',
    usual: false,
    others: () => ({ limit: 2 }),
    sends: (all: boolean) => [get(path.replace('?', `?limit=${all ? 100 : 2}`))],
    gives: (items, all: boolean) => expect(items).toHaveLength(all ? count() : 2),
  },
});

const CREATE: Record<string, Expectation> = {
  name: {
    kind: 'text',
    others: newCode,
    sends: (name) => [post('/qr', { ...creation, name })],
    gives: ([item], name) => expect(item!.json['name']).toBe(name),
  },
  targetUrl: webAddress(newCode, (targetUrl) => [post('/qr', { ...creation, content: { targetUrl } })]),
  publish: {
    kind: 'yesNo',
    usual: true,
    others: newCode,
    sends: (publish: boolean) => [post('/qr', creation), ...(publish ? [post('/qr/{id}/publish')] : [])],
    gives: ([item], publish: boolean) => expect(item!.json['status']).toBe(publish ? 'published' : 'draft'),
  },
  'options.deduplicationKey': {
    kind: 'key',
    usual: '',
    others: newCode,
    sends: () => [post('/qr', creation)],
  },
};

const RENDER: Record<string, Expectation> = {
  format: {
    kind: 'oneOf',
    more: [choice('PNG', 'png'), choice(' svg', 'svg'), choice('pdf', 'pdf')],
    usual: 'png',
    others: image,
    sends: (format) => [imageOf(format)],
    gives: ([item], format) => expect(item!.binary!['data']!.fileName).toBe(`file.${format as string}`),
  },
  'options.size': {
    kind: 'wholeNumber',
    min: 0,
    usual: 0,
    others: image,
    sends: (size) => [imageOf('png', size === 0 ? '' : `&size=${size as number}`)],
  },
  binaryPropertyName: {
    kind: 'text',
    usual: 'data',
    others: image,
    sends: () => [imageOf()],
    gives: ([item], field) => expect(Object.keys(item!.binary!)).toEqual([field]),
  },
  'options.additionalFormats': {
    kind: 'several',
    more: [choice('svg', ['svg']), choice('pdf, SVG', ['pdf', 'svg']), choices(['svg', 'png'], ['svg'])],
    usual: [],
    others: image,
    sends: (formats: string[]) => ['png', ...formats].map((format) => imageOf(format)),
    gives: ([item], formats: string[]) =>
      expect(Object.keys(item!.binary!)).toEqual(['data', ...formats.map((format) => `data_${format}`)]),
  },
  'options.fileName': {
    kind: 'text',
    usual: '',
    others: theCode,
    sends: () => [imageOf()],
    gives: ([item], name: string) => {
      if (/^\w[\w ]*$/.test(name)) expect(item!.binary!['data']!.fileName).toBe(`${name}.png`);
      else expect(item!.binary!['data']!.fileName).toMatch(/.\.png$/);
    },
  },
};

const WHOLE_LIST = [get('/qr?limit=100')];
const FIND: Record<string, Expectation> = {
  search: { kind: 'text', sends: () => WHOLE_LIST },
  exactMatch: {
    kind: 'yesNo',
    usual: false,
    others: () => ({ search: 'code' }),
    sends: () => WHOLE_LIST,
    gives: (items, exact: boolean) => expect(items).toHaveLength(exact ? 0 : allCodes),
  },
  limit: {
    kind: 'wholeNumber',
    min: 1,
    usual: 50,
    others: () => ({ search: 'Code' }),
    sends: () => WHOLE_LIST,
    gives: (items, limit) => expect(items).toHaveLength(Math.min(limit, allCodes)),
  },
  returnAll: {
    kind: 'yesNo',
    usual: false,
    others: () => ({ search: 'Code', limit: 2 }),
    sends: () => WHOLE_LIST,
    gives: (items, all: boolean) => expect(items).toHaveLength(all ? allCodes : 2),
  },
};

const CODES = listOf('/qr?', () => allCodes);
const SCANS = listOf('/scans', () => 5);

const newPublished = () => ({ name: 'Name', targetUrl: TARGET });
const newById = () => ({ ...newPublished(), matchBy: 'id', qrCodeId: codeBy('id', "={{ '' }}") });
const anyCode = (): Sent => ({ method: 'GET', path: expect.stringMatching(/\/qr\/qr_\w+$/) as string });

const creations = (fields = {}) => [post('/qr', { ...creation, ...fields }), post('/qr/{id}/publish')];
const UPSERT: Record<string, Expectation> = {
  // An expression that comes out empty creates a code: see newById.
  qrCodeId: {
    kind: 'text',
    isLiteral: true,
    others: () => ({ ...newPublished(), matchBy: 'id', qrCodeId: codeBy('id', '') }),
    sends: (id: string) => [get(`/qr/${encodeURIComponent(id)}`)],
  },
  matchBy: {
    kind: 'oneOf',
    isLiteral: true,
    more: [choice('Name', 'name'), choice('ID', 'id')],
    usual: 'id',
    others: () => ({ ...newById(), name: '=Name {{ Math.random() }}' }),
    sends: (by) => [
      ...(by === 'name' ? WHOLE_LIST : []),
      ...creations({ name: expect.stringContaining('Name') as string }),
    ],
    gives: ([item]) => expect(item!.json['outcome']).toBe('created'),
  },
  name: {
    kind: 'text',
    others: newById,
    sends: (name) => creations({ name }),
    gives: ([item], name) => expect(item!.json).toMatchObject({ name, outcome: 'created' }),
  },
  targetUrl: webAddress(newById, (targetUrl) => creations({ content: { targetUrl } })),
  'options.deduplicationKey': {
    kind: 'key',
    usual: '',
    others: newById,
    // After a replay, the code may have been changed since.
    sends: byFirstUse(creations(), [post('/qr', creation), anyCode()]),
  },
  options: collection(() => creations(), newById),
  includeInputFields: includeInputFields(() => creations(), newById),
};

/** Every parameter of every operation. */
const EXPECTED: Record<string, Record<string, Expectation>> = {
  'account.get': {},
  'qrCode.create': {
    ...CREATE,
    options: collection(() => [post('/qr', creation)], newCode),
    includeInputFields: includeInputFields(() => [post('/qr', creation)], newCode),
  },
  'qrCode.find': shared(FIND),
  'qrCode.get': {
    qrCodeId: codeId((id) => get(`/qr/${id}`)),
  },
  'qrCode.getAll': {
    ...CODES,
    newestFirst: {
      kind: 'yesNo',
      usual: false,
      sends: (isSorted: boolean) => [get(`/qr?limit=${isSorted ? 100 : 50}`)],
    },
    filters: collection(() => [get('/qr?limit=50')]),
    'filters.status': {
      kind: 'text',
      more: [choice('Draft, archived', 'draft')],
      usual: '',
      sends: (status) => [get(`/qr?limit=${status === '' ? 50 : 100}`)],
      gives: (items, status) =>
        expect(items.every(({ json }) => status === '' || json['status'] === status)).toBe(true),
    },
    'filters.updatedSince': {
      kind: 'time',
      usual: undefined,
      sends: (since?: string) => [
        get(`/qr?limit=50${since === undefined ? '' : `&updatedSince=${encodeURIComponent(since)}`}`),
      ],
    },
  },
  'qrCode.publish': {
    qrCodeId: codeId((id) => post(`/qr/${id}/publish`)),
    includeInputFields: includeInputFields(() => [post(`/qr/{id}/publish`)], theCode),
  },
  'qrCode.render': {
    qrCodeId: codeId((id) => get(`/qr/${id}/image?format=png`)),
    ...RENDER,
    options: collection(() => [imageOf()], theCode),
  },
  'qrCode.retarget': {
    qrCodeId: codeId((id) => post(`/qr/${id}/destination`, { url: TARGET })),
    url: webAddress(theCode, (url) => [post(`/qr/{id}/destination`, { url })]),
    includeInputFields: includeInputFields(
      () => [post(`/qr/{id}/destination`, { url: TARGET })],
      () => ({ ...theCode(), url: TARGET }),
    ),
  },
  'qrCode.upsert': UPSERT,
  'scan.getAll': {
    ...SCANS,
    filters: collection(() => [get('/scans')]),
    'filters.since': {
      kind: 'time',
      usual: undefined,
      sends: (since?: string) => [
        get(`/scans${since === undefined ? '' : `?since=${encodeURIComponent(since)}`}`),
      ],
    },
  },
};

interface Case {
  operation: string;
  path: string;
  expectation: Expectation;
}

const CASES: Case[] = Object.entries(EXPECTED).flatMap(([operation, parameters]) =>
  Object.entries(parameters).map(([path, expectation]) => ({ operation, path, expectation })),
);

/** The same for parameters where a run sends the requests once for all items. */
function shared(expected: Record<string, Expectation>): Record<string, Expectation> {
  const entries = Object.entries(expected);
  return Object.fromEntries(
    // Each literal value gets a separate run.
    entries.map(([path, one]) => [path, { ...one, isShared: one.isLiteral !== true }]),
  );
}

/** n8n itself drops any value in place of a collection. */
function collection(sends: () => Sent[], others?: () => INodeParameters): Expectation {
  return { kind: 'dropped', ...(others === undefined ? {} : { others }), sends };
}

/** The switch of an operation that writes. */
function includeInputFields(sends: () => Sent[], others: () => INodeParameters): Expectation {
  return {
    kind: 'yesNo',
    usual: false,
    others,
    sends,
    gives: ([item], isIncluded: boolean) => expect('row' in item!.json).toBe(isIncluded),
  };
}

const THE_EVENTS = ['qr.created', 'qr.published'];
const subscription = (eventTypes: string[]): Sent =>
  post('/webhooks', { url: expect.any(String), eventTypes });
const setting: Expectation = { kind: 'yesNo', usual: true, sends: () => [subscription(THE_EVENTS)] };

/** Every parameter of the instant trigger, as its activation reads it. */
const INSTANT: Record<string, Expectation> = {
  events: {
    kind: 'several',
    more: [
      choice('qr.created', ['qr.created']),
      choice('qr.published, QR.Created', THE_EVENTS),
      choices(['qr.published', 'qr.created', 'qr.published'], THE_EVENTS),
      choice('*', [...EVENT_TYPES].sort()),
    ],
    sends: (eventTypes) => [subscription(eventTypes)],
  },
  options: collection(() => [subscription(THE_EVENTS)]),
  'options.sampleWhenTesting': setting,
};

const CHANGES = [get('/qr?limit=100')];

/** Every parameter of the polling trigger. */
const POLLING: Record<string, Expectation> = {
  watch: {
    kind: 'oneOf',
    isLiteral: true,
    more: [choice('changedCodes', 'changedCodes'), choice('scans', 'scans')],
    usual: 'changedCodes',
    sends: (watch) => (watch === 'scans' ? [get('/scans')] : CHANGES),
  },
  options: collection(() => CHANGES),
  'options.onlyNew': { kind: 'yesNo', usual: false, sends: () => CHANGES },
  'options.onlyPublished': {
    kind: 'yesNo',
    usual: false,
    sends: () => CHANGES,
    gives: (items, only) => expect(items.some(({ json }) => json['status'] === 'draft')).toBe(!only),
  },
};

function requestsSince(count: number): Sent[] {
  const { control } = world.emulator;
  const sent = control.requests().slice(count - control.requestCount());
  if (control.requestCount() === count) return [];
  return sent.map(({ method, path, request: { body } }) => ({
    method,
    path: method === 'POST' ? path.replace(/qr_\w+/, '{id}') : path,
    ...(body === null || body === '' ? {} : { body: JSON.parse(body) as unknown }),
  }));
}

const inOrder = (sent: Sent[]) =>
  [...sent].sort((a, b) => JSON.stringify(a).localeCompare(JSON.stringify(b)));
const pick = (values: ParameterValue[], by: string) =>
  `={{ [${values.map(({ source }) => source).join(', ')}][${by}] }}`;

/** The parameters with a value at a path. */
function withValue(parameters: INodeParameters, path: string, value: unknown): INodeParameters {
  const [name = '', member] = path.split('.');
  const inside = { ...(parameters[name] as INodeParameters | undefined), [member ?? '']: value };
  return { ...parameters, [name]: member === undefined ? value : inside } as INodeParameters;
}

const CONTINUE = { onError: 'continueRegularOutput' } as const;

/** Runs an operation with each value, and returns the items for each. */
async function runEach(
  { operation, path, expectation }: Case,
  values: ParameterValue[],
): Promise<INodeExecutionData[][]> {
  const [resource = '', name = ''] = operation.split('.');
  const others = { resource, operation: name, ...expectation.others?.() };
  if (expectation.isLiteral === true) {
    const given: INodeExecutionData[][] = [];
    for (const { value } of values) {
      const json = action(withValue(others, path, value), [itemOf()], CONTINUE);
      given.push((await world.engine.runWorkflow(json)).data[NODE]!);
    }
    return given;
  }
  const parameters = withValue(others, path, pick(values, '$json.row'));
  const json = action(
    parameters,
    values.map((_, row) => itemOf({ row })),
    CONTINUE,
  );
  const items = (await world.engine.runWorkflow(json)).data[NODE]!;
  return values.map((_, row) =>
    items.filter(({ pairedItem }) => (pairedItem as { item: number }).item === row),
  );
}

/** Whether an error is the service's, or says beforehand what the service would. */
const isFromService = (details?: { code: string; httpCode?: string }) =>
  details?.httpCode !== undefined || ['not_found', 'validation_failed'].includes(details?.code ?? '');

/** Checks that each value works as documented or fails with a clear error, without a request. */
async function check(tested: Case, given = tested.path): Promise<void> {
  const { operation, path, expectation } = tested;
  const values = valuesFor(expectation);
  const before = world.emulator.control.requestCount();
  const label = labelOf('qrService', operation, path);
  const outcomes = await runEach({ ...tested, path: given }, values);
  const wrong: unknown[] = [];
  const expected: Sent[] = [];
  for (const [index, value] of values.entries()) {
    const items = outcomes[index]!;
    const { error, details } = (items[0]?.json ?? {}) as {
      error?: string;
      details?: { code: string; httpCode?: string };
    };
    const works = workingValue(expectation, value);
    if (works !== undefined) {
      if (expectation.isShared !== true || expected.length === 0)
        expected.push(...expectation.sends(works.value));
      if (expectation.gives !== undefined && error === undefined) expectation.gives(items, works.value);
      // The service may reject what the node accepts.
      else if (error !== undefined && (expectation.gives !== undefined || !isFromService(details)))
        wrong.push([value.source, error]);
    } else {
      const problem = problemWith(error ?? 'It worked, which', label, expectation, value);
      if (problem !== undefined) wrong.push([value.source, problem]);
    }
  }
  expect(wrong).toEqual([]);
  expect(inOrder(requestsSince(before))).toEqual(inOrder(expected));
}

const descriptionOf = (node: string) => (world.engine.loader.getNode(node).type as INodeType).description;

/** Paths of the parameters of a node or of one of its operations, including those in collections. */
function parametersOf(node: string, operation?: string): Map<string, INodeProperties> {
  const [resource, name] = operation?.split('.') ?? [];
  const isOf = ({ displayOptions: { show = {} } = {} }: INodeProperties) =>
    operation === undefined ||
    ((show['resource'] ?? [resource]).includes(resource) && (show['operation'] ?? [name]).includes(name));
  const found = new Map<string, INodeProperties>();
  for (const property of descriptionOf(node).properties.filter(isOf)) {
    // The last one is n8n's own.
    if (property.type === 'notice' || property.name === 'pollTimes') continue;
    if (operation !== undefined && ['resource', 'operation'].includes(property.name)) continue;
    found.set(property.name, property);
    if (property.type === 'collection')
      for (const member of (property.options as INodeProperties[]).filter(isOf))
        found.set(`${property.name}.${member.name}`, member);
  }
  return found;
}

const labelOf = (node: string, operation: string | undefined, path: string) =>
  parametersOf(node, operation).get(path)!.displayName;

/** The operations in the action node's description. */
function operations(): string[] {
  return descriptionOf('qrService')
    .properties.filter(({ name }) => name === 'operation')
    .flatMap(({ displayOptions, options }) =>
      (options as INodePropertyOptions[]).map(
        ({ value }) => `${displayOptions!.show!['resource']![0] as string}.${value as string}`,
      ),
    );
}

test('every parameter of every node has an expectation', () => {
  expect(operations().sort()).toEqual(Object.keys(EXPECTED).sort());
  for (const [operation, expected] of Object.entries(EXPECTED))
    expect([operation, [...parametersOf('qrService', operation).keys()].sort()]).toEqual([
      operation,
      Object.keys(expected).sort(),
    ]);
  expect([...parametersOf('qrServiceTrigger').keys()].sort()).toEqual(Object.keys(INSTANT).sort());
  expect([...parametersOf('qrServicePollingTrigger').keys()].sort()).toEqual(Object.keys(POLLING).sort());
});

describe('each value of a parameter works as documented, or fails with a clear error before any request', () => {
  beforeAll(() => {
    fresh = world.emulator.control.snapshot();
  });
  beforeEach(() => {
    world.emulator.control.restore(fresh);
  });
  let fresh: ReturnType<World['emulator']['control']['snapshot']>;

  test.each(CASES)('$operation: $path', async (tested) => {
    await check(tested);
    if (tested.path === 'qrCodeId') await check(tested, 'qrCodeId.value');
  });

  test.each(['resource', 'operation'])('the choice of the %s', async (name) => {
    const expectation: Expectation = {
      kind: 'oneOf',
      isLiteral: true,
      more: [choice(name === 'resource' ? 'account' : 'getAll', 'good')],
      usual: 'usual',
      sends: () => [],
    };
    const count = () => world.emulator.control.requestCount();
    for (const value of valuesFor(expectation)) {
      const before = count();
      const json = action(
        withValue({ resource: 'qrCode', operation: 'get' }, name, value.value),
        [{}],
        CONTINUE,
      );
      const { error } = (await world.engine.runWorkflow(json)).data[NODE]![0]!.json as { error?: string };
      const reading = readingOf(expectation, value);
      // The default is Create, which fails here without a name.
      if (reading === 'empty') expect(error).toMatch(/^Name is empty/);
      else if (reading === 'invalid') expect(problemWith(error!, name, expectation, value)).toBeUndefined();
      else expect(error).toBeUndefined();
      expect(count() - before).toBe(typeof reading === 'object' ? 1 : 0);
    }
  });

  // Each in a workflow of its own: a second activation of the same one removes the first subscription.
  let activations = 0;
  test.each(Object.entries(INSTANT))(
    'the activation of the instant trigger: %s',
    async (path, expectation) => {
      await checkTrigger('qrServiceTrigger', path, expectation, async (value) => {
        const json = onEvents(THE_EVENTS, `values-${activations++}`);
        json.nodes[0]!.parameters = withValue(json.nodes[0]!.parameters, path, value);
        await world.engine.activateTrigger(json, NODE, { publicUrl: PUBLIC_URL });
        return [];
      });
    },
  );

  test.each(Object.entries(POLLING))('the polling trigger: %s', async (path, expectation) => {
    await checkTrigger('qrServicePollingTrigger', path, expectation, async (value) => {
      const json = onPoll('changedCodes');
      json.nodes[0]!.parameters = withValue(json.nodes[0]!.parameters, path, value);
      return world.engine.pollTrigger(json, NODE).test();
    });
  });
});

describe('an expression that fails', () => {
  const FAILS = '"no date".toDateTime()';
  const cases = CASES.filter(
    ({ expectation: { isLiteral, kind } }) => isLiteral !== true && kind !== 'dropped',
  );
  // One parameter of each kind. `npm run test:all` uses all.
  const kinds = new Set(cases.map(({ expectation }) => expectation.kind));
  const picked = [...kinds].flatMap((kind) =>
    sample(
      cases.filter(({ expectation }) => expectation.kind === kind),
      runs(1, Infinity),
    ),
  );

  test.each(picked)(
    'only fails its own item, names the parameter and sends no request: $operation: $path',
    async ({ operation, path, expectation }) => {
      const label = labelOf('qrService', operation, path);
      const good = valuesFor(expectation).find((value) => workingValue(expectation, value) !== undefined)!;
      const [resource = '', name = ''] = operation.split('.');
      const value = `={{ $json.fails ? ${FAILS} : [${good.source}][0] }}`;
      const given = withValue({ resource, operation: name, ...expectation.others?.() }, path, value);
      const before = world.emulator.control.requestCount();
      const json = action(given, [itemOf({ fails: true }), itemOf()], CONTINUE);
      const items = (await world.engine.runWorkflow(json)).data[NODE]!;
      const [{ error }, ...others] = items.map((item) => item.json as { error?: string }) as [
        { error?: string },
        ...{ error?: string }[],
      ];
      expect(error).toMatch(new RegExp(`^${label} could not be evaluated: (?!.*item).*date.*[^.]$`, 'i'));
      for (const other of others) expect(other.error ?? '').not.toContain('could not be evaluated');
      expect(inOrder(requestsSince(before))).toEqual(
        inOrder(expectation.sends(workingValue(expectation, good)!.value)),
      );
    },
  );
});

/** The same for a trigger, whose parameters are checked on activation. */
async function checkTrigger(
  node: string,
  path: string,
  expectation: Expectation,
  begin: (value: unknown) => Promise<INodeExecutionData[]>,
): Promise<void> {
  const label = labelOf(node, undefined, path);
  for (const value of valuesFor(expectation)) {
    const before = world.emulator.control.requestCount();
    const works = workingValue(expectation, value);
    let said = works === undefined ? 'It worked, which' : '';
    const items = await begin(expectation.isLiteral === true ? value.value : pick([value], '0')).catch(
      (error: unknown) => {
        said = (error as Error).message;
        return [];
      },
    );
    const problem = works === undefined ? problemWith(said, label, expectation, value) : said || undefined;
    expect([value.source, problem]).toEqual([value.source, undefined]);
    const sent = requestsSince(before);
    if (works === undefined) expect(sent).toEqual([]);
    else expect(sent.slice(0, 1)).toEqual(expectation.sends(works.value));
    if (works !== undefined) expectation.gives?.(items, works.value);
  }
}

test('creates one code per deduplication key in any execution, and a new one each time without a key', async () => {
  const keys = PARAMETER_VALUES.filter(({ as, source }) => as.key !== undefined && source.length < 50);
  const values = sample(keys, runs(8, Infinity));

  const ids = new Map<string, Set<unknown>>();
  for (let run = 0; run < 2; run++) {
    const options = { deduplicationKey: pick(values, '$json.row') };
    const json = action(
      { operation: 'create', ...newCode(), options },
      values.map((_, row) => itemOf({ row })),
    );
    const made = (await world.engine.runWorkflow(json)).data[NODE]!;
    for (const [row, { as }] of values.entries()) {
      const key = as.key === 'empty' ? `${row} of run ${run}` : JSON.stringify(as.key);
      ids.set(key, (ids.get(key) ?? new Set()).add(made[row]!.json['id']));
    }
  }
  expect([...ids.values()].filter(({ size }) => size !== 1)).toEqual([]);
  expect(new Set([...ids.values()].map(([id]) => id)).size).toBe(ids.size);
});

test('reads a time in the time zone of the workflow unless it has one', async () => {
  for (const [time, utc, timezone = 'Asia/Kolkata'] of [
    ['2026-01-31 09:00', '2026-01-31T03:30:00.000Z'],
    ['2026-01-31T09:00:00Z', '2026-01-31T09:00:00.000Z'],
    // Summer time ends at 03:00, so this hour exists twice.
    ['2026-10-25 02:30', '2026-10-25T00:30:00.000Z', 'Europe/Zurich'],
  ] as const) {
    const json = action({ operation: 'getAll', filters: { updatedSince: time } });
    json.settings = { timezone };
    const before = world.emulator.control.requestCount();
    expect((await world.engine.runWorkflow(json)).status).toBe('success');
    expect(requestsSince(before)).toEqual([get(`/qr?limit=50&updatedSince=${encodeURIComponent(utc)}`)]);
  }
});

test.each(['2026-01-31T09:00', '2026-01-31 09:00:00Z', 'Sat, 31 Jan 2026 09:00:00 GMT'])(
  'reads the time %s as n8n itself does',
  async (time) => {
    const zone = 'Asia/Kolkata';
    const json = action({
      operation: 'getAll',
      filters: { updatedSince: time },
      limit: 1,
    });
    json.settings = { timezone: zone };
    const before = world.emulator.control.requestCount();
    expect((await world.engine.runWorkflow(json)).status).toBe('success');
    const utc = new Date(tryToParseDateTime(time, zone).toMillis()).toISOString();
    expect(requestsSince(before)).toEqual([get(`/qr?limit=1&updatedSince=${encodeURIComponent(utc)}`)]);
  },
);

test('a Deduplication Key that is an object is an error, with any fields', async () => {
  const rows = [1, 2].map((id) => ({ id, mode: 'dynamic', value: 'x' }));
  const given = { ...newCode(), operation: 'create', options: { deduplicationKey: '={{ $json }}' } };
  const { data } = await world.engine.runWorkflow(action(given, rows, CONTINUE));
  for (const { json } of data[NODE]!) expect(json['error']).toMatch(/^Deduplication Key must be/);
});

test('an error shortens a long short link to one line', async () => {
  const link = `={{ 'https://qr.example/door\\nsecond ' + 'x'.repeat(5000) }}`;
  const json = action({ operation: 'get', qrCodeId: codeBy('url', link) }, [{}], CONTINUE);
  const error = (await world.engine.runWorkflow(json)).data[NODE]![0]!.json['error'] as string;
  expect(error).toMatch(/^No QR code has the short link https:\/\/qr\.example\/door second x+…$/);
  expect(error.length).toBeLessThan(300);
});

describe('an imported workflow with values that are not expressions', () => {
  const many = async (parameters: INodeParameters) =>
    (await world.engine.runWorkflow(action({ operation: 'getAll', ...parameters }))).data[NODE]!.length;

  test('Return All as text keeps the limit', async () => {
    expect(await many({ returnAll: 'false', limit: 2 })).toBe(2);
    expect(await many({ returnAll: 'no', limit: '3' })).toBe(3);
    expect(await many({ returnAll: 'TRUE', limit: 1 })).toBeGreaterThanOrEqual(allCodes);
    expect(await many({ returnAll: '', limit: ' 2 ' })).toBe(2);
  });

  test('Events as text are the events listed in it', async () => {
    const json = onEvents([], 'imported');
    json.nodes[0]!.parameters['events'] = 'qr.created, qr.published';
    const before = world.emulator.control.requestCount();
    await world.engine.activateTrigger(json, NODE, { publicUrl: PUBLIC_URL });
    expect(requestsSince(before)).toEqual([subscription(THE_EVENTS)]);
  });

  test('an empty Watch keeps the options', async () => {
    const json = onPoll('changedCodes', { onlyPublished: 'yes' });
    json.nodes[0]!.parameters['watch'] = '';
    const rows = await world.engine.pollTrigger(json, NODE).test();
    expect(new Set(rows.map(({ json: row }) => row['status']))).toEqual(new Set(['published']));
  });
});

describe('the credential', () => {
  const fieldsOf = () => world.engine.loader.getCredential('qrServiceApi').type.properties;

  test.each([[null], [[]], [{ a: 1 }], [true], [NaN]])(
    'with %p in a field fails with a clear error or uses the default',
    async (value) => {
      for (const { name, displayName } of fieldsOf()) {
        const before = world.emulator.control.requestCount();
        const engine = await world.engineWith({ [name]: value as never });
        const { status, message } = await engine.testCredential('qrServiceApi');
        if (value === null && name === 'allowedTargets') expect(status).toBe('OK');
        else if (value === null) expect(status).toBe('Error');
        else {
          expect([status, message]).toEqual(['Error', expect.stringContaining(`${displayName} must be`)]);
          expect(world.emulator.control.requestCount()).toBe(before);
        }
      }
    },
  );
});
