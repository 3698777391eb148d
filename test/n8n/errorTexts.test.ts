import { inspect } from 'node:util';
import { isErrorCode } from '@qr-service/core/connector';
import type { IDataObject } from 'n8n-workflow';
import type { N8nEngine } from '../../engines/n8n/index.ts';
import { CODE, closeServices, serve, type RequestHandler } from '../support/faultyService/faultyService.ts';
import {
  problemsWith,
  requestIdOf,
  respondWith,
  SERVICE_ERRORS,
  type ServiceError,
} from '../support/faultyService/serviceErrors.ts';
import { startWorld, type World } from './support/world.ts';
import { action, codeBy, CREATE, CREATE_LIVE, NODE } from './support/workflows.ts';

const WORDS = {
  credential: 'credential',
  rerun: 'run the node again',
  scopes: 'To see the scopes of an API key, use Account: Get.',
};
const ROW = { name: 'Door', targetUrl: 'nope' };
const ONE = codeBy('id', 'qr_1');

/** Parameters of each operation. */
const OPERATIONS = {
  'Account: Get': { resource: 'account', operation: 'get' },
  Create: CREATE,
  'Create, at publishing': CREATE_LIVE,
  Get: { operation: 'get', qrCodeId: ONE },
  'Get Many': { operation: 'getAll' },
  Publish: { operation: 'publish', qrCodeId: ONE },
  Render: { operation: 'render', qrCodeId: ONE },
  Retarget: { operation: 'retarget', qrCodeId: ONE, url: 'nope' },
  'Create or Retarget': { operation: 'upsert', qrCodeId: ONE, ...ROW },
  'Scan: Get Many': { resource: 'scan', operation: 'getAll' },
};
type Name = keyof typeof OPERATIONS;
const NAMES = Object.keys(OPERATIONS) as Name[];
/** Operations whose texts don't only depend on the error code. */
const DISTINCT: readonly Name[] = ['Create', 'Create, at publishing', 'Get Many'];

let world: World;
let engine: N8nEngine;
let respond: RequestHandler;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.close());
beforeEach(async () => {
  // Retries don't wait. Their budget of a minute is used up by reading the clock.
  jest.spyOn(Math, 'random').mockReturnValue(0);
  const start = Date.now();
  let looks = 0;
  jest.spyOn(Date, 'now').mockImplementation(() => start + 6000 * looks++);
  const service = await serve((request, response, body) => respond(request, response, body));
  engine = await world.engineWith({ baseUrl: service.url });
});
afterEach(() => {
  jest.restoreAllMocks();
  closeServices();
});

/** Makes the service respond this way to an operation. */
function prepare(error: ServiceError, name: Name): Parameters<typeof action>[0] {
  const fail = respondWith(error);
  respond = (request, response, body) => {
    // The code is created; its publication fails.
    if (name === 'Create, at publishing' && request.url?.endsWith('/qr') === true)
      response.end(JSON.stringify(CODE));
    else fail(request, response, body);
  };
  return OPERATIONS[name];
}

/** Output of the failed item when the run continues. */
async function itemOf(
  error: ServiceError,
  name: Name,
): Promise<{ error: string; details: IDataObject & { description: string } }> {
  const workflow = action(prepare(error, name), [ROW], { onError: 'continueRegularOutput' });
  const { data } = await engine.runWorkflow(workflow);
  return data[NODE]![0]!.json as Awaited<ReturnType<typeof itemOf>>;
}

const CASES = Object.entries(SERVICE_ERRORS);

