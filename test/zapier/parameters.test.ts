import type { Snapshot } from 'qr-service-emulator';
import app from 'zapier-qr-service';
import {
  choice,
  problemWith,
  valuesFor,
  workingValue,
  type ParameterExpectation,
} from '../support/parameterExpectations.ts';
import { sampleOfKinds, type ParameterValue } from '../support/parameterValues.ts';
import { createZapierEngine, type Row } from '../../engines/zapier/index.ts';
import { createAppRunner } from '../../engines/zapier/run.ts';
import { startVirtualTime } from '../support/jest/virtualTime.ts';
import { failureOf, MAPPED, startWorld, type World } from './support/world.ts';

const API = '/v1/public-api';
const TARGET = 'https://example.com/';
const FIRST = { name: 'First', targetUrl: TARGET };

let world: World;
let code: Row;
beforeAll(async () => {
  world = await startWorld();
  code = await world.engine.create('create_qr_code', FIRST);
});
afterAll(() => world.close());

/** The compared part of a request. IDs of new codes are removed from its path. */
interface Sent {
  method: string;
  path: string;
  body?: unknown;
}

/** Expected behavior of a step's field. */
interface Expectation extends ParameterExpectation {
  /** The step's other inputs. */
  others: () => Row;
  /** The requests for a valid value. */
  sends: (value: never) => Sent[];
  /** Checks the result for a valid value. */
  gives?: (result: unknown, value: never) => void;
}

const get = (path: string): Sent => ({ method: 'GET', path: `${API}${path}` });
const post = (path: string, body?: unknown): Sent => ({
  method: 'POST',
  path: `${API}${path}`,
  ...(body === undefined ? {} : { body }),
});
const scansSince = (since?: string) =>
  since === undefined
    ? { method: 'GET', path: expect.stringMatching(/\/scans\?since=[^&]+$/) as string }
    : get(`/scans?since=${encodeURIComponent(since)}`);
const theCode = () => ({ qrCodeId: code['id'] });
const creation = { name: 'Name', mode: 'dynamic', contentType: 'url', content: { targetUrl: TARGET } };
const draft = () => ({ name: 'Name', targetUrl: TARGET, publishNow: false });
const qrCodeId = (sends: (id: string) => Sent): Expectation => ({
  kind: 'text',
  others: () => ({ url: TARGET }),
  sends: (id) => [sends(encodeURIComponent(id))],
});
/** Text that isn't a web address fails before any request. */
const webAddress = (others: () => Row, sends: (url: string) => Sent[]): Expectation => ({
  kind: 'text',
  more: [choice(' example.com/menu', 'https://example.com/menu')],
  others,
  sends: (url: string) => (URL.canParse(url) ? sends(url) : []),
});

/** A filter of a trigger, which is checked when the Zap is tested. */
const filter: Record<'qrCodeId' | 'status', Expectation> = {
  qrCodeId: {
    kind: 'text',
    usual: '',
    others: () => ({}),
    sends: (id: string) => [get(id === '' ? '/qr?limit=100' : `/qr/${encodeURIComponent(id)}`)],
  },
  status: {
    kind: 'text',
    isList: true,
    usual: [],
    others: theCode,
    sends: () => [get(`/qr/${code['id'] as string}`)],
  },
};

/** Every field of every step. */
const EXPECTED: Record<string, Record<string, Expectation>> = {
  'creates.create_qr_code': {
    name: {
      kind: 'text',
      others: draft,
      sends: (name) => [post('/qr', { ...creation, name })],
      gives: (made, name) => expect((made as Row)['name']).toBe(name),
    },
    targetUrl: webAddress(draft, (targetUrl) => [post('/qr', { ...creation, content: { targetUrl } })]),
    publishNow: {
      kind: 'yesNo',
      usual: true,
      others: draft,
      sends: (publish: boolean) => [post('/qr', creation), ...(publish ? [post('/qr/{id}/publish')] : [])],
      gives: (made, publish: boolean) =>
        expect((made as Row)['status']).toBe(publish ? 'published' : 'draft'),
    },
    deduplicationKey: { kind: 'key', usual: undefined, others: draft, sends: () => [post('/qr', creation)] },
  },
  'creates.publish_qr_code': {
    qrCodeId: qrCodeId((id) => post(`/qr/${id}/publish`)),
  },
  'creates.retarget_qr_code': {
    qrCodeId: qrCodeId((id) => post(`/qr/${id}/destination`, { url: TARGET })),
    url: webAddress(theCode, (url) => [post('/qr/{id}/destination', { url })]),
  },
  'creates.upsert_qr_code': {
    qrCodeId: {
      kind: 'text',
      usual: '',
      others: () => ({ ...FIRST, matchBy: 'id' }),
      sends: (id: string) =>
        id === ''
          ? [post('/qr', { ...creation, name: FIRST.name }), post('/qr/{id}/publish')]
          : [get(`/qr/${encodeURIComponent(id)}`)],
    },
    matchBy: {
      kind: 'oneOf',
      more: [choice('Name', 'name'), choice(' name', 'name'), choice('id', 'id')],
      others: () => ({ ...FIRST, ...theCode() }),
      sends: (by) => [
        get(by === 'name' ? '/qr?limit=100' : `/qr/${code['id'] as string}`),
        post('/qr/{id}/destination', { url: FIRST.targetUrl }),
      ],
    },
    name: {
      kind: 'text',
      others: () => ({ matchBy: 'id', targetUrl: TARGET }),
      sends: (name) => [post('/qr', { ...creation, name }), post('/qr/{id}/publish')],
      gives: (made, name) => expect(made).toMatchObject({ name, outcome: 'created' }),
    },
    targetUrl: webAddress(
      () => ({ ...theCode(), matchBy: 'id' }),
      (url) => [get(`/qr/${code['id'] as string}`), post('/qr/{id}/destination', { url })],
    ),
    deduplicationKey: {
      kind: 'key',
      usual: undefined,
      others: () => ({ matchBy: 'id', name: 'Name', targetUrl: TARGET }),
      sends: () => [post('/qr', creation), post('/qr/{id}/publish')],
    },
  },
  'creates.render_qr_code': {
    qrCodeId: qrCodeId((id) => get(`/qr/${id}`)),
    format: {
      kind: 'oneOf',
      more: [choice('PNG', 'png'), choice(' svg', 'svg'), choice('PDF (for print)', 'pdf')],
      usual: 'png',
      others: theCode,
      sends: () => [get(`/qr/${code['id'] as string}`)],
      gives: (row, format) => expect((row as Row)['format']).toBe(format),
    },
    size: {
      kind: 'wholeNumber',
      min: 1,
      usual: undefined,
      others: theCode,
      sends: () => [get(`/qr/${code['id'] as string}`)],
      gives: (row, size?: number) =>
        expect(/"size":(\d+)/.exec(String((row as Row)['file']))?.[1]).toBe(
          size === undefined ? undefined : String(size),
        ),
    },
  },
  'searches.find_qr_code': {
    value: {
      kind: 'text',
      others: () => ({}),
      sends: () => [get('/qr?limit=100')],
      gives: (found) => expect(found).toEqual([]),
    },
  },
  'searches.find_scans': {
    qrCodeId: {
      kind: 'text',
      usual: '',
      others: () => ({}),
      sends: (id: string) => (id === '' ? [scansSince()] : []),
    },
    since: {
      kind: 'time',
      usual: undefined,
      others: () => ({}),
      sends: (since?: string) => [scansSince(since)],
    },
    limit: {
      kind: 'wholeNumber',
      min: 1,
      max: 25,
      usual: 10,
      others: () => ({}),
      sends: () => [scansSince()],
    },
  },
  'triggers.qr_published': { qrCodeId: filter.qrCodeId },
  'triggers.qr_updated': filter,
  'triggers.qr_changed': filter,
  'triggers.new_scan': {
    qrCodeId: {
      kind: 'text',
      usual: '',
      others: () => ({}),
      sends: (id: string) => (id === '' ? [get('/scans')] : [get(`/qr/${encodeURIComponent(id)}`)]),
    },
  },
  'triggers.other_event': {
    event: {
      kind: 'oneOf',
      more: [choice('export.ready', 'export.ready'), choice(' Export Ready', 'export.ready')],
      others: () => ({}),
      sends: () => [],
    },
  },
};