test.each(CASES)('%s: every operation tells what happened and what to do', async (what, error) => {
  for (const name of isErrorCode(what) ? NAMES : DISTINCT) {
    const { error: title, details } = await itemOf(error, name);
    const { description, httpCode } = details;
    const told = `${name}: ${title} | ${description}`;
    expect([told, problemsWith(title, description)]).toEqual([told, []]);
    expect(told).not.toMatch(/connection|base address|this step|\[item|\bmake\b|reconnect/i);
    expect(httpCode).toBe(String(error.status));
    // Running Create again creates duplicates. And n8n can't retry an execution that continued after errors.
    if (name.startsWith('Create'))
      expect(told.replace("Don't run Create again.", '')).not.toMatch(
        /\b(?:run|execute|repeat)\b.*\bagain\b|\bretry(?:ing)? this execution/i,
      );
    if (name === 'Create, at publishing')
      expect(told).toMatch(
        /qr_1 was created but not published.*publish it with the Publish operation \(ID qr_1\)\. Don't run Create again\./i,
      );
  }
});

test.each(CASES)(
  '%s: Update Destination has exactly this title and description, and the rest in the details',
  async (_what, error) => {
    const item = await itemOf(error, 'Retarget');
    const { error: shown } = await engine.runWorkflow(action(prepare(error, 'Retarget'), [ROW]));
    const [title, description] = [error.title, error.advice(WORDS)];
    const body = error.body as { code?: string; message?: string; details?: unknown };
    const details = Array.isArray(body.details) ? { items: body.details as unknown[] } : body.details;
    const requestId = requestIdOf(error);
    const code = body.code ?? `http_${error.status}`;
    const raw = { code, ...(requestId && { requestId }), ...(details !== undefined && { details }) };
    expect(item).toEqual({ error: title, details: { description, httpCode: String(error.status), ...raw } });
    // What n8n shows above and below "Error details".
    expect(shown).toMatchObject({ message: title, context: { itemIndex: 0, data: raw } });
    expect(shown!.description ?? '').toBe(description);
    if (body.message !== undefined) expect(shown).toMatchObject({ messages: [body.message] });
  },
);

test.each([
  ['Create', 'qr:write'],
  ['Create, at publishing', 'qr:write'],
  ['Get', 'qr:read'],
  ['Get Many', 'qr:read'],
  ['Publish', 'qr:write'],
  ['Render', 'exports:read'],
  ['Retarget', 'qr:write'],
  ['Scan: Get Many', 'analytics:read'],
] as const)('%s names the missing scope %s if the service does not', async (name, scope) => {
  const { error: title, details } = await itemOf(SERVICE_ERRORS['insufficient_scope']!, name);
  expect(title).toContain(`API key lacks the scope ${scope}`);
  expect(details.description).toContain('To see the scopes of an API key, use Account: Get.');
});

test.each(['Create', 'Create, at publishing'] as const)(
  '%s only advises retrying the execution if n8n offers that',
  async (name) => {
    const error = SERVICE_ERRORS['a pause']!;
    const { error: shown } = await engine.runWorkflow(action(prepare(error, name), [ROW]));
    expect(shown!.description).toMatch(/retry(ing)? this execution/i);
    const { details } = await itemOf(error, name);
    expect(details.description).toMatch(
      name === 'Create'
        ? /then retry this item, unless its code already exists\.$/
        : /Don't run Create again\.$/,
    );
  },
);

test.each(['stopWorkflow', 'continueRegularOutput'] as const)(
  'an execution (%s) contains no secret that the service echoes',
  async (onError) => {
    const apiKey = 'key_"hunter2"';
    const secret = 'whsec_hunter2';
    respond = respondWith({
      ...SERVICE_ERRORS['a field in a map']!,
      body: {
        code: 'validation_failed',
        message: `The key ${apiKey} is odd`,
        requestId: apiKey,
        details: { fields: { url: `${apiKey} is odd` }, [apiKey]: [apiKey], signingSecret: secret },
      },
    });
    const service = await serve((request, response, body) => respond(request, response, body));
    const own = await world.engineWith({ baseUrl: service.url, apiKey });
    const ran = await own.runWorkflow(action(OPERATIONS.Retarget, [ROW], { onError }));
    expect(inspect(ran, { depth: null, showHidden: true })).not.toContain('hunter2');
    expect(JSON.stringify(ran)).not.toContain('hunter2');
  },
);