const run = (engine: World['engine'], step: string, input: Row): Promise<unknown> => {
  const [kind, key = ''] = step.split('.');
  if (kind === 'creates') return engine.create(key, input, {}, MAPPED);
  if (kind === 'searches') return engine.search(key, input);
  return key === 'qr_changed' || key === 'new_scan'
    ? engine.poll(key, input, { isLoadingSample: true })
    : engine.performList(key, input);
};

function requestsSince(count: number): Sent[] {
  const { control } = world.emulator;
  if (control.requestCount() === count) return [];
  return control
    .requests()
    .slice(count - control.requestCount())
    .map(({ method, path, request: { body } }) => ({
      method,
      path: method === 'POST' ? path.replace(/qr_\w+/, '{id}') : path,
      ...(body === null || body === '' ? {} : { body: JSON.parse(body) as unknown }),
    }));
}

const inOrder = (sent: Sent[]) =>
  [...sent].sort((a, b) => JSON.stringify(a).localeCompare(JSON.stringify(b)));

/** Zapier passes inputs as JSON. */
const canReachZapier = ({ value }: ParameterValue) => typeof value !== 'bigint';

interface Field {
  key: string;
  label: string;
  choices?: unknown;
  list?: boolean;
}

type FieldFunction = (z: object, bundle: object) => Field[];

/** The fields of every step in the app's definition. */
function fields(): Map<string, Field[]> {
  const found = new Map<string, Field[]>();
  const all = (field: unknown) =>
    typeof field === 'function'
      ? (field as FieldFunction)({}, { inputData: { matchBy: 'id' } })
      : (field as Field);
  for (const kind of ['creates', 'searches', 'triggers'] as const)
    for (const [key, { operation }] of Object.entries(app[kind])) {
      const { inputFields = [] } = operation as { inputFields?: unknown[] };
      if (inputFields.length > 0) found.set(`${kind}.${key}`, inputFields.flatMap(all));
    }
  return found;
}

test('every field of every step has an expectation', () => {
  const keys = [...fields()].map(([step, own]) => [step, own.map(({ key }) => key).sort()]);
  expect(keys.sort()).toEqual(
    Object.entries(EXPECTED)
      .map(([step, expected]) => [step, Object.keys(expected).sort()])
      .sort(),
  );
});

describe('each value of a field works as documented, or fails with a clear error before any request', () => {
  // With the same time, a replay of a creation looks like the creation.
  beforeEach(() => void startVirtualTime());
  afterEach(() => jest.restoreAllMocks());

  // What is created must not fill a second page.
  let initial: Snapshot;
  beforeAll(() => {
    initial = world.emulator.control.snapshot();
  });
  afterEach(() => world.emulator.control.restore(initial));

  test.each(
    Object.entries(EXPECTED).flatMap(([step, expected]) =>
      Object.entries(expected).map(([key, expectation]) => ({ step, key, expectation })),
    ),
  )('$step: $key', async ({ step, key, expectation }) => {
    const { label } = fields()
      .get(step)!
      .find((field) => field.key === key)!;
    const isValid = (value: ParameterValue) => workingValue(expectation, value) !== undefined;
    const isYes = (value: ParameterValue) => (workingValue(expectation, value)?.value as unknown) === true;
    const values = sampleOfKinds(valuesFor(expectation).filter(canReachZapier), isValid);
    const good = values.filter(isValid);
    // What creates a code comes last: another code with the same name would make it ambiguous.
    if (expectation.kind === 'yesNo') good.sort((a, b) => Number(isYes(b)) - Number(isYes(a)));
    const before = world.emulator.control.requestCount();
    const problems = values
      .filter((value) => !good.includes(value))
      .map(async (value) => {
        const failure = await failureOf(
          run(world.engine, step, { ...expectation.others(), [key]: value.value }),
        ).catch((error: unknown) => ({ name: 'AppError', message: String(error) }));
        const name = failure.message.includes(' is empty. ') ? 'HaltedError' : 'AppError';
        return failure.name === name ? problemWith(failure.message, label, expectation, value) : failure.name;
      });
    expect((await Promise.all(problems)).filter((problem) => problem !== undefined)).toEqual([]);
    expect(requestsSince(before)).toEqual([]);

    const expected: Sent[] = [];
    for (const value of good) {
      const works = workingValue(expectation, value)!;
      expected.push(...expectation.sends(works.value));
      const result = run(world.engine, step, { ...expectation.others(), [key]: value.value });
      if (expectation.gives !== undefined) expectation.gives(await result, works.value);
      // The service may reject what the step accepts, or have no such code.
      else await result.catch((error: unknown) => expect(String(error)).toMatch(/^AppError: .*"code":"\w/));
    }
    // A search also looks up what may be an ID.
    const sent = requestsSince(before).filter(
      ({ path }) => !step.startsWith('searches') || path.includes('?'),
    );
    expect(inOrder(sent)).toEqual(inOrder(expected));
  });
});

test('every choice is accepted as its value and as its label, in any case', async () => {
  let compared = 0;
  for (const [step, own] of fields())
    for (const { key, choices, list = false } of own) {
      if (!Array.isArray(choices)) continue;
      const others = EXPECTED[step]![key]!.others();
      // A code that was created the first time is updated the second time.
      const resultOf = async (text: string) => {
        const result = await run(world.engine, step, { ...others, [key]: list ? [text] : text });
        return JSON.stringify(result, (name, value: unknown) => (name === 'outcome' ? undefined : value));
      };
      for (const { value, label } of choices as { value: string; label: string }[]) {
        const expected = await resultOf(value);
        for (const text of [label, ` ${label.toUpperCase()}`]) expect(await resultOf(text)).toEqual(expected);
        compared++;
      }
    }
  expect(compared).toBeGreaterThan(5);
});

test('an empty Publish Now publishes the code, even if Zapier turned it into a no', async () => {
  const { apiKey, url: baseUrl } = world.emulator;
  const zapier = createAppRunner(app, { rpcUrl: 'http://127.0.0.1:9', log: () => undefined });
  const statusOf = async (publishNow: unknown, inputDataRaw: unknown) => {
    const inputData = { ...draft(), publishNow };
    const bundle = { authData: { apiKey, baseUrl }, inputData, inputDataRaw, meta: {} };
    return ((await zapier.run('creates.create_qr_code.operation.perform', bundle)) as Row)['status'];
  };
  for (const cleared of ['', ' ', null])
    expect(await statusOf(false, { publishNow: cleared })).toBe('published');
  const kept = [{ publishNow: 'false' }, { publishNow: '{{1__cell}}' }, {}, null];
  for (const raw of kept) expect(await statusOf(false, raw)).toBe('draft');
});

test.each([
  ['apiKey', 'API Key', [['hidden', 'hidden'], { hidden: 'hidden' }, true, NaN]],
  ['baseUrl', 'Base URL', [['hidden', 'hidden'], { hidden: 'hidden' }, true, NaN]],
])(
  'the connection reports an invalid %s by its label, without a request and without showing the value',
  async (key, label, values) => {
    for (const value of values) {
      const before = world.emulator.control.requestCount();
      const auth = {
        apiKey: world.emulator.apiKey,
        baseUrl: world.emulator.url,
        [key]: value as unknown as string,
      };
      const engine = await createZapierEngine({ auth });
      const { message } = await failureOf(engine.authTest());
      await engine.close();
      expect(message).toMatch(new RegExp(`^${label} must be text`));
      expect(message).not.toContain('hidden');
      expect(world.emulator.control.requestCount()).toBe(before);
    }
  },
);
